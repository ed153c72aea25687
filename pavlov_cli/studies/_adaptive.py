"""How many trials does a number need? The adaptive budget as requests that never depend on what is already stored.

Two blocks bracket the crossing on the coarse lattice; then a window of the fine lattice is measured stage by stage. A
decision at a stage reads exactly that stage's blocks, so tables are a function of configuration and seed alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pavlov_cli.lattice import coarse_lattice, window
from pavlov_cli.plan.grid import Cell
from pavlov_cli.records import TRIALS_PER_BLOCK, Estimate, TrialValues
from pavlov_cli.stats import (
    Crossing,
    crossing,
    mean_interval,
    median_interval,
    precise_enough,
    proportion_interval,
    quantile,
    smooth_half_width,
    stages,
)
from pavlov_cli.studies._supply import Need, Request

PILOT_BLOCKS = 2
FIRST_ROUND = 16  # n at which the pilot first looks for a crossing; rounds then grow
FAR = 256  # n beyond which the pilot looks at doublings only
MARGIN = 1.25  # window measured, in half-widths of what is known of the crossing
FEWEST = 3  # n that a window keeps
NEAR = 1.1  # factor between a far crossing and what the pilot says of it
_ROUNDING = 1e-9  # relative, of a whole number that went through its logarithm
Rates = np.ndarray  # [trials] error rate of each trial
Interval = Callable[[Rates], Estimate]


@dataclass(frozen=True)
class Budget:
    """When measuring stops.

    Attributes:
        confidence: coverage of intervals.
        half_width: relative half-width wanted.
        max_trials: most trials per point.
        trials: a fixed number of trials instead.
    """

    confidence: float
    half_width: float
    max_trials: int
    trials: int | None

    def block_stages(self) -> tuple[int, ...]:
        """Numbers of blocks at which a decision is taken."""
        if self.trials is not None:
            return (-(-self.trials // TRIALS_PER_BLOCK),)
        return stages(self.max_trials)

    def stops(self) -> Callable[[bool], bool]:
        """A rule that is told at every stage whether the precision is met, and stops at the second in a row.

        Stopping at the first would favour samples that look precise by chance: simulated 95% intervals of a 5% sign
        capacity (d_k = 16) then covered 91%, against 95% at the second.
        """
        met = [False]

        def stop(precise: bool) -> bool:
            met.append(precise)
            return met[-1] and met[-2]

        return stop

    def cut(self, values: TrialValues) -> np.ndarray:
        """Per-trial numerators as an array, at most the fixed number of trials."""
        return np.asarray(values.values[: self.trials] if self.trials else values.values)


@dataclass(frozen=True)
class ErrorPoint:
    """The measured error of a cell at one n.

    Attributes:
        n: number of associations.
        estimate: error rate with its interval.
        queries: stored items probed, all trials together.
        settled: whether the precision asked for was reached.
    """

    n: int
    estimate: Estimate
    queries: int
    settled: bool = True


@dataclass(frozen=True)
class CapacityResult:
    """The measured capacity of a cell.

    Attributes:
        capacity: value with interval; for ``guaranteed`` the median over trials.
        censored: ``above`` or ``below`` where the measured n end first, else None.
        bound: the n at which they end.
        fit: the number that slopes are fitted to: the mean for ``guaranteed``, else the capacity.
        quantiles: 1% and 99% quantiles over trials (``guaranteed`` only).
        curve: errors by n.
        settled: whether the precision asked for was reached.
    """

    capacity: Estimate
    censored: str | None
    bound: int | None
    fit: Estimate
    quantiles: tuple[int, int] | None
    curve: tuple[ErrorPoint, ...]
    settled: bool = True


def interval_of(cell: Cell, n: int, confidence: float) -> Interval:
    """The interval that suits a criterion: of a proportion where errors are counted, of a mean elsewhere."""
    if cell.counted:
        units = 1 if cell.attention else cell.units * min(n, cell.spec.queries)
        return partial(proportion_interval, per_trial=units, confidence=confidence)
    return partial(mean_interval, confidence=confidence)


def capacity_request(cell: Cell, budget: Budget) -> Request:
    """Measures one capacity; returns a ``CapacityResult``."""
    return _held_request(cell, budget) if cell.attention else _crossing_request(cell, budget)


def error_request(cell: Cell, n: int, budget: Budget) -> Request:
    """Measures one error rate; returns an ``ErrorPoint``."""
    at = cell.n_max if cell.attention else n
    stop, settled = budget.stops(), False
    for blocks in budget.block_stages():
        values = (yield Need(cell, (at,), blocks))[at]
        point = _failed_by(cell, n, values, budget) if cell.attention else _error_point(cell, n, values, budget)
        settled = stop(precise_enough(point.estimate, budget.half_width))
        if settled:
            break
    return replace(point, settled=settled or budget.trials is not None)


def _rates(values: TrialValues, budget: Budget) -> Rates:
    return budget.cut(values) / values.denominator


def _error_point(cell: Cell, n: int, values: TrialValues, budget: Budget) -> ErrorPoint:
    rates = _rates(values, budget)
    estimate = interval_of(cell, n, budget.confidence)(rates)
    return ErrorPoint(n, estimate, len(rates) * values.queries)


def _failed_by(cell: Cell, n: int, held: TrialValues, budget: Budget) -> ErrorPoint:
    """Fraction of trials that had failed at n."""
    failed = (budget.cut(held) < n).astype(np.float64)
    return ErrorPoint(n, interval_of(cell, n, budget.confidence)(failed), failed.size)


def _crossing(cell: Cell, curve: dict[int, TrialValues], budget: Budget) -> Crossing:
    ns = sorted(curve)
    rates = np.stack([_rates(curve[n], budget) for n in ns])
    assert cell.target_error is not None
    return crossing(ns, rates, cell.target_error, interval_of(cell, ns[-1], budget.confidence))


def _pilot(cell: Cell) -> Request:
    """The coarse curve up to the first n beyond the target, from the first blocks.

    Far out a round costs as much as its largest n: only doublings are looked at, and the two that enclose the crossing
    say where it is.
    """
    curve: dict[int, TrialValues] = {}
    reached = 0
    while reached < cell.n_max:
        curve |= yield Need(cell, *_next_round(reached, cell.n_max))
        reached = max(curve)
        if any(_beyond(values, cell) for values in curve.values()):
            break
    return curve


def _next_round(reached: int, n_max: int) -> tuple[tuple[int, ...], int]:
    """The n that the pilot looks at next, and from how many blocks."""
    if reached < FAR:
        top = min(4 * reached or FIRST_ROUND, n_max)
        return tuple(n for n in _round(top) if n > reached), PILOT_BLOCKS
    return (min(2 * reached, n_max),), 1


def _round(top: int) -> tuple[int, ...]:
    return tuple(sorted({*coarse_lattice(top), top}))


def _beyond(values: TrialValues, cell: Cell) -> bool:
    return float(np.mean(values.values)) / values.denominator > (cell.target_error or 0)


def _window_of(cell: Cell, pilot: Crossing, *, margin: int = 1) -> tuple[int, ...]:
    """Fine lattice points around the pilot's crossing: half more than its interval in log n on either side."""
    assert pilot.value is not None
    low = pilot.value * (pilot.low / pilot.value) ** MARGIN if pilot.low else pilot.value / 2
    high = pilot.value * (pilot.high / pilot.value) ** MARGIN if pilot.high else pilot.value * 2
    return window(max(low, 1.0), min(high, float(cell.n_max)), cell.n_max, margin=margin)


def _narrowed(cell: Cell, ns: tuple[int, ...], found: Crossing) -> tuple[int, ...]:
    """Those n of the window that still matter once the crossing is known better."""
    if found.value is None or found.low is None or found.high is None:
        return ns
    kept = set(_window_of(cell, found, margin=1 if found.value < FAR else 0))
    return tuple(n for n in ns if n in kept) if len(kept & set(ns)) >= FEWEST else ns


def _between_ends(cell: Cell, curve: dict[int, TrialValues]) -> tuple[int, ...] | None:
    """The window where two far n enclose the crossing, by interpolation between them.

    Errors that are counted are tails of noise whose variance grows with n: their logarithm is linear in 1/n. Means of
    squared errors are powers of n.
    """
    ns = sorted(curve)
    above = next((i for i, n in enumerate(ns) if _beyond(curve[n], cell)), 0)
    if above == 0 or ns[above - 1] < FAR or not cell.target_error:
        return None
    low, high = ns[above - 1], ns[above]
    before, after = (_seen(curve[n]) for n in (low, high))
    share = math.log(cell.target_error / before) / math.log(after / before) if after > before else 1.0
    centre = low / (1 - share * (1 - low / high)) if cell.counted else low * (high / low) ** share
    return window(centre / NEAR, centre * NEAR, cell.n_max, margin=0)


def _seen(values: TrialValues) -> float:
    """The mean error; half an error where none was seen."""
    return (float(np.sum(values.values)) or 0.5) / (values.denominator * len(values))


def _sure(cell: Cell, curve: dict[int, TrialValues], found: Crossing, budget: Budget) -> bool:
    """Whether a crossing is precise enough by its own interval and by the slope around it."""
    ns, estimate = sorted(curve), found.estimate
    if estimate.high is None and ns[-1] == cell.n_max:
        # Waiting for an upper limit inside the measured n would favour samples that look small.
        estimate = replace(estimate, high=estimate.value)
    rates = np.stack([_rates(curve[n], budget) for n in ns])
    return sure(ns, rates, replace(found, high=estimate.high), interval_of(cell, ns[-1], budget.confidence), budget)


def sure(ns: Sequence[float], rates: Rates, found: Crossing, interval: Interval, budget: Budget) -> bool:
    """Whether a crossing is precise enough by its own interval and by the slope around it.

    Args:
        ns: where the curve was measured, increasing.
        rates: [N, trials] error there.
        found: its crossing.
        interval: from rates [trials] to the estimate of their mean.
        budget: the half-width wanted.
    """
    if found.value is None or not precise_enough(found.estimate, budget.half_width):
        return False
    smooth = smooth_half_width(ns, rates, found.value, interval)
    return smooth is not None and smooth <= budget.half_width


def _first_window(cell: Cell, pilot: Crossing) -> tuple[int, ...]:
    """Where the fine lattice is measured first: around the pilot's crossing, or at the end that it did not cross."""
    if pilot.value is not None:
        return _window_of(cell, pilot)
    end = pilot.bound or cell.n_max
    return window(end, end, cell.n_max)


def _widened(ns: tuple[int, ...], found: Crossing, n_max: int) -> tuple[int, ...]:
    """The window, extended where the curve does not cross inside it, or far out where a limit lies outside."""
    if found.censored == "above" and ns[-1] < n_max:
        more = window(ns[-1], min(_step(ns[-1]) * ns[-1], float(n_max)), n_max)
    elif found.censored == "below" and ns[0] > 1:
        more = window(max(1.0, ns[0] / _step(ns[0])), ns[0], n_max)
    elif found.value is not None and found.value >= FAR and found.high is None and ns[-1] < n_max:
        more = window(ns[-1], ns[-1], n_max)
    elif found.value is not None and found.value >= FAR and found.low is None and ns[0] > 1:
        more = window(ns[0], ns[0], n_max)
    else:
        return ns
    return tuple(sorted({*ns, *more}))


def _step(n: int) -> float:
    """The factor by which a window that misses the crossing is extended."""
    return 1.5 if n < FAR else NEAR**2


def _beyond_doubt(found: Crossing, ns: tuple[int, ...]) -> bool:
    """Whether a censored capacity lies beyond the end of the measured n by more than chance."""
    if found.censored == "above":
        return found.low is not None and found.low >= ns[-1] * (1 - _ROUNDING)
    return found.censored == "below" and found.high is not None and found.high <= ns[0] * (1 + _ROUNDING)


def _measure(cell: Cell, ns: tuple[int, ...], blocks: int, budget: Budget) -> Request:
    """One stage: the window's values, widened until the curve crosses inside it or reaches an end."""
    while True:
        curve = dict((yield Need(cell, ns, blocks)))
        found = _crossing(cell, curve, budget)
        wider = _widened(ns, found, cell.n_max)
        if wider == ns:
            return ns, curve, found
        ns = wider


def _crossing_request(cell: Cell, budget: Budget) -> Request:
    pilot_budget = replace(budget, trials=None)
    coarse: dict[int, TrialValues] = yield from _pilot(cell)
    between = _between_ends(cell, coarse)
    ns = between or _first_window(cell, _pilot_crossing(cell, coarse, pilot_budget))
    stop, settled = budget.stops(), False
    points = {n: _error_point(cell, n, values, pilot_budget) for n, values in coarse.items()}
    if between and budget.trials is None:
        ns, _, found = yield from _measure(cell, ns, 1, budget)
        ns = _narrowed(cell, ns, found)
    for blocks in budget.block_stages():
        ns, curve, found = yield from _measure(cell, ns, blocks, budget)
        points |= {n: _error_point(cell, n, values, budget) for n, values in curve.items()}
        settled = stop(_sure(cell, curve, found, budget) or _beyond_doubt(found, ns))
        if settled:
            break
        ns = _narrowed(cell, ns, found)
    curve_points = tuple(points[n] for n in sorted(points))
    settled = settled or budget.trials is not None
    return CapacityResult(found.estimate, found.censored, found.bound, found.estimate, None, curve_points, settled)


def _pilot_crossing(cell: Cell, coarse: dict[int, TrialValues], budget: Budget) -> Crossing:
    """The crossing of the pilot's curve; its points may have one block or two, the first of both is read."""
    fewest = min(len(values) for values in coarse.values())
    return _crossing(cell, {n: replace(v, values=v.values[:fewest]) for n, v in coarse.items()}, budget)


def _held_request(cell: Cell, budget: Budget) -> Request:
    """Capacity of a criterion that one trial answers for every n: associations held before the first failure."""
    stop, settled = budget.stops(), False
    for blocks in budget.block_stages():
        values = (yield Need(cell, (cell.n_max,), blocks))[cell.n_max]
        held = budget.cut(values)
        median = median_interval(held, budget.confidence)
        mean = mean_interval(held.astype(np.float64), budget.confidence)
        settled = stop(_within_one_step(median) and precise_enough(mean, budget.half_width))
        if settled:
            break
    settled = settled or budget.trials is not None
    low, high, top = (int(quantile(held, q)) for q in (0.01, 0.99, 1.0))
    curve = tuple(_failed_by(cell, n, values, budget) for n in coarse_lattice(cell.n_max) if n <= max(2 * top, 8))
    at_end = median.value is not None and median.value >= cell.n_max
    if at_end:
        open_ended = Estimate(None, median.low, None, median.trials)
        return CapacityResult(open_ended, "above", cell.n_max, open_ended, (low, high), curve, settled)
    fit = mean if top < cell.n_max else Estimate(None, None, None, median.trials)
    return CapacityResult(median, None, None, fit, (low, high), curve, settled)


def _within_one_step(median: Estimate) -> bool:
    """Whether the integer median is known to one association."""
    if median.value is None or median.low is None or median.high is None:
        return False
    return max(median.value - median.low, median.high - median.value) <= 1


def describe(result: Any) -> str:
    """A result in a few words, for progress lines."""
    capacity = isinstance(result, CapacityResult)
    return in_words(result.capacity, result.bound) if capacity else in_words(result.estimate, None)


def in_words(estimate: Estimate, bound: int | None) -> str:
    """An estimate with its interval, or the bound that it lies beyond."""
    if estimate.value is None:
        return f"beyond {bound} ({estimate.trials} trials)"
    limits = ", ".join("?" if limit is None else f"{limit:.4g}" for limit in (estimate.low, estimate.high))
    return f"{estimate.value:.4g} [{limits}] ({estimate.trials} trials)"
