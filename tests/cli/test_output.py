"""Results go to stdout and nothing else does; every line fits a terminal of 80 columns."""

from __future__ import annotations

import json

import pytest

from pavlov_cli.report.columns import CAPACITY, ERROR, VERDICT
from pavlov_cli.store import list_runs, read_table

KEYS = ["command", "run_dir", "seed", "rows", "curve", "verdicts", "files", "complete", "answer"]


def test_stdout_holds_table_verdict_answer_and_folder_in_this_order(tiny):
    ended, out = tiny
    (run,) = list_runs(out)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0].split("  ")[0] == "criterion"
    assert [line.split()[:3] for line in lines[2:4]] == [["mse", "0.25", "8"], ["mse", "0.25", "16"]]
    assert lines[5].startswith("mse 0.25: undecided with d_k")
    assert ended.out.index("mse 0.25: undecided") < ended.out.index(
        "At d_k = 16 one Hebbian head with random unit keys holds"
    )
    # a folder is one word, however long
    assert lines[-1] == f"Files: {run}"


def test_progress_goes_to_stderr_alone(tiny):
    ended, _ = tiny
    lines = ended.err.splitlines()
    # two dimensions are measured side by side: which ends first is left open
    assert sorted(line.split(":")[0] for line in lines[:2]) == ["d_k=16 sphere mse", "d_k=8 sphere mse"]
    assert lines[2].endswith("blocks measured.")
    assert len(lines) == 3
    assert "blocks measured" not in ended.out


def test_quiet_leaves_progress_out_and_prints_the_same(pavlov, tiny):
    ended, out = tiny
    quiet = pavlov("capacity", "--dk", "8,16", "criterion=mse", "--trials", 8, "--out", out, "--quiet", "--fresh")
    assert quiet.out == ended.out
    assert "d_k=" not in quiet.err


def test_json_is_one_object_whose_rows_are_those_of_the_tables(pavlov, tiny):
    _, out = tiny
    ended = pavlov("capacity", "--dk", "8,16", "criterion=mse", "--trials", 8, "--out", out, "--json")
    content = json.loads(ended.out)
    assert ended.out.count("\n") == 1
    assert list(content) == KEYS
    (run,) = list_runs(out)
    tables = run / "tables"
    for name, table, columns in (
        ("rows", "capacity", CAPACITY),
        ("curve", "curve", ERROR),
        ("verdicts", "verdicts", VERDICT),
    ):
        assert content[name] == read_table(tables / f"{table}.csv")
        assert all(tuple(row) == columns for row in content[name])
    assert content["answer"] == read_table(tables / "answer.csv")[0]["answer"]
    assert content["run_dir"] == str(run)
    assert content["complete"] is True
    assert content["seed"] == 0
    assert content["command"].startswith("pavlov capacity --dk 8,16 criterion=mse")
    assert sorted(content["files"]) == sorted(
        str(path) for path in (*tables.glob("[!a]*.csv"), *(run / "figures").glob("*.*"))
    )


def test_fields_that_do_not_apply_are_null(pavlov, tmp_path):
    ended = pavlov("capacity", "--dk", 8, "criterion=mse,guaranteed", "--trials", 8, "--out", tmp_path, "--json")
    mse, guaranteed = json.loads(ended.out)["rows"]
    assert (mse["criterion"], guaranteed["criterion"]) == ("mse", "guaranteed")
    for name in ("margin", "quantile", "mean_capacity", "capacity_q01", "num_associations", "bound"):
        assert mse[name] is None
    assert guaranteed["target_error"] is None
    assert (guaranteed["margin"], guaranteed["quantile"]) == (1.0, 0.5)
    assert isinstance(guaranteed["capacity"], int) or guaranteed["capacity"].is_integer()


def test_error_rate_prints_its_table_and_json(pavlov, tmp_path):
    words = ("error-rate", "--dk", 8, "--n", "2,4", "criterion=mse", "--trials", 8, "--out", tmp_path)
    ended = pavlov(*words)
    assert ended.code == 0
    assert [line.split()[:4] for line in ended.out.splitlines()[2:4]] == [
        ["mse", "0.25", "8", "2"],
        ["mse", "0.25", "8", "4"],
    ] or [line.split()[:3] for line in ended.out.splitlines()[2:4]] == [["mse", "8", "2"], ["mse", "8", "4"]]
    assert "The mse error at d_k = 8 goes from" in ended.out
    content = json.loads(pavlov(*words, "--json").out)
    (run,) = list_runs(tmp_path)
    assert content["rows"] == read_table(run / "tables" / "error_rate.csv")
    assert content["curve"] == content["verdicts"] == []


def test_no_figures_writes_tables_alone_and_they_are_drawn_later(pavlov, tmp_path):
    words = ("capacity", "--dk", 8, "criterion=mse", "--trials", 8, "--out", tmp_path)
    assert pavlov(*words, "--no-figures").code == 0
    (run,) = list_runs(tmp_path)
    assert not (run / "figures").exists()
    assert pavlov(*words).code == 0
    assert {path.stem for path in (run / "figures").glob("*.*")} == {"capacity", "error_curves"}


@pytest.mark.parametrize(
    "words",
    [("list",), ("list", "theory"), ("--help",), ("capacity", "--help"), ("list", "criterion")]
    + [(name, "--help") for name in ("error-rate", "show", "diff", "plot", "clean", "list", "doctor")],
)
def test_lines_are_at_most_80_columns_wide(pavlov, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    ended = pavlov(*words)
    assert ended.code == 0
    assert ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


def test_a_run_and_its_showing_are_at_most_80_columns_wide(pavlov, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    ended = pavlov("capacity", "--dk", "8,16", "--trials", 8, "criterion=guaranteed,mse,sign")
    for text in (ended.out, ended.err, pavlov("show").out, pavlov("list", "runs").out):
        assert text
        assert max(map(len, text.splitlines())) <= 80


def test_dry_run_and_cfg_run_nothing(pavlov, tmp_path):
    plan = pavlov("capacity", "--dk", "8,16", "--out", tmp_path, "--dry-run")
    assert plan.code == 0
    assert plan.out.splitlines()[0].split() == ["cells", "8"]
    assert "compilations" in plan.out
    config = pavlov("capacity", "--dk", "8,16", "criterion.margin=0.5", "--out", tmp_path, "--cfg")
    assert config.code == 0
    assert "- name: guaranteed\n  margin: 0.5\n" in config.out
    assert list(tmp_path.iterdir()) == []
