"""How does a result look in a terminal of 80 columns?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pavlov_cli.series import label, short, telling_apart, trimmed

Row = Mapping[str, Any]
WIDTH = 80


def number(value: Any, digits: int = 4) -> str:
    """A number as people write it: four significant digits, integers whole, ``-`` for none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and value == int(value) and abs(value) < 1e6):
        return str(int(value))
    return f"{value:.{digits}g}"


def interval(low: Any, high: Any) -> str:
    """An interval; a side that is not known is ``?``."""
    if low is None and high is None:
        return "-"
    return " .. ".join("?" if side is None else number(side) for side in (low, high))


def align(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns padded to their widest cell; the first ``left`` to the left, the others to the right."""
    table = [list(header), *[list(row) for row in rows]]
    widths = [max(len(line[i]) for line in table) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "  ".join(padded).rstrip()

    return "\n".join([line(table[0]), "  ".join("-" * w for w in widths), *map(line, table[1:])])


def criterion_name(row: Row) -> str:
    """The criterion with what defines it: ``guaranteed`` with its margin, the others with their target."""
    if row.get("target_error") is not None:
        return f"{row['criterion']} {number(row['target_error'])}"
    margin = row.get("margin")
    return row["criterion"] if margin in (None, 1.0) else f"{row['criterion']} m={number(margin)}"


_SHORT = {"key_ensemble": "keys", "value_ensemble": "values", "feature_map": "map", "update_rule": "rule"}


def capacity_of(row: Row) -> str:
    """The capacity, or the end of the measured n that it lies beyond."""
    if row["censored"]:
        return f"{'<' if row['side'] == 'below' else '>'} {number(row['bound'])}"
    return number(row["capacity"])


def capacity_table(rows: Sequence[Row], confidence: float) -> str:
    """Capacities, one line each; the leading law is left out where the table would be wider than the terminal."""
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
    table = align(header, lines, left=1 + len(extra))
    if max(map(len, table.splitlines())) <= WIDTH:
        return table
    narrow = [[*line[:-2], line[-1]] for line in (header, *lines)]
    return align(narrow[0], narrow[1:], left=1 + len(extra))


def error_table(rows: Sequence[Row], confidence: float) -> str:
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
    return align(header, lines, left=1 + len(extra))


def verdict_lines(verdicts: Sequence[Row]) -> str:
    """What each criterion's growth says about its law, a paragraph each."""
    lines = []
    verdicts = trimmed(verdicts)
    differing = telling_apart(verdicts, ("criterion", "margin"))
    for verdict in verdicts:
        word = {True: "consistent", False: "INCONSISTENT", None: "undecided"}[verdict["consistent"]]
        grown = "" if verdict["exponent"] is None else f"d_k^{number(verdict['exponent'], 3)}, "
        name = label(verdict, differing)
        shown = criterion_name(verdict) + (f" ({name})" if name else "")
        law = f" with {verdict['law']}" if verdict["law"] else ""
        lines.append(f"{shown}: {grown}{word}{law}; {verdict['reason']}.")
    return "\n".join(lines)
