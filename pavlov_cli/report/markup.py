"""How does a table look in a Markdown page and in a LaTeX paper?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pavlov_cli.report.cells import Cells

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{letter: rf"\{letter}" for letter in "&%$#_{}"},
}
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))
_SYMBOLS = {"d_k": "$d_k$", "d_v": "$d_v$", "n": "$n$"}  # titles that are symbols in a paper


def markdown(cells: Cells) -> str:
    """A GitHub table, padded so that it is also readable as it stands."""
    lines = [[_markdown_cell(cell) for cell in line] for line in (cells.header, *cells.lines)]
    widths = [max(3, *(len(line[place]) for line in lines)) for place in range(len(cells.header))]
    rule = ["-" * width if place < cells.left else "-" * (width - 1) + ":" for place, width in enumerate(widths)]

    def padded(line: Sequence[str]) -> str:
        pairs = enumerate(zip(line, widths, strict=True))
        return "| " + " | ".join(c.ljust(w) if place < cells.left else c.rjust(w) for place, (c, w) in pairs) + " |"

    return "\n".join([padded(lines[0]), "| " + " | ".join(rule) + " |", *map(padded, lines[1:])])


def _markdown_cell(text: str) -> str:
    escaped = re.sub(r"([\\`*_\[\]<>|])", r"\\\1", text)
    return re.sub(r"\s*\n\s*", " ", escaped)


def latex(cells: Cells, caption: str) -> str:
    r"""A booktabs table with a caption.

    Args:
        cells: the table.
        caption: plain text; escaped here.

    Returns:
        A ``table`` environment; the document needs ``\usepackage{booktabs}``.
    """
    columns = "l" * cells.left + "r" * (len(cells.header) - cells.left)
    titles = [_SYMBOLS.get(title, escape(title)) for title in cells.header]
    body = [" & ".join(escape(cell).replace(" .. ", "--") for cell in line) + r" \\" for line in cells.lines]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape(caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(titles) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def escape(text: str) -> str:
    """Text as LaTeX prints it unchanged; ``--`` would become one dash."""
    escaped = _SPECIAL.sub(lambda match: _LATEX[match[0]], text)
    return re.sub(r"-(?=-)", "-{}", escaped)
