"""What stands in the cells of a table that people read?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pavlov_cli.series import short, telling_apart, trimmed

Row = Mapping[str, Any]


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
        return _required_cells(rows, confidence)
    rows = trimmed(rows)
    extra = telling_apart(rows, ("criterion", "margin", "target_error", "d_k"))
    header = ["criterion", *[_SHORT.get(name, name) for name in extra], "d_k", "capacity"]
    header += [f"{number(100 * confidence)}% interval", "predicted", "leading law", "trials"]
    lines = [
        [
            criterion_name(row),
            *[short(name, row[name]) for name in extra],
            number(row["d_k"]),
            capacity_of(row),
            interval(row["capacity_low"], row["capacity_high"]),
            number(row["predicted_capacity"]),
            number(row["leading_law"]),
            number(row["trials"]),
        ]
        for row in rows
    ]
    return Cells(header, lines, 1 + len(extra))


def _required_cells(rows: Sequence[Row], confidence: float) -> Cells:
    rows = trimmed(rows)
    extra = telling_apart(rows, ("criterion", "margin", "target_error", "num_associations"))
    header = ["criterion", *[_SHORT.get(name, name) for name in extra], "n", "d_k needed"]
    header += [f"{number(100 * confidence)}% interval", "predicted", "trials"]
    lines = [
        [
            criterion_name(row),
            *[short(name, row[name]) for name in extra],
            number(row["num_associations"]),
            capacity_of(row),
            interval(row["required_low"], row["required_high"]),
            number(row["predicted_d_k"]),
            number(row["trials"]),
        ]
        for row in rows
    ]
    return Cells(header, lines, 1 + len(extra))


def error_cells(rows: Sequence[Row], confidence: float) -> Cells:
    """Error rates, one line each."""
    rows = trimmed(rows)
    extra = telling_apart(rows, ("criterion", "d_k", "num_associations"))
    header = ["criterion", *[_SHORT.get(name, name) for name in extra], "d_k", "n", "error rate"]
    header += [f"{number(100 * confidence)}% interval", "predicted", "trials"]
    lines = [
        [
            criterion_name(row),
            *[short(name, row[name]) for name in extra],
            number(row["d_k"]),
            number(row["num_associations"]),
            number(row["error_rate"]),
            interval(row["error_low"], row["error_high"]),
            number(row["predicted_error"]),
            number(row["trials"]),
        ]
        for row in rows
    ]
    return Cells(header, lines, 1 + len(extra))


def verdict_cells(rows: Sequence[Row], confidence: float) -> Cells:
    """Exponents and what they say about a law, one line each."""
    rows = trimmed(rows)
    extra = telling_apart(rows, ("criterion", "margin", "target_error"))
    header = ["criterion", *[_SHORT.get(name, name) for name in extra], "law", "verdict", "exponent"]
    header += [f"{number(100 * confidence)}% interval", "predicted"]
    lines = [
        [
            criterion_name(row),
            *[short(name, row[name]) for name in extra],
            row["law"] or "-",
            VERDICT_WORDS[row["consistent"]],
            number(row["exponent"]),
            interval(row["exponent_low"], row["exponent_high"]),
            number(row["predicted_exponent"]),
        ]
        for row in rows
    ]
    return Cells(header, lines, 3 + len(extra))


def plain_cells(rows: Sequence[Row], columns: Sequence[str]) -> Cells:
    """Chosen columns of a stored table under their own names; columns of words on the left stand left."""
    words = [any(isinstance(row[name], str) for row in rows) for name in columns]
    left = words.index(False) if False in words else len(words)
    lines = [[row[n] if isinstance(row[n], str) else number(row[n]) for n in columns] for row in rows]
    return Cells(columns, lines, left)
