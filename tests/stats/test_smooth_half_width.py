"""The half-width that decides when to stop does not depend on which side of a bend the crossing lies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pavlov_cli.records import Estimate
from pavlov_cli.stats import smooth_half_width


def fixed(rates: np.ndarray) -> Estimate:
    mean = float(rates.mean())
    return Estimate(mean, mean - 0.01, mean + 0.01, rates.size)


def test_it_is_the_error_half_width_over_the_slope_in_log_n() -> None:
    assert smooth_half_width([1, 2, 4], [[0.0], [0.1], [0.2]], 2.5, fixed) == pytest.approx(0.01 / 0.2 * math.log(4))
    assert smooth_half_width([1, 2, 4], [[0.0], [0.1], [0.2]], 3.5, fixed) == pytest.approx(0.01 / 0.1 * math.log(2))


def test_both_sides_of_a_bend_need_the_same() -> None:
    rates = [[0.0], [0.02], [0.2]]
    below, above = (smooth_half_width([1, 2, 4], rates, value, fixed) for value in (1.9, 2.1))
    assert below == pytest.approx(above)


def test_a_falling_curve_or_an_unknown_interval_is_never_sure() -> None:
    assert smooth_half_width([1, 2], [[0.3], [0.1]], 1.5, fixed) is None
    assert smooth_half_width([1, 2], [[0.1], [0.3]], 1.5, lambda rates: Estimate(0.2, None, None, 1)) is None
