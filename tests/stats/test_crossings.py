"""Crossings: curves whose capacity is known exactly, both censorings, and coverage."""

import math

import numpy as np
import pytest

from pavlov_cli.records import Estimate
from pavlov_cli.stats import crossing, mean_interval, proportion_interval

Z = 3.3


def exact(rates):
    """An interval without width."""
    return Estimate(float(rates.mean()), float(rates.mean()), float(rates.mean()), rates.size)


def band(half_width):
    """An interval of fixed half-width."""
    return lambda rates: Estimate(rates.mean(), rates.mean() - half_width, rates.mean() + half_width, rates.size)


def test_a_curve_linear_in_log_n_is_inverted_exactly():
    ns = [1, 2, 4, 8, 16]
    rates = [[0.1 * math.log2(n)] * 3 for n in ns]
    found = crossing(ns, rates, 0.17, band(0.05))
    assert found.value == pytest.approx(2**1.7, rel=1e-9)
    assert found.low == pytest.approx(2**1.2, rel=1e-5)
    assert found.high == pytest.approx(2**2.2, rel=1e-5)
    assert (found.censored, found.bound, found.trials) == (None, None, 3)


def test_without_width_the_limits_are_the_value():
    found = crossing([1, 2, 4, 8], [[0.0], [0.1], [0.3], [0.6]], 0.2, exact)
    assert found.value == pytest.approx(2 * math.sqrt(2), rel=1e-12)
    assert found.low == pytest.approx(found.value, rel=1e-5)
    assert found.high == pytest.approx(found.value, rel=1e-5)


def test_an_error_equal_to_the_target_still_holds():
    assert crossing([1, 2, 3], [[0.0], [0.25], [0.5]], 0.25, exact).value == pytest.approx(2.0, rel=1e-12)


def test_the_first_of_several_crossings_counts():
    found = crossing([1, 2, 3, 4], [[0.0], [0.4], [0.1], [0.5]], 0.2, exact)
    assert found.value == pytest.approx(math.sqrt(2), rel=1e-12)


def test_a_curve_that_never_reaches_the_target_is_censored_above():
    found = crossing([1, 2, 4], [[0.0], [0.05], [0.1]], 0.2, band(0.02))
    assert (found.value, found.censored, found.bound, found.high) == (None, "above", 4, None)
    assert found.low == pytest.approx(4.0)


def test_censored_above_keeps_the_lower_limit_where_the_upper_band_crosses():
    found = crossing([1, 2, 4], [[0.0], [0.1], [0.2]], 0.22, band(0.05))
    assert (found.value, found.censored) == (None, "above")
    assert found.low == pytest.approx(2**1.7, rel=1e-5)


def test_a_curve_that_starts_beyond_the_target_is_censored_below():
    found = crossing([2, 4, 8], [[0.3], [0.4], [0.5]], 0.2, band(0.15))
    assert (found.value, found.low, found.censored, found.bound) == (None, None, "below", 2)
    assert found.high == pytest.approx(2**1.5, rel=1e-5)


def test_limits_beyond_the_grid_are_unknown():
    found = crossing([2, 4, 8], [[0.15], [0.25], [0.3]], 0.2, band(0.2))
    assert found.value is not None
    assert (found.low, found.high) == (None, None)


def test_one_association_without_error_is_a_lower_limit():
    found = crossing([1, 2, 4], [[0.0], [0.15], [0.25]], 0.2, band(0.3))
    assert found.low == 1.0


def test_a_grid_point_without_errors_counts_with_its_own_bound():
    # 8 trials without any error at n = 3 leave up to 4% open: a target of 1% is not known to hold there
    rates = np.zeros((3, 8))
    rates[2, :4] = 0.1
    bound = proportion_interval(rates[1], 64).high
    found = crossing([2, 3, 4], rates, 0.01, lambda r: proportion_interval(r, 64))
    assert bound > 0.01
    assert found.low is None
    assert crossing([2, 3, 4], rates, 1.1 * bound, lambda r: proportion_interval(r, 64)).low > 3


def test_the_estimate_carries_value_limits_and_trials():
    found = crossing([1, 2, 4], [[0.0, 0.0], [0.1, 0.1], [0.3, 0.3]], 0.2, exact)
    assert found.estimate == Estimate(found.value, found.low, found.high, 2)


def correlated_curves(generator, repeats, trials):
    """Per-trial errors [N, repeats, trials] with mean (n - 1)/10 and a skewed factor shared by all n of a trial."""
    ns = np.arange(1, 9)
    shared = generator.gamma(5.0, 1 / 5.0, (1, repeats, trials))
    own = generator.gamma(10.0, 1 / 10.0, (8, repeats, trials))
    return ns, (ns - 1)[:, None, None] / 10 * shared * own


@pytest.mark.parametrize("trials", [8, 24])
def test_crossing_limits_cover_the_true_crossing(trials):
    repeats, target = 400, 0.25
    ns, curves = correlated_curves(np.random.default_rng(trials), repeats, trials)
    truth = math.exp(0.5 * (math.log(3) + math.log(4)))  # 0.2 at n = 3, 0.3 at n = 4
    found = [crossing(ns, curves[:, r], target, mean_interval) for r in range(repeats)]
    covered = np.mean([(c.low is None or c.low <= truth) and (c.high is None or truth <= c.high) for c in found])
    error = math.sqrt(0.95 * 0.05 / repeats)
    assert 0.93 - Z * error <= covered <= 0.97 + Z * error


@pytest.mark.parametrize(
    ("ns", "rates", "message"),
    [
        ([2, 2], [[0.1], [0.2]], r"ns must be increasing and at least 1; got \[2, 2\]"),
        ([0, 2], [[0.1], [0.2]], "ns must be increasing and at least 1"),
        ([1, 2], [[0.1]], r"rates must have shape \[2, trials\]; got \[1, 1\]"),
        ([1, 2], [[0.1], [math.inf]], "rates must be finite; got inf"),
    ],
)
def test_malformed_curves_are_refused(ns, rates, message):
    with pytest.raises(ValueError, match=message):
        crossing(ns, rates, 0.1, exact)
