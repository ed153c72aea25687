"""Stored tables are drawn again without measuring, as the user wants them."""

from __future__ import annotations

import pytest

from pavlov_cli.store import list_runs


def test_the_studys_own_figures_are_drawn_again_byte_by_byte(pavlov, tiny):
    _, out = tiny
    (run,) = list_runs(out)
    before = {path.name: path.read_bytes() for path in (run / "figures").glob("*.*")}
    assert {name.split(".")[0] for name in before} == {"capacity", "error_curves", "collapse"}
    for path in (run / "figures").iterdir():
        path.unlink()
    ended = pavlov("plot", "--out", out)
    assert ended.code == 0
    assert {path.name: path.read_bytes() for path in (run / "figures").glob("*.*")} == before
    assert len(ended.out.splitlines()) == len(before)


def test_another_size_does_not_take_the_place_of_the_studys_own(pavlov, tiny):
    _, out = tiny
    (run,) = list_runs(out)
    before = (run / "figures" / "capacity.svg").read_bytes()
    assert pavlov("plot", "--figure", "capacity", "--size", "column", "--out", out).code == 0
    assert (run / "figures" / "capacity.svg").read_bytes() == before
    assert (run / "figures" / "capacity-column.svg").read_bytes() != before


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_chosen_columns_are_drawn_into_one_file_with_equal_bytes(pavlov, stored, tmp_path, form):
    out = stored
    words = ("plot", "--table", "curve", "--x", "num_associations", "--series", "d_k", "--log-x", "--linear-y")
    for name in ("a", "b"):
        target = ("--output", tmp_path / f"{name}.{form}", "--out", out)
        ended = pavlov(*words, "--title", "a$b$c", "--xlabel", "$n", *target)
        assert (ended.code, ended.out) == (0, f"{tmp_path / name}.{form}\n"), ended.err
    assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()
    if form == "svg":
        assert "a$b$c" in (tmp_path / "a.svg").read_text().replace(r"\$", "$")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("--x d_kk", 2, "Did you mean d_k"),
        ("--y capcity", 2, "Did you mean capacity"),
        ("--series criterium", 2, "Did you mean criterion"),
        ("--x criterion", 2, "must hold numbers to be an axis"),
        ("--size colum", 2, "Did you mean column?"),
        ("--figure colapse", 2, "Did you mean collapse?"),
        ("--figure collapse --x d_k", 2, "leave --table, --x, --y and --series out"),
        ("--table curves", 2, "Did you mean curve?"),
        ("--output a.jpg", 2, "must end in .png, .svg, .pdf"),
        ("--output nosuch/a.png", 3, "does not exist"),
        ("--log-x", 2, "fixed scales"),
        ("--y margin", 3, "nothing to draw"),
        ("--table curve --y predicted_error --log-y", 2, "needs numbers above 0"),
    ],
)
def test_a_wrong_choice_is_named(pavlov, stored, tmp_path, monkeypatch, words, code, said):
    out = stored
    monkeypatch.chdir(tmp_path)
    ended = pavlov("plot", *words.split(), "--out", out)
    assert (ended.code, ended.out) == (code, ""), ended.err
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_a_run_that_is_not_there_is_a_data_error(pavlov, tmp_path):
    assert pavlov("plot", "nosuch", "--out", tmp_path).code == 3
