"""How does capacity grow with the key dimension, beside what theory predicts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.figures._style import (
    COLOURS,
    SPARSE,
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
from pavlov_cli.series import label, same_memory, telling_apart, trimmed

Row = Mapping[str, Any]
_JUDGED = ("criterion", "target_error", "margin")
_VISIBLE = 1.1  # a leading law that is nowhere further from the prediction than this factor would only thicken its line
_SYMBOLS = {"d_k": "d_k", "num_associations": "n"}
_LIMITS = ("capacity", "capacity_low", "capacity_high")


def series_of(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Rows grouped by all that identifies a curve, with a label that names what differs.

    Args:
        rows: capacity rows.

    Returns:
        (label, rows sorted by d_k), in the order of first appearance.
    """
    plain = trimmed(rows)
    differing = telling_apart(plain, ("d_k", *_JUDGED))
    grouped: dict[tuple[Any, ...], list[Row]] = {}
    names: dict[tuple[Any, ...], Row] = {}
    for row, shown in zip(rows, plain, strict=True):
        key = tuple(shown[name] for name in (*_JUDGED, *differing))
        grouped.setdefault(key, []).append(row)
        names.setdefault(key, shown)
    labelled = []
    for key, members in grouped.items():
        first = names[key]
        judged = str(first["criterion"])
        if first["target_error"] is not None:
            judged += f", error {first['target_error']:g}"
        elif first["margin"] is not None:
            judged += f", margin {first['margin']:g}"
        parts = [judged, literal(label(first, differing))] if differing else [judged]
        labelled.append((", ".join(part for part in parts if part), sorted(members, key=lambda row: row["d_k"])))
    return labelled


def draw_capacity(
    rows: Sequence[Row],
    verdicts: Sequence[Row],
    stem: Path,
    *,
    look: Look = PAGE,
    across: str | None = None,
    up: str = "capacity (associations)",
) -> list[Path]:
    """Capacity against d_k on logarithmic axes: points with intervals, predictions as lines, leading laws dotted.

    Args:
        rows: capacity rows.
        verdicts: verdict rows; their exponents enter the labels.
        stem: path without suffix.
        look: size, title, labels.
        across: label of the horizontal axis; None for what a capacity table has there.
        up: label of the vertical axis.

    Returns:
        The files written; none where no capacity was measured.
    """
    measured = [row for row in rows if row["capacity"] is not None]
    if not measured:
        return []
    import matplotlib as mpl

    series = series_of(measured)
    with mpl.rc_context(settings(look)):
        if len({row["d_k"] for row in measured}) == 1:
            figure = _single(series, look, across)
        else:
            figure = _growth(series, verdicts, look, across or "key dimension $d_k$", up)
        return save(figure, stem, look)


def _single(series: Sequence[tuple[str, list[Row]]], look: Look, across: str | None) -> Any:
    """One d_k: a line per series, capacity along the horizontal axis, the prediction as an open diamond."""
    size = SIZES[look.size]
    figure = new_figure(look, size.font / 9 * (0.75 + 0.32 * len(series)))
    axes = figure.add_subplot()
    point = {"fmt": "o", "color": COLOURS[0], "ms": 5 * size.scale, "capsize": 3 * size.scale, "zorder": 3}
    for place, (_, rows) in enumerate(series):
        axes.errorbar([rows[0]["capacity"]], [place], xerr=sides(rows[:1], *_LIMITS), **point)
        if rows[0]["predicted_capacity"] is not None:
            axes.plot(rows[0]["predicted_capacity"], place, "D", color=COLOURS[1], mfc="none", ms=8 * size.scale)
    axes.set_yticks(range(len(series)), [name for name, _ in series])
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xscale("log")
    plain_ticks(axes.xaxis, [rows[0]["capacity"] for _, rows in series])
    axes.margins(x=0.08)
    axes.set_xlabel(across or f"capacity (associations) at $d_k$ = {series[0][1][0]['d_k']}")
    apply(axes, look)
    handles = [axes.plot([], [], "o", color=COLOURS[0], ms=5 * size.scale)[0]]
    handles.append(axes.plot([], [], "D", color=COLOURS[1], mfc="none", ms=7 * size.scale)[0])
    legend_below(figure, look, handles, ["measured", "predicted"])
    return figure


def _growth(series: Sequence[tuple[str, list[Row]]], verdicts: Sequence[Row], look: Look, across: str, up: str) -> Any:
    figure = new_figure(look)
    axes = figure.add_subplot()
    drawn = [
        (rows[-1]["capacity"], *_draw_series(axes, name, rows, verdicts, series_style(index), SIZES[look.size].scale))
        for index, (name, rows) in enumerate(series)
    ]
    _dress(axes, [row for _, rows in series for row in rows])
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    apply(axes, look)
    drawn.sort(key=lambda item: -item[0])  # the legend reads down as the curves end
    meaning = ["points: measured"]
    meaning += ["lines: predicted"] * any(found[3] for found in drawn)
    meaning += ["dotted: leading law"] * any(found[4] for found in drawn)
    legend_below(figure, look, [found[1] for found in drawn], [found[2] for found in drawn], "; ".join(meaning))
    return figure


def _draw_series(
    axes: Any, title: str, rows: list[Row], verdicts: Sequence[Row], style: dict[str, Any], scale: float
) -> tuple[Any, str, bool, bool]:
    """Draws points and lines; returns the legend's handle and label, and whether there are predictions and laws."""
    grown = next((v for v in verdicts if v["exponent"] is not None and _belongs(v, rows[0])), None)
    name = title if grown is None else f"{title}: ${_SYMBOLS[grown['axis']]}^{{{grown['exponent']:.2f}}}$"
    look = style | {"ms": 4.5 * scale, "lw": 1.1 * scale}
    d_k = [row["d_k"] for row in rows]
    points = look | {"ls": "none", "capsize": 2.2 * scale, "zorder": 3}
    axes.errorbar(d_k, [row["capacity"] for row in rows], sides(rows, *_LIMITS), **points)
    predicted, leading = (
        [(row["d_k"], row[column]) for row in rows if row[column] is not None]
        for column in ("predicted_capacity", "leading_law")
    )
    line = len(predicted) > 1
    law = len(leading) > 1 and not _close(predicted, leading)
    if line:
        axes.plot(*zip(*predicted, strict=True), ls=style["ls"], color=style["color"], lw=1.1 * scale)
    if law:
        axes.plot(*zip(*leading, strict=True), ls=SPARSE, color=style["color"], lw=1.1 * scale)
    handle = axes.plot([], [], **(look if line else look | {"ls": "none"}))[0]
    return handle, name, line, law


def _close(predicted: list[tuple[float, float]], leading: list[tuple[float, float]]) -> bool:
    known = dict(predicted)
    return all(d_k in known and 1 / _VISIBLE < value / known[d_k] < _VISIBLE for d_k, value in leading)


def _belongs(verdict: Row, row: Row) -> bool:
    judged = all(verdict[name] == row[name] for name in ("criterion", "margin", "target_error"))
    return judged and same_memory(verdict, row)


def _dress(axes: Any, rows: Sequence[Row]) -> None:
    from matplotlib.ticker import NullLocator

    d_k = sorted({row["d_k"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    shown = d_k if len(d_k) <= 8 else d_k[:: -(-len(d_k) // 8)]
    axes.set_xticks(shown, [str(d) for d in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    plain_ticks(axes.yaxis, [row["capacity"] for row in rows], span=200.0)
    axes.margins(x=0.06, y=0.06)
