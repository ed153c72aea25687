"""Which figures does each study have?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pavlov_cli.figures._panels import Row
from pavlov_cli.figures.capacity import draw_capacity
from pavlov_cli.figures.collapse import draw_collapse
from pavlov_cli.figures.error_curves import draw_error_curves
from pavlov_cli.figures.error_rate import draw_error_rate
from pavlov_cli.figures.look import PAGE, Look
from pavlov_cli.figures.required_dimension import draw_required

Draw = Callable[[Path], list[Path]]


def own_figures(
    study: str,
    rows: Sequence[Row],
    *,
    curve: Sequence[Row] = (),
    verdicts: Sequence[Row] = (),
    look: Look = PAGE,
) -> Mapping[str, Draw]:
    """The figures of a study's tables, not yet drawn.

    Args:
        study: id, with underscores.
        rows: of ``tables/<study>.csv``.
        curve: error rows of a capacity study.
        verdicts: its verdict rows.
        look: size, title, labels.

    Returns:
        File stem -> writes the figure under a path without suffix; the study's main figure first. Only figures that
        the tables have something for; empty for a study without figures.
    """
    if study == "error_rate":
        return {"error_rate": lambda stem: draw_error_rate(rows, stem, look=look)}
    if study != "capacity":
        return {}
    if rows and "required_d_k" in rows[0]:
        return {"required_dimension": lambda stem: draw_required(rows, verdicts, stem, look=look)}
    found: dict[str, Draw] = {}
    if any(row["capacity"] is not None for row in rows):
        found["capacity"] = lambda stem: draw_capacity(rows, verdicts, stem, look=look)
    if curve:
        found["error_curves"] = partial(draw_error_curves, curve, rows, look=look)
    if len({row["d_k"] for row in curve}) > 1:
        found["collapse"] = partial(draw_collapse, curve, rows, look=look)
    return found
