"""Is the sign error of +-1 keys the exact Binomial, from 1e-78 to n d_k = 1e9?"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from theory_specs import golden, spec

from pavlov_cli.theory import sign_rademacher

TABLE = golden("sign_error_exact.csv")


def exact(d_k: int, n: int) -> Fraction:
    """The error by counting interference walks of N = (n-1) d_k steps that end below -d_k, half of those at -d_k."""
    steps = (n - 1) * d_k
    walks = Fraction(0)
    for ups in range(steps + 1):
        end = 2 * ups - steps + d_k
        walks += math.comb(steps, ups) * (Fraction(1, 2) if end == 0 else int(end < 0))
    return walks / 2**steps


def error(d_k: int, n: int) -> float:
    """The predicted error at one n."""
    return float(sign_rademacher.error(spec("sign", d_k=d_k, keys="rademacher"), np.array([n]))[0])


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['d_k']:g}-{row['num_associations']:g}")
def test_golden_rows_hold_to_their_printed_digits(row: dict[str, float]) -> None:
    assert error(int(row["d_k"]), int(row["num_associations"])) == pytest.approx(row["bit_error_exact"], rel=1e-12)


@pytest.mark.parametrize("d_k", [1, 2, 3, 7, 16, 33])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 41])
def test_error_is_the_count_of_walks_in_every_parity(d_k: int, n: int) -> None:
    assert error(d_k, n) == pytest.approx(float(exact(d_k, n)), rel=1e-12, abs=0)


@pytest.mark.parametrize(("d_k", "n"), [(512, 1_953_125), (31_250, 32_000), (20_001, 50_000)])
def test_a_billion_steps_agree_with_the_corrected_normal_tail(d_k: int, n: int) -> None:
    from scipy.special import ndtr

    steps = (n - 1) * d_k
    z = d_k / math.sqrt(steps)
    # with ties halved the lattice and the kurtosis (-2) correct the normal tail by terms of order (z^3, z) / steps only
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    assert error(d_k, n) == pytest.approx(ndtr(-z), abs=2 * density * (z**3 + 3 * z) / steps + 1e-13)


@pytest.mark.parametrize("d_k", [7, 16])
def test_error_never_falls_with_n(d_k: int) -> None:
    curve = sign_rademacher.error(spec("sign", d_k=d_k, keys="rademacher"), np.arange(1, 400))
    assert np.all(np.diff(curve) >= -1e-15)
    assert np.all(curve < 0.5)


def test_capacity_is_the_first_crossing_of_the_exact_curve() -> None:
    memory, target = spec("sign", d_k=64, keys="rademacher"), 0.01
    low, high = float(exact(64, 12)), float(exact(64, 13))
    assert low <= target < high
    expected = math.exp(math.log(12) + (target - low) / (high - low) * math.log(13 / 12))
    assert sign_rademacher.capacity(memory, target) == pytest.approx(expected, rel=1e-11)
    assert sign_rademacher.fit_capacity(memory, target) == sign_rademacher.capacity(memory, target)


def test_no_number_of_associations_exceeds_one_half() -> None:
    memory = spec("sign", keys="rademacher")
    assert sign_rademacher.capacity(memory, 0.5) is None
    assert math.isinf(sign_rademacher.leading(memory, 0.5))
    assert sign_rademacher.capacity(memory, 0.4999) is not None


def test_capacity_approaches_the_leading_law() -> None:
    memory = spec("sign", d_k=4096, keys="rademacher")
    leading = sign_rademacher.leading(memory, 0.01)
    assert leading == pytest.approx(1 + 4096 / 2.3263478740408408**2, rel=1e-12)
    assert sign_rademacher.capacity(memory, 0.01) == pytest.approx(leading, rel=1e-4)
