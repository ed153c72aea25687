"""Which d_k does a memory need, as the number of associations grows?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.figures.capacity import draw_capacity
from pavlov_cli.figures.look import PAGE, Look

Row = Mapping[str, Any]


def draw_required(rows: Sequence[Row], verdicts: Sequence[Row], stem: Path, *, look: Look = PAGE) -> list[Path]:
    """Required d_k against n on logarithmic axes: the capacity figure with its axes exchanged.

    Args:
        rows: rows with ``required_d_k``.
        verdicts: verdict rows; their exponents enter the labels.
        stem: path without suffix.
        look: size, title, labels.

    Returns:
        The files written; none where nothing was found.
    """
    exchanged = [
        {
            **row,
            "d_k": row["num_associations"],
            "capacity": row["required_d_k"],
            "capacity_low": row["required_low"],
            "capacity_high": row["required_high"],
            "predicted_capacity": row["predicted_d_k"],
            "leading_law": None,
        }
        for row in rows
    ]
    single = len({row["num_associations"] for row in rows if row["required_d_k"] is not None}) == 1
    across, up = "number of associations $n$", "key dimension $d_k$ needed"
    if single:
        across, up = f"{up} for $n$ = {rows[0]['num_associations']}", ""
    return draw_capacity(exchanged, verdicts, stem, look=look, across=across, up=up)
