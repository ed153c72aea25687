"""How does capacity grow with the key dimension, beside what theory predicts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.figures._style import COLOURS, MARKERS, SETTINGS, literal, save
from pavlov_cli.series import label, same_memory, telling_apart, trimmed

Row = Mapping[str, Any]
_JUDGED = ("criterion", "target_error", "margin")


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

    series = series_of(measured)
    with mpl.rc_context(SETTINGS):
        single = len({row["d_k"] for row in measured}) == 1
        figure = Figure(figsize=(5.6, 1.3 + 0.42 * len(series)) if single else (5.6, 4.1), layout="constrained")
        axes = figure.add_subplot()
        if single:
            _draw_single(axes, series)
        else:
            for index, (name, members) in enumerate(series):
                _draw_series(axes, name, members, verdicts, COLOURS[index % 7], MARKERS[index % 7])
            _dress(axes, measured)
        return save(figure, stem)


def _sides(rows: Sequence[Row]) -> list[list[float]]:
    """Distances of the limits below and above; none where a limit is not known."""
    below = [row["capacity"] - (row["capacity_low"] or row["capacity"]) for row in rows]
    above = [(row["capacity_high"] or row["capacity"]) - row["capacity"] for row in rows]
    return [below, above]


def _draw_single(axes: Any, series: Sequence[tuple[str, list[Row]]]) -> None:
    """One d_k: a line per series, capacity along the horizontal axis, the prediction as an open diamond."""
    for place, (_, rows) in enumerate(series):
        sides = _sides(rows)
        axes.errorbar([rows[0]["capacity"]], [place], xerr=sides, fmt="o", color=COLOURS[0], ms=5, capsize=3, zorder=3)
        if rows[0]["predicted_capacity"] is not None:
            axes.plot(rows[0]["predicted_capacity"], place, "D", color=COLOURS[1], mfc="none", ms=8, zorder=2)
    axes.set_yticks(range(len(series)), [name for name, _ in series])
    axes.invert_yaxis()
    axes.set_xscale("log")
    _plain_ticks(axes.xaxis)
    axes.margins(x=0.08, y=0.5 / max(len(series), 2))
    axes.set_xlabel(f"capacity (associations) at $d_k$ = {series[0][1][0]['d_k']}")
    handles = [axes.plot([], [], "o", color=COLOURS[0], ms=5)[0]]
    handles.append(axes.plot([], [], "D", color=COLOURS[1], mfc="none", ms=7)[0])
    axes.figure.legend(handles, ["measured", "predicted"], loc="outside upper right", ncols=2, fontsize=8)


def _plain_ticks(axis: Any) -> None:
    """Ticks at 1, 2 and 5 of every decade, written as numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _draw_series(axes: Any, title: str, rows: list[Row], verdicts: Sequence[Row], colour: str, marker: str) -> None:
    d_k = [row["d_k"] for row in rows]
    capacity = [row["capacity"] for row in rows]
    exponent = next((v["exponent"] for v in verdicts if _belongs(v, rows[0])), None)
    name = title if exponent is None else f"{title}: $d_k^{{{exponent:.2f}}}$"
    look = {"color": colour, "marker": marker, "ms": 5, "ls": "none", "capsize": 3, "lw": 1.2}
    axes.errorbar(d_k, capacity, _sides(rows), label=name, zorder=3, **look)
    for column, style in (("predicted_capacity", "-"), ("leading_law", ":")):
        line = [(row["d_k"], row[column]) for row in rows if row[column] is not None]
        if len(line) > 1:
            axes.plot(*zip(*line, strict=True), style, color=colour, lw=1.2, alpha=0.8)


def _belongs(verdict: Row, row: Row) -> bool:
    return verdict["criterion"] == row["criterion"] and same_memory(verdict, row)


def _dress(axes: Any, rows: Sequence[Row]) -> None:
    from matplotlib.ticker import NullLocator

    d_k = sorted({row["d_k"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    shown = d_k if len(d_k) <= 8 else d_k[:: -(-len(d_k) // 8)]
    axes.set_xticks(shown, [str(d) for d in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    _plain_ticks(axes.yaxis)
    axes.margins(x=0.06, y=0.06)
    axes.set_xlabel("key dimension $d_k$")
    axes.set_ylabel("capacity (associations)")
    handles, labels = axes.get_legend_handles_labels()
    lines = [axes.plot([], [], style, color="0.35", lw=1.2)[0] for style in ("-", ":")]
    has_lines = any(row["predicted_capacity"] is not None for row in rows)
    extra = (lines, ["predicted", "leading law for large $d_k$"]) if has_lines else ([], [])
    axes.legend([*handles, *extra[0]], [*labels, *extra[1]], fontsize=8, loc="best")
