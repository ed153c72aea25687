"""A manifest is there whole, or the old one is, or the error says what to do."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.errors import DataError
from pavlov_cli.store import read_manifest, write_manifest

FAST = settings(max_examples=40, deadline=None, database=None, derandomize=True)
CONTENT = {"command": ["pavlov", "capacity"], "seed": 7, "rate": 0.1, "dirty": False, "git": None, "name": "é\udcff"}
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
names = st.text().filter(lambda name: name not in ("schema", "checksum"))
contents = st.dictionaries(names, st.recursive(scalars, lambda item: st.lists(item, max_size=3), max_leaves=5))


def test_a_manifest_reads_back_with_its_schema(tmp_path: Path) -> None:
    write_manifest(tmp_path / "new" / "run", CONTENT)
    assert read_manifest(tmp_path / "new" / "run") == {**CONTENT, "schema": 1}


@FAST
@given(contents)
def test_any_json_content_reads_back(tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("run")
    write_manifest(folder, content)
    assert read_manifest(folder) == {**content, "schema": 1}


def test_a_manifest_that_was_read_can_be_written_again(tmp_path: Path) -> None:
    path = write_manifest(tmp_path, CONTENT)
    before = path.read_bytes()
    write_manifest(tmp_path, read_manifest(tmp_path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("operation", ["write", "fsync", "replace"])
def test_a_failure_at_any_step_keeps_the_old_manifest_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    write_manifest(tmp_path, CONTENT)

    def fail(*args: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, operation, fail)
    with pytest.raises(DataError, match=r"cannot write .*manifest.json: No space left .*; free some space"):
        write_manifest(tmp_path, {"seed": 8})
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["manifest.json"]
    assert read_manifest(tmp_path)["seed"] == 7


def test_the_content_is_synced_before_it_takes_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    real = {name: getattr(os, name) for name in ("write", "fsync", "replace")}
    for name in real:

        def spy(*args: Any, name: str = name) -> Any:
            steps.append(name)
            return real[name](*args)

        monkeypatch.setattr(os, name, spy)
    write_manifest(tmp_path, CONTENT)
    assert steps == ["write", "fsync", "replace", "fsync"]


@pytest.mark.parametrize("content", [{"x": float("nan")}, {"x": object()}, {"x": {1, 2}}])
def test_content_that_is_not_json_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="manifest must hold"):
        write_manifest(tmp_path, content)
    assert os.listdir(tmp_path) == []


def test_a_missing_manifest_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"manifest.json is missing.*Run the command of this run again"):
        read_manifest(tmp_path)


def test_another_schema_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 99}))
    with pytest.raises(DataError, match=r"schema must be 1; got 99\. Read it with the version"):
        read_manifest(tmp_path)


def test_a_manifest_that_is_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(DataError, match=r"cannot read .*manifest.json"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", "\xff\xfe", '{"schema": 1}', '{"schema": 1, "x": NaN}', "[" * 100_000])
def test_damage_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, "latin-1")
    with pytest.raises(DataError, match=r"damaged.*Run the command of this run again"):
        read_manifest(tmp_path)


def test_no_flipped_bit_changes_what_a_manifest_says(tmp_path: Path) -> None:
    path = write_manifest(tmp_path, {"seed": 7, "rate": 0.125})
    data, good = path.read_bytes(), read_manifest(tmp_path)
    for index, bit in ((index, bit) for index in range(len(data)) for bit in range(8)):
        damaged = bytearray(data)
        damaged[index] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            assert read_manifest(tmp_path) == good  # a flipped blank
        except DataError:
            continue
