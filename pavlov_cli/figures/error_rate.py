"""How does the error grow with the number of associations, beside what theory predicts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.figures._panels import LIMITS, ROUNDING
from pavlov_cli.figures._style import (
    apply,
    legend_below,
    literal,
    new_figure,
    plain_ticks,
    save,
    series_style,
    settings,
    sides,
)
from pavlov_cli.figures.look import PAGE, SIZES, Look
from pavlov_cli.series import label, telling_apart, trimmed

Row = Mapping[str, Any]


def draw_error_rate(rows: Sequence[Row], stem: Path, *, look: Look = PAGE) -> list[Path]:
    """Error against n on logarithmic axes: points with intervals, predictions as lines.

    Where no error was seen, an arrow marks the upper limit.

    Args:
        rows: error rows.
        stem: path without suffix.
        look: size, title, labels.

    Returns:
        The files written; none where nothing was measured.
    """
    if not rows:
        return []
    import matplotlib as mpl

    rows = trimmed(rows)
    names = ["d_k", "criterion", *telling_apart(rows, ("d_k", "criterion", "num_associations"))]
    grouped: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        grouped.setdefault(tuple(row[name] for name in names), []).append(row)
    scale = SIZES[look.size].scale
    with mpl.rc_context(settings(look)):
        figure = new_figure(look)
        axes = figure.add_subplot()
        for index, members in enumerate(grouped.values()):
            named = [members[0]["criterion"], f"$d_k$ = {members[0]['d_k']}", literal(label(members[0], names[2:]))]
            _draw_series(axes, ", ".join(text for text in named if text), members, series_style(index), scale)
        axes.set(xscale="log", yscale="log", xlabel="number of associations $n$", ylabel="error rate")
        plain_ticks(axes.xaxis, [row["num_associations"] for row in rows])
        plain_ticks(axes.yaxis, [row["error_rate"] or row["error_high"] for row in rows])
        apply(axes, look)
        meaning = ["points: measured"]
        meaning += ["lines: predicted"] * any(row["predicted_error"] is not None for row in rows)
        meaning += [r"$\downarrow$: no error seen, upper limit"] * any(row["error_rate"] == 0 for row in rows)
        handles, labels = axes.get_legend_handles_labels()
        legend_below(figure, look, handles, labels, "; ".join(meaning))
        return save(figure, stem, look)


def _draw_series(axes: Any, name: str, rows: list[Row], style: dict[str, Any], scale: float) -> None:
    rows = sorted(rows, key=lambda row: row["num_associations"])
    seen = [row for row in rows if (row["error_rate"] or 0) > ROUNDING]
    unseen = [row for row in rows if row["error_rate"] == 0 and row["error_high"]]
    points = style | {"ms": 4 * scale, "ls": "none", "capsize": 2 * scale, "lw": scale, "zorder": 3}
    axes.errorbar(
        [row["num_associations"] for row in seen], [row["error_rate"] for row in seen], sides(seen, *LIMITS), **points
    )
    arrows = {"ls": "none", "marker": r"$\downarrow$", "color": style["color"], "ms": 5 * scale}
    axes.plot([row["num_associations"] for row in unseen], [row["error_high"] for row in unseen], **arrows)
    floor = min([r["error_low"] or r["error_rate"] for r in seen] + [r["error_high"] for r in unseen], default=1e-12)
    line = [(r["num_associations"], r["predicted_error"]) for r in rows if (r["predicted_error"] or 0) > floor / 10]
    if line:
        axes.plot(*zip(*line, strict=True), ls=style["ls"], color=style["color"], lw=1.1 * scale)
    handle = style | {"ms": 4 * scale, "lw": 1.1 * scale} | ({} if line else {"ls": "none"})
    axes.plot([], [], label=name, **handle)
