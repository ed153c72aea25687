"""Is the sign error of sphere keys right, from the far tail to n = 10^6 and from d_k 4 to 4096?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import golden, spec

from pavlov_cli.theory import sign_sphere

Z = 3.3
TABLE = golden("sign_error_sphere.csv")
TRUNCATED = (8, 3)  # the table's own tail is 1.8e-10 off here, see tests/golden/README.md
QUADRATURE = 5e-15  # absolute error of the table's Fourier integral, shown by the convolutions below


def error(d_k: int, n: int) -> float:
    """The predicted error at one n."""
    return float(sign_sphere.error(spec("sign", d_k=d_k), np.array([n]))[0])


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['d_k']:g}-{row['num_associations']:g}")
def test_golden_rows_hold_to_their_printed_digits(row: dict[str, float]) -> None:
    cell = (int(row["d_k"]), int(row["num_associations"]))
    truncation = 2e-10 if cell == TRUNCATED else 0.0
    rounding = 5.1e-11 * row["bit_error_exact"]
    assert abs(error(*cell) - row["bit_error_exact"]) <= rounding + QUADRATURE + truncation


@pytest.mark.parametrize("d_k", [32, 64, 128])
@pytest.mark.parametrize("n", [3, 4, 6, 9])
def test_error_is_the_repeated_convolution_also_in_the_far_tail(d_k: int, n: int) -> None:
    # equal steps are spectrally accurate for a density that vanishes smoothly at its ends, and all terms are positive
    from scipy.special import betainc

    half_steps = 400
    s = np.arange(-half_steps, half_steps + 1) / half_steps
    density = (1 - s**2) ** ((d_k - 3) / 2)
    density /= density.sum()
    total = density
    for _ in range(n - 3):
        total = np.convolve(total, density)
    others = np.arange(-(n - 2) * half_steps, (n - 2) * half_steps + 1) / half_steps
    gap = np.clip(1 - others, -1, 1)
    tail = betainc((d_k - 1) / 2, 0.5, 1 - gap**2) / 2
    above = np.where(gap >= 0, tail, 1 - tail)
    assert error(d_k, n) == pytest.approx(float(np.sum(total * above)), rel=1e-11, abs=0)


@pytest.mark.parametrize("d_k", [4, 5, 8, 32, 64, 200])
def test_three_associations_are_the_convolution_of_two_coordinates(d_k: int) -> None:
    from scipy.integrate import quad

    def density(s: float) -> float:
        return (1 - s * s) ** ((d_k - 3) / 2)

    def tail(s: float) -> float:
        return density(s) * quad(density, 1 - s, 1, epsabs=0, epsrel=1e-11)[0]

    area = quad(density, -1, 1, epsabs=0, epsrel=1e-12)[0]
    assert error(d_k, 3) == pytest.approx(quad(tail, 0, 1, epsabs=0, epsrel=1e-10)[0] / area**2, rel=1e-8)


def test_a_sum_of_coordinates_in_five_dimensions_is_the_polynomial_count() -> None:
    # d_k = 5: density 3/4 (1 - s^2), so the tails are piecewise polynomials, which Gauss-Legendre integrates exactly
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x, w = (nodes + 1) / 2, weights / 2

    def above(t: np.ndarray) -> np.ndarray:  # P(s > t) on [-1, 1]
        t = np.clip(t, -1, 1)
        return 0.5 - 0.75 * (t - t**3 / 3)

    def two_above(t: float) -> float:  # P(s1 + s2 > t) for t in [0, 2]: s1 from t - 1 to 1
        s = t - 1 + (2 - t) * x
        return float(np.sum(w * (2 - t) * 0.75 * (1 - s**2) * above(t - s)))

    def three_above_one() -> float:  # s3 in [-1, 0] needs s1 + s2 > 1 - s3 in [1, 2]; s3 in [0, 1] needs [0, 1]
        lower = [0.75 * (1 - s**2) * two_above(1 - s) for s in -x]
        upper = [0.75 * (1 - s**2) * two_above(1 - s) for s in x]
        return float(np.sum(w * (np.array(lower) + np.array(upper))))

    assert error(5, 3) == pytest.approx(two_above(1.0), rel=1e-12)
    assert error(5, 4) == pytest.approx(three_above_one(), rel=1e-10)


@pytest.mark.parametrize(("d_k", "n"), [(4, 4), (4, 9), (8, 6), (24, 12)])
def test_error_agrees_with_simulated_memories(d_k: int, n: int) -> None:
    generator, trials, d_v = np.random.default_rng(3), 20_000, 8
    keys = generator.standard_normal((trials, n, d_k))
    keys /= np.linalg.norm(keys, axis=-1, keepdims=True)
    values = generator.choice([-1.0, 1.0], size=(trials, n, d_v))
    readout = np.einsum("tj,tjv->tv", np.einsum("tk,tjk->tj", keys[:, 0], keys), values)
    wrong = np.mean(np.sign(readout) != values[:, 0], axis=1)  # per trial, the independent unit
    assert abs(wrong.mean() - error(d_k, n)) < Z * wrong.std() / math.sqrt(trials)


@pytest.mark.parametrize(("d_k", "n"), [(4, 1000), (64, 10**6), (512, 60), (4096, 300), (4096, 120), (4096, 10**6)])
def test_error_agrees_with_the_edgeworth_form(d_k: int, n: int) -> None:
    from scipy.special import ndtr

    z = math.sqrt(d_k / (n - 1))
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    edgeworth = ndtr(-z) - (z**3 - 3 * z) * density / (4 * (d_k + 2) * (n - 1))
    assert error(d_k, n) == pytest.approx(edgeworth, rel=2e-7)


def test_one_or_two_associations_never_err() -> None:
    assert sign_sphere.error(spec("sign", d_k=4), np.array([1, 2])).tolist() == [0.0, 0.0]


def test_an_error_below_the_float64_range_is_zero_not_a_warning() -> None:
    assert error(4096, 3) == 0.0
    assert 0 < error(4096, 4) < 1e-300


@pytest.mark.parametrize("d_k", [4, 37, 1024])
def test_error_rises_with_n_towards_one_half(d_k: int) -> None:
    curve = sign_sphere.error(spec("sign", d_k=d_k), np.array([3, 4, 5, 6, 8, 12, 20, 50, 200, 1000, 10**5, 10**6]))
    assert np.all(np.diff(curve) > 0)
    assert np.all(curve < 0.5)


def test_capacity_is_where_the_curve_crosses_the_target() -> None:
    memory, target = spec("sign", d_k=64), 0.01
    capacity = sign_sphere.capacity(memory, target)
    below = math.floor(capacity)
    low, high = error(64, below), error(64, below + 1)
    assert low <= target < high
    expected = math.log(below) + (target - low) / (high - low) * math.log1p(1 / below)
    assert math.log(capacity) == pytest.approx(expected, rel=1e-12)
    assert sign_sphere.leading(memory, target) == pytest.approx(1 + 64 / 2.3263478740408408**2, rel=1e-12)


def test_no_number_of_associations_exceeds_one_half() -> None:
    assert sign_sphere.capacity(spec("sign"), 0.5) is None
