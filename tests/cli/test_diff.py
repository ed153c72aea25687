"""Two runs of a study are put side by side, whatever comes out of it."""

from __future__ import annotations

import json

import pytest

from pavlov_cli.store import list_runs

WORDS = ("criterion=mse,guaranteed", "--trials", 8, "--no-figures")


@pytest.fixture
def two(pavlov, tmp_path):
    """Two runs that share one d_k and differ in their seed."""
    for dk, seed in (("8,16", 0), ("16,32", 1)):
        assert pavlov("capacity", "--dk", dk, "--seed", seed, *WORDS, "--out", tmp_path).code == 0
    runs = [json.loads((run / "manifest.json").read_text()) for run in list_runs(tmp_path)]
    names = [run.name for run in list_runs(tmp_path)]
    return [name for _, name in sorted(zip([run["seed"] for run in runs], names, strict=True))], tmp_path


def test_a_run_equals_itself(pavlov, two):
    (first, _), out = two
    ended = pavlov("diff", first, first, "--out", out)
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "4 numbers in both: 4 equal; 0 only in A, 0 only in B."


def test_shared_rows_settings_and_the_rest_are_told(pavlov, two, monkeypatch):
    (first, second), out = two
    monkeypatch.chdir(out.parent)
    ended = pavlov("diff", first, second, "--out", out)
    assert ended.code == 0
    assert f"A  capacity/{first}  pavlov capacity" in ended.out
    assert "   seed: 0 in A, 1 in B" in ended.out
    assert "only in A:\n   mse 0.25, d_k 8" in ended.out
    assert "only in B:\n   mse 0.25, d_k 32" in ended.out
    assert "2 numbers in both:" in ended.out
    named = [line for line in ended.out.splitlines() if str(out) not in line]
    assert max(map(len, named)) <= 80


def test_json_holds_values_intervals_ratio_and_verdict(pavlov, two):
    (first, second), out = two
    content = json.loads(pavlov("diff", first, second, "--out", out, "--json").out)
    assert list(content) == ["command", "runs", "settings", "shared", "only_first", "only_second", "answer"]
    assert content["settings"]["seed"] == [0, 1]
    assert [(row["criterion"], row["d_k"]) for row in content["shared"]] == [("mse", 16), ("guaranteed", 16)]
    row = content["shared"][0]
    assert row["ratio"] == row["second"]["value"] / row["first"]["value"]
    assert row["first"]["low"] < row["first"]["value"] < row["first"]["high"]
    assert row["verdict"] in ("equal", "agree", "differ")


def test_runs_of_different_studies_are_refused(pavlov, two):
    (first, _), out = two
    pavlov("error-rate", "--dk", 8, "--n", 2, "criterion=mse", "--trials", 8, "--no-figures", "--out", out)
    ended = pavlov("diff", first, "error_rate/", "--out", out)
    assert ended.code == 3
    ended = pavlov("diff", first, next(iter((out / "error_rate").iterdir())), "--out", out)
    assert (ended.code, ended.out) == (2, "")
    assert "runs must be of the same study" in ended.err


def test_a_missing_run_is_a_data_error(pavlov, two):
    (first, _), out = two
    assert pavlov("diff", first, "nosuch", "--out", out).code == 3


def test_a_long_name_stands_above_its_numbers(capsys):
    from table_rows import capacity_row

    from pavlov_cli.cli._diff import _table
    from pavlov_cli.report.comparison import compare

    rows = [
        capacity_row("guaranteed", update_rule=f"a_rule_with_a_long_name_{index}", key_ensemble=f"some_keys_{index}")
        for index in range(2)
    ]
    table = _table(compare(rows, rows).shared)
    assert max(map(len, table.splitlines())) <= 80
    assert "a_rule_with_a_long_name_1" in table or "some_keys_1" in table
