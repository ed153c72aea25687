"""What do two tables of the same study have in common, and where do they differ by more than chance?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from pavlov_cli.records import Estimate
from pavlov_cli.report.cells import Row
from pavlov_cli.series import IDENTITY
from pavlov_cli.stats import difference_z

EQUAL, AGREE, DIFFER, UNKNOWN = "equal", "agree", "differ", "unknown"
CONFIDENCE = 0.95  # of the two-sided test, whatever the intervals' own
THRESHOLD = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
# beyond the identity: what else says which number a row holds
_JUDGED = ("target_error", "margin", "quantile", "combine", "cleanup", "residual")
_VALUES = (
    ("mean_capacity", "mean_low", "mean_high"),  # of an integer median, whose interval is coarse
    ("capacity", "capacity_low", "capacity_high"),
    ("required_d_k", "required_low", "required_high"),
    ("error_rate", "error_low", "error_high"),
)


@dataclass(frozen=True)
class Pair:
    """A number that both runs hold.

    Attributes:
        first: its row in the first run.
        second: its row in the second.
        estimates: the two values with intervals that were compared.
        ratio: second over first; None where unknown.
        z: standard errors between them; None where unknown or not finite.
        verdict: ``equal``, ``agree``, ``differ`` or ``unknown``.
    """

    first: Row
    second: Row
    estimates: tuple[Estimate, Estimate]
    ratio: float | None
    z: float | None
    verdict: str


@dataclass(frozen=True)
class Comparison:
    """Two tables side by side.

    Attributes:
        shared: rows of both.
        only_first: rows of the first alone.
        only_second: rows of the second alone.
    """

    shared: Sequence[Pair]
    only_first: Sequence[Row]
    only_second: Sequence[Row]

    def count(self, verdict: str) -> int:
        """How many shared rows came out like this."""
        return sum(pair.verdict == verdict for pair in self.shared)


def identity(row: Row) -> dict[str, Any]:
    """The columns by which a row is found in another run."""
    return {name: row[name] for name in (*IDENTITY, *_JUDGED) if name in row}


def compare(
    first: Sequence[Row], second: Sequence[Row], *, first_confidence: float = 0.95, second_confidence: float = 0.95
) -> Comparison:
    """Rows matched by their identity.

    Args:
        first: rows of a capacity or an error table.
        second: rows of another run of the same study.
        first_confidence: coverage of the first run's intervals.
        second_confidence: of the second's.

    Returns:
        Shared rows in the first's order, and what is left.
    """
    waiting: dict[tuple[Any, ...], list[Row]] = {}
    for row in second:
        waiting.setdefault(tuple(identity(row).items()), []).append(row)
    shared, only_first = [], []
    for row in first:
        others = waiting.get(tuple(identity(row).items()))
        if others:
            shared.append(_pair(row, others.pop(0), first_confidence, second_confidence))
        else:
            only_first.append(row)
    left = {id(row) for rows in waiting.values() for row in rows}
    return Comparison(shared, only_first, [row for row in second if id(row) in left])


def _pair(first: Row, second: Row, first_confidence: float, second_confidence: float) -> Pair:
    names = next(
        (names for names in _VALUES if first.get(names[0]) is not None and second.get(names[0]) is not None), _VALUES[1]
    )
    a, b = (Estimate(row.get(names[0]), row.get(names[1]), row.get(names[2]), row["trials"]) for row in (first, second))
    z = difference_z(a, b, first_confidence=first_confidence, second_confidence=second_confidence)
    ratio = b.value / a.value if a.value and b.value is not None else None
    return Pair(first, second, (a, b), ratio, z if z is not None and math.isfinite(z) else None, _verdict(a, b, z))


def _verdict(first: Estimate, second: Estimate, z: float | None) -> str:
    if first.value is not None and first.value == second.value:
        return EQUAL
    if z is None:
        return UNKNOWN
    return DIFFER if abs(z) > THRESHOLD else AGREE


def differing_settings(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Settings that two manifests have different: name -> both values."""
    names = dict.fromkeys((*first, *second))
    return {name: (first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)}
