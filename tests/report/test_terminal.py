"""Tables fit a terminal and say neither more nor less than was measured."""

from __future__ import annotations

import math

import pytest
from table_rows import capacity_row as capacity
from table_rows import error_row, verdict_row

from pavlov_cli.report.columns import CAPACITY, ERROR, IDENTITY, VERDICT
from pavlov_cli.report.terminal import WIDTH, align, capacity_table, error_table, interval, number, verdict_lines


def default_sweep():
    return [
        capacity(criterion, d_k, share * d_k**power)
        for criterion, share, power in (("guaranteed", 1.2533, 0.5), ("mse", 0.251234, 1.0), ("sign", 0.1851234, 1.0))
        for d_k in (64, 128, 256, 512, 1024)
    ]


def widest(text):
    return max(map(len, text.splitlines()))


def test_the_default_sweep_fits():
    text = capacity_table(default_sweep(), 0.95)
    assert widest(text) <= WIDTH
    assert len(text.splitlines()) == 2 + 15
    assert "leading law" in text


def test_a_sweep_over_memories_fits():
    rows = [
        row | {"key_ensemble": keys}
        for keys in ("sphere", "rademacher")
        for row in (capacity("guaranteed", 1024, 40.123), capacity("sign", 1024, 189.654))
    ]
    text = capacity_table(rows, 0.95)
    assert widest(text) <= WIDTH
    assert "rademacher" in text


def test_every_row_can_be_told_from_the_others():
    rows = [
        capacity("mse", 64, 17.0),
        capacity("mse", 64, 17.5, key_ensemble="rademacher"),
        capacity("mse", 64, 18.0, target_error=0.5),
        capacity("mse", 128, 33.0),
        capacity("mse", 64, 19.0, d_v=8),
        capacity("mse", 64, 20.0, parameters='{"update_rule.beta": 2.0}'),
        capacity("guaranteed", 64, 11.0),
        capacity("guaranteed", 64, 6.0, margin=0.5),
    ]
    lines = capacity_table(rows, 0.95).splitlines()[2:]
    capacities = {number(row["capacity"]) for row in rows}
    named = {tuple(word for word in line.split()[:6] if word not in capacities) for line in lines}
    assert len(named) == len(rows)


def test_columns_that_tell_nothing_apart_are_left_out():
    header = capacity_table(default_sweep(), 0.95).splitlines()[0]
    assert header.split() == [
        "criterion",
        "d_k",
        "capacity",
        "95%",
        "interval",
        "predicted",
        "leading",
        "law",
        "trials",
    ]
    assert "99.9% interval" in capacity_table(default_sweep(), 0.999)


def test_a_censored_capacity_is_shown_as_a_bound():
    nothing = {"capacity": None, "censored": True, "bound": 4096}
    above = capacity("mse", 64, 1.0, **nothing, capacity_low=3000.0, capacity_high=None, side="above")
    unknown = capacity("mse", 64, 1.0, **nothing, capacity_low=None, capacity_high=None, side="above")
    below = capacity("mse", 64, 1.0, **(nothing | {"bound": 1}), capacity_low=None, capacity_high=None, side="below")
    shown = [capacity_table([row], 0.95).splitlines()[2] for row in (above, unknown, below)]
    assert "> 4096" in shown[0]
    assert "3000 .. ?" in shown[0]
    assert "> 4096" in shown[1]
    assert "< 1" in shown[2]


def error(n, rate, **changed):
    return error_row(n, rate, d_k=1024, **changed)


def test_error_rates_fit():
    rows = [error(2**i, 1.2345678e-5 * i, criterion=name) for i in range(3, 13) for name in ("sign", "mse")]
    text = error_table(rows, 0.95)
    assert widest(text) <= WIDTH
    assert len(text.splitlines()) == 2 + len(rows)


def test_an_error_rate_of_zero_keeps_its_upper_limit():
    line = error_table([error(8, 0.0, error_high=0.00123)], 0.95).splitlines()[2]
    assert "0 .. 0.00123" in line


def test_verdicts_say_consistent_inconsistent_or_undecided():
    text = verdict_lines(
        [verdict_row("mse"), verdict_row("sign", consistent=False), verdict_row("guaranteed", consistent=None)]
    )
    lines = text.splitlines()
    assert [line.split(":")[0] for line in lines] == ["mse 0.25", "sign 0.01", "guaranteed"]
    assert "d_k^0.988, consistent with d_k; because." in lines[0]
    assert "INCONSISTENT" in lines[1]
    assert "undecided" in lines[2]
    assert "consistent" not in lines[2]


def test_verdicts_of_several_keys_are_told_apart():
    lines = verdict_lines([verdict_row(), verdict_row(key_ensemble="rademacher")]).splitlines()
    assert "sphere" in lines[0]
    assert "rademacher" in lines[1]


def test_an_exponent_that_is_not_known_is_not_shown():
    (line,) = verdict_lines([verdict_row(exponent=None, consistent=None, law=None)]).splitlines()
    assert "d_k^" not in line
    assert "None" not in line


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (12345678, "12345678"),
        (16.0, "16"),
        (0.0, "0"),
        (16.987654, "16.99"),
        (0.000123456, "0.0001235"),
        (123456.789, "123457"),
        (1e9, "1e+09"),
        (-0.5, "-0.5"),
    ],
)
def test_numbers_have_four_significant_digits_and_all_before_the_point(value, text):
    assert number(value) == text


def test_digits_can_be_chosen():
    assert number(math.pi, 3) == "3.14"


def test_a_side_that_is_not_known_is_a_question_mark():
    assert interval(1.0, 2.5) == "1 .. 2.5"
    assert interval(None, 2) == "? .. 2"
    assert interval(1, None) == "1 .. ?"
    assert interval(None, None) == "-"


def test_columns_are_padded_to_their_widest_cell():
    assert align(["name", "n"], [["a", "10"], ["longer", "2"]]).splitlines() == [
        "name     n",
        "------  --",
        "a       10",
        "longer   2",
    ]
    assert not any(line != line.rstrip() for line in align(["a", "b"], [["x", ""]], left=2).splitlines())


def test_tables_share_their_identifying_columns():
    assert CAPACITY[: len(IDENTITY)] == ERROR[: len(IDENTITY)] == IDENTITY
    for columns in (CAPACITY, ERROR, VERDICT):
        assert len(set(columns)) == len(columns)
    assert {"error_rate", "error_low", "error_high", "trials", "queries", "predicted_error", "prediction"} <= set(ERROR)
    assert {"target_error", "capacity", "capacity_low", "capacity_high", "censored", "trials"} <= set(CAPACITY)
    assert {"predicted_capacity", "leading_law", "prediction", "margin", "quantile"} <= set(CAPACITY)
    assert {"criterion", "axis", "exponent", "predicted_exponent", "law", "consistent", "reason"} <= set(VERDICT)
