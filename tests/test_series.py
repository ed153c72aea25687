"""Rows are told apart by what differs and by nothing that follows from it; the columns are listed once."""

from __future__ import annotations

from table_rows import capacity_row

from pavlov_cli.report.columns import CAPACITY, ERROR, VERDICT
from pavlov_cli.series import IDENTITY, MEMORY, label, same_memory, telling_apart, trimmed


def test_a_column_that_follows_from_another_is_not_named():
    rows = [capacity_row(), capacity_row(key_ensemble="rademacher", value_ensemble="rademacher")]
    assert telling_apart(rows, ("d_k",)) == ["key_ensemble"]
    rows = [capacity_row(d_k=64), capacity_row(d_k=128)]
    assert telling_apart(rows, ("d_k",)) == []
    assert telling_apart(rows, ()) == ["d_v"]
    assert telling_apart([], ()) == []


def test_what_a_reader_would_name_first_comes_first():
    rows = [capacity_row(d_v=8), capacity_row(d_v=16, update_rule="delta"), capacity_row(d_v=16, num_heads=2)]
    assert telling_apart(rows, ()) == ["update_rule", "d_v"]
    assert label(rows[1], ["update_rule", "d_v"]) == "delta, d_v 16"


def test_parameters_that_all_rows_share_are_trimmed():
    rows = [capacity_row(parameters=f'{{"update_rule.beta": 2.0, "update_rule.decay": {decay}}}') for decay in (0.9, 1)]
    assert [row["parameters"] for row in trimmed(rows)] == ['{"update_rule.decay": 0.9}', '{"update_rule.decay": 1}']


def test_a_default_is_spelled_out_where_another_row_differs():
    rows = [capacity_row(key_ensemble="correlated", parameters=text) for text in ("{}", '{"key_ensemble.rho": 0.3}')]
    assert [row["parameters"] for row in trimmed(rows)] == ['{"key_ensemble.rho": 0.1}', '{"key_ensemble.rho": 0.3}']
    assert telling_apart(trimmed(rows), ("d_k",)) == ["parameters"]
    rows = [capacity_row(parameters=text) for text in ("{}", '{"query.cosine": 0.9}')]
    assert [row["parameters"] for row in trimmed(rows)] == ['{"query.cosine": 1.0}', '{"query.cosine": 0.9}']


def test_a_parameter_that_other_entries_lack_is_told_by_the_entry():
    rows = [capacity_row(), capacity_row(key_ensemble="correlated", parameters='{"key_ensemble.rho": 0.3}')]
    assert [row["parameters"] for row in trimmed(rows)] == ["{}", "{}"]
    assert telling_apart(trimmed(rows), ("d_k",)) == ["key_ensemble"]


def test_a_series_without_a_width_holds_every_width():
    series = capacity_row(d_v=None)
    assert same_memory(series, capacity_row(d_v=8))
    assert not same_memory(series, capacity_row(update_rule="delta"))
    assert not same_memory(capacity_row(d_v=16), capacity_row(d_v=8))


def test_every_table_starts_with_the_one_list_of_columns():
    assert CAPACITY[: len(IDENTITY)] == ERROR[: len(IDENTITY)] == IDENTITY
    assert VERDICT[: len(MEMORY)] == MEMORY
    assert set(MEMORY) < set(IDENTITY)
