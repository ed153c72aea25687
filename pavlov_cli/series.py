"""Which rows belong together, and how are they told apart?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pavlov_cli.registry import default_of

Row = Mapping[str, Any]
IDENTITY = (
    "study",
    "d_k",
    "d_v",
    "d_phi",
    "num_associations",
    "depth",
    "width",
    "num_heads",
    "key_ensemble",
    "value_ensemble",
    "feature_map",
    "update_rule",
    "parameters",
    "criterion",
)
# which memory it is, whatever its size, load and judge
MEMORY = tuple(n for n in IDENTITY if n not in ("study", "d_k", "d_phi", "num_associations", "criterion"))
# what a reader would name first
_FOREMOST = ("key_ensemble", "update_rule", "feature_map", "value_ensemble", "parameters")
_BY_RANK = (*_FOREMOST, *(name for name in MEMORY if name not in _FOREMOST))


def telling_apart(rows: Sequence[Row], within: Sequence[str]) -> list[str]:
    """The fewest columns of ``MEMORY`` that, beside ``within``, make rows differ; none that follows from the others.

    Args:
        rows: of a table.
        within: columns that are shown anyway.

    Returns:
        Column names, those first that a reader would name first.
    """
    chosen: list[str] = []
    for name in _BY_RANK:
        shown = [*within, *chosen]
        seen: dict[tuple[Any, ...], Any] = {}
        if any(seen.setdefault(tuple(row[c] for c in shown), row[name]) != row[name] for row in rows):
            chosen.append(name)
    return chosen


def trimmed(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows with only those parameters that differ between rows that can have them, defaults spelled out."""
    found = [json.loads(row["parameters"]) for row in rows]
    names = dict.fromkeys(name for parameters in found for name in parameters)
    filled = [
        {n: parameters.get(n, _default(row, n)) for n in names if n in parameters or _default(row, n) is not None}
        for row, parameters in zip(rows, found, strict=True)
    ]
    kept = {n for n in names if len({json.dumps(parameters[n]) for parameters in filled if n in parameters}) > 1}
    return [
        {**row, "parameters": json.dumps({n: v for n, v in parameters.items() if n in kept}, sort_keys=True)}
        for row, parameters in zip(rows, filled, strict=True)
    ]


def _default(row: Row, parameter: str) -> Any:
    """What a row's entry has for a parameter that the row does not name; None where the entry lacks it."""
    group, _, name = parameter.partition(".")
    return 1.0 if group == "query" else default_of(group, row[group], name)


def short(name: str, value: Any) -> str:
    """A cell in a few characters: parameters lose their group."""
    if name != "parameters":
        return str(value)
    found = json.loads(value)
    return ", ".join(f"{key.split('.')[-1]}={item}" for key, item in found.items())


def label(row: Row, names: Sequence[str]) -> str:
    """What tells a row apart, in words: ``sphere keys, delta``."""
    nouns = {"key_ensemble": " keys", "value_ensemble": " values", "feature_map": " map"}
    named = {"d_v", "depth", "width", "num_heads"}
    parts = [
        f"{name} {row[name]}" if name in named else f"{short(name, row[name])}{nouns.get(name, '')}" for name in names
    ]
    return ", ".join(part for part in parts if part)


def same_memory(series: Row, row: Row) -> bool:
    """Whether a row belongs to a series, whose d_v is None where it follows d_k."""
    same = all(series[name] == row[name] for name in MEMORY if name != "d_v")
    return same and series["d_v"] in (None, row["d_v"])
