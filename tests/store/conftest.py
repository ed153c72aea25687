"""Rows to store, and a study's folder to store them in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pavlov_cli.records import Row, TrialValues
from pavlov_cli.store import RowWriter

MakeRow = Callable[..., Row]


@pytest.fixture
def make_row() -> MakeRow:
    """A row of four values that start at ``first``."""

    def make(block: int = 0, first: float = 1, *, environment: str = "cpu-a", point: str = "ab" * 32) -> Row:
        values = (first, first + 1, first + 2, first + 3)
        return Row(point, block, TrialValues(values, 256, 256), environment)

    return make


@pytest.fixture
def store_file() -> Callable[..., Path]:
    """Store rows in a file of a new writer; the file's path."""

    def store(study: Path, *rows: Row, run: str = "run") -> Path:
        with RowWriter(study / run) as writer:
            writer.append(rows)
            assert writer.path is not None
            return writer.path

    return store
