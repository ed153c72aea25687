"""A line gives back exactly the row it was made from, or says what is wrong with it."""

from __future__ import annotations

import json
import math
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.errors import DataError
from pavlov_cli.records import Row, TrialValues
from pavlov_cli.store._lines import LineFault, decode_line, encode_row, salvage

FAST = settings(max_examples=40, deadline=None, database=None, derandomize=True)
finite = st.floats(allow_nan=False, allow_infinity=False)
four = st.one_of(*(st.tuples(kind, kind, kind, kind) for kind in (st.integers(), finite)))
rows = st.builds(
    Row,
    st.text(min_size=1),
    st.integers(0, 10**9),
    st.builds(TrialValues, four, st.integers(1, 10**6), st.integers(0, 4096)),
    st.text(),
    st.lists(st.text()).map(tuple),
)
FIELDS: dict[str, Any] = {
    "schema": 1,
    "point_id": "p",
    "block": 0,
    "values": [1, 2, 3, 4],
    "denominator": 1,
    "queries": 8,
    "environment": "e",
    "notes": [],
}


def line_of(payload: str) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(payload.encode()), payload.encode())


@FAST
@given(rows)
def test_a_row_reads_back_exactly_with_its_types(row: Row) -> None:
    back = decode_line(encode_row(row))
    assert back == row
    for mine, theirs in zip(back.trial_values.values, row.trial_values.values, strict=True):
        assert type(mine) is type(theirs)
        assert math.copysign(1, mine) == math.copysign(1, theirs)


@FAST
@given(rows)
def test_a_line_is_ascii_with_one_newline(row: Row) -> None:
    line = encode_row(row)
    assert line.isascii()
    assert line.count(b"\n") == 1 and line.endswith(b"\n")


@FAST
@given(rows, rows, st.binary(max_size=1).filter(lambda byte: byte != b"\n"))
def test_two_lines_that_ran_together_are_both_salvaged(first: Row, second: Row, between: bytes) -> None:
    glued = encode_row(first)[:-1] + between + encode_row(second)
    assert salvage(glued) == [first, second]


@FAST
@given(rows, rows, st.data())
def test_a_line_glued_to_a_torn_one_is_salvaged(first: Row, second: Row, data: st.DataObject) -> None:
    torn = encode_row(first)
    cut = data.draw(st.integers(0, len(torn) - 2))
    assert salvage(torn[:cut] + encode_row(second)) == [second]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(DataError, match="values must be finite"):
        encode_row(Row("p", 0, TrialValues((0.5, bad, 0.5, 0.5))))


@pytest.mark.parametrize(
    ("values", "reason"),
    [((1, 2, 3), "number of values must be 4; got 3"), ((1, 2.0, 3, 4), "all int or all float"), ((True,) * 4, "bool")],
)
def test_a_row_that_no_reader_takes_is_not_written(values: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        encode_row(Row("p", 0, TrialValues(values)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": 2}, "other schema: schema must be 1; got 2"),
        ({"schema": True}, "other schema"),
        ({"block": None}, "wrong type: block"),
        ({"block": -1}, "block must be an integer >= 0; got -1"),
        ({"block": True}, "wrong type: block"),
        ({"point_id": 7}, "wrong type: point_id"),
        ({"values": "1234"}, "wrong type: values"),
        ({"values": [1, 2, 3]}, "number of values must be 4; got 3"),
        ({"values": [1, 2, 3, 4, 5]}, "number of values must be 4; got 5"),
        ({"values": [1, 2, 3, "4"]}, "values must be all int or all float"),
        ({"values": [True, 2, 3, 4]}, "values must be all int or all float"),
        ({"denominator": 0}, "denominator must be an integer >= 1"),
        ({"queries": 1.0}, "wrong type: queries"),
        ({"environment": None}, "wrong type: environment"),
        ({"notes": [1]}, "wrong type: notes"),
        ({"extra": 1}, "unknown field: extra"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(LineFault, match=reason):
        decode_line(line_of(json.dumps(FIELDS | change)))


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "schema"])
def test_a_missing_field_is_named(name: str) -> None:
    fields = {key: value for key, value in FIELDS.items() if key != name}
    with pytest.raises(LineFault, match=f"missing field: {name}"):
        decode_line(line_of(json.dumps(fields)))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (line_of("{}")[:-1], "torn"),
        (b"\n", "not a row"),
        (b"hello world, hello\n", "not a row"),
        (b"00000000 {}\n", "checksum must be .*; got 00000000"),
        (line_of("{"), "not JSON"),
        (line_of("[]"), "not JSON: the row must be an object"),
        (line_of("[" * 100_000), "not JSON"),
        (line_of(json.dumps(FIELDS).replace("[1, ", "[NaN, ")), "values must be finite; got NaN"),
        (
            line_of(json.dumps(FIELDS).replace("[1, 2, 3, 4]", "[1.0, 1.0, 1.0, 1e999]")),
            "values must be finite; got inf",
        ),
    ],
)
def test_a_line_that_is_no_row_says_why(line: bytes, reason: str) -> None:
    with pytest.raises(LineFault, match=reason):
        decode_line(line)


def test_a_checksum_in_capitals_is_damage() -> None:
    line = encode_row(Row("p", 0, TrialValues((1, 2, 3, 4))))
    capital = line[:8].upper() + line[8:]
    assert capital != line
    with pytest.raises(LineFault, match="not a row"):
        decode_line(capital)
