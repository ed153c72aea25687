"""What stands in the cells of a table that people read?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pavlov_cli.series import short, telling_apart, trimmed

Row = Mapping[str, Any]
Column = tuple[str, Callable[[Row], str]]


@dataclass(frozen=True)
class Cells:
    """A table as texts.

    Attributes:
        header: column titles.
        lines: one sequence of cells per row.
        left: how many columns, from the first, hold words and not numbers.
    """

    header: Sequence[str]
    lines: Sequence[Sequence[str]]
    left: int = 1


def number(value: Any, digits: int = 4) -> str:
    """A number as people write it: four significant digits, but every digit before the point; ``-`` for none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and value == int(value) and abs(value) < 1e6):
        return str(int(value))
    if 10**digits <= abs(value) < 1e9:
        return f"{value:.0f}"  # rather than 6.33e+03
    return f"{value:.{digits}g}"


def interval(low: Any, high: Any) -> str:
    """An interval; a side that is not known is ``?``."""
    if low is None and high is None:
        return "-"
    return " .. ".join("?" if side is None else number(side) for side in (low, high))


def criterion_name(row: Row) -> str:
    """The criterion with what defines it: ``guaranteed`` with its margin, the others with their target."""
    if row.get("target_error") is not None:
        return f"{row['criterion']} {number(row['target_error'])}"
    margin = row.get("margin")
    return row["criterion"] if margin in (None, 1.0) else f"{row['criterion']} m={number(margin)}"


VERDICT_WORDS = {True: "consistent", False: "INCONSISTENT", None: "undecided"}
_SHORT = {"key_ensemble": "keys", "value_ensemble": "values", "feature_map": "map", "update_rule": "rule"}


def capacity_of(row: Row) -> str:
    """The capacity or required dimension, or the end of what was measured that it lies beyond."""
    if row["censored"]:
        return f"{'<' if row['side'] == 'below' else '>'} {number(row['bound'])}"
    return number(row["required_d_k"] if "required_d_k" in row else row["capacity"])


def capacity_cells(rows: Sequence[Row], confidence: float) -> Cells:
    """Capacities, one line each; required dimensions where that was asked."""
    if rows and "required_d_k" in rows[0]:
        needed = (
            _plain("num_associations", "n"),
            ("d_k needed", capacity_of),
            _limits("required_low", "required_high", confidence),
            _plain("predicted_d_k", "predicted"),
            _plain("trials"),
        )
        return _cells(rows, ("criterion", "margin", "target_error", "num_associations"), needed)
    columns = (
        _plain("d_k"),
        ("capacity", capacity_of),
        _limits("capacity_low", "capacity_high", confidence),
        _plain("predicted_capacity", "predicted"),
        _plain("leading_law", "leading law"),
        _plain("trials"),
    )
    return _cells(rows, ("criterion", "margin", "target_error", "d_k"), columns)


def error_cells(rows: Sequence[Row], confidence: float) -> Cells:
    """Error rates, one line each."""
    columns = (
        _plain("d_k"),
        _plain("num_associations", "n"),
        _plain("error_rate", "error rate"),
        _limits("error_low", "error_high", confidence),
        _plain("predicted_error", "predicted"),
        _plain("trials"),
    )
    return _cells(rows, ("criterion", "d_k", "num_associations"), columns)


def verdict_cells(rows: Sequence[Row], confidence: float) -> Cells:
    """Exponents and what they say about a law, one line each."""
    columns = (
        ("law", lambda row: row["law"] or "-"),
        ("verdict", lambda row: VERDICT_WORDS[row["consistent"]]),
        _plain("exponent"),
        _limits("exponent_low", "exponent_high", confidence),
        _plain("predicted_exponent", "predicted"),
    )
    return _cells(rows, ("criterion", "margin", "target_error"), columns, words=2)


def _plain(name: str, title: str | None = None) -> Column:
    return title or name, lambda row: number(row[name])


def _limits(low: str, high: str, confidence: float) -> Column:
    return f"{number(100 * confidence)}% interval", lambda row: interval(row[low], row[high])


def _cells(rows: Sequence[Row], shown: Sequence[str], columns: Sequence[Column], words: int = 0) -> Cells:
    """A line per row: its criterion, what else tells rows apart, and columns, of which the first may be words.

    Args:
        rows: of a table.
        shown: identifying columns that the line shows anyway.
        columns: title and text of each.
        words: how many of them hold words.
    """
    rows = trimmed(rows)
    extra = telling_apart(rows, tuple(shown))
    header = ["criterion", *[_SHORT.get(name, name) for name in extra], *[title for title, _ in columns]]
    lines = [
        [criterion_name(row), *[short(name, row[name]) for name in extra], *[text(row) for _, text in columns]]
        for row in rows
    ]
    return Cells(header, lines, 1 + len(extra) + words)


def plain_cells(rows: Sequence[Row], columns: Sequence[str]) -> Cells:
    """Chosen columns of a stored table under their own names; columns of words on the left stand left."""
    words = [any(isinstance(row[name], str) for row in rows) for name in columns]
    left = words.index(False) if False in words else len(words)
    lines = [[row[n] if isinstance(row[n], str) else number(row[n]) for n in columns] for row in rows]
    return Cells(columns, lines, left)
