"""Stages: the schedule, its cap, and when an interval is narrow enough."""

import pytest

from pavlov_cli.records import Estimate
from pavlov_cli.stats import precise_enough, stages


@pytest.mark.parametrize(
    ("max_trials", "expected"),
    [
        (4, (1,)),
        (7, (1,)),
        (8, (2,)),
        (12, (2, 3)),
        (40, (2, 3, 4, 6, 8, 10)),
        (99, (2, 3, 4, 6, 8, 12, 16, 24)),
        (4096, (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)),
    ],
)
def test_the_schedule(max_trials, expected):
    assert stages(max_trials) == expected


def test_a_larger_budget_only_adds_stages_after_the_last():
    small, large = stages(4 * 24), stages(4096)
    assert large[: len(small)] == small


def test_less_than_a_block_is_refused():
    with pytest.raises(ValueError, match="max_trials must be at least 4; got 3"):
        stages(3)


@pytest.mark.parametrize(
    ("estimate", "enough"),
    [
        (Estimate(8.0, 7.0, 9.0), True),
        (Estimate(8.0, 7.5, 9.25), False),  # the larger side decides
        (Estimate(8.0, 6.75, 8.5), False),
        (Estimate(0.0, 0.0, 0.0), False),
        (Estimate(8.0, None, 9.0), False),
        (Estimate(8.0, 7.0, None), False),
        (Estimate(None, 7.0, None), False),
        (None, False),
    ],
)
def test_the_larger_side_decides(estimate, enough):
    assert precise_enough(estimate, 0.125) is enough


def test_a_half_width_must_be_positive():
    with pytest.raises(ValueError, match="half_width must be positive; got 0"):
        precise_enough(Estimate(1.0, 1.0, 1.0), 0.0)
