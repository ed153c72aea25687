"""Do error curves of different key dimensions fall on one curve when n is measured in units of the capacity's scale?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from pavlov_cli.figures._panels import Row, draw_panels
from pavlov_cli.figures._style import save, settings
from pavlov_cli.figures.look import PAGE, Look

# Criteria that pick one stored value among n: capacity c solves c ln c ~ d_k d_v, so n ln n / (d_k d_v) is their load.
_SELECTING = ("top1", "listwise", "codebook")


def load(row: Row) -> float:
    """The number of associations of a row in units of the scale on which its criterion's capacity grows.

    Args:
        row: an error row.

    Returns:
        ``n / sqrt(d)`` for ``guaranteed``, ``n ln n / (d d_v)`` for criteria that select among the stored values, and
        ``n / d`` elsewhere, where d is the feature dimension.
    """
    n, dimension = row["num_associations"], _dimension(row)
    if row["criterion"] == "guaranteed":
        return n / math.sqrt(dimension)
    if row["criterion"] in _SELECTING:
        return n * math.log(n) / (dimension * row["d_v"])
    return n / dimension


def _dimension(row: Row) -> int:
    return int(row["d_phi"] or row["d_k"])


def _label(row: Row) -> str:
    symbol = "d_k" if _dimension(row) == row["d_k"] else r"d_\phi"
    if row["criterion"] == "guaranteed":
        return rf"$n\,/\,\sqrt{{{symbol}}}$"
    if row["criterion"] in _SELECTING:
        return rf"$n\,\ln n\,/\,({symbol}\,d_v)$"
    return rf"$n\,/\,{symbol}$"


def draw_collapse(curve: Sequence[Row], capacities: Sequence[Row], stem: Path, *, look: Look = PAGE) -> list[Path]:
    """Error against load on logarithmic axes, one panel per criterion.

    Args:
        curve: error rows of a capacity study.
        capacities: its capacity rows.
        stem: path without suffix.
        look: size, title, labels.

    Returns:
        The files written; none where fewer than two d_k were measured, since one curve cannot collapse.
    """
    rows = [row for row in curve if load(row) > 0]
    if len({row["d_k"] for row in rows}) < 2:
        return []
    import matplotlib as mpl

    with mpl.rc_context(settings(look)):
        return save(draw_panels(rows, capacities, look, x_of=load, x_label_of=_label), stem, look)
