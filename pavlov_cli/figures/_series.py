"""Which columns tell the curves of a table apart, and how is a curve called?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
MEMORY = ("key_ensemble", "update_rule", "feature_map", "value_ensemble", "parameters", "d_v")


def telling_apart(rows: Sequence[Row], within: Sequence[str]) -> list[str]:
    """The fewest columns of ``MEMORY`` that, beside ``within``, make rows differ; none that follows from the others.

    Args:
        rows: of a table.
        within: columns that are shown anyway.

    Returns:
        Column names, in the order of ``MEMORY``.
    """
    chosen: list[str] = []
    for name in MEMORY:
        shown = [*within, *chosen]
        seen: dict[tuple[Any, ...], Any] = {}
        if any(seen.setdefault(tuple(row[c] for c in shown), row[name]) != row[name] for row in rows):
            chosen.append(name)
    return chosen


def short(name: str, value: Any) -> str:
    """A cell in a few characters: parameters lose their group."""
    if name != "parameters":
        return str(value)
    found = json.loads(value)
    return ", ".join(f"{key.split('.')[-1]}={item}" for key, item in found.items()) or "-"
