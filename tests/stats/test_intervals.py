"""Intervals: exact cases by hand, and coverage on a small overdispersed model."""

import math

import numpy as np
import pytest
from scipy.special import betaincinv, stdtrit

from pavlov_cli.stats import mean_interval, proportion_interval

Z = 3.3
REPEATS = 400


# designed coverage 93 to 97%, widened by z = 3.3 times the error of a coverage over 400 repeats
LEAST = 0.93 - Z * math.sqrt(0.93 * 0.07 / REPEATS)
MOST = 0.97 + Z * math.sqrt(0.97 * 0.03 / REPEATS)


def test_mean_interval_is_student_t_on_the_log_scale():
    values = [1.0, 2.0, 4.0, 5.0]
    spread = math.sqrt((4 + 1 + 1 + 4) / 3)  # squared deviations from the mean 3
    factor = math.exp(3.182446305284263 * spread / math.sqrt(4) / 3)  # t table: 3 degrees of freedom, 97.5%
    estimate = mean_interval(values)
    assert estimate.value == 3.0
    assert estimate.low == pytest.approx(3 / factor, rel=1e-12)
    assert estimate.high == pytest.approx(3 * factor, rel=1e-12)
    assert estimate.trials == 4


def test_mean_interval_is_plain_student_t_where_a_value_is_negative():
    estimate = mean_interval([-1.0, 1.0, 2.0, 6.0], 0.9)
    half_width = 2.353363434801823 * math.sqrt(26 / 3) / 2  # t table: 3 degrees of freedom, 95%
    assert estimate.low == pytest.approx(2 - half_width, rel=1e-12)
    assert estimate.high == pytest.approx(2 + half_width, rel=1e-12)


def test_mean_interval_scales_with_its_values():
    values = np.array([0.2, 0.5, 0.1, 0.9])
    once, scaled = mean_interval(values), mean_interval(1e-9 * values)
    assert scaled.low == pytest.approx(1e-9 * once.low, rel=1e-12)
    assert scaled.high == pytest.approx(1e-9 * once.high, rel=1e-12)


def test_one_trial_has_no_mean_interval():
    estimate = mean_interval([0.3])
    assert (estimate.value, estimate.low, estimate.high) == (0.3, None, None)


def test_all_zero_means_give_a_zero_interval():
    estimate = mean_interval([0.0, 0.0, 0.0])
    assert (estimate.value, estimate.low, estimate.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("trials", [8, 24])
def test_one_unit_per_trial_is_the_jeffreys_interval(trials):
    failures = 3
    rates = [1.0] * failures + [0.0] * (trials - failures)
    estimate = proportion_interval(rates, 1)
    assert estimate.low == pytest.approx(betaincinv(failures + 0.5, trials - failures + 0.5, 0.025), rel=1e-12)
    assert estimate.high == pytest.approx(betaincinv(failures + 0.5, trials - failures + 0.5, 0.975), rel=1e-12)


def test_zero_errors_give_the_exact_bound_at_the_assumed_clump():
    estimate = proportion_interval([0.0] * 8, 36)
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert estimate.high == pytest.approx(1 - 0.05 ** (1 / (8 * 6)), rel=1e-12)
    whole = proportion_interval([0.0] * 8, 36, clump=36)
    assert whole.high == pytest.approx(1 - 0.05 ** (1 / 8), rel=1e-12)
    assert whole.high > estimate.high > proportion_interval([0.0] * 8, 36, clump=1).high


def test_the_bound_without_errors_is_honest_for_trials_that_err_as_a_whole():
    # a rate p stays unseen in T = 20 trials with chance (1 - p)^20; the bound may be exceeded at most 5% of the time
    high = proportion_interval([0.0] * 20, 50, clump=50).high
    assert (1 - high) ** 20 == pytest.approx(0.05, rel=1e-9)


def test_all_errors_mirror_zero_errors():
    none, every = proportion_interval([0.0] * 12, 16), proportion_interval([1.0] * 12, 16)
    assert (every.value, every.high) == (1.0, 1.0)
    assert every.low == pytest.approx(1 - none.high, rel=1e-9)


def test_limits_swap_when_errors_and_passes_swap():
    rates = np.array([0.1, 0.3, 0.2, 0.6])
    errors, passes = proportion_interval(rates, 10), proportion_interval(1 - rates, 10)
    assert errors.low == pytest.approx(1 - passes.high, rel=1e-9)
    assert errors.high == pytest.approx(1 - passes.low, rel=1e-9)


def test_effective_units_follow_from_the_variance_between_trials():
    rates, trials = np.array([0.0, 0.1, 0.2, 0.3]), 4
    variance = (0.15**2 + 0.05**2) * 2 / 3 / trials
    units = 0.15 * 0.85 / variance * (1.959963984540054 / stdtrit(3, 0.975)) ** 2
    estimate = proportion_interval(rates, 100)
    assert estimate.high == pytest.approx(betaincinv(0.15 * units + 2 / 3, 0.85 * units + 1 / 3, 0.975), rel=1e-9)
    assert estimate.low == pytest.approx(betaincinv(0.15 * units + 1 / 3, 0.85 * units + 2 / 3, 0.025), rel=1e-9)


def test_equal_rates_count_every_unit_and_stay_finite():
    estimate = proportion_interval([0.3] * 8, 10)
    assert estimate.low == pytest.approx(betaincinv(24 + 1 / 3, 56 + 2 / 3, 0.025), rel=1e-9)


def test_nearly_equal_rates_keep_a_two_sided_interval():
    estimate = proportion_interval([0.5, 0.5 + 1e-9] * 8, 100)
    assert estimate.low < estimate.value < estimate.high
    assert estimate.high - estimate.low < 1e-5


@pytest.mark.parametrize("trials", [8, 16, 32])
@pytest.mark.parametrize(("rate", "concentration"), [(0.02, 40.0), (0.1, 20.0), (0.3, 5.0)])
def test_proportion_coverage_on_overdispersed_counts(trials, rate, concentration):
    generator = np.random.default_rng([trials, int(1000 * rate)])
    per_trial = 40
    chance = generator.beta(rate * concentration, (1 - rate) * concentration, (REPEATS, trials))
    samples = generator.binomial(per_trial, chance) / per_trial
    estimates = [proportion_interval(sample, per_trial) for sample in samples]
    covered = np.mean([e.low <= rate <= e.high for e in estimates])
    assert LEAST <= covered <= MOST


def test_an_interval_that_ignores_clustering_would_fail_the_same_band():
    generator = np.random.default_rng(5)
    rate, concentration, per_trial, trials = 0.1, 20.0, 40, 16
    chance = generator.beta(rate * concentration, (1 - rate) * concentration, (REPEATS, trials))
    counts = generator.binomial(per_trial, chance).sum(axis=1)
    low, high = (betaincinv(counts + 0.5, per_trial * trials - counts + 0.5, q) for q in (0.025, 0.975))
    assert np.mean((low <= rate) & (rate <= high)) < LEAST


@pytest.mark.parametrize("trials", [8, 16, 32])
def test_mean_coverage_on_skewed_values(trials):
    generator = np.random.default_rng(trials)
    samples = generator.gamma(6.0, 1.0, (REPEATS, trials))  # skewness 0.8, that of the mse of few associations
    estimates = [mean_interval(sample) for sample in samples]
    covered = np.mean([e.low <= 6.0 <= e.high for e in estimates])
    assert LEAST <= covered <= MOST


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_interval([]), "at least one"),
        (lambda: mean_interval([1.0, math.nan]), "finite; got nan"),
        (lambda: mean_interval([1.0, 2.0], 1.0), r"confidence must be in \(0, 1\); got 1"),
        (lambda: proportion_interval([0.5, 1.5], 3), r"rates must be in \[0, 1\]; got 0.5 to 1.5"),
        (lambda: proportion_interval([0.5], 0), "per_trial must be at least 1; got 0"),
        (lambda: proportion_interval([0.0], 4, clump=5), r"clump must be in \[1, per_trial = 4\]; got 5"),
    ],
)
def test_arguments_out_of_range_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
