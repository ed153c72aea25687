"""A stored run is shown in the form that a page, a paper or a program needs, and a wrong choice is named."""

from __future__ import annotations

import pytest

from pavlov_cli.store import list_runs, read_table


def test_csv_is_the_stored_file(pavlov, stored):
    out = stored
    (run,) = list_runs(out)
    for table in ("capacity", "curve", "verdicts"):
        shown = pavlov("show", "--out", out, "--format", "csv", "--table", table)
        assert (shown.code, shown.out) == (0, (run / "tables" / f"{table}.csv").read_text())
    assert pavlov("show", "--out", out, "--format", "csv").out == (run / "tables" / "capacity.csv").read_text()


def test_chosen_columns_keep_every_digit_in_csv(pavlov, stored, tmp_path):
    out = stored
    (run,) = list_runs(out)
    shown = pavlov("show", "--out", out, "--format", "csv", "--columns", "d_k,capacity")
    (tmp_path / "some.csv").write_text(shown.out)
    rows = read_table(run / "tables" / "capacity.csv")
    assert read_table(tmp_path / "some.csv") == [{"d_k": row["d_k"], "capacity": row["capacity"]} for row in rows]


def test_markdown_has_a_line_per_row_and_escapes_names(pavlov, stored):
    out = stored
    lines = pavlov("show", "--out", out, "--format", "md").out.splitlines()
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1
    assert lines[0].startswith(r"| criterion | d\_k | capacity")
    assert set(lines[1]) <= set("|-: ")


def test_latex_is_a_booktabs_table_with_command_and_seed(pavlov, stored):
    out = stored
    text = pavlov("show", "--out", out, "--format", "latex").out
    for word in (r"\toprule", r"\midrule", r"\bottomrule", r"95\% interval", "$d_k$", "(seed 0)"):
        assert word in text
    assert r"\caption{pavlov capacity -{}-dk 8,16 criterion=mse -{}-trials 8" in text
    assert text.count(r" \\") == 3


def test_verdicts_and_curve_have_tables_of_their_own(pavlov, stored):
    out = stored
    assert pavlov("show", "--out", out, "--table", "verdicts").out.splitlines()[2].split()[:4] == [
        "mse",
        "0.25",
        "d_k",
        "undecided",
    ]
    assert "error rate" in pavlov("show", "--out", out, "--table", "curve").out.splitlines()[0]


def test_an_empty_table_is_shown_empty(pavlov, tmp_path):
    pavlov("capacity", "--dk", 8, "criterion=mse", "--trials", 8, "--no-figures", "--out", tmp_path)
    for form in ("text", "md", "latex", "csv"):
        assert pavlov("show", "--out", tmp_path, "--table", "verdicts", "--format", form).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--format mdd", "Did you mean md?"),
        ("--table verdict", "Did you mean verdicts?"),
        ("--columns d_k,capacty", "Did you mean capacity"),
        ("--columns=", "unknown column ''"),
        ("--json --format md", "--json must stand alone"),
    ],
)
def test_a_wrong_choice_is_named(pavlov, stored, words, said):
    out = stored
    ended = pavlov("show", "--out", out, *words.split())
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
