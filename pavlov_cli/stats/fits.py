"""With which power of the key dimension does a measured capacity grow?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pavlov_cli.records import Estimate
from pavlov_cli.stats.intervals import check_confidence

LEAST_DIMENSIONS = 3  # two points always lie on a line: its slope says nothing about a power law


@dataclass(frozen=True)
class Slope:
    """A log-log slope.

    Attributes:
        value: the exponent; None with fewer than three distinct dimensions.
        low: lower limit; None where a standard error is unknown.
        high: upper limit; None where a standard error is unknown.
        points: capacities that entered.
        censored: capacities left out because they lie beyond their grid.
    """

    value: float | None
    low: float | None
    high: float | None
    points: int
    censored: int = 0


def slope_of(d: ArrayLike, capacity: ArrayLike) -> float:
    """Unweighted least-squares slope of log capacity against log d.

    It is the same linear functional for a measured curve and for a predicted one, so over one window the two can be
    compared even where neither is a straight line.

    Args:
        d: [M] dimensions, > 0, at least two distinct.
        capacity: [M] positive.

    Returns:
        The slope.

    Raises:
        ValueError: an argument is outside its range.

    >>> round(slope_of([4, 16, 64], [2, 4, 8]), 12)
    0.5
    """
    dimensions, capacities = np.asarray(d, dtype=np.float64), np.asarray(capacity, dtype=np.float64)
    if dimensions.ndim != 1 or dimensions.shape != capacities.shape:
        raise ValueError(f"capacity must have one value per d; got shapes {capacities.shape} and {dimensions.shape}.")
    if not (capacities > 0).all():
        raise ValueError(f"capacity must be positive; got {list(capacities)}.")
    return float(_weights(dimensions) @ np.log(capacities))


def exponent(
    d: Sequence[float],
    capacity: Sequence[float | None],
    standard_error_log: Sequence[float | None],
    confidence: float = 0.95,
) -> Slope:
    """The exponent of a power law with an interval propagated from the errors of the capacities.

    The slope is ``sum_i w_i log c_i`` with fixed weights, so its standard error is ``sqrt(sum_i w_i^2 s_i^2)``.

    Args:
        d: [M] dimensions, > 0; repeats allowed.
        capacity: [M] positive; None or NaN for a censored one, which is left out and counted.
        standard_error_log: [M] standard errors of log capacity, >= 0; None or NaN where unknown.
        confidence: coverage wanted, in (0, 1).

    Returns:
        The slope, without a value where fewer than three distinct dimensions remain.

    Raises:
        ValueError: an argument is outside its range.

    Assumptions: capacities at different d are independent. Curvature is not an error here: compare with ``slope_of``
    the prediction over the same d.
    """
    check_confidence(confidence)
    if not len(d) == len(capacity) == len(standard_error_log):
        lengths = (len(d), len(capacity), len(standard_error_log))
        raise ValueError(f"d, capacity and standard_error_log must have equal lengths; got {lengths}.")
    dimensions, capacities, errors = (
        np.array([math.nan if x is None else x for x in column], dtype=np.float64)
        for column in (d, capacity, standard_error_log)
    )
    if (errors < 0).any():
        raise ValueError(f"standard_error_log must be at least 0; got {errors[errors < 0][0]:g}.")
    seen = ~np.isnan(capacities)
    points, censored = int(seen.sum()), int((~seen).sum())
    if np.unique(dimensions[seen]).size < LEAST_DIMENSIONS:
        return Slope(None, None, None, points, censored)
    value = slope_of(dimensions[seen], capacities[seen])
    error = float(np.linalg.norm(_weights(dimensions[seen]) * errors[seen]))
    if not math.isfinite(error):
        return Slope(value, None, None, points, censored)
    half_width = _z(confidence) * error
    return Slope(value, value - half_width, value + half_width, points, censored)


def standard_error_log(estimate: Estimate, confidence: float = 0.95) -> float | None:
    """Standard error of the logarithm of an estimate, read back from its interval.

    Args:
        estimate: with limits of coverage ``confidence``.
        confidence: in (0, 1).

    Returns:
        ``log(high / low) / (2 z)``; None where a limit is unknown or not positive.

    Raises:
        ValueError: the confidence is outside its range.
    """
    check_confidence(confidence)
    if estimate.value is None or estimate.low is None or estimate.high is None or estimate.low <= 0:
        return None
    return math.log(estimate.high / estimate.low) / (2 * _z(confidence))


def _weights(dimensions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights [M] of log capacity in the least-squares slope: ``(x_i - mean x) / sum (x - mean x)^2``, x = log d."""
    if not (dimensions > 0).all() or np.unique(dimensions).size < 2:
        raise ValueError(f"d must be positive, with at least two distinct values; got {list(dimensions)}.")
    centred = np.log(dimensions) - np.log(dimensions).mean()
    return centred / (centred @ centred)


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)
