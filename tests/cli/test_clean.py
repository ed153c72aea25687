"""Runs are removed when the user means it, and nothing else ever is."""

from __future__ import annotations

import io
import sys

import pytest

from pavlov_cli.store import list_runs


@pytest.fixture
def runs(pavlov, tmp_path):
    """The folder of results with two finished runs."""
    out = tmp_path / "results"
    for seed in (0, 1):
        words = ("--dk", 8, "criterion=mse", "--trials", 8, "--no-figures", "--seed", seed, "--out", out)
        assert pavlov("capacity", *words).code == 0
    return out, list_runs(out)


def _terminal(monkeypatch, answer):
    stream = io.StringIO(answer)
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", stream)


def test_a_dry_run_lists_sizes_and_removes_nothing(pavlov, runs):
    out, found = runs
    ended = pavlov("clean", "--all", "--dry-run", "--out", out)
    assert ended.code == 0
    assert all(f"capacity/{run.name}" in ended.out for run in found)
    assert "KiB" in ended.out
    assert ended.out.splitlines()[-1].startswith("Would remove 2 folders, ")
    assert list_runs(out) == found


def test_a_named_run_goes_and_the_others_stay(pavlov, runs):
    out, (first, second) = runs
    ended = pavlov("clean", first.name[:6], "--yes", "--out", out)
    assert ended.code == 0
    assert ended.out.splitlines()[-1].startswith("Removed 1 folder, ")
    assert list_runs(out) == [second]


def test_all_runs_go_with_the_folder_of_their_study(pavlov, runs):
    out, _ = runs
    assert pavlov("clean", "--all", "--yes", "--out", out).code == 0
    assert list(out.iterdir()) == []


def test_unfinished_runs_are_those_without_tables(pavlov, runs):
    out, (first, second) = runs
    (first / "tables" / "capacity.csv").unlink()
    assert pavlov("clean", "--unfinished", "--yes", "--out", out).code == 0
    assert list_runs(out) == [second]
    assert pavlov("clean", "--unfinished", "--yes", "--out", out).out == "nothing to remove.\n"


@pytest.mark.parametrize(("answer", "left"), [("y\n", 0), ("yes\n", 0), ("n\n", 2), ("\n", 2), ("", 2)])
def test_a_terminal_is_asked(pavlov, runs, monkeypatch, answer, left):
    out, _ = runs
    _terminal(monkeypatch, answer)
    ended = pavlov("clean", "--all", "--out", out)
    assert ended.code == 0
    assert "Remove 2 folders, " in ended.out
    assert len(list_runs(out)) == left


def test_a_pipe_must_say_yes(pavlov, runs, monkeypatch):
    out, found = runs
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    ended = pavlov("clean", "--all", "--out", out)
    assert (ended.code, ended.out) == (2, "")
    assert "add --yes" in ended.err
    assert list_runs(out) == found


def test_nothing_named_is_a_usage_error(pavlov, runs):
    ended = pavlov("clean", "--yes", "--out", runs[0])
    assert (ended.code, ended.out) == (2, "")
    assert "--unfinished, --all or --cache" in ended.err


def test_a_name_that_leads_out_of_the_results_is_refused(pavlov, runs, tmp_path):
    out, (first, _) = runs
    other = tmp_path / "other"
    (other / "capacity").mkdir(parents=True)
    kept = first.rename(other / "capacity" / first.name)
    for text in (f"../other/capacity/{kept.name}", f"capacity/../../other/capacity/{kept.name}", kept):
        ended = pavlov("clean", text, "--yes", "--out", out)
        assert (ended.code, ended.out) == (2, ""), text
        assert ended.err.startswith("pavlov: run must ")
    assert (kept / "manifest.json").is_file()


def test_a_folder_that_is_not_a_run_is_left_alone(pavlov, runs):
    out, (first, second) = runs
    (first / "manifest.json").write_text("{}")
    ended = pavlov("clean", first.name, "--yes", "--out", out)
    assert ended.code == 3
    assert "is not removed, since it may not be a run" in ended.err
    ended = pavlov("clean", "--all", "--yes", "--out", out)
    assert ended.code == 0
    assert f"left alone: {first}" in ended.err
    assert first.is_dir() and not second.exists()


def test_a_run_of_another_study_is_left_alone(pavlov, runs):
    out, (first, _) = runs
    (out / "elsewhere").mkdir()
    moved = first.rename(out / "elsewhere" / first.name)
    assert pavlov("clean", moved.name, "--yes", "--out", out).code == 3
    assert moved.is_dir()


def test_links_are_not_followed(pavlov, runs, tmp_path):
    out, (first, second) = runs
    target = tmp_path / "target"
    first.rename(target)
    first.symlink_to(target)
    assert pavlov("clean", first.name, "--yes", "--out", out).code == 3
    (second / "rows" / "link").symlink_to(target)
    assert pavlov("clean", second.name, "--yes", "--out", out).code == 0
    assert (target / "manifest.json").is_file()
    assert not second.exists()


def test_what_pavlov_did_not_write_is_named(pavlov, runs):
    out, (first, _) = runs
    (first / "notes.txt").write_text("mine")
    assert "also holds notes.txt" in pavlov("clean", first.name, "--dry-run", "--out", out).out


def test_the_cache_goes_and_what_lies_beside_it_stays(pavlov, tmp_path, monkeypatch):
    monkeypatch.setenv("PAVLOV_CACHE_DIR", str(tmp_path))
    compiled, other = tmp_path / "xla-0.10.2-0123456789ab", tmp_path / "xla-notes"
    for folder in (compiled, other):
        folder.mkdir()
        (folder / "file").write_text("x")
    (tmp_path / "xla-0.10.2-ffffffffffff").symlink_to(other)
    ended = pavlov("clean", "--cache", "--yes", "--out", tmp_path / "results")
    assert ended.code == 0
    assert not compiled.exists()
    assert (other / "file").is_file()
