"""Order statistics: ranks against brute force with exact binomial sums."""

import math

import numpy as np
import pytest

from pavlov_cli.stats import median_interval, quantile


def binomial_below(rank, trials, q):
    """P(B < rank), B ~ Binomial(trials, q)."""
    return sum(math.comb(trials, k) * q**k * (1 - q) ** (trials - k) for k in range(rank))


def brute_force_ranks(trials, confidence, q):
    tail = (1 - confidence) / 2
    lower = [r for r in range(1, trials + 1) if binomial_below(r, trials, q) <= tail]
    upper = [r for r in range(1, trials + 1) if 1 - binomial_below(r, trials, q) <= tail]
    return (max(lower) if lower else None, min(upper) if upper else None)


@pytest.mark.parametrize("trials", [1, 4, 5, 6, 8, 13, 32, 64])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
def test_ranks_equal_brute_force(trials, confidence, q):
    values = np.random.default_rng(trials).permutation(np.arange(1, trials + 1))  # the value is its own rank
    estimate = median_interval(values, confidence, q)
    assert (estimate.low, estimate.high) == brute_force_ranks(trials, confidence, q)
    assert estimate.value == min(r for r in range(1, trials + 1) if r >= trials * q - 1e-9)
    assert estimate.trials == trials


def test_four_trials_cannot_bound_a_median_at_95_percent():
    estimate = median_interval([3, 4, 5, 6])  # even the extremes miss it with chance 1/16 each
    assert (estimate.value, estimate.low, estimate.high) == (4, None, None)


def test_integers_stay_integers():
    estimate = median_interval(np.array([7, 7, 8, 9, 9, 9, 10, 12]))
    assert [type(x) for x in (estimate.value, estimate.low, estimate.high)] == [int, int, int]


@pytest.mark.parametrize(("q", "expected"), [(0.01, 1), (0.07, 7), (0.5, 50), (0.505, 51), (1.0, 100)])
def test_quantile_is_the_lower_one(q, expected):
    assert quantile(list(range(100, 0, -1)), q) == expected


def test_the_median_interval_covers_at_least_as_often_as_asked():
    generator, repeats = np.random.default_rng(3), 400
    samples = generator.poisson(6.0, (repeats, 24))  # median 6
    covered = np.mean([e.low <= 6 <= e.high for e in map(median_interval, samples)])
    assert covered >= 0.95 - 3.3 * math.sqrt(0.95 * 0.05 / repeats)
    shifted = np.mean([e.low <= 8 <= e.high for e in map(median_interval, samples)])
    assert shifted < 0.5


@pytest.mark.parametrize("q", [0.0, 1.0, -0.1])
def test_quantiles_out_of_range_are_refused(q):
    with pytest.raises(ValueError, match=r"quantile must be in \(0, 1\)"):
        median_interval([1, 2, 3], 0.95, q)
    if q < 1:
        with pytest.raises(ValueError, match=r"q must be in \(0, 1\]"):
            quantile([1, 2, 3], q)
