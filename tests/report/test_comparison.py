"""Rows of two runs are matched by what identifies them and compared by their intervals."""

from __future__ import annotations

from table_rows import capacity_row, error_row

from pavlov_cli.report.comparison import compare, differing_settings


def test_rows_are_matched_whatever_their_order():
    first = [capacity_row(d_k=64), capacity_row(d_k=128), capacity_row("sign", 64)]
    second = [capacity_row("sign", 64), capacity_row(d_k=256), capacity_row(d_k=64)]
    found = compare(first, second)
    assert [(pair.first["criterion"], pair.first["d_k"], pair.verdict) for pair in found.shared] == [
        ("mse", 64, "equal"),
        ("sign", 64, "equal"),
    ]
    assert [row["d_k"] for row in found.only_first] == [128]
    assert [row["d_k"] for row in found.only_second] == [256]


def test_another_target_is_another_number():
    found = compare([capacity_row(target_error=0.25)], [capacity_row(target_error=0.5)])
    assert not found.shared
    assert len(found.only_first) == len(found.only_second) == 1


def test_a_small_difference_agrees_and_a_large_one_differs():
    (small,) = compare([capacity_row(value=100.0)], [capacity_row(value=101.0)]).shared
    (large,) = compare([capacity_row(value=100.0)], [capacity_row(value=110.0)]).shared
    assert (small.verdict, large.verdict) == ("agree", "differ")
    assert large.ratio == 1.1
    assert large.z > 1.96 > abs(small.z)


def test_guaranteed_is_compared_by_its_means():
    rows = [
        capacity_row("guaranteed", value=8, mean_capacity=mean, mean_low=mean - 0.1, mean_high=mean + 0.1)
        for mean in (7.9, 8.4)
    ]
    (pair,) = compare(rows[:1], rows[1:]).shared
    assert pair.estimates[0].value == 7.9
    assert pair.verdict == "differ"


def test_censored_rows_cannot_be_compared():
    beyond = {"capacity": None, "capacity_low": 3.0, "capacity_high": None, "censored": True}
    (pair,) = compare([capacity_row(**beyond)], [capacity_row()]).shared
    assert (pair.verdict, pair.z, pair.ratio) == ("unknown", None, None)


def test_an_error_of_zero_is_compared_by_its_upper_limit():
    (pair,) = compare([error_row(8, 0.0)], [error_row(8, 0.5)]).shared
    assert (pair.verdict, pair.ratio) == ("differ", None)


def test_only_settings_that_differ_are_named():
    assert differing_settings({"seed": 0, "d_k": [8]}, {"seed": 1, "d_k": [8], "new": 2}) == {
        "seed": (0, 1),
        "new": (None, 2),
    }
