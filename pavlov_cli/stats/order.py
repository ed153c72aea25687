"""Where is the median, or another quantile, of the per-trial capacities, and how sure is it?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from pavlov_cli.records import Estimate
from pavlov_cli.stats.intervals import check_confidence, checked_trials

_ROUNDING = 1e-9  # 100 * 0.07 is 7.000000000000001: a product this close to an integer is that integer


def quantile(values: ArrayLike, q: float) -> int | float:
    """The smallest observed value that at least a fraction ``q`` of the values do not exceed.

    Args:
        values: [T] one number per trial, T >= 1.
        q: fraction, in (0, 1]; 0.5 gives the lower median.

    Returns:
        ``sorted(values)[ceil(T q) - 1]``, an int where the values are integers.

    Raises:
        ValueError: an argument is outside its range.

    Source: inverse of the empirical distribution function (Hyndman and Fan, 1996, definition 1).

    >>> quantile([4, 1, 3, 2], 0.5)
    2
    """
    sample = checked_trials(values)
    if not 0 < q <= 1:
        raise ValueError(f"q must be in (0, 1]; got {q:g}.")
    return _ranked(values, max(1, math.ceil(sample.size * q - _ROUNDING)))


def median_interval(values: ArrayLike, confidence: float = 0.95, quantile: float = 0.5) -> Estimate:
    """A quantile of the per-trial values with a distribution-free interval between two order statistics.

    The number of trials at or below the true quantile is Binomial(T, q), whatever the distribution. Ranks l and u are
    the tightest with ``P(B < l) <= (1 - confidence) / 2`` and ``P(B >= u) <= (1 - confidence) / 2``.

    Args:
        values: [T] one number per trial, T >= 1.
        confidence: coverage wanted, in (0, 1); ties and discreteness only add to it.
        quantile: q in (0, 1).

    Returns:
        The estimate; a limit is None where T is too small for any order statistic to be one.

    Raises:
        ValueError: an argument is outside its range.

    Source: Thompson (1936); David and Nagaraja (2003), section 7.1.

    >>> median_interval([1, 2, 3, 4, 5, 6, 7, 8])
    Estimate(value=4, low=1, high=8, trials=8)
    """
    from scipy.special import bdtr

    sample = checked_trials(values)
    check_confidence(confidence)
    if not 0 < quantile < 1:
        raise ValueError(f"quantile must be in (0, 1); got {quantile:g}.")
    trials, tail = sample.size, (1 - confidence) / 2
    ranks = np.arange(1, trials + 1)
    lower = ranks[bdtr(ranks - 1, trials, quantile) <= tail]  # P(B < l)
    upper = ranks[bdtr(trials - ranks, trials, 1 - quantile) <= tail]  # P(B >= u) = P(T - B <= T - u)
    return Estimate(
        value=_ranked(values, max(1, math.ceil(trials * quantile - _ROUNDING))),
        low=_ranked(values, int(lower[-1])) if lower.size else None,
        high=_ranked(values, int(upper[0])) if upper.size else None,
        trials=trials,
    )


def _ranked(values: ArrayLike, rank: int) -> int | float:
    """The value of 1-based ``rank`` from below, as a plain Python number."""
    return np.sort(np.asarray(values))[rank - 1].item()
