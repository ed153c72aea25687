"""What does one stored line look like, and which damage does it show?

A line is the CRC-32 of the rest in eight hexadecimal digits, a space, the row as JSON in ASCII with sorted names, and
a newline. Quotes inside strings are escaped, so the text ``xxxxxxxx {"`` stands only where a line starts: a line that
lost its newline can be told from the one it ran into.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import zlib
from collections.abc import Callable
from typing import Any

from pavlov_cli.errors import DataError
from pavlov_cli.records import TRIALS_PER_BLOCK, Row, TrialValues

SCHEMA = 1
_CHECKSUM = re.compile(rb"[0-9a-f]{8} ")
_START = re.compile(rb'[0-9a-f]{8} \{"')


class LineFault(ValueError):
    """Why a line cannot be used."""


def _is_int(value: Any, low: int) -> bool:
    return type(value) is int and value >= low


def _are_texts(value: Any) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "point_id": (lambda value: type(value) is str and value != "", "a text that is not empty"),
    "block": (lambda value: _is_int(value, 0), "an integer >= 0"),
    "values": (lambda value: type(value) is list, "a list"),
    "denominator": (lambda value: _is_int(value, 1), "an integer >= 1"),
    "queries": (lambda value: _is_int(value, 0), "an integer >= 0"),
    "environment": (lambda value: type(value) is str, "a text"),
    "notes": (_are_texts, "a list of texts"),
}


def _check_values(values: list[Any]) -> None:
    if len(values) != TRIALS_PER_BLOCK:
        raise LineFault(f"number of values must be {TRIALS_PER_BLOCK}; got {len(values)}")
    if not (all(type(value) is int for value in values) or all(isinstance(value, float) for value in values)):
        kinds = ", ".join(type(value).__name__ for value in values)
        raise LineFault(f"values must be all int or all float; got {kinds}")
    for value in values:
        if not math.isfinite(value):
            raise LineFault(f"values must be finite; got {value}")


def _check(fields: dict[str, Any]) -> None:
    for name, (legal, constraint) in _FIELDS.items():
        if name not in fields:
            raise LineFault(f"missing field: {name}")
        if not legal(fields[name]):
            raise LineFault(f"wrong type: {name} must be {constraint}; got {fields[name]!r}")
    unknown = sorted(set(fields) - set(_FIELDS) - {"schema"})
    if unknown:
        raise LineFault(f"unknown field: {', '.join(unknown)}")
    _check_values(fields["values"])


def encode_row(row: Row) -> bytes:
    """One line that holds the row; floats and integers read back exactly and keep their type.

    Args:
        row: a block of trial values, all integers or all floats, finite.

    Returns:
        The line with its newline.

    Raises:
        DataError: the row breaks a rule that a reader would refuse it for.
    """
    fields = {
        "point_id": row.point_id,
        "block": row.block,
        "values": list(row.trial_values.values),
        "denominator": row.trial_values.denominator,
        "queries": row.trial_values.queries,
        "environment": row.environment,
        "notes": list(row.notes),
    }
    try:
        _check(fields)
    except LineFault as fault:
        raise DataError(
            f"block {row.block} of point {str(row.point_id)[:12]} cannot be stored: {fault}. "
            "If values overflow, lower the write strength or use --precision float64."
        ) from fault
    fields["schema"] = SCHEMA
    payload = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode(
        "ascii"
    )
    return b"%08x %b\n" % (zlib.crc32(payload), payload)


def _refuse_constant(name: str) -> Any:
    raise LineFault(f"values must be finite; got {name}")


def _parse(payload: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(payload.decode("ascii"), parse_constant=_refuse_constant)
    except LineFault:
        raise
    except (ValueError, RecursionError) as error:
        raise LineFault(f"not JSON: {error}") from error
    if type(fields) is not dict:
        raise LineFault("not JSON: the row must be an object")
    return fields


def _decode_body(body: bytes) -> Row:
    if not _CHECKSUM.match(body):
        raise LineFault("not a row: it must start with eight hexadecimal digits and a space")
    stored, payload = body[:8], body[9:]
    computed = b"%08x" % zlib.crc32(payload)
    if stored != computed:
        raise LineFault(f"checksum must be {computed.decode()}; got {stored.decode()}")
    fields = _parse(payload)
    if fields.get("schema") != SCHEMA or type(fields["schema"]) is not int:
        raise LineFault(f"other schema: schema must be {SCHEMA}; got {fields.get('schema')!r}")
    _check(fields)
    trial_values = TrialValues(tuple(fields["values"]), fields["denominator"], fields["queries"])
    return Row(fields["point_id"], fields["block"], trial_values, fields["environment"], tuple(fields["notes"]))


def decode_line(line: bytes) -> Row:
    """The row that a line holds.

    Args:
        line: the line with its newline.

    Returns:
        The row, equal to the one that was encoded.

    Raises:
        LineFault: says exactly what is wrong with the line.
    """
    if not line.endswith(b"\n"):
        raise LineFault("torn: the line has no end")
    return _decode_body(line[:-1])


def salvage(line: bytes) -> list[Row]:
    """The whole rows inside a damaged line: where a newline was lost, two lines stand in one.

    Args:
        line: a line that ``decode_line`` refuses.

    Returns:
        Rows whose own checksum holds, in order; often none.
    """
    starts = [match.start() for match in _START.finditer(line)]
    pieces = [line[start:end] for start, end in itertools.pairwise([*starts, len(line)])]
    rows = []
    for index, piece in enumerate(pieces):
        last = index == len(pieces) - 1
        if last and not piece.endswith(b"\n"):
            continue  # torn
        for body in [piece[:-1]] if last else [piece[:-1], piece]:  # the lost newline left a wrong byte, or none
            try:
                rows.append(_decode_body(body))
                break
            except LineFault:
                continue
    return rows
