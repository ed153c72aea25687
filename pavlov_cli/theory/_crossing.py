"""At which number of associations does a predicted error curve first exceed its target?"""

from __future__ import annotations

import math
from collections.abc import Callable

N_LIMIT = 2**40  # beyond it a curve counts as never exceeding its target


def first_crossing(
    error_at: Callable[[int], float], target_error: float, *, guess: float = 2.0, ceiling: float = math.inf
) -> float | None:
    """Capacity as the tool measures it: the first upward crossing, linear in log n between adjacent integers.

    The first n with ``error_at(n) > target_error`` is found by doubling and bisection, then
    ``log capacity = log(n-1) + (target_error - e(n-1)) / (e(n) - e(n-1)) * log(n / (n-1))``.

    Args:
        error_at: error rate at an integer n >= 1, nondecreasing in n.
        target_error: > 0.
        guess: where to start looking, any value; only the time depends on it.
        ceiling: what the curve approaches and never exceeds.

    Returns:
        The capacity, >= 1; None if the curve exceeds the target nowhere (n up to ``N_LIMIT``) or already at n = 1.

    >>> round(first_crossing(lambda n: (n - 1) / 64, 0.25), 12)
    17.0
    >>> first_crossing(lambda n: 0.5 - 0.5 / n, 0.5) is None
    True
    """
    low, high = 1, max(2, math.ceil(min(guess, N_LIMIT))) if guess == guess else 2
    if target_error >= ceiling or error_at(1) > target_error:
        return None
    while error_at(high) <= target_error:
        low, high = high, 2 * high
        if high > N_LIMIT:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if error_at(middle) > target_error else (middle, high)
    below, above = error_at(low), error_at(high)
    return float(low * (high / low) ** ((target_error - below) / (above - below)))
