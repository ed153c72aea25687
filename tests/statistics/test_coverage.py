"""95% intervals hold the truth 93 to 97 times in a hundred, cells without any error included."""

from __future__ import annotations

from functools import cache

import pytest
from coverage_study import FIXED, coverage

Z = 3.3
REPEATS = 200


@cache
def coverage_of(repeats: int) -> dict:
    return coverage(repeats, FIXED)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["guaranteed", "mse", "sign"])
def test_error_intervals_cover_93_to_97_percent(criterion: str) -> None:
    found = coverage_of(REPEATS)[f"{criterion} error, all n"]
    assert 0.93 - Z * found.error <= found.share <= 0.97 + Z * found.error


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["guaranteed", "sign"])
def test_an_upper_bound_where_no_error_was_seen_is_honest(criterion: str) -> None:
    found = coverage_of(REPEATS)[f"{criterion} error, none seen"]
    assert found.seen > 50
    assert found.share >= 0.93 - Z * max(found.error, (0.05 * 0.95 / found.seen) ** 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mse capacity", "sign capacity", "guaranteed mean"])
def test_capacity_intervals_cover_93_to_97_percent(kind: str) -> None:
    found = coverage_of(REPEATS)[kind]
    assert 0.93 - Z * found.error <= found.share <= 0.97 + Z * found.error


@pytest.mark.slow
def test_the_interval_of_a_median_covers_at_least_what_is_asked() -> None:
    # whole numbers: an order-statistic interval can only cover more
    assert coverage_of(REPEATS)["guaranteed capacity"].share >= 0.95 - Z * (0.05 * 0.95 / REPEATS) ** 0.5
