"""How does capacity grow with the key dimension, beside what theory predicts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.figures._series import short, telling_apart
from pavlov_cli.figures._style import COLOURS, MARKERS, SETTINGS, save

Row = Mapping[str, Any]
_JUDGED = ("criterion", "target_error", "margin")


def series_of(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Rows grouped by all that identifies a curve, with a label that names what differs.

    Args:
        rows: capacity rows.

    Returns:
        (label, rows sorted by d_k), in the order of first appearance.
    """
    differing = telling_apart(rows, ("d_k", *_JUDGED))
    grouped: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        grouped.setdefault(tuple(row[name] for name in (*_JUDGED, *differing)), []).append(row)
    labelled = []
    for members in grouped.values():
        first = members[0]
        judged = str(first["criterion"])
        if first["target_error"] is not None:
            judged += f", error {first['target_error']:g}"
        elif first["margin"] is not None:
            judged += f", margin {first['margin']:g}"
        shown = [f"{short(name, first[name])} {_NOUNS.get(name, '')}".strip() for name in differing]
        labelled.append((", ".join([judged, *shown]), sorted(members, key=lambda row: row["d_k"])))
    return labelled


_NOUNS = {"key_ensemble": "keys", "value_ensemble": "values", "feature_map": "map"}


def draw_capacity(rows: Sequence[Row], verdicts: Sequence[Row], stem: Path) -> list[Path]:
    """Capacity against d_k on logarithmic axes: points with intervals, predictions as lines, leading laws dotted.

    Args:
        rows: capacity rows.
        verdicts: verdict rows; their exponents enter the labels.
        stem: path without suffix.

    Returns:
        The files written; none where no capacity was measured.
    """
    measured = [row for row in rows if row["capacity"] is not None]
    if not measured:
        return []
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(5.6, 4.1), layout="constrained")
        axes = figure.add_subplot()
        for index, (label, members) in enumerate(series_of(measured)):
            _draw_series(axes, label, members, verdicts, COLOURS[index % 7], MARKERS[index % 7])
        _dress(axes, measured)
        return save(figure, stem)


def _draw_series(axes: Any, label: str, rows: list[Row], verdicts: Sequence[Row], colour: str, marker: str) -> None:
    d_k = [row["d_k"] for row in rows]
    capacity = [row["capacity"] for row in rows]
    below = [c - (row["capacity_low"] if row["capacity_low"] is not None else c) for c, row in zip(capacity, rows, strict=True)]
    above = [(row["capacity_high"] if row["capacity_high"] is not None else c) - c for c, row in zip(capacity, rows, strict=True)]
    exponent = next((v["exponent"] for v in verdicts if _belongs(v, rows[0])), None)
    name = label if exponent is None else f"{label}: $d_k^{{{exponent:.2f}}}$"
    axes.errorbar(
        d_k, capacity, [below, above], color=colour, marker=marker, ms=5, ls="none", capsize=3, lw=1.2, label=name, zorder=3
    )
    for column, style in (("predicted_capacity", "-"), ("leading_law", ":")):
        line = [(row["d_k"], row[column]) for row in rows if row[column] is not None]
        if len(line) > 1:
            axes.plot(*zip(*line, strict=True), style, color=colour, lw=1.2, alpha=0.8)
        elif line and style == "-":
            axes.plot(*zip(*line, strict=True), "_", color=colour, ms=14)


def _belongs(verdict: Row, row: Row) -> bool:
    names = ("criterion", "key_ensemble", "value_ensemble", "feature_map", "update_rule", "parameters")
    return all(verdict[name] == row[name] for name in names)


def _dress(axes: Any, rows: Sequence[Row]) -> None:
    from matplotlib.ticker import FuncFormatter, NullLocator

    d_k = sorted({row["d_k"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    shown = d_k if len(d_k) <= 8 else d_k[:: -(-len(d_k) // 8)]
    axes.set_xticks(shown, [str(d) for d in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.margins(x=0.06, y=0.06)
    if len(d_k) == 1:
        axes.set_xlim(d_k[0] / 2, d_k[0] * 2)
    axes.set_xlabel("key dimension $d_k$")
    axes.set_ylabel("capacity (associations)")
    handles, labels = axes.get_legend_handles_labels()
    lines = [axes.plot([], [], style, color="0.35", lw=1.2)[0] for style in ("-", ":")]
    has_lines = any(row["predicted_capacity"] is not None for row in rows)
    extra = (lines, ["predicted", "leading law for large $d_k$"]) if has_lines else ([], [])
    axes.legend([*handles, *extra[0]], [*labels, *extra[1]], fontsize=8, loc="best")
