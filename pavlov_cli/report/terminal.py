"""How does a result look in a terminal of 80 columns?"""

from __future__ import annotations

from collections.abc import Sequence

from pavlov_cli.report.cells import (
    VERDICT_WORDS,
    Cells,
    Row,
    capacity_cells,
    criterion_name,
    error_cells,
    interval,
    number,
)
from pavlov_cli.series import label, telling_apart, trimmed

__all__ = ["WIDTH", "align", "capacity_table", "error_table", "interval", "number", "set_out", "verdict_lines"]

WIDTH = 80


def align(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns padded to their widest cell; the first ``left`` to the left, the others to the right."""
    table = [list(header), *[list(row) for row in rows]]
    widths = [max(len(line[i]) for line in table) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "  ".join(padded).rstrip()

    return "\n".join([line(table[0]), "  ".join("-" * w for w in widths), *map(line, table[1:])])


def set_out(cells: Cells) -> str:
    """A table in aligned columns."""
    return align(cells.header, cells.lines, left=cells.left)


def capacity_table(rows: Sequence[Row], confidence: float) -> str:
    """Capacities, one line each; the leading law is left out where the table would be wider than the terminal."""
    cells = capacity_cells(rows, confidence)
    table = set_out(cells)
    if "leading law" not in cells.header or max(map(len, table.splitlines())) <= WIDTH:
        return table
    narrow = [[*line[:-2], line[-1]] for line in (cells.header, *cells.lines)]
    return align(narrow[0], narrow[1:], left=cells.left)


def error_table(rows: Sequence[Row], confidence: float) -> str:
    """Error rates, one line each."""
    return set_out(error_cells(rows, confidence))


def verdict_lines(verdicts: Sequence[Row]) -> str:
    """What each criterion's growth says about its law, a paragraph each."""
    lines = []
    verdicts = trimmed(verdicts)
    differing = telling_apart(verdicts, ("criterion", "margin", "target_error"))
    for verdict in verdicts:
        symbol = {"num_associations": "n"}.get(verdict["axis"], verdict["axis"])
        word = VERDICT_WORDS[verdict["consistent"]]
        grown = "" if verdict["exponent"] is None else f"{symbol}^{number(verdict['exponent'], 3)}, "
        name = label(verdict, differing)
        shown = criterion_name(verdict) + (f" ({name})" if name else "")
        law = f" with {verdict['law']}" if verdict["law"] else ""
        lines.append(f"{shown}: {grown}{word}{law}; {verdict['reason']}.")
    return "\n".join(lines)
