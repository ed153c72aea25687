"""How far can an error rate be from its estimate, when the trial is the only independent unit?

Queries of one trial share keys and values, so they are correlated; every interval here sees one number per trial.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pavlov_cli.records import Estimate

_ROUNDING = 1e-12  # relative spread below which equal ratios differ by floating-point rounding alone
_MOST_UNITS = 1e12  # beyond 1e14 the Beta quantiles lose their digits
_BINOMIAL_SHIFT = 1 / 2  # Jeffreys
_CLUSTERED_SHIFT = 2 / 3  # lifts the least coverage over 60 cells of a Hebbian memory by about a point, to 92.7%


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Mean of per-trial means (mse, cosine) with a Student t interval on the logarithm of the mean.

    Per-trial errors are skewed to the right and their spread grows with their size, so the symmetric interval misses
    too often when a small sample looks small. On the log scale, ``m exp(+-t s / (m sqrt(T)))``, the interval stretches
    upward. Where a value is negative, the plain ``m +- t s / sqrt(T)`` is used.

    Args:
        values: [T] one mean per trial, T >= 1, finite.
        confidence: coverage wanted, in (0, 1).

    Returns:
        The estimate. Both limits are None for a single trial, whose spread is unknown.

    Raises:
        ValueError: an argument is outside its range.

    Assumptions: trials are independent with finite variance; measured coverage for T >= 8 is 93.5 to 95.5%.

    Source: delta method on log m; t quantile, Student (1908).

    >>> mean_interval([1.0, 1.0, 1.0, 1.0]).high
    1.0
    """
    sample = checked_trials(values)
    check_confidence(confidence)
    trials = sample.size
    mean = float(sample.mean())
    if trials == 1:
        return Estimate(mean, None, None, 1)
    half_width = _t_quantile(trials - 1, confidence) * float(sample.std(ddof=1)) / math.sqrt(trials)
    if sample.min() < 0 or mean <= 0:
        return Estimate(mean, mean - half_width, mean + half_width, trials)
    # half_width / mean <= t for values >= 0: at most 12.7, so the exponential cannot overflow at 95%
    factor = math.exp(min(half_width / mean, 700.0))
    return Estimate(mean, mean / factor, mean * factor, trials)


def proportion_interval(
    rates: ArrayLike, per_trial: int, confidence: float = 0.95, *, clump: float | None = None
) -> Estimate:
    """Error rate of a counted criterion with an interval that respects the correlation within a trial.

    The variance between trials says how many independent units the sample is worth, ``m = p (1 - p) / Var(p)``,
    reduced by (z/t)^2 because that variance is itself estimated from T trials. The limits are quantiles of
    Beta(p m + 1 - s, (1 - p) m + s) below and Beta(p m + s, (1 - p) m + 1 - s) above. One unit per trial is the plain
    binomial, m = T, with s = 1/2; elsewhere s = 2/3 makes up for a variance that comes from a few erring trials.

    With zero errors in all trials the interval is [0, 1 - (1 - confidence)^(1/m)], up to the largest rate that would
    show none with chance 1 - confidence (about 3/m at 95%), and its mirror image where everything erred. Nothing
    shows then how errors clump, so a size is assumed: ``m = T per_trial / clump``. The default, sqrt(per_trial), lies
    above every clump measured for the rare sign errors of a Hebbian memory (a mean of 1.6 to 5 of 24 to 1280
    coordinates, where the root is 5 to 36); ``clump = per_trial`` assumes nothing (a trial may err as a whole).

    Args:
        rates: [T] fraction of erring units per trial, in [0, 1], T >= 1.
        per_trial: units counted in each trial, >= 1 (1 for a criterion that a trial passes or fails as a whole).
        confidence: coverage wanted, in (0, 1).
        clump: units that err together in a trial that errs, in [1, per_trial]; used only where the variance between
            trials is silent, at a rate of 0 or 1. None for sqrt(per_trial).

    Returns:
        The estimate, with both limits in [0, 1].

    Raises:
        ValueError: an argument is outside its range.

    Assumptions: trials are independent. Measured coverage for T >= 8 is 92.7 to 99%, 95.5% on average; it falls to 89%
    where a few trials carry nearly all errors (rates Beta(0.2, 9.8), 16 trials).

    Source: effective sample size, Korn and Graubard (1998); s = 1/2, the Jeffreys interval, Brown, Cai and DasGupta
    (2001); zero errors, Hanley and Lippman-Hand (1983). Deviation: Korn and Graubard use Clopper-Pearson limits
    (s = 1), which cover more than was asked.

    >>> round(proportion_interval([0, 0, 0, 0, 0, 0, 0, 0], 1).high, 3)
    0.312
    """
    from scipy.special import betaincinv

    sample = checked_trials(rates)
    check_confidence(confidence)
    if per_trial < 1:
        raise ValueError(f"per_trial must be at least 1; got {per_trial}.")
    if sample.min() < 0 or sample.max() > 1:
        raise ValueError(f"rates must be in [0, 1]; got {sample.min():g} to {sample.max():g}.")
    if clump is not None and not 1 <= clump <= per_trial:
        raise ValueError(f"clump must be in [1, per_trial = {per_trial}]; got {clump:g}.")
    rate = float(sample.mean())
    units = _effective_units(sample, per_trial, confidence, clump or math.sqrt(per_trial))
    if rate <= 0 or rate >= 1:
        reach = -math.expm1(math.log1p(-confidence) / units)
        return Estimate(rate, 0.0, reach, sample.size) if rate <= 0 else Estimate(rate, 1 - reach, 1.0, sample.size)
    errors, passes, tail = rate * units, (1 - rate) * units, (1 - confidence) / 2
    shift = _BINOMIAL_SHIFT if per_trial == 1 else _CLUSTERED_SHIFT
    low = float(betaincinv(errors + 1 - shift, passes + shift, tail))
    high = float(betaincinv(errors + shift, passes + 1 - shift, 1 - tail))
    return Estimate(rate, min(rate, low), max(rate, high), sample.size)


def checked_trials(values: ArrayLike) -> NDArray[np.float64]:
    """``values`` as a float64 vector [T] of at least one finite number.

    Raises:
        ValueError: it is not one.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size < 1:
        raise ValueError(f"values must be one number per trial, at least one; got shape {sample.shape}.")
    if not np.isfinite(sample).all():
        raise ValueError(f"values must be finite; got {sample[~np.isfinite(sample)][0]}.")
    return sample


def check_confidence(confidence: float) -> None:
    """Refuse a coverage outside (0, 1).

    Raises:
        ValueError: it is.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be in (0, 1); got {confidence:g}.")


def _effective_units(sample: NDArray[np.float64], per_trial: int, confidence: float, clump: float) -> float:
    """Independent units that the rates ``sample`` [T] are worth."""
    from scipy.special import ndtri

    trials, rate = sample.size, float(sample.mean())
    if per_trial == 1 or trials == 1:
        return float(trials)
    if rate <= 0 or rate >= 1:
        return trials * per_trial / clump
    deviation = float(sample.std(ddof=1))
    if deviation <= _ROUNDING * rate:  # every trial counted the same number: no spread to learn from
        return float(trials * per_trial)
    quantile_ratio = float(ndtri((1 + confidence) / 2)) / _t_quantile(trials - 1, confidence)
    return min(rate * (1 - rate) * trials / deviation**2 * quantile_ratio**2, _MOST_UNITS)


@cache
def _t_quantile(degrees: int, confidence: float) -> float:
    """Two-sided Student quantile: a t variable of ``degrees`` exceeds it in size with chance 1 - confidence."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))
