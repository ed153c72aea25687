"""Exponents: exact power laws, propagated errors, censored and missing points."""

import math

import numpy as np
import pytest

from pavlov_cli.records import Estimate
from pavlov_cli.stats import Slope, exponent, mean_interval, slope_of, standard_error_log

D = [64, 128, 256, 512, 1024]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, -0.3])
def test_an_exact_power_law_gives_its_power(power):
    slope = exponent(D, [3.7 * d**power for d in D], [0.0] * 5)
    assert slope.value == pytest.approx(power, abs=1e-12)
    assert (slope.low, slope.high) == (slope.value, slope.value)
    assert (slope.points, slope.censored) == (5, 0)


def test_the_interval_is_propagated_by_hand_for_three_points():
    # x = log d is -h, 0, h around its mean: slope = (y_3 - y_1) / (2 h), standard error = sqrt(s_1^2 + s_3^2) / (2 h)
    slope = exponent([16, 32, 64], [4.0, 5.0, 9.0], [0.03, 0.5, 0.04])
    assert slope.value == pytest.approx(math.log(9 / 4) / (2 * math.log(2)), rel=1e-12)
    half_width = 1.959963984540054 * 0.05 / (2 * math.log(2))
    assert slope.high - slope.value == pytest.approx(half_width, rel=1e-9)
    assert slope.value - slope.low == pytest.approx(half_width, rel=1e-9)


def test_measured_and_predicted_slopes_are_one_functional():
    capacity = [7.0, 9.5, 15.0, 20.0, 33.0]
    assert exponent(D, capacity, [0.1] * 5).value == slope_of(D, capacity)


def test_slope_intervals_cover_the_true_exponent():
    generator, repeats, errors = np.random.default_rng(11), 400, np.array([0.02, 0.05, 0.03, 0.04, 0.06])
    slopes = [exponent(D, np.sqrt(D) * np.exp(errors * generator.standard_normal(5)), errors) for _ in range(repeats)]
    covered = np.mean([s.low <= 0.5 <= s.high for s in slopes])
    assert abs(covered - 0.95) <= 3.3 * math.sqrt(0.95 * 0.05 / repeats)


def test_two_distinct_dimensions_give_no_slope():
    assert exponent([64, 64, 128], [8.0, 8.1, 11.0], [0.1] * 3) == Slope(None, None, None, 3)


@pytest.mark.parametrize("missing", [None, math.nan])
def test_censored_capacities_are_left_out_and_counted(missing):
    slope = exponent(D, [8.0, 16.0, 32.0, 64.0, missing], [0.1, 0.1, 0.1, 0.1, None])
    assert slope.value == pytest.approx(1.0)
    assert slope.high is not None
    assert (slope.points, slope.censored) == (4, 1)


def test_an_unknown_standard_error_leaves_the_slope_without_interval():
    slope = exponent(D, [8.0, 16.0, 32.0, 64.0, 128.0], [0.1, 0.1, None, 0.1, 0.1])
    assert slope.value == pytest.approx(1.0)
    assert (slope.low, slope.high) == (None, None)


def test_the_standard_error_is_read_back_from_the_interval():
    assert standard_error_log(Estimate(4.0, 2.0, 8.0)) == pytest.approx(math.log(4) / (2 * 1.959963984540054))
    log_interval = mean_interval([1.0, 2.0, 1.5, 1.2], 0.9)
    assert standard_error_log(log_interval, 0.9) > standard_error_log(log_interval, 0.95)


@pytest.mark.parametrize("estimate", [Estimate(None, 1.0, None), Estimate(2.0, 0.0, 3.0), Estimate(2.0, 1.0, None)])
def test_an_open_interval_has_no_standard_error(estimate):
    assert standard_error_log(estimate) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exponent(D, [1.0], [0.1]), "equal lengths"),
        (lambda: exponent(D, [1.0] * 5, [-0.1] * 5), "standard_error_log must be at least 0; got -0.1"),
        (lambda: slope_of([1, 2], [0.0, 1.0]), "capacity must be positive"),
        (lambda: slope_of([2, 2], [1.0, 1.0]), "d must be positive, with at least two distinct values"),
    ],
)
def test_malformed_points_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
