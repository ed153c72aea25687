"""Which row stands depends on what is stored, never on the order in which it is read."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.records import Row, TrialValues, digest
from pavlov_cli.store import Damage, Rows, RowWriter, Stored, merge, read_rows, settle

FAST = settings(max_examples=100, deadline=None, database=None, derandomize=True)
MakeRow = Callable[..., Row]
StoreFile = Callable[..., Path]
KEY = ("ab" * 32, 0)


def some_row(point: str, block: int, first: int, environment: str) -> Row:
    return Row(point, block, TrialValues((first, 0, 0, 0)), environment)


@st.composite
def three_parts(draw: st.DrawFn) -> list[Rows]:
    """Three overlapping parts of one set of files in which blocks often collide."""
    rows = draw(
        st.lists(
            st.builds(some_row, st.sampled_from("pq"), st.integers(0, 1), st.integers(0, 2), st.sampled_from("ef")),
            max_size=14,
        )
    )
    files = [
        draw(st.sampled_from(["r/rows/a.jsonl", "r/rows/b.jsonl", "s/rows/b.jsonl", "s/rows/c.jsonl"])) for _ in rows
    ]
    stored = [Stored(file, line, row) for line, (file, row) in enumerate(zip(files, rows, strict=True))]
    damage = [Damage("r/rows/a.jsonl", line, "torn") for line in range(3)]
    parts = []
    for _ in range(3):
        lines = draw(st.lists(st.sampled_from(stored), unique=True)) if stored else []
        parts.append(settle(lines, draw(st.lists(st.sampled_from(damage), unique=True))))
    return parts


@FAST
@given(three_parts())
def test_merging_is_commutative_associative_and_idempotent(parts: list[Rows]) -> None:
    a, b, c = parts
    assert merge(a, b) == merge(b, a)
    assert list(merge(a, b).blocks) == list(merge(b, a).blocks)
    assert merge(merge(a, b), c) == merge(a, merge(b, c))
    assert merge(a, a) == a
    assert merge(merge(a, b), b) == merge(a, b)
    assert merge(a, settle([])) == a


@FAST
@given(three_parts())
def test_a_block_is_absent_only_where_it_was_set_aside(parts: list[Rows]) -> None:
    for rows in parts:
        aside = {(found.point_id, found.block) for found in rows.conflicts if found.kind == "set_aside"}
        keys = {(line.row.point_id, line.row.block) for line in rows.stored}
        assert keys - set(rows.blocks) <= aside
        assert all(any(line.row == row for line in rows.stored) for row in rows.blocks.values())


def test_identical_duplicates_collapse(tmp_path: Path, make_row: MakeRow, store_file: StoreFile) -> None:
    store_file(tmp_path, make_row(), run="one")
    store_file(tmp_path, make_row(), run="two")
    rows = read_rows(tmp_path)
    assert dict(rows.blocks) == {KEY: make_row()}
    assert rows.problems == () and rows.conflicts == ()


def test_different_values_of_one_environment_are_set_aside_and_both_files_named(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile
) -> None:
    first = store_file(tmp_path, make_row(0, 1), make_row(1, 1), run="one")
    second = store_file(tmp_path, make_row(0, 2), run="two")
    rows = read_rows(tmp_path)
    assert list(rows.blocks) == [("ab" * 32, 1)]
    assert len(rows.problems) == 1
    assert str(first) in rows.problems[0] and str(second) in rows.problems[0]
    assert rows.conflicts[0].kind == "set_aside"
    assert rows.conflicts[0].files == tuple(sorted((str(first), str(second))))


@pytest.mark.parametrize("order", list(itertools.permutations((1, 2, 1))))
def test_a_block_computed_again_is_decided_by_the_majority(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile, order: tuple[int, ...]
) -> None:
    for index, first in enumerate(order):
        store_file(tmp_path, make_row(0, first), run=f"run{index}")
    rows = read_rows(tmp_path)
    assert dict(rows.blocks) == {KEY: make_row(0, 1)}
    assert rows.problems == ()
    assert rows.conflicts[0].kind == "outvoted" and "2 of 3 agree" in rows.notes[0]


@pytest.mark.parametrize(
    ("values", "stands"),
    [((1, 2, 3), None), ((1, 1, 2, 2), None), ((1, 2, 3, 1), 1), ((1, 1, 2, 2, 2), 2), ((1, 1, 1, 2), 1)],
)
def test_the_value_with_two_votes_and_more_than_any_other_stands(
    make_row: MakeRow, values: tuple[int, ...], stands: int | None
) -> None:
    rows = settle(Stored(f"r/rows/{index}.jsonl", 1, make_row(0, first)) for index, first in enumerate(values))
    assert dict(rows.blocks) == ({} if stands is None else {KEY: make_row(0, stands)})


def test_one_writer_that_computes_a_block_again_decides(tmp_path: Path, make_row: MakeRow) -> None:
    with RowWriter(tmp_path / "run") as first, RowWriter(tmp_path / "run") as second:
        first.append([make_row(0, 1)])
        second.append([make_row(0, 2)])
        assert not read_rows(tmp_path).blocks
        first.append([make_row(0, 1)])
    assert dict(read_rows(tmp_path).blocks) == {KEY: make_row(0, 1)}


def test_a_copy_of_a_run_adds_no_votes(tmp_path: Path, make_row: MakeRow, store_file: StoreFile) -> None:
    store_file(tmp_path, make_row(0, 1), run="one")
    store_file(tmp_path, make_row(0, 2), run="two")
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    assert not read_rows(tmp_path).blocks


@pytest.mark.parametrize("first", [0.25, 0.75, 1.25, 1.75, 2.25, 2.75])
def test_between_environments_the_smaller_digest_stands_and_it_is_noted(
    tmp_path: Path, make_row: MakeRow, store_file: StoreFile, first: float
) -> None:
    both = [make_row(0, first, environment="cpu-a"), make_row(0, first + 0.125, environment="cpu-b")]
    paths = [store_file(tmp_path, row) for row in both]
    rows = read_rows(tmp_path)
    assert dict(rows.blocks) == {KEY: min(both, key=lambda row: digest(asdict(row)))}
    assert rows.problems == ()
    assert len(rows.notes) == 1 and all(str(path) in rows.notes[0] for path in paths)


def test_equal_values_of_two_environments_need_no_note(make_row: MakeRow) -> None:
    both = [make_row(environment="cpu-a"), make_row(environment="cpu-b")]
    rows = settle(Stored(f"r/rows/{index}.jsonl", 1, row) for index, row in enumerate(both))
    assert len(rows.blocks) == 1 and rows.conflicts == ()


def test_a_conflict_in_one_environment_does_not_hide_another(make_row: MakeRow) -> None:
    three = [make_row(0, 1), make_row(0, 2), make_row(0, 3, environment="cpu-b")]
    rows = settle(Stored(f"r/rows/{index}.jsonl", 1, row) for index, row in enumerate(three))
    assert dict(rows.blocks) == {KEY: three[2]}
    assert [found.kind for found in rows.conflicts] == ["set_aside"]


@pytest.mark.parametrize(("one", "other"), [((1,) * 4, (1.0,) * 4), ((0.0,) * 4, (-0.0,) * 4)])
def test_values_that_only_python_calls_equal_are_different(one: tuple[float, ...], other: tuple[float, ...]) -> None:
    both = [Row("p", 0, TrialValues(values)) for values in (one, other)]
    rows = settle(Stored(f"r/rows/{index}.jsonl", 1, row) for index, row in enumerate(both))
    assert dict(rows.blocks) == {} and len(rows.problems) == 1
