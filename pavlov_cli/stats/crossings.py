"""At how many associations does the error first exceed the target, and how sure is that number?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pavlov_cli.records import Estimate

Interval = Callable[[NDArray[np.float64]], Estimate]
_HALVINGS = 20  # of a cell: limits are right to a millionth of its width in log n


@dataclass(frozen=True)
class Crossing:
    """A capacity: where an error curve first passes upward through its target.

    Attributes:
        value: number of associations, real-valued; None where censored.
        low: lower limit; None where no n on the grid is known to be within the target.
        high: upper limit; None where no n on the grid is known to be beyond the target.
        censored: ``above`` if the curve stays within the target to the end of the grid, ``below`` if it starts beyond
            it, None if it crosses.
        bound: the end of the grid that the capacity lies beyond; None unless censored.
        trials: independent trials behind it.
    """

    value: float | None
    low: float | None
    high: float | None
    censored: Literal["above", "below"] | None
    bound: float | None
    trials: int = 0

    @property
    def estimate(self) -> Estimate:
        """Value and limits alone."""
        return Estimate(self.value, self.low, self.high, self.trials)


@dataclass(frozen=True)
class _Curve:
    """Per-trial error curves, linear in log n between grid points."""

    log_n: NDArray[np.float64]  # [N]
    rates: NDArray[np.float64]  # [N, T]

    def at(self, cell: int, share: float) -> NDArray[np.float64]:
        """Rates [T] at ``share`` in [0, 1] of the way from grid point ``cell`` to the next."""
        if share == 0 or cell == len(self.log_n) - 1:
            return self.rates[cell]
        return (1 - share) * self.rates[cell] + share * self.rates[cell + 1]

    def n(self, cell: int, share: float) -> float:
        """Number of associations at the same place."""
        if share == 0 or cell == len(self.log_n) - 1:
            return math.exp(self.log_n[cell])
        return math.exp((1 - share) * self.log_n[cell] + share * self.log_n[cell + 1])


def crossing(ns: Sequence[float], rates: ArrayLike, target: float, interval: Interval) -> Crossing:
    """Capacity at ``target``: the first upward crossing of the mean error curve, with an interval by inversion.

    The mean curve is interpolated linearly in log n. The lower limit is the nearest n below it at which the upper limit
    of the error is still within the target, the upper limit the nearest n above it at which the lower limit of the
    error is beyond: the true error grows with n, so either is wrong only where a pointwise interval misses. Inside a
    cell every trial's rate is interpolated and the interval is computed from those.

    Args:
        ns: [N] numbers of associations, increasing, >= 1.
        rates: [N, T] error per n and trial, the same T trials at every n.
        target: largest error allowed.
        interval: from per-trial rates [T] to the estimate of their mean.

    Returns:
        The crossing. A curve that starts beyond the target or never passes it is censored: no value, and the end of the
        grid as bound.

    Raises:
        ValueError: an argument is outside its range.

    Assumptions: the true error does not fall as n grows; the grid is fine enough for linear interpolation in log n.

    >>> flat = lambda rates: Estimate(float(rates.mean()), float(rates.mean()), float(rates.mean()), rates.size)
    >>> round(crossing([1, 2, 4], [[0.0], [0.1], [0.3]], 0.2, flat).value, 6)
    2.828427
    """
    curve = _checked_curve(ns, rates)
    last, trials = len(ns) - 1, curve.rates.shape[1]
    means = curve.rates.mean(axis=1)
    beyond = np.flatnonzero(means > target)
    if beyond.size == 0:
        low = _last_within(curve, (last, 0.0), target, interval)
        return Crossing(None, low, None, "above", ns[last], trials)
    if beyond[0] == 0:
        high = _first_beyond(curve, (0, 0.0), target, interval)
        return Crossing(None, None, high, "below", ns[0], trials)
    cell = int(beyond[0]) - 1
    place = (cell, float((target - means[cell]) / (means[cell + 1] - means[cell])))
    low = _last_within(curve, place, target, interval)
    high = _first_beyond(curve, place, target, interval)
    return Crossing(curve.n(*place), low, high, None, None, trials)


def smooth_half_width(ns: Sequence[float], rates: ArrayLike, value: float, interval: Interval) -> float | None:
    """Relative half-width of a crossing as the slope around its nearest grid point tells it, for deciding when to stop.

    The half-width of the error at the crossing is divided by the slope of the mean curve between the neighbours of the
    nearest grid point. Where the curve bends at that point, the inverted interval looks narrower on the steeper side,
    and stopping on it alone would favour that side; this slope is the same on both.

    Args:
        ns: [N] numbers of associations, increasing, N >= 2.
        rates: [N, T] error per n and trial.
        value: the crossing, inside the grid.
        interval: as in ``crossing``.

    Returns:
        Half-width in log n; None where the curve does not rise or the interval is not known.

    Raises:
        ValueError: an argument is outside its range.
    """
    curve = _checked_curve(ns, rates)
    log_n, place = curve.log_n, math.log(value)
    cell = min(max(int(np.searchsorted(log_n, place, side="right")) - 1, 0), len(ns) - 2)
    share = (place - log_n[cell]) / (log_n[cell + 1] - log_n[cell])
    at_crossing = interval(curve.at(cell, float(share)))
    nearest = cell if share < 1 / 2 else cell + 1
    left, right = max(nearest - 1, 0), min(nearest + 1, len(ns) - 1)
    rise = float(curve.rates[right].mean() - curve.rates[left].mean())
    if rise <= 0 or at_crossing.low is None or at_crossing.high is None:
        return None
    return (at_crossing.high - at_crossing.low) / 2 / rise * float(log_n[right] - log_n[left])


def _last_within(curve: _Curve, start: tuple[int, float], target: float, interval: Interval) -> float | None:
    """Nearest n at or below ``start`` (cell, share) whose upper error limit is within the target; None without one.

    At n = 1 nothing interferes: where every trial is within the target there, 1 is a limit without any interval.
    """

    def within(cell: int, share: float) -> bool:
        high = _upper(curve, cell, share, interval)
        return high is not None and high <= target

    if within(*start):
        return curve.n(*start)
    cell, end = start
    while end > 0 or cell > 0:
        cell, end = (cell, end) if end > 0 else (cell - 1, 1.0)
        if within(cell, 0.0):
            return curve.n(cell, _bisect(partial(_not, within, cell), 0.0, end, lower=True))
        end = 0.0
    return 1.0 if curve.log_n[0] == 0 and (curve.rates[0] <= target).all() else None


def _upper(curve: _Curve, cell: int, share: float, interval: Interval) -> float | None:
    """Upper error limit at a place on the curve.

    Beside a grid point without any error the rates between say nothing about how large the error there can be, so the
    limits of the two ends are interpolated instead of the rates.
    """
    if share == 0 or curve.rates[cell].any():
        return interval(curve.at(cell, share)).high
    left, right = interval(curve.rates[cell]).high, interval(curve.rates[cell + 1]).high
    return None if left is None or right is None else (1 - share) * left + share * right


def _first_beyond(curve: _Curve, start: tuple[int, float], target: float, interval: Interval) -> float | None:
    """Nearest n at or above ``start`` (cell, share) whose lower error limit reaches the target; None without one."""

    def beyond(cell: int, share: float) -> bool:
        low = interval(curve.at(cell, share)).low
        return low is not None and low >= target

    if beyond(*start):
        return curve.n(*start)
    begin = start[1]
    for cell in range(start[0], len(curve.log_n) - 1):
        if beyond(cell, 1.0):
            return curve.n(cell, _bisect(partial(beyond, cell), begin, 1.0, lower=False))
        begin = 0.0
    return None


def _not(condition: Callable[[int, float], bool], cell: int, share: float) -> bool:
    return not condition(cell, share)


def _bisect(is_past: Callable[[float], bool], left: float, right: float, *, lower: bool) -> float:
    """Where ``is_past`` turns true between ``left`` (false) and ``right`` (true); the false side if ``lower``."""
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        left, right = (left, middle) if is_past(middle) else (middle, right)
    return left if lower else right


def _checked_curve(ns: Sequence[float], rates: ArrayLike) -> _Curve:
    grid = np.asarray(ns, dtype=np.float64)
    table = np.asarray(rates, dtype=np.float64)
    if grid.ndim != 1 or grid.size < 1 or grid[0] < 1 or (np.diff(grid) <= 0).any():
        raise ValueError(f"ns must be increasing and at least 1; got {list(ns)}.")
    if table.ndim != 2 or table.shape[0] != grid.size or table.shape[1] < 1:
        raise ValueError(f"rates must have shape [{grid.size}, trials]; got {list(table.shape)}.")
    if not np.isfinite(table).all():
        raise ValueError(f"rates must be finite; got {table[~np.isfinite(table)][0]}.")
    return _Curve(np.log(grid), table)
