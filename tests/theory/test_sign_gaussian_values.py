"""Is the sign error of Gaussian values right, exactly where it can be had by hand and else by simulated keys?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import draw, spec

from pavlov_cli.theory import sign_gaussian_values

Z = 3.3


def error(keys: str, d_k: int, n: int) -> float:
    """The predicted error at one n."""
    return float(sign_gaussian_values.error(spec("sign", d_k=d_k, keys=keys, values="gaussian"), np.array(n)))


@pytest.mark.parametrize("d_k", [2, 3, 8, 64, 1024])
def test_two_associations_are_the_integral_over_one_overlap_of_sphere_keys(d_k: int) -> None:
    from scipy.integrate import quad

    nearby = [1 / math.sqrt(d_k), 5 / math.sqrt(d_k)] if d_k > 32 else None

    def mean(function) -> float:
        return quad(lambda x: function(x) * math.cos(x) ** (d_k - 2), 0, math.pi / 2, epsabs=0, points=nearby)[0]

    exact = mean(lambda x: math.atan(math.sin(x))) / mean(lambda x: 1.0) / math.pi
    assert error("sphere", d_k, 2) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("d_k", [1, 2, 5, 8])
@pytest.mark.parametrize("n", [2, 3])
def test_few_associations_are_the_sum_over_the_overlaps_of_sign_keys(d_k: int, n: int) -> None:
    overlaps = (2 * np.arange(d_k + 1) - d_k) / d_k
    share = np.array([math.comb(d_k, ups) for ups in range(d_k + 1)]) / 2**d_k
    squares, shares = overlaps**2, share
    if n == 3:
        squares, shares = np.add.outer(squares, squares).ravel(), np.outer(share, share).ravel()
    assert error("rademacher", d_k, n) == pytest.approx(shares @ np.arctan(np.sqrt(squares)) / math.pi, rel=1e-12)


@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
@pytest.mark.parametrize(("d_k", "n"), [(2, 5), (8, 4), (8, 40), (24, 9)])
def test_error_agrees_with_simulated_memories(keys: str, d_k: int, n: int) -> None:
    generator, trials, d_v = np.random.default_rng(2), 20_000, 6
    k, v = draw(generator, keys, trials, n, d_k), draw(generator, "gaussian", trials, n, d_v)
    readout = np.einsum("tj,tjv->tv", np.einsum("tk,tjk->tj", k[:, 0], k), v)
    wrong = np.mean(np.sign(readout) != np.sign(v[:, 0]), axis=1)  # per trial, the independent unit
    assert abs(wrong.mean() - error(keys, d_k, n)) < Z * wrong.std() / math.sqrt(trials)


def test_one_association_never_errs_and_very_many_err_half_the_time() -> None:
    for keys, d_k in (("sphere", 2), ("sphere", 4096), ("rademacher", 1), ("rademacher", 1001)):
        curve = [error(keys, d_k, n) for n in (1, 2, 3, 10, 1000, 10**6, 2**40)]
        assert curve[0] == 0 and np.all(np.diff(curve) >= 0) and curve[-1] < 0.5
        assert curve[-1] == pytest.approx(0.5 - math.sqrt(d_k / 2**40) / math.pi, rel=1e-4)


def test_large_dimensions_approach_the_leading_law() -> None:
    memory = spec("sign", d_k=4096, values="gaussian")
    assert sign_gaussian_values.leading(memory, 0.1) == pytest.approx(1 + 4096 * math.tan(math.pi / 10) ** 2)
    leading = sign_gaussian_values.leading(memory, 0.1)
    assert sign_gaussian_values.capacity(memory, 0.1) == pytest.approx(leading, rel=2e-3)
    assert sign_gaussian_values.capacity(memory, 0.5) is None and math.isinf(sign_gaussian_values.leading(memory, 0.5))
