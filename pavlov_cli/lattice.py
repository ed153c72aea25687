"""At which numbers of associations is a memory looked at?

Two fixed lattices, so that the same n are measured whatever the grid, the budget or the resume: the fine one has every
integer to 32 and then 16 points an octave, the coarse one every integer to 8 and then four points an octave.
"""

from __future__ import annotations

import math
from collections.abc import Iterator


def _lattice(per_octave: int, n_max: int) -> Iterator[int]:
    step, n = 1, 1
    while n <= n_max:
        yield n
        if n >= 2 * per_octave * step:
            step *= 2
        n += step


def fine_lattice(n_max: int) -> tuple[int, ...]:
    """Every integer to 32, then 16 points an octave, up to ``n_max``.

    >>> fine_lattice(40)[-5:]
    (32, 34, 36, 38, 40)
    """
    return tuple(_lattice(16, n_max))


def coarse_lattice(n_max: int) -> tuple[int, ...]:
    """Every integer to 8, then four points an octave, up to ``n_max``; a subset of the fine lattice.

    >>> coarse_lattice(30)
    (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28)
    """
    return tuple(_lattice(4, n_max))


def window(low: float, high: float, n_max: int, *, most: int = 16, margin: int = 1) -> tuple[int, ...]:
    """Fine lattice points, and ``n_max``, that enclose [low, high] with ``margin`` more on either side.

    Every integer to 32 is kept, since error curves bend between small integers; beyond, points are thinned evenly to
    about ``most``.

    Args:
        low: lower end, > 0.
        high: upper end, >= low.
        n_max: largest n.
        most: number of points kept beyond 32, >= 2.
        margin: further points on either side, >= 0.

    Returns:
        Increasing n; at least two where the lattice has two.

    >>> window(4.5, 5.5, 100)
    (3, 4, 5, 6, 7)
    """
    points = tuple(sorted({*fine_lattice(n_max), n_max}))
    first = max((i for i, n in enumerate(points) if n <= low), default=0)
    last = min((i for i, n in enumerate(points) if n >= high), default=len(points) - 1)
    chosen = points[max(0, first - margin) : min(len(points), last + margin + 1)]
    small, large = [n for n in chosen if n <= 32], [n for n in chosen if n > 32]
    stride = max(1, math.ceil(len(large) / most))
    return tuple(dict.fromkeys([*small, *large[::stride], *large[-1:]]))
