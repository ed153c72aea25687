"""Does the measured exponent agree with the predicted one?"""

from __future__ import annotations

from dataclasses import dataclass

from pavlov_cli.stats.fits import LEAST_DIMENSIONS, Slope


@dataclass(frozen=True)
class Verdict:
    """Agreement of a measured with a predicted exponent.

    Attributes:
        consistent: whether they agree; None where that cannot be said.
        reason: why, in one sentence without a full stop.
    """

    consistent: bool | None
    reason: str


def verdict(slope: Slope, predicted_slope: float | None, slope_error: float = 0.0) -> Verdict:
    """Compare a measured slope with the slope of a prediction over the same dimensions.

    Consistent if and only if ``abs(measured - predicted) <= interval half-width + slope_error``.

    Args:
        slope: measured, with its interval.
        predicted_slope: slope of the finite-size prediction over the same window; None without one.
        slope_error: stated error of the prediction's slope, >= 0.

    Returns:
        The verdict; undecided without a prediction, with censored capacities, with too few dimensions or without an
        interval.

    Raises:
        ValueError: the slope error is negative.

    >>> verdict(Slope(0.5, 0.4, 0.6, 5), 0.55).consistent
    True
    """
    if not slope_error >= 0:
        raise ValueError(f"slope_error must be at least 0; got {slope_error:g}.")
    if predicted_slope is None:
        return Verdict(None, "there is no prediction for this memory and criterion")
    if slope.censored:
        total = slope.points + slope.censored
        return Verdict(None, f"{slope.censored} of {total} capacities are censored: they lie beyond the measured n")
    if slope.value is None:
        return Verdict(None, f"an exponent needs {LEAST_DIMENSIONS} distinct dimensions; got {slope.points} points")
    if slope.low is None or slope.high is None:
        return Verdict(None, "a capacity has no interval, so the exponent has none")
    distance = abs(slope.value - predicted_slope)
    half_width = (slope.high - slope.low) / 2
    consistent = distance <= half_width + slope_error
    side = "within" if consistent else "beyond"
    return Verdict(
        consistent,
        f"measured {slope.value:.3f} and predicted {predicted_slope:.3f} differ by {distance:.3f}, {side} the "
        f"interval {half_width:.3f} plus the prediction's error {slope_error:.3f}",
    )
