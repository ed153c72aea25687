"""Damage is named, costs only the damaged line, and never lets a wrong value through."""

from __future__ import annotations

import builtins
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pavlov_cli.records import Row
from pavlov_cli.store import RowWriter, read_rows

MakeRow = Callable[..., Row]
StoreFile = Callable[..., Path]


def test_a_missing_study_is_empty(tmp_path: Path) -> None:
    rows = read_rows(tmp_path / "none")
    assert dict(rows.blocks) == {} and rows.problems == () and rows.conflicts == ()


def test_every_run_of_the_study_is_read(tmp_path: Path, make_row: MakeRow, store_file: StoreFile) -> None:
    for block in (2, 0, 1):
        store_file(tmp_path, make_row(block), run=f"run{block}")
    (tmp_path / "notes.txt").write_text("not a run")
    (tmp_path / "empty").mkdir()
    rows = read_rows(tmp_path)
    assert list(rows.blocks) == [("ab" * 32, block) for block in range(3)]
    assert rows.problems == ()


def test_no_flipped_bit_lets_a_wrong_value_through_or_loses_another_line(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile
) -> None:
    originals = {(f"p{block}", block): make_row(block, 0.1 * block, point=f"p{block}") for block in range(3)}
    path = store_file(tmp_path, *originals.values())
    data = path.read_bytes()
    ends = [index for index, byte in enumerate(data) if byte == 0x0A]
    for index in range(len(data)):
        hit = sum(end < index for end in ends)
        for bit in range(8):
            damaged = bytearray(data)
            damaged[index] ^= 1 << bit
            path.write_bytes(damaged)
            rows = read_rows(tmp_path)
            assert all(originals[key] == row for key, row in rows.blocks.items())
            assert {block for _, block in rows.blocks} >= {0, 1, 2} - {hit}
            assert any(f"{path} line {hit + 1}: " in problem for problem in rows.problems)


def test_a_file_cut_at_any_length_keeps_its_whole_lines(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile
) -> None:
    path = store_file(tmp_path, *(make_row(block) for block in range(3)))
    data = path.read_bytes()
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        rows = read_rows(tmp_path)
        whole = data[:length].count(b"\n")
        assert [block for _, block in rows.blocks] == list(range(whole))
        torn = length > 0 and data[length - 1 : length] != b"\n"
        assert len(rows.problems) == torn
        if torn:
            assert f"{path} line {whole + 1}: torn" in rows.problems[0]


def test_a_block_lost_to_damage_comes_back_when_stored_again(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile
) -> None:
    path = store_file(tmp_path, make_row(0))
    path.write_bytes(path.read_bytes()[:-10])
    assert not read_rows(tmp_path).blocks
    store_file(tmp_path, make_row(0))
    assert list(read_rows(tmp_path).blocks.values()) == [make_row(0)]


def test_what_is_not_a_rows_file_is_named_and_the_rest_is_read(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile
) -> None:
    folder = store_file(tmp_path, make_row(0)).parent
    (folder / "folder.jsonl").mkdir()
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    (folder / "dangling.jsonl").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "other.txt").write_text("ignored")
    (folder / ".hidden.jsonl").write_text("ignored")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "rows").write_text("a file")
    rows = read_rows(tmp_path)
    assert len(rows.blocks) == 1
    for name in ("folder.jsonl", "loop.jsonl", "dangling.jsonl", "pipe.jsonl", f"{tmp_path}/loop", "odd/rows"):
        assert any(name in problem for problem in rows.problems), name
    assert len(rows.problems) == 6


def test_an_unreadable_file_is_named_and_the_rest_is_read(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = store_file(tmp_path, make_row(0))
    store_file(tmp_path, make_row(1))
    real = builtins.open

    def guarded(file: Any, *args: Any, **kwargs: Any) -> Any:  # a superuser ignores file modes
        if Path(file) == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(file))
        return real(file, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", guarded)
    rows = read_rows(tmp_path)
    assert [block for _, block in rows.blocks] == [1]
    assert rows.problems == (f"{closed}: cannot be read (Permission denied); grant access or move it away.",)


def test_an_unreadable_folder_is_named_and_the_rest_is_read(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = store_file(tmp_path, make_row(0), run="closed").parent
    store_file(tmp_path, make_row(1), run="open")
    real = os.listdir

    def guarded(path: Any) -> list[str]:
        if Path(path) == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "listdir", guarded)
    rows = read_rows(tmp_path)
    assert [block for _, block in rows.blocks] == [1]
    assert len(rows.problems) == 1 and str(closed) in rows.problems[0]


def test_rows_are_read_while_a_writer_appends(tmp_path: Path, make_row: MakeRow) -> None:
    with RowWriter(tmp_path / "run") as writer:
        for block in range(5):
            writer.append([make_row(block)])
            assert len(read_rows(tmp_path).blocks) == block + 1
