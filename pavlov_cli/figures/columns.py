"""How does any column of a table look against any other?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from pavlov_cli.figures.capacity import Row
from pavlov_cli.figures.look import PAGE, SIZES, Look
from pavlov_cli.series import short, telling_apart, trimmed

_LOG_FROM = 4.0  # largest over smallest value from which an axis is logarithmic unless the user says otherwise
_FEW, _APART = 8, 1.5  # values that can be ticks: at most so many, each so much larger than the one before
_JUDGED = ("criterion", "target_error", "margin")


def limits_of(y: str, columns: Sequence[str]) -> tuple[str, str] | None:
    """The columns of a column's interval: ``capacity_low`` of ``capacity``, ``error_low`` of ``error_rate``.

    Args:
        y: a column.
        columns: all of the table.

    Returns:
        Lower and upper limit's columns; None where the table has none.
    """
    for stem in (y, y.rpartition("_")[0]):
        low, high = f"{stem}_low", f"{stem}_high"
        # mean_low belongs to mean_capacity; capacity_low not to capacity_q99
        if low in columns and high in columns and (stem == y or stem not in columns):
            return low, high
    return None


def draw_columns(
    rows: Sequence[Row], stem: Path, *, x: str, y: str, series: Sequence[str] | None = None, look: Look = PAGE
) -> list[Path]:
    """Points with intervals, where the table holds intervals, joined by thin lines within a series.

    Args:
        rows: of a table, with numbers or nothing in ``x`` and ``y``.
        stem: path without suffix.
        x: column along the horizontal axis.
        y: column along the vertical axis.
        series: columns whose values part the rows into series; None for all that tell rows apart.
        look: size, title, labels, scales, formats.

    Returns:
        The files written; none where no row has both numbers.
    """
    known = [row for row in rows if row[x] is not None and row[y] is not None]
    if not known:
        return []
    import matplotlib as mpl

    limits = limits_of(y, list(known[0]))
    scale = SIZES[look.size].scale
    with mpl.rc_context(settings(look)):
        figure = new_figure(look)
        axes = figure.add_subplot()
        handles, labels = [], []
        for index, (name, members) in enumerate(_grouped(known, x, y, series).items()):
            members = sorted(members, key=lambda row: row[x])
            spread = sides(members, y, *limits) if limits else None
            style = series_style(index) | {"ms": 4.5 * scale, "lw": 0.9 * scale, "capsize": 2.2 * scale}
            axes.errorbar([row[x] for row in members], [row[y] for row in members], spread, **style)
            style.pop("capsize")
            handles.append(axes.plot([], [], **style)[0])
            labels.append(name)
        axes.set(xlabel=literal(x), ylabel=literal(y))
        apply(axes, _with_scales(look, [row[x] for row in known], [row[y] for row in known]))
        for axis, values in ((axes.xaxis, [row[x] for row in known]), (axes.yaxis, [row[y] for row in known])):
            if axis.get_scale() == "log":
                plain_ticks(axis, values)
        _tick_values(axes.xaxis, sorted({row[x] for row in known}))
        if labels != [""]:
            legend_below(figure, look, handles, [name or "all rows" for name in labels])
        return save(figure, stem, look)


def _tick_values(axis: Any, values: Sequence[float]) -> None:
    """A logarithmic axis of a few values, well apart, has its ticks there."""
    from matplotlib.ticker import NullLocator

    apart = all(high >= _APART * low for low, high in itertools.pairwise(values))
    if axis.get_scale() == "log" and len(values) <= _FEW and apart:
        axis.set_ticks(values, [f"{value:g}" for value in values])
        axis.set_minor_locator(NullLocator())


def _grouped(rows: Sequence[Row], x: str, y: str, series: Sequence[str] | None) -> dict[str, list[Row]]:
    plain = trimmed(rows) if "parameters" in rows[0] else list(rows)
    if series is None:
        judged = [name for name in (*_JUDGED, "d_k", "num_associations") if name in rows[0] and name not in (x, y)]
        chosen: list[str] = []
        for name in judged:
            if _tells_apart(rows, name, (x, *chosen)):
                chosen.append(name)
        chosen += telling_apart(plain, (x, *chosen)) if "parameters" in rows[0] else []
    else:
        chosen = list(series)
    grouped: dict[str, list[Row]] = {}
    for row, shown in zip(rows, plain, strict=True):
        grouped.setdefault(", ".join(_named(name, shown[name]) for name in chosen), []).append(row)
    return grouped


def _tells_apart(rows: Sequence[Row], name: str, shown: Sequence[str]) -> bool:
    """Whether rows that agree in what is shown differ in this column."""
    seen: dict[tuple[Any, ...], Any] = {}
    return any(seen.setdefault(tuple(row[c] for c in shown), row[name]) != row[name] for row in rows)


def _named(name: str, value: Any) -> str:
    text = short(name, value) if isinstance(value, str) else "-" if value is None else f"{value:g}"
    return literal(text if isinstance(value, str) else f"{name} {text}")


def _with_scales(look: Look, xs: Sequence[float], ys: Sequence[float]) -> Look:
    def logarithmic(values: Sequence[float]) -> bool:
        return min(values) > 0 and max(values) >= _LOG_FROM * min(values)

    return replace(
        look,
        log_x=logarithmic(xs) if look.log_x is None else look.log_x,
        log_y=logarithmic(ys) if look.log_y is None else look.log_y,
    )
