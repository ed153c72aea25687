"""The same run lands in the same folder, and a user's words lead to one run or to a list of candidates."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from pavlov_cli.errors import ConfigError, DataError
from pavlov_cli.store import find_run, list_runs, make_folder, run_dir, run_name, write_manifest


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Four runs of two studies; the second was written last."""
    out = tmp_path / "results"
    for stamp, name in enumerate(("capacity/aa11", "capacity/aa22", "compare/aa22", "compare/bb")):
        path = write_manifest(out / name, {})
        os.utime(path, ns=(stamp, 10 if stamp == 1 else stamp))
    (out / "reference").mkdir()
    (out / "reference" / "table.csv").write_text("a\n")
    return out


def test_a_name_is_the_start_of_the_digest_and_ignores_order() -> None:
    assert run_name({"a": 1, "b": 2}) == run_name({"b": 2, "a": 1})
    assert re.fullmatch("[0-9a-f]{12}", run_name({"a": 1}))
    assert run_name({"a": 1}) != run_name({"a": 2})
    assert run_name({"d_k": 64}) == "a5d9b2156286"  # printf '{"d_k":64}' | sha256sum


def test_a_run_lives_under_its_study_and_nothing_is_created(tmp_path: Path) -> None:
    assert run_dir(tmp_path, "capacity", {"a": 1}) == tmp_path / "capacity" / run_name({"a": 1})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", ".", "..", ".x", "a/b", "a\\b", "/", "a..b", "a\0", "a\n", " a", "x" * 300])
def test_a_study_must_be_a_plain_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="study must be a plain name"):
        run_dir(tmp_path, name, {})


def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    assert make_folder(tmp_path / "a" / "b").is_dir()
    assert make_folder(tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=rf"cannot create files in {tmp_path}/{name}: .*; move the file"):
        make_folder(tmp_path / name)


def test_a_folder_without_write_access_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # a superuser ignores file modes
    with pytest.raises(DataError, match="Permission denied; grant access to it or choose another folder with --out"):
        make_folder(tmp_path / "closed")


def test_a_parent_without_write_access_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mkdir(*args: Any, **kwargs: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(DataError, match=rf"cannot create files in {tmp_path}/x: Permission denied"):
        make_folder(tmp_path / "x")


def test_runs_are_listed_in_order(out: Path) -> None:
    names = [f"{run.parent.name}/{run.name}" for run in list_runs(out)]
    assert names == ["capacity/aa11", "capacity/aa22", "compare/aa22", "compare/bb"]
    assert list_runs(out / "none") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("aa11", "capacity/aa11"),
        ("aa1", "capacity/aa11"),
        ("b", "compare/bb"),
        ("compare/aa22", "compare/aa22"),
        ("compare/a", "compare/aa22"),
        ("capacity/aa22/", "capacity/aa22"),
        ("latest", "capacity/aa22"),
    ],
)
def test_a_run_is_found_by_name_start_or_time(out: Path, text: str, found: str) -> None:
    assert find_run(out, text) == out / found


def test_a_run_is_found_by_path(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_run(out / "none", str(out / "compare" / "bb")) == out / "compare" / "bb"
    assert find_run(out / "none", str(out / "compare" / "bb" / "manifest.json")) == out / "compare" / "bb"
    monkeypatch.chdir(out / "compare")
    assert find_run(out, "bb") == Path("bb")


def test_a_whole_name_goes_before_the_start_of_another(out: Path) -> None:
    write_manifest(out / "compare" / "bbb", {})
    assert find_run(out, "bb") == out / "compare" / "bb"


def test_runs_with_rows_alone_are_found_but_are_not_the_latest(out: Path) -> None:
    (out / "compare" / "cc" / "rows").mkdir(parents=True)
    assert find_run(out, "cc") == out / "compare" / "cc"
    assert find_run(out, "latest") == out / "capacity" / "aa22"


@pytest.mark.parametrize("text", ["aa", "aa22", "capacity/a"])
def test_several_candidates_are_listed(out: Path, text: str) -> None:
    with pytest.raises(DataError, match=rf"got '{text}', which fits [23] runs: .*aa22.* Give more of it"):
        find_run(out, text)


@pytest.mark.parametrize("text", ["zz", "", "/", "x\0y", "capacity/bb", "../results"])
def test_a_missing_run_lists_the_known_ones(out: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"fits none under .*Known: capacity/aa11, capacity/aa22, compare/aa22"):
        find_run(out, text)


def test_no_runs_at_all_says_so(tmp_path: Path) -> None:
    for text in ("latest", "x"):
        with pytest.raises(DataError, match="there are no runs under"):
            find_run(tmp_path, text)
