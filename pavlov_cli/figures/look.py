"""How large is a figure, and what did the user ask of its axes?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Size:
    """Where a figure goes.

    Attributes:
        width: inches.
        height: inches of a single plot without its legend.
        font: points.
        scale: of lines and markers.
        panels: most panels side by side.
    """

    width: float
    height: float
    font: float
    scale: float
    panels: int


FORMS = ("png", "svg", "pdf")
# a column and a page of common two-column papers, and a slide of 16:9
SIZES: Mapping[str, Size] = MappingProxyType(
    {
        "column": Size(3.35, 2.5, 7.0, 0.8, 2),
        "page": Size(5.6, 3.6, 9.0, 1.0, 3),
        "slide": Size(10.0, 4.6, 14.0, 1.6, 4),
    }
)


@dataclass(frozen=True)
class Look:
    """What a user may ask of a figure; None leaves it to the figure.

    Attributes:
        size: a name of ``SIZES``.
        title: above the axes, taken literally.
        xlabel: likewise.
        ylabel: likewise.
        log_x: whether the horizontal axis is logarithmic.
        log_y: whether the vertical axis is.
        forms: file formats, of ``FORMS``.
    """

    size: str = "page"
    title: str | None = None
    xlabel: str | None = None
    ylabel: str | None = None
    log_x: bool | None = None
    log_y: bool | None = None
    forms: tuple[str, ...] = FORMS


PAGE = Look()
