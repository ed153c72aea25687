"""Verdicts: the rule at its boundary, and every reason to abstain."""

import pytest

from pavlov_cli.stats import Slope, verdict

MEASURED = Slope(0.5, 0.375, 0.625, 5)  # half-width 1/8; every number here is exact in binary


@pytest.mark.parametrize(
    ("predicted", "slope_error", "consistent"),
    [(0.5, 0.0, True), (0.625, 0.0, True), (0.375, 0.0, True), (0.6875, 0.0, False), (0.75, 0.125, True),
     (0.25, 0.125, True), (0.2499, 0.125, False), (0.7501, 0.125, False)],
)  # fmt: skip
def test_consistent_within_interval_plus_slope_error(predicted, slope_error, consistent):
    assert verdict(MEASURED, predicted, slope_error).consistent is consistent


def test_the_reason_carries_the_numbers():
    found = verdict(MEASURED, 1.0, 0.1)
    assert found.reason == (
        "measured 0.500 and predicted 1.000 differ by 0.500, "
        "beyond the interval 0.125 plus the prediction's error 0.100"
    )


@pytest.mark.parametrize(
    ("slope", "predicted", "reason"),
    [
        (MEASURED, None, "no prediction"),
        (Slope(None, None, None, 2), 0.5, "needs 3 distinct dimensions; got 2 points"),
        (Slope(0.5, 0.4, 0.6, 4, censored=1), 0.5, "1 of 5 capacities are censored"),
        (Slope(0.5, None, None, 4), 0.5, "no interval"),
    ],
)
def test_undecided_says_why(slope, predicted, reason):
    found = verdict(slope, predicted, 0.0)
    assert found.consistent is None
    assert reason in found.reason


def test_a_negative_slope_error_is_refused():
    with pytest.raises(ValueError, match="slope_error must be at least 0; got -0.1"):
        verdict(MEASURED, 0.5, -0.1)
