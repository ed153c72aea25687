"""How are error curves drawn, one small panel per criterion, with a series for each key dimension?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pavlov_cli.figures._style import GUIDE, MARKERS, apply, legend_below, literal, new_figure, plain_ticks, sides
from pavlov_cli.figures.look import SIZES, Look
from pavlov_cli.series import MEMORY, label, telling_apart, trimmed

Row = Mapping[str, Any]
LIMITS = ("error_rate", "error_low", "error_high")
ROUNDING = 1e-9  # a squared error below is that of float32 arithmetic, as for a single association
_FAR_BELOW = 2.0  # factor in n below the first error seen, up to which upper limits are drawn
_BELOW_TARGET = 100.0  # how far below the smallest target the axes reach: further down nothing is decided
_PANEL_HEIGHT = 1.45  # inches at the size 'page'
_DARKEST, _LIGHTEST = 0.0, 0.78  # part of the colour map whose brightness tells dimensions apart on white


def panels_of(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by criterion and by what tells memories apart, in the order of first appearance.

    Args:
        rows: error rows.

    Returns:
        Title of a panel -> its rows.
    """
    plain = trimmed(rows)
    differing = telling_apart(plain, ("d_k", "criterion", "num_associations"))
    panels: dict[str, list[Row]] = {}
    for row, shown in zip(rows, plain, strict=True):
        parts = (str(row["criterion"]), literal(label(shown, differing)))
        panels.setdefault(", ".join(part for part in parts if part), []).append(row)
    return panels


def target_of(row: Row, capacities: Sequence[Row]) -> float | None:
    """The error at which the capacity of a row's memory was read; for ``guaranteed`` the quantile over trials."""
    for capacity in capacities:
        same = all(capacity[name] == row[name] for name in (*MEMORY, "criterion", "d_k"))
        if same:
            return capacity["quantile"] if capacity["target_error"] is None else capacity["target_error"]
    return None


def draw_panels(
    rows: Sequence[Row],
    capacities: Sequence[Row],
    look: Look,
    *,
    x_of: Callable[[Row], float],
    x_label: str | None = None,
    x_label_of: Callable[[Row], str] | None = None,
) -> Any:
    """A figure with one panel per criterion: points with intervals, predictions as lines, the target dashed.

    Args:
        rows: error rows, at least one; errors far below every target lie outside the axes.
        capacities: capacity rows, for the targets.
        look: size, title, labels.
        x_of: horizontal position of a row.
        x_label: of all panels.
        x_label_of: of the panel that a row belongs to, where panels differ.

    Returns:
        The matplotlib figure.
    """
    from matplotlib.ticker import NullLocator

    panels, size = panels_of(rows), SIZES[look.size]
    columns = min(size.panels, 2 if len(panels) == 4 else len(panels))
    lines = -(-len(panels) // columns)
    height = size.font / 9 * (_PANEL_HEIGHT + 0.2 * bool(x_label_of)) * lines + 0.2
    figure = new_figure(look, max(height, size.height) if len(panels) == 1 else height)
    grid = figure.subplots(lines, columns, squeeze=False, sharey=True)
    d_k = sorted({row["d_k"] for row in rows})
    used: set[str] = set()
    targets = [target_of(members[0], capacities) for members in panels.values()]
    for axes, target, (title, members) in zip(grid.flat, targets, panels.items(), strict=False):
        for index, dimension in enumerate(d_k):
            mine = sorted((row for row in members if row["d_k"] == dimension), key=x_of)
            used |= _draw_curve(axes, mine, x_of, _style(index, len(d_k)), size.scale)
        if target is not None:
            axes.axhline(target, ls="--", color=GUIDE, lw=size.scale, zorder=1)
            used.add("target")
        axes.set(xscale="log", yscale="log", title=title)
        plain_ticks(axes.xaxis, [x_of(row) for row in members], span=50.0)
        plain_ticks(axes.yaxis, [row["error_rate"] or row["error_high"] for row in rows], span=10.0)
        for axis in (axes.xaxis, axes.yaxis):  # small panels: powers of ten say that the axis is logarithmic
            axis.set_minor_locator(NullLocator())
        if x_label_of:
            axes.set_xlabel(x_label_of(members[0]))
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    floor = min((target for target in targets if target is not None), default=0.0) / _BELOW_TARGET
    if 0 < grid.flat[0].get_ylim()[0] < floor:
        grid.flat[0].set_ylim(bottom=floor)
    _name_axes(figure, grid, look, len(panels), x_label)
    legend_below(figure, look, *_legend(grid.flat[0], d_k, used, size.scale))
    return figure


def _style(index: int, count: int) -> dict[str, Any]:
    """Dimensions are ordered, so are their colours: from dark to light, also in print and for colour-blind readers."""
    import matplotlib as mpl

    share = index / max(count - 1, 1)
    colour = mpl.colormaps["viridis"](_DARKEST + share * (_LIGHTEST - _DARKEST))
    return {"color": colour, "marker": MARKERS[index % len(MARKERS)]}


def _draw_curve(
    axes: Any, rows: Sequence[Row], x_of: Callable[[Row], float], style: dict[str, Any], scale: float
) -> set[str]:
    """Draws one curve; returns which kinds of marks it used."""
    seen = [row for row in rows if (row["error_rate"] or 0) > ROUNDING]
    unseen = [row for row in rows if row["error_rate"] == 0 and row["error_high"]]
    # far below the first error, limits say how few memories were looked at and hide the other curves
    nearest = min((x_of(row) for row in seen), default=0.0) / _FAR_BELOW
    unseen = [row for row in unseen if x_of(row) >= nearest]
    points = style | {"ms": 3 * scale, "ls": "none", "capsize": 1.5 * scale, "lw": 0.8 * scale, "zorder": 3}
    if seen:
        axes.errorbar([x_of(r) for r in seen], [r["error_rate"] for r in seen], sides(seen, *LIMITS), **points)
    arrows = {"ls": "none", "marker": r"$\downarrow$", "color": style["color"], "ms": 4.5 * scale}
    if unseen:
        axes.plot([x_of(r) for r in unseen], [r["error_high"] for r in unseen], **arrows)
    floor = min([r["error_rate"] for r in seen] + [r["error_high"] for r in unseen], default=1e-12)
    line = [(x_of(row), row["predicted_error"]) for row in rows if (row["predicted_error"] or 0) > floor / 3]
    if line:
        axes.plot(*zip(*line, strict=True), "-", color=style["color"], lw=scale, zorder=2)
    found = {"predicted": line, "unseen": unseen}
    return {name for name, marks in found.items() if marks}


def _name_axes(figure: Any, grid: Any, look: Look, count: int, x_label: str | None) -> None:
    """Names the left and the lowest panels; a single panel also takes the user's scales."""
    columns = grid.shape[1]
    if count == 1:
        apply(grid.flat[0], look)
    elif look.title is not None:
        figure.suptitle(literal(look.title))
    shown = literal(look.xlabel) if look.xlabel is not None else x_label
    for index, axes in enumerate(grid.flat[:count]):
        if index % columns == 0:
            axes.set_ylabel("error rate" if look.ylabel is None else literal(look.ylabel))
        if shown is not None and index + columns >= count:
            axes.set_xlabel(shown)


def _legend(axes: Any, d_k: Sequence[int], used: set[str], scale: float) -> tuple[list[Any], list[str]]:
    entries = []
    for index, dimension in enumerate(d_k):
        style = _style(index, len(d_k)) | {"ms": 3.5 * scale, "lw": scale}
        handle = axes.plot([], [], ls="-" if "predicted" in used else "none", **style)[0]
        entries.append((handle, f"$d_k$ = {dimension}"))
    if "predicted" in used:
        entries.append((axes.plot([], [], "-", color=GUIDE, lw=scale)[0], "predicted"))
    if "target" in used:
        entries.append((axes.plot([], [], "--", color=GUIDE, lw=scale)[0], "target"))
    if "unseen" in used:
        arrow = axes.plot([], [], ls="none", marker=r"$\downarrow$", color=GUIDE, ms=4.5 * scale)[0]
        entries.append((arrow, "no error seen: upper limit"))
    return [handle for handle, _ in entries], [name for _, name in entries]
