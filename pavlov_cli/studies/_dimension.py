"""Which d_k holds a given number of associations? The adaptive search over dimensions.

The error at a fixed n falls as d_k grows, so the same crossing is looked for along 1/d_k: first by doubling, then
on a window of the fine lattice, with the stages and the stopping rule of a capacity. A criterion that a trial passes
or fails as a whole is held where half of the trials hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pavlov_cli.lattice import window
from pavlov_cli.plan.grid import LARGEST_D_K, SMALLEST_D_K, Cell, Family, first_dimension
from pavlov_cli.records import Estimate, TrialValues
from pavlov_cli.stats import Crossing, crossing
from pavlov_cli.studies._adaptive import PILOT_BLOCKS, Budget, ErrorPoint, Rates, interval_of, sure
from pavlov_cli.studies._supply import Need, Request

SMALLEST, LARGEST = SMALLEST_D_K, LARGEST_D_K  # d_k looked at
HALF = 0.5  # of the trials hold n: the median trial does
AXIS = 2.0 * LARGEST  # the error rises along AXIS/d_k, which stays above 1
MOST_WINDOW = 4  # d_k of a window beyond 32; each is compiled


@dataclass(frozen=True)
class DimensionResult:
    """The d_k that a memory needs for n associations.

    Attributes:
        dimension: real-valued, with interval.
        censored: ``above`` if even the largest d_k looked at does not hold n, ``below`` if the smallest does.
        bound: that d_k.
        curve: errors by d_k.
        settled: whether the precision asked for was reached.
    """

    dimension: Estimate
    censored: str | None
    bound: int | None
    curve: tuple[tuple[int, ErrorPoint], ...]
    settled: bool = True


Curve = Mapping[int, TrialValues]  # d_k -> values


def target_of(cell: Cell) -> float:
    """The error at which n counts as held."""
    return HALF if cell.target_error is None else cell.target_error


def dimension_request(family: Family, budget: Budget) -> Request:
    """Measures one required dimension; returns a ``DimensionResult``."""
    search = _Search(family, budget)
    pilot: dict[int, TrialValues] = yield from search.bracket()
    pilot_budget = replace(budget, trials=None)
    dims, stop, settled = search.window_of(search.crossing(pilot, pilot_budget), sorted(pilot)), budget.stops(), False
    points = {d: search.point(d, values, pilot_budget) for d, values in pilot.items()}
    for blocks in budget.block_stages():
        while True:
            curve = yield from search.measure(dims, blocks)
            found = search.crossing(curve, budget)
            wider = _widened(dims, found, last=blocks == budget.block_stages()[-1])
            if wider == dims:
                break
            dims = wider
        points |= {d: search.point(d, values, budget) for d, values in curve.items()}
        settled = stop(search.sure(curve, found))
        if settled:
            break
        dims = _narrowed(dims, search.window_of(found, sorted(curve)))
    side = {"above": "below", "below": "above", None: None}[found.censored]
    value, low, high = (None if x is None else AXIS / x for x in (found.value, found.high, found.low))
    return DimensionResult(
        Estimate(value, low, high, found.trials),
        side,
        None if found.bound is None else round(AXIS / found.bound),
        tuple(sorted(points.items())),
        settled or budget.trials is not None,
    )


class _Search:
    """The error of one family at its n, as a function of d_k."""

    def __init__(self, family: Family, budget: Budget):
        assert family.n is not None
        self._family, self._budget, self._n = family, budget, family.n

    def measure(self, dims: tuple[int, ...], blocks: int) -> Request:
        """d_k -> values of the first blocks."""
        curve = {}
        for d_k in dims:
            values = yield Need(self._family.at(d_k), (self._n,), blocks)
            curve[d_k] = values[self._n]
        return curve

    def rates(self, values: TrialValues, budget: Budget) -> Rates:
        """[trials] error at n."""
        numbers = budget.cut(values)
        if self._family.at(SMALLEST).attention:
            return (numbers < self._n).astype(np.float64)
        return numbers / values.denominator

    def point(self, d_k: int, values: TrialValues, budget: Budget) -> ErrorPoint:
        """The error at one d_k."""
        rates = self.rates(values, budget)
        estimate = interval_of(self._family.at(d_k), self._n, budget.confidence)(rates)
        return ErrorPoint(self._n, estimate, len(rates) * values.queries)

    def bracket(self) -> Request:
        """Two blocks at powers of two, from about n up or down, until the error crosses its target."""
        d_k = first_dimension(self._n)
        curve: dict[int, TrialValues] = {}
        while True:
            curve |= yield from self.measure((d_k,), PILOT_BLOCKS)
            held = {d for d, v in curve.items() if float(self.rates(v, self._pilot).mean()) <= self._target}
            if held and held != set(curve):
                return curve
            d_k = min(curve) // 2 if held else max(curve) * 2
            if not SMALLEST <= d_k <= LARGEST:
                return curve

    @property
    def _pilot(self) -> Budget:
        return replace(self._budget, trials=None)

    @property
    def _target(self) -> float:
        return target_of(self._family.at(SMALLEST))

    def _curve(self, curve: Curve, budget: Budget) -> tuple[list[float], np.ndarray]:
        dims = sorted(curve, reverse=True)
        return [AXIS / d for d in dims], np.stack([self.rates(curve[d], budget) for d in dims])

    def crossing(self, curve: Curve, budget: Budget) -> Crossing:
        """Along AXIS/d_k, where the error rises."""
        places, rates = self._curve(curve, budget)
        cell = self._family.at(min(curve))
        return crossing(places, rates, self._target, interval_of(cell, self._n, budget.confidence))

    def sure(self, curve: Curve, found: Crossing) -> bool:
        """Whether the crossing is as precise as was asked."""
        places, rates = self._curve(curve, self._budget)
        cell = self._family.at(min(curve))
        # one step of n, as for the capacity of a criterion that a trial passes or fails as a whole
        wanted = max(self._budget.half_width, 1 / self._n) if cell.attention else self._budget.half_width
        interval = interval_of(cell, self._n, self._budget.confidence)
        return sure(places, rates, found, interval, replace(self._budget, half_width=wanted))

    def window_of(self, pilot: Crossing, dims: list[int]) -> tuple[int, ...]:
        """Fine lattice points around the pilot's crossing, or the end that it did not cross."""
        if pilot.value is None:
            return (dims[0],) if pilot.censored == "above" else (dims[-1],)
        centre = AXIS / pilot.value
        low, high = (centre if x is None else AXIS / x for x in (pilot.high, pilot.low))
        return window(max(low, 1.0), min(high, float(LARGEST)), LARGEST, most=MOST_WINDOW)


def _narrowed(dims: tuple[int, ...], known: tuple[int, ...]) -> tuple[int, ...]:
    """The window around what is known of the crossing, where that is half as wide or less."""
    narrower = len(known) > 2 and (known[-1] / known[0]) ** 2 <= dims[-1] / dims[0]
    return known if narrower else dims


def _widened(dims: tuple[int, ...], found: Crossing, *, last: bool) -> tuple[int, ...]:
    """The window, extended by half an octave where the curve does not cross inside it.

    At the last stage also where a limit lies outside; before, more trials bring it inside at less cost than more d_k,
    each of which is compiled. Along AXIS/d_k a lower limit is a larger d_k.
    """
    crosses = last and found.censored is None
    if found.censored == "below" or (crosses and found.low is None):
        low, high = float(dims[-1]), min(1.5 * dims[-1], float(LARGEST))
    elif found.censored == "above" or (crosses and found.high is None):
        low, high = max(float(SMALLEST), dims[0] / 1.5), float(dims[0])
    else:
        return dims
    more = window(low, high, LARGEST, most=MOST_WINDOW)
    return tuple(sorted({*dims, *(d for d in more if d >= SMALLEST)}))
