"""Whatever a cell holds, Markdown and LaTeX print it as it is."""

from __future__ import annotations

import pytest

from pavlov_cli.report.cells import Cells, plain_cells
from pavlov_cli.report.markup import escape, latex, markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b", r"a\_b"),
        ("50%", r"50\%"),
        ("--dk", "-{}-dk"),
        ("---", "-{}-{}-"),
        ("a\\b", r"a\textbackslash{}b"),
        ("{~^}", r"\{\textasciitilde{}\textasciicircum{}\}"),
        ("> 4096", r"\textgreater{} 4096"),
        ("$&#", r"\$\&\#"),
    ],
)
def test_latex_prints_special_letters(text, expected):
    assert escape(text) == expected


def test_a_pipe_does_not_end_a_markdown_cell():
    line = markdown(Cells(["name", "n"], [["a|b", "1"]])).splitlines()[2]
    assert line == r"| a\|b |   1 |"


def test_numbers_stand_right_and_words_left():
    cells = plain_cells([{"name": "a", "n": 1.23456, "none": None}], ["name", "n", "none"])
    assert cells.left == 1
    assert cells.lines == [["a", "1.235", "-"]]
    assert r"\begin{tabular}{lrr}" in latex(cells, "caption")
