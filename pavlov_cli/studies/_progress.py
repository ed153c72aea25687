"""What happens while a study runs, for whoever wants to show it?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from pavlov_cli.plan.grid import Cell
from pavlov_cli.records import TrialValues


@dataclass(frozen=True)
class Started:
    """Measuring begins.

    Attributes:
        cells: numbers asked for.
    """

    cells: int


@dataclass(frozen=True)
class Advanced:
    """The devices finished a call, and its trials are stored.

    Attributes:
        trials: how many it ran.
        text: says the cell in flight and what is known of it so far; costs something, so call it only to show it.
    """

    trials: int
    text: Callable[[], str]


@dataclass(frozen=True)
class Finished:
    """A number is final.

    Attributes:
        text: which, and its value with its interval.
    """

    text: str


Event = Started | Advanced | Finished
Progress = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The progress of a run that nobody watches."""


def cell_name(cell: Cell) -> str:
    """A cell in a few words: ``d_k=64 sphere sign``."""
    return f"d_k={cell.spec.d_k} {cell.spec.key_ensemble.name} {cell.spec.criterion.name}"


def in_flight(cell: Cell, curve: Mapping[int, TrialValues]) -> str:
    """The cell with its current estimate: no interval, and not what decides anything.

    Args:
        cell: which is measured.
        curve: n -> trial values so far.
    """
    trials = min(map(len, curve.values()))
    return f"{cell_name(cell)}: {_current(cell, curve)} so far ({trials} trials)"


def _current(cell: Cell, curve: Mapping[int, TrialValues]) -> str:
    if cell.attention:
        return f"{median(value for values in curve.values() for value in values.values):.4g}"
    means = [(n, math.fsum(v.values) / len(v) / v.denominator) for n, v in sorted(curve.items())]
    target = cell.target_error
    if target is not None and means[0][1] <= target < means[-1][1]:
        above = next(index for index, (_, mean) in enumerate(means) if mean > target)
        (low, before), (high, after) = means[above - 1], means[above]
        return f"{low * (high / low) ** ((target - before) / (after - before)):.4g}"
    n, mean = means[-1]
    return f"error {mean:.3g} at n={n}"
