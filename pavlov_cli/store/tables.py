"""How do results become CSV files whose bytes depend on nothing but the results?

Numbers, true, false and nothing (an empty cell) stand bare; a text is quoted where it would otherwise read as one of
these or holds a separator. So every value reads back with its type, and floats exactly.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.durable import storage_error, write_atomically
from pavlov_cli.errors import DataError
from pavlov_cli.records import Scalar

_WORDS: dict[str, Scalar] = {"": None, "true": True, "false": False}
_INT = re.compile(r"-?(0|[1-9][0-9]{0,4000})")  # Python reads integers of up to 4300 digits
_FLOAT = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_CELL = re.compile(r'"((?:[^"]|"")*)"|([^",\n]*)')
_REBUILD = "Delete it and run the same command again to rebuild it from the stored rows."
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$')


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bool:
    """Write rows as CSV, atomically, and only where the file's content would change.

    Args:
        path: the file.
        rows: one mapping per line from column to text, number, bool or None; a column that a row lacks is None.
        columns: the header, in order.

    Returns:
        True if the file was written, False if it held these bytes already.

    Raises:
        DataError: a number is not finite, or the file cannot be written.
        ValueError: columns repeat or are none, a row has a column that is not in the header, or a cell is not a scalar.
    """
    data = table_text(rows, columns).encode("utf-8", "surrogateescape")
    path = Path(path)
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass  # missing or unreadable: writing it tells which
    write_atomically(path, data)
    return True


def table_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """What ``write_table`` writes.

    Args:
        rows: as there.
        columns: as there.

    Returns:
        CSV with a header.

    Raises:
        DataError: a number is not finite.
        ValueError: columns repeat or are none, a row has a column that is not in the header, or a cell is not a scalar.
    """
    if not columns or len(set(columns)) != len(columns):
        raise ValueError(f"columns must be one or more different names; got {list(columns)}.")
    lines = [",".join(_text(name) for name in columns)]
    for row in rows:
        unknown = [name for name in row if name not in columns]
        if unknown:
            raise ValueError(f"row must only have columns of the header {', '.join(columns)}; got {unknown}.")
        lines.append(",".join(_cell(row.get(name), name) for name in columns))
    return "\n".join(lines) + "\n"


def read_table(path: Path) -> list[dict[str, Scalar]]:
    """The rows of a table with their types.

    Args:
        path: a file that ``write_table`` wrote.

    Returns:
        One dict per row, in order, from column to int, float, bool, None or text.

    Raises:
        DataError: the file is missing or is not such a table.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise DataError(f"{path} is missing; run the command that makes it.") from error
        raise storage_error("read", path, error) from error
    records = _records(text, path)
    header = [content for content, _ in records[0]]
    if len(set(header)) != len(header):
        raise DataError(f"{path}: column names must differ; got {', '.join(header)}. {_REBUILD}")
    for number, cells in enumerate(records[1:], start=1):
        if len(cells) != len(header):
            raise DataError(f"{path} row {number} must have {len(header)} cells; got {len(cells)}. {_REBUILD}")
    typed = [[content if quoted else _typed(content) for content, quoted in cells] for cells in records[1:]]
    return [dict(zip(header, values, strict=True)) for values in typed]


def _text(value: str) -> str:
    """A text as a cell, quoted where it would read back as something else."""
    if _NEEDS_QUOTES.search(value) or _typed(value) != value:
        return '"' + value.replace('"', '""') + '"'
    return value


def _cell(value: Any, column: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)  # NumPy's own repr would name its type
        if not math.isfinite(number):
            raise DataError(f"column {column} must hold finite numbers; got {number}. Use None where none applies.")
        return repr(number)
    raise ValueError(f"column {column} must hold text, numbers, true, false or None; got {type(value).__name__}.")


def _typed(text: str) -> Scalar:
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _records(text: str, path: Path) -> list[list[tuple[str, bool]]]:
    """The cells of every line as (content, quoted)."""
    records: list[list[tuple[str, bool]]] = []
    position, cells = 0, []
    while position < len(text):
        match = _CELL.match(text, position)
        end = match.end() if match else position
        separator = text[end : end + 1]
        if match is None or separator not in (",", "\n") or not separator:
            line = text.count("\n", 0, position) + 1
            raise DataError(f"{path} line {line} must end its cells with a comma or a newline. {_REBUILD}")
        quoted = match.group(1) is not None
        cells.append((match.group(1).replace('""', '"') if quoted else match.group(2), quoted))
        position = end + 1
        if separator == "\n":
            records.append(cells)
            cells = []
    if not records or cells:
        raise DataError(f"{path} must start with column names and end with a newline. {_REBUILD}")
    return records
