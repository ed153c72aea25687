"""Tables have the same bytes whenever they are rebuilt, and every cell reads back as it was."""

from __future__ import annotations

import csv
import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.errors import DataError
from pavlov_cli.store import read_table, write_table

FAST = settings(max_examples=40, deadline=None, database=None, derandomize=True)
tricky = st.sampled_from(
    ["", "1", "-0", "007", "1.5", "1e5", "true", "None", "nan", "inf", "a,b", 'say "x"', "\r\n", " a "]
)
cells = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | tricky
)
tables = st.lists(st.fixed_dictionaries({name: cells for name in ("a", "b,c", "d")}), max_size=5)
COLUMNS = ["a", "b,c", "d"]


@FAST
@given(tables)
def test_every_cell_reads_back_with_its_type(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Mapping[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("table") / "t.csv"
    write_table(path, rows, COLUMNS)
    back = read_table(path)
    assert [[repr(row[name]) for name in COLUMNS] for row in back] == [
        [repr(row[name]) for name in COLUMNS] for row in rows
    ]  # repr tells 1 from 1.0 and True


@FAST
@given(st.lists(st.none() | st.text() | st.integers()))
def test_a_table_of_one_column_reads_back(tmp_path_factory: pytest.TempPathFactory, column: list[Any]) -> None:
    path = tmp_path_factory.mktemp("table") / "t.csv"
    write_table(path, [{"a": cell} for cell in column], ["a"])
    assert [row["a"] for row in read_table(path)] == column


def test_the_bytes_are_fixed(tmp_path: Path) -> None:
    rows = [{"n": 64, "rate": 0.1, "held": True, "name": "sign", "low": None}, {"n": 1, "rate": 1e-300, "name": "1"}]
    write_table(tmp_path / "t.csv", rows, ["n", "rate", "held", "name", "low"])
    expected = b'n,rate,held,name,low\n64,0.1,true,sign,\n1,1e-300,,"1",\n'
    assert (tmp_path / "t.csv").read_bytes() == expected


def test_other_csv_readers_agree(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", [{"a": 'x, "y"\n', "b": 1.5}], ["a", "b"])
    with open(tmp_path / "t.csv", newline="", encoding="utf-8") as lines:
        assert list(csv.reader(lines)) == [["a", "b"], ['x, "y"\n', "1.5"]]


def test_a_table_is_written_only_where_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "tables" / "t.csv"
    assert write_table(path, [{"a": 1}], ["a"])
    os.utime(path, ns=(1, 1))
    assert not write_table(path, [{"a": 1}], ["a"])
    assert path.stat().st_mtime_ns == 1
    assert write_table(path, [{"a": 2}], ["a"])
    assert read_table(path) == [{"a": 2}]


def test_a_failed_write_keeps_the_old_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    write_table(path, [{"a": 1}], ["a"])

    def fail(*args: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(DataError, match="free some space"):
        write_table(path, [{"a": 2}], ["a"])
    assert read_table(path) == [{"a": 1}] and os.listdir(tmp_path) == ["t.csv"]


def test_numpy_numbers_are_numbers(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", [{"a": np.float64(0.1), "b": np.int64(3), "c": np.float32(0.1)}], ["a", "b", "c"])
    assert read_table(tmp_path / "t.csv") == [{"a": 0.1, "b": 3, "c": float(np.float32(0.1))}]


@pytest.mark.parametrize("cell", [{}, [1], (1,), object(), 1j])
def test_cells_that_are_not_scalars_are_refused(tmp_path: Path, cell: Any) -> None:
    with pytest.raises(ValueError, match="column a must hold text"):
        write_table(tmp_path / "t.csv", [{"a": cell}], ["a"])


@pytest.mark.parametrize("cell", [float("nan"), float("inf"), np.float64("-inf")])
def test_numbers_that_are_not_finite_are_refused(tmp_path: Path, cell: float) -> None:
    with pytest.raises(DataError, match="column a must hold finite numbers"):
        write_table(tmp_path / "t.csv", [{"a": cell}], ["a"])


@pytest.mark.parametrize(("rows", "columns"), [([], []), ([], ["a", "a"]), ([{"b": 1}], ["a"])])
def test_rows_must_fit_the_header(tmp_path: Path, rows: list[dict[str, Any]], columns: list[str]) -> None:
    with pytest.raises(ValueError, match="must"):
        write_table(tmp_path / "t.csv", rows, columns)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must start with column names"),
        ("a,b\n1,2", "end with a newline|line 2"),
        ("a,b\n1\n", "row 1 must have 2 cells; got 1"),
        ("a,a\n1,2\n", "column names must differ"),
        ('a,b\n1,"2\n', "line 2 must end its cells"),
        ('a,b\n1,x"y"\n', "line 2 must end its cells"),
    ],
)
def test_what_is_not_a_table_is_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataError, match=reason):
        read_table(tmp_path / "t.csv")


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t\.csv is missing"):
        read_table(tmp_path / "t.csv")
