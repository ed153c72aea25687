"""How do all figures look, and why do two runs write the same bytes?"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.durable import write_atomically
from pavlov_cli.figures.look import SIZES, Look

# Okabe and Ito (2008): told apart by colour-blind readers; marker and dashes tell series apart in print without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# none is dotted: dots are for lines of minor importance
DASHES: tuple[Any, ...] = (
    "-", (0, (5, 1.5)), (0, (2, 1)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (8, 1.5, 3, 1.5)),
)  # fmt: skip
SPARSE: Any = (0, (1, 3))  # a line of minor importance
GUIDE = "0.35"  # grey of what belongs to no series
_SETTINGS: Any = {
    "svg.hashsalt": "pavlov",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "figure.dpi": 150,
    "savefig.dpi": 200,
}
# no dates and no versions: equal tables give equal files
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def settings(look: Look) -> Any:
    """Matplotlib's settings for a size."""
    size = SIZES[look.size]
    return _SETTINGS | {
        "font.size": size.font,
        "axes.titlesize": size.font,
        "axes.labelsize": size.font,
        "legend.fontsize": size.font * 0.9,
        "xtick.labelsize": size.font * 0.9,
        "ytick.labelsize": size.font * 0.9,
        "grid.linewidth": 0.6 * size.scale,
        "axes.linewidth": 0.8 * size.scale,
    }


def series_style(index: int) -> dict[str, Any]:
    """Colour, marker and dashes of a series; the first seven differ in all three, the next seven have open markers."""
    turn = index // len(COLOURS)
    style = {"color": COLOURS[index % 7], "marker": MARKERS[(index + turn) % 7], "ls": DASHES[(index + 2 * turn) % 7]}
    return style | ({"mfc": "white"} if turn % 2 else {})


def literal(text: str) -> str:
    """The text as matplotlib draws it unchanged: a file's name may hold ``$``, which would start a formula."""
    return text.replace("$", r"\$")


def new_figure(look: Look, height: float | None = None) -> Any:
    """An empty figure of the size's width.

    Args:
        look: its size.
        height: inches; None for that of a single plot.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = SIZES[look.size]
    figure = Figure(figsize=(size.width, height or size.height), layout="constrained")
    FigureCanvasAgg(figure)  # measures texts
    return figure


def legend_below(figure: Any, look: Look, handles: Sequence[Any], labels: Sequence[str], title: str = "") -> None:
    """A legend under the axes, where it covers no data, in as many columns as fit; the figure grows by its height."""
    if not handles:
        return
    size = SIZES[look.size]
    # an average letter of DejaVu Sans is 0.56 of the font size wide; line, marker and margins take about 0.6 inches
    letters = int((size.width - 0.6 * size.scale) * 72 / (0.9 * size.font * 0.56))
    shown = [textwrap.fill(label, letters, break_on_hyphens=False) for label in labels]
    title = textwrap.fill(title, letters)
    for columns in range(min(4, len(shown)), 0, -1):
        legend = figure.legend(
            handles, shown, title=title or None, title_fontsize=0.9 * size.font, loc="outside lower center",
            ncols=columns, handlelength=2.6, columnspacing=1.2, borderaxespad=0.2, labelspacing=0.3,
        )  # fmt: skip
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if box.width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + box.height / figure.dpi)


def apply(axes: Any, look: Look) -> None:
    """Title, labels and scales that the user chose."""
    if look.title is not None:
        axes.set_title(literal(look.title))
    if look.xlabel is not None:
        axes.set_xlabel(literal(look.xlabel))
    if look.ylabel is not None:
        axes.set_ylabel(literal(look.ylabel))
    for chosen, set_scale in ((look.log_x, axes.set_xscale), (look.log_y, axes.set_yscale)):
        if chosen is not None:
            set_scale("log" if chosen else "linear")


def plain_ticks(axis: Any, values: Sequence[float | None], *, span: float = 100.0) -> None:
    """Ticks of a logarithmic axis written as numbers: at 1, 2 and 5 of every power of ten, or at 1 alone.

    Args:
        axis: of matplotlib.
        values: along it.
        span: largest over smallest value beyond which powers of ten are ticks enough.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    found = [value for value in values if value]
    wide = bool(found) and max(found) > span * min(found)
    axis.set_major_locator(LogLocator(base=10, subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def sides(rows: Sequence[Mapping[str, Any]], value: str, low: str, high: str) -> list[list[float]]:
    """Distances of the limits below and above; none where a limit is not known."""

    def distance(row: Mapping[str, Any], limit: str) -> float:
        return 0.0 if row.get(limit) is None else max(0.0, float(abs(row[limit] - row[value])))

    return [[distance(row, low) for row in rows], [distance(row, high) for row in rows]]


def save(figure: Any, stem: Path, look: Look) -> list[Path]:
    """Writes a figure, each file whole or not at all and only where its bytes changed.

    Args:
        figure: a matplotlib figure.
        stem: path without suffix.
        look: its file formats.

    Returns:
        The paths.

    Raises:
        DataError: a file cannot be written.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, not once per file
    paths = []
    for form in look.forms:
        buffer = io.BytesIO()
        figure.savefig(buffer, format=form, metadata=_METADATA[form])
        path = stem.parent / f"{stem.name}.{form}"
        if not path.is_file() or path.read_bytes() != buffer.getvalue():
            write_atomically(path, buffer.getvalue())
        paths.append(path)
    return paths
