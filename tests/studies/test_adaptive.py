"""How many blocks are read follows from the values and the budget alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pavlov_cli.lattice import coarse_lattice
from pavlov_cli.stats import mean_interval, median_interval, precise_enough, quantile, stages
from pavlov_cli.studies._adaptive import PILOT_BLOCKS, Budget, capacity_request, error_request, interval_of


def budget(half_width=0.03, max_trials=256, trials=None, confidence=0.95):
    return Budget(confidence, half_width, max_trials, trials)


def exact(n, trial):
    """The error of an ideal memory with d_k = 16: no spread at all."""
    return (n - 1) / 16


def noisy(n, trial):
    """The same with spread that is fixed by trial alone."""
    draw = np.random.default_rng(trial).normal(1, 0.3)
    return max(draw, 0.0) * (n - 1) / 16


def test_the_stop_rule_waits_for_two_precise_stages_in_a_row():
    stop = budget().stops()
    assert [stop(precise) for precise in (True, False, True, False, False, True, True)] == [False] * 6 + [True]
    again = budget().stops()
    assert [again(precise) for precise in (True, True)] == [False, True]


def test_stages_are_those_of_the_budget_or_one_fixed_number():
    assert budget(max_trials=40).block_stages() == stages(40) == (2, 3, 4, 6, 8, 10)
    assert budget(trials=10).block_stages() == (3,)
    assert budget(trials=12).block_stages() == (3,)
    assert budget(trials=2).block_stages() == (1,)


def test_values_without_spread_stop_at_the_second_stage(make_cell, drive):
    result, needs = drive(error_request(make_cell(), 5, budget()), exact)
    assert [need.blocks for need in needs] == [2, 3]
    assert (result.n, result.estimate.value, result.estimate.trials) == (5, 0.25, 12)


def test_a_stage_reads_exactly_its_blocks(make_cell, drive):
    cell, plan = make_cell(), budget(half_width=0.06)
    result, needs = drive(error_request(cell, 9, plan), noisy)
    met = [
        precise_enough(mean_interval(np.array([noisy(9, t) for t in range(4 * blocks)]), 0.95), 0.06)
        for blocks in plan.block_stages()
    ]
    last = next(i for i in range(1, len(met)) if met[i - 1] and met[i])
    assert [need.blocks for need in needs] == list(plan.block_stages()[: last + 1])
    assert 2 < last < len(met) - 1, "the example must stop in the middle"
    trials = 4 * plan.block_stages()[last]
    assert result.estimate == mean_interval(np.array([noisy(9, t) for t in range(trials)]), 0.95)
    assert {need.ns for need in needs} == {(9,)}


def test_the_budget_ends_measuring_that_never_gets_precise(make_cell, drive):
    result, needs = drive(error_request(make_cell(), 9, budget(half_width=1e-6, max_trials=64)), noisy)
    assert [need.blocks for need in needs] == list(stages(64))
    assert result.estimate.trials == 64


def test_a_fixed_number_of_trials_is_that_number(make_cell, drive):
    result, needs = drive(error_request(make_cell(), 9, budget(trials=10)), noisy)
    assert [need.blocks for need in needs] == [3]
    assert result.estimate == mean_interval(np.array([noisy(9, t) for t in range(10)]), 0.95)
    assert result.estimate.trials == 10
    assert result.queries == 10


def test_a_capacity_is_found_where_the_error_crosses_the_target(make_cell, drive):
    result, needs = drive(capacity_request(make_cell(), budget()), exact)
    assert result.capacity.value == pytest.approx(5, abs=0.02)
    assert (result.censored, result.bound, result.quantiles) == (None, None, None)
    assert result.fit == result.capacity
    assert [need.blocks for need in needs] == [PILOT_BLOCKS, 2, 3]
    assert needs[0].ns == coarse_lattice(16)
    assert needs[1].ns == needs[2].ns
    assert set(needs[1].ns) >= {4, 5, 6}
    assert result.capacity.trials == 12


def test_the_curve_holds_every_n_looked_at_once_with_its_latest_trials(make_cell, drive):
    result, needs = drive(capacity_request(make_cell(), budget()), exact)
    assert [point.n for point in result.curve] == sorted({*needs[0].ns, *needs[1].ns})
    trials = {point.n: point.estimate.trials for point in result.curve}
    assert {trials[n] for n in needs[1].ns} == {12}
    assert {trials[n] for n in set(needs[0].ns) - set(needs[1].ns)} == {8}
    assert all(point.estimate.value == exact(point.n, 0) for point in result.curve)


def test_the_pilot_reads_two_blocks_near_and_grows_until_beyond_the_target(make_cell, drive):
    result, needs = drive(capacity_request(make_cell(), budget()), lambda n, trial: (n - 1) / 200)
    pilot = needs[:-2]
    assert {need.blocks for need in pilot} == {PILOT_BLOCKS}
    assert [need.ns[-1] for need in pilot] == [16, 64]
    assert sorted({n for need in pilot for n in need.ns}) == list(coarse_lattice(64))
    assert result.capacity.value == pytest.approx(51, rel=0.01)


@pytest.mark.parametrize(
    ("criterion", "error", "truth"),
    [
        ("mse", lambda n: n / 8004, 2001),  # a mean of squares: a power of n
        ("top1", lambda n: math.exp(-2773 / n), 2000.3),  # counted: tails of noise whose variance grows with n
    ],
)
def test_far_out_the_pilot_looks_at_doublings_alone(make_cell, drive, criterion, error, truth):
    """One pass costs as much as its largest n; the two doublings around the crossing say where it is."""
    cell = make_cell(criterion, n_max=8192)
    result, needs = drive(capacity_request(cell, budget()), lambda n, trial: error(n))
    far = [(need.ns, need.blocks) for need in needs if need.ns[-1] > 256]
    doublings = [512 * 2**k for k in range(5) if 512 * 2 ** (k - 1) < truth]
    assert far[: len(doublings)] == [((n,), 1) for n in doublings]
    window, blocks = far[len(doublings)]
    assert blocks == 1 and 0.85 * truth < window[0] < truth < window[-1] < 1.2 * truth
    assert [blocks for _, blocks in far[len(doublings) + 1 :]][:2] == [2, 3]
    assert result.capacity.value == pytest.approx(truth, rel=0.01)


def test_where_the_doubling_before_shows_no_error_the_window_moves_to_the_crossing(make_cell, drive):
    def sudden(n, trial):
        return 0.0 if n < 3000 else (n - 2900) / 1000

    result, needs = drive(capacity_request(make_cell(n_max=8192), budget()), sudden)
    far = [(need.ns, need.blocks) for need in needs if need.ns[-1] > 256]
    assert far[:4] == [((512,), 1), ((1024,), 1), ((2048,), 1), ((4096,), 1)]
    assert result.capacity.value == pytest.approx(3150, rel=0.02)


def test_a_far_window_grows_until_it_holds_both_limits(make_cell, drive):
    def spread(n, trial):
        return ((n - 1) / 4000) ** 2 * np.random.default_rng(trial).normal(1, 0.5)

    result, needs = drive(capacity_request(make_cell(n_max=8192), budget(max_trials=8)), spread)
    assert result.capacity.low is not None and result.capacity.high is not None
    assert len({need.ns for need in needs if need.blocks == PILOT_BLOCKS and need.ns[0] > 256}) > 1


def test_the_window_narrows_as_the_crossing_is_known_better(make_cell, drive):
    def spread(n, trial):
        return noisy(1 + (n - 1) / 75, trial)

    _, needs = drive(capacity_request(make_cell(), budget()), spread)
    windows = [need.ns for need in needs if need.blocks > PILOT_BLOCKS]
    assert 3 <= len(windows[-1]) < len(windows[0])


def test_a_window_depends_on_the_pilot_alone(make_cell, drive):
    windows = {
        drive(capacity_request(make_cell(), plan), noisy)[1][1].ns
        for plan in (budget(max_trials=16), budget(max_trials=256), budget(trials=32), budget(half_width=0.2))
    }
    assert len(windows) == 1


def test_a_fixed_number_of_trials_leaves_the_pilot_at_two_blocks(make_cell, drive):
    result, needs = drive(capacity_request(make_cell(), budget(trials=10)), noisy)
    assert [need.blocks for need in needs] == [PILOT_BLOCKS, 3]
    assert result.capacity.trials == 10


@pytest.mark.parametrize("n_max", [1, 5, 16, 17, 100, 1000])
def test_an_error_that_stays_below_the_target_censors_above(make_cell, drive, n_max):
    result, needs = drive(capacity_request(make_cell(n_max=n_max), budget()), lambda n, trial: 0.0)
    assert (result.capacity.value, result.censored, result.bound) == (None, "above", n_max)
    assert result.settled
    assert {need.blocks for need in needs} < {1, *stages(4096)}
    assert needs[-1].ns[-1] == n_max
    near = [n for n in coarse_lattice(n_max) if n <= 256]
    assert {point.n for point in result.curve} >= {*near, n_max}


def test_an_error_beyond_the_target_at_once_censors_below(make_cell, drive):
    result, _ = drive(capacity_request(make_cell(), budget()), lambda n, trial: 0.9)
    assert (result.capacity.value, result.censored, result.bound) == (None, "below", 1)


def test_a_window_that_misses_the_crossing_moves_to_it(make_cell, drive):
    def early_failures(n, trial):
        return exact(n, trial) if trial < 8 else exact(n / 8, trial)

    result, needs = drive(capacity_request(make_cell(), budget(max_trials=256)), early_failures)
    late = [need for need in needs if need.blocks > PILOT_BLOCKS]
    assert late[-1].ns[-1] > needs[1].ns[-1]
    assert result.capacity.trials == 4 * late[-1].blocks
    assert result.censored is None


@pytest.mark.parametrize("n_max", [3, 4, 6, 8])  # around a capacity of 5
def test_an_end_near_the_crossing_never_makes_the_pilot_answer(make_cell, drive, n_max):
    result, needs = drive(capacity_request(make_cell(n_max=n_max), budget(max_trials=256)), exact)
    assert result.capacity.trials == 4 * needs[-1].blocks
    assert (result.censored == "above") == (n_max < 5)


def test_fixed_trials_are_the_trials_of_a_capacity_whatever_the_pilot_said(make_cell, drive):
    result, _ = drive(capacity_request(make_cell(n_max=4), budget(trials=40)), lambda n, trial: 0.0)
    assert (result.capacity.value, result.capacity.trials, result.settled) == (None, 40, True)


def held(n, trial):
    """Associations held before the first failure, 10 of them on average."""
    return int(np.random.default_rng(trial).integers(8, 13))


def test_guaranteed_reports_the_median_and_fits_the_mean(make_cell, drive):
    plan = budget(trials=200)
    result, needs = drive(capacity_request(make_cell("guaranteed", n_max=100), plan), held)
    values = np.array([held(100, t) for t in range(200)])
    assert [(need.ns, need.blocks) for need in needs] == [((100,), 50)]
    assert result.capacity == median_interval(values, 0.95)
    assert result.capacity.value == np.median(values)
    assert result.fit == mean_interval(values.astype(float), 0.95)
    assert result.quantiles == (int(quantile(values, 0.01)), int(quantile(values, 0.99)))
    assert (result.censored, result.bound) == (None, None)


def test_guaranteed_has_an_error_curve_of_failed_trials(make_cell, drive):
    result, _ = drive(capacity_request(make_cell("guaranteed", n_max=100), budget(trials=200)), held)
    values = np.array([held(100, t) for t in range(200)])
    found = {point.n: point.estimate.value for point in result.curve}
    assert list(found) == [n for n in coarse_lattice(100) if n <= 2 * values.max()]
    for n, value in found.items():
        assert value == pytest.approx(np.mean(values < n))


def test_guaranteed_stops_when_median_and_mean_are_precise(make_cell, drive):
    _, needs = drive(capacity_request(make_cell("guaranteed", n_max=100), budget()), lambda n, trial: 10)
    assert [need.blocks for need in needs] == [2, 3]
    _, needs = drive(capacity_request(make_cell("guaranteed", n_max=100), budget(max_trials=64, half_width=1e-6)), held)
    assert needs[-1].blocks == 16


def test_guaranteed_that_never_fails_is_censored(make_cell, drive):
    result, _ = drive(capacity_request(make_cell("guaranteed", n_max=100), budget()), lambda n, trial: n)
    assert (result.capacity.value, result.censored, result.bound) == (None, "above", 100)
    assert result.fit.value is None
    assert result.capacity.high is None


def test_a_mean_that_the_largest_n_cut_off_is_not_fitted(make_cell, drive):
    cut = make_cell("guaranteed", n_max=12)
    result, _ = drive(capacity_request(cut, budget(trials=200)), held)
    assert result.capacity.value is not None
    assert result.fit.value is None


def test_error_of_guaranteed_is_read_from_the_one_point_that_is_stored(make_cell, drive):
    result, needs = drive(error_request(make_cell("guaranteed", n_max=100), 10, budget(trials=40)), held)
    assert [(need.ns, need.blocks) for need in needs] == [((100,), 10)]
    assert result.n == 10
    assert result.estimate.value == pytest.approx(np.mean([held(100, t) < 10 for t in range(40)]))


def test_counts_have_the_interval_of_a_proportion_and_means_that_of_a_mean(make_cell):
    zeros = np.zeros(50)
    assert interval_of(make_cell("mse"), 5, 0.95)(zeros).high == 0
    counted = interval_of(make_cell("sign"), 5, 0.95)(zeros)
    assert 0 < counted.high < 0.01
    assert interval_of(make_cell("guaranteed"), 5, 0.95)(zeros).high > counted.high
