"""Two estimates differ by more than chance about as often as chance says, and the halves that face each other count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pavlov_cli.records import Estimate
from pavlov_cli.stats import difference_z, mean_interval

Q = 1.959963984540054  # normal quantile of 97.5%


def test_symmetric_intervals_give_the_usual_z():
    first, second = Estimate(10, 10 - Q * 3, 10 + Q * 3), Estimate(20, 20 - Q * 4, 20 + Q * 4)
    assert difference_z(first, second) == pytest.approx(2.0)
    assert difference_z(second, first) == pytest.approx(-2.0)


def test_only_the_halves_that_face_each_other_count():
    first, second = Estimate(10, None, 10 + Q), Estimate(12, 12 - Q, None)
    assert difference_z(first, second) == pytest.approx(math.sqrt(2))
    assert difference_z(Estimate(0.0, 0.0, Q), Estimate(0.0, 0.0, Q)) == 0.0


def test_each_interval_counts_at_its_own_confidence():
    wide = 2.5758293035489004  # 99.5%
    first, second = Estimate(0, -wide, wide), Estimate(1, 1 - Q, 1 + Q)
    assert difference_z(first, second, first_confidence=0.99) == pytest.approx(1 / math.sqrt(2))


def test_what_is_not_known_gives_no_number():
    assert difference_z(Estimate(None, 1, None), Estimate(1, 0, 2)) is None
    assert difference_z(Estimate(1, 0, None), Estimate(2, 1, 3)) is None
    assert difference_z(Estimate(1, 1, 1), Estimate(2, 2, 2)) == math.inf


def test_equal_means_are_called_different_in_about_one_of_twenty():
    rng = np.random.default_rng(0)
    repeats = 2000
    beyond = 0
    for _ in range(repeats):
        a, b = (mean_interval(rng.gamma(20.0, 0.05, size=32)) for _ in range(2))
        z = difference_z(a, b)
        beyond += z is not None and abs(z) > Q
    rate = beyond / repeats
    # 3.3 standard errors of a rate of 5% in 2000 repeats are 1.6 points
    assert abs(rate - 0.05) < 3.3 * math.sqrt(0.05 * 0.95 / repeats)
