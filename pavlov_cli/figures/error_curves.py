"""How does the error behind each capacity grow with the number of associations?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pavlov_cli.figures._panels import Row, draw_panels
from pavlov_cli.figures._style import save, settings
from pavlov_cli.figures.look import PAGE, Look


def draw_error_curves(curve: Sequence[Row], capacities: Sequence[Row], stem: Path, *, look: Look = PAGE) -> list[Path]:
    """Error against n on logarithmic axes, one panel per criterion, with the error at which capacity is read.

    Args:
        curve: error rows of a capacity study.
        capacities: its capacity rows.
        stem: path without suffix.
        look: size, title, labels.

    Returns:
        The files written; none where nothing was measured.
    """
    if not curve:
        return []
    import matplotlib as mpl

    with mpl.rc_context(settings(look)):
        figure = draw_panels(
            curve, capacities, look, x_of=lambda row: row["num_associations"], x_label="associations $n$"
        )
        return save(figure, stem, look)
