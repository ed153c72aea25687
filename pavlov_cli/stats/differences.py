"""Do two independent estimates differ by more than chance?"""

from __future__ import annotations

import math
from statistics import NormalDist

from pavlov_cli.records import Estimate
from pavlov_cli.stats.intervals import check_confidence


def difference_z(
    first: Estimate, second: Estimate, *, first_confidence: float = 0.95, second_confidence: float = 0.95
) -> float | None:
    """How many standard errors lie between two estimates, read back from their intervals.

    Each interval counts by the half that faces the other estimate: skewed intervals, and limits that lie at zero, need
    no symmetric standard error. ``z = (b - a) / sqrt((high_a - a)^2 / q_a^2 + (b - low_b)^2 / q_b^2)`` for ``a < b``,
    where q is the normal quantile of an interval's confidence.

    Args:
        first: an estimate with limits of coverage ``first_confidence``.
        second: likewise.
        first_confidence: in (0, 1).
        second_confidence: in (0, 1).

    Returns:
        z, positive where the second is larger; 0 where the values are equal; infinite where they differ and both
        intervals have no width; None where a value or a limit that is needed is unknown.

    Raises:
        ValueError: a confidence is outside its range.

    Assumptions: the estimates are independent. Where they share random numbers, z is too small rather than too large.

    Source: variance estimates recovered from the limits, Newcombe (1998), Zou and Donner (2008).

    >>> round(difference_z(Estimate(10, 9, 11), Estimate(12, 11, 13)), 2)
    2.77
    """
    check_confidence(first_confidence)
    check_confidence(second_confidence)
    if first.value is None or second.value is None:
        return None
    gap = second.value - first.value
    if gap == 0:
        return 0.0
    facing = (first.high, second.low) if gap > 0 else (first.low, second.high)
    if facing[0] is None or facing[1] is None:
        return None
    errors = [
        abs(limit - value) / NormalDist().inv_cdf((1 + confidence) / 2)
        for limit, value, confidence in (
            (facing[0], first.value, first_confidence),
            (facing[1], second.value, second_confidence),
        )
    ]
    error = math.hypot(*errors)
    return gap / error if error else math.copysign(math.inf, gap)
