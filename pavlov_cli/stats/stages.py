"""After how many blocks of trials is the precision looked at, and is it enough?

Looking after every trial and stopping at the first narrow interval cuts its coverage to 84-91%; looking only at these
widely spaced stages keeps it near what was asked.
"""

from __future__ import annotations

from pavlov_cli.records import TRIALS_PER_BLOCK, Estimate


def stages(max_trials: int) -> tuple[int, ...]:
    """Numbers of blocks at which a decision is taken: 2, 3, 4, 6, 8, 12, 16, 24, ..., each at most 1.5 times the last.

    Args:
        max_trials: trials allowed, at least one block (4).

    Returns:
        Increasing numbers of blocks; the last one is all that ``max_trials`` pays for.

    Raises:
        ValueError: not even one block is allowed.

    >>> stages(40)
    (2, 3, 4, 6, 8, 10)
    """
    if max_trials < TRIALS_PER_BLOCK:
        raise ValueError(f"max_trials must be at least {TRIALS_PER_BLOCK}; got {max_trials}.")
    most = max_trials // TRIALS_PER_BLOCK
    found: list[int] = []
    power = 2
    while power < most:
        found += [blocks for blocks in (power, power * 3 // 2) if blocks < most]
        power *= 2
    return (*found, most)


def precise_enough(estimate: Estimate | None, half_width: float) -> bool:
    """Whether the larger side of the interval is at most ``half_width`` of the value.

    Args:
        estimate: value and limits.
        half_width: relative, > 0.

    Returns:
        False where the value is unknown or 0, or a limit is unknown.

    Raises:
        ValueError: the half-width is not positive.
    """
    if not half_width > 0:
        raise ValueError(f"half_width must be positive; got {half_width:g}.")
    if estimate is None or not estimate.value or estimate.low is None or estimate.high is None:
        return False
    widest = max(estimate.value - estimate.low, estimate.high - estimate.value)
    return widest <= half_width * abs(estimate.value)
