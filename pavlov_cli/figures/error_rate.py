"""How does the error grow with the number of associations, beside what theory predicts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.figures._style import COLOURS, MARKERS, SETTINGS, literal, save
from pavlov_cli.series import label, telling_apart, trimmed

Row = Mapping[str, Any]


def draw_error_rate(rows: Sequence[Row], stem: Path) -> list[Path]:
    """Error against n on logarithmic axes: points with intervals, predictions as lines.

    Where no error was seen, an arrow marks the upper limit.

    Args:
        rows: error rows.
        stem: path without suffix.

    Returns:
        The files written; none where nothing was measured.
    """
    if not rows:
        return []
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = trimmed(rows)
    names = ["d_k", "criterion", *telling_apart(rows, ("d_k", "criterion", "num_associations"))]
    grouped: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        grouped.setdefault(tuple(row[name] for name in names), []).append(row)
    labels = []
    for members in grouped.values():
        named = [members[0]["criterion"], f"$d_k$ = {members[0]['d_k']}", literal(label(members[0], names[2:]))]
        labels.append(", ".join(text for text in named if text))
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(5.6, 4.1), layout="constrained")
        axes = figure.add_subplot()
        for index, (name, members) in enumerate(zip(labels, grouped.values(), strict=True)):
            _draw_series(axes, name, members, COLOURS[index % 7], MARKERS[index % 7])
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel("number of associations $n$")
        axes.set_ylabel("error rate")
        handles, labels = axes.get_legend_handles_labels()
        line = axes.plot([], [], "-", color="0.35", lw=1.2)[0]
        axes.legend([*handles, line], [*labels, "predicted"], fontsize=8, loc="best")
        return save(figure, stem)


def _draw_series(axes: Any, label: str, rows: list[Row], colour: str, marker: str) -> None:
    rows = sorted(rows, key=lambda row: row["num_associations"])
    seen = [row for row in rows if row["error_rate"] and row["error_low"] is not None]
    axes.errorbar(
        [row["num_associations"] for row in seen],
        [row["error_rate"] for row in seen],
        [
            [row["error_rate"] - row["error_low"] for row in seen],
            [row["error_high"] - row["error_rate"] for row in seen],
        ],
        color=colour, marker=marker, ms=4.5, ls="none", capsize=2.5, lw=1.1, label=label, zorder=3,
    )  # fmt: skip
    unseen = [row for row in rows if row["error_rate"] == 0 and row["error_high"]]
    axes.plot(
        [row["num_associations"] for row in unseen], [row["error_high"] for row in unseen], ls="none",
        marker=r"$\downarrow$", color=colour, ms=7,
    )  # fmt: skip
    floor = min(
        [row["error_low"] for row in seen if row["error_low"]] + [r["error_high"] for r in unseen], default=1e-12
    )
    line = [(r["num_associations"], r["predicted_error"]) for r in rows if (r["predicted_error"] or 0) > floor / 10]
    if line:
        axes.plot(*zip(*line, strict=True), "-", color=colour, lw=1.2, alpha=0.8)
