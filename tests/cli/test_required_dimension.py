"""``pavlov capacity --n``: the inverse question, from the command line."""

from __future__ import annotations

import json

import pytest


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("inverse")


@pytest.fixture
def asked(pavlov, out):
    words = ("capacity", "--n", "4,8", "criterion=mse", "--trials", "16", "--quiet", "--out", out)
    return pavlov(*words), pavlov(*words, "--json"), out


def test_a_table_says_which_d_k_is_needed(asked):
    ended, _, _ = asked
    assert ended.code == 0
    assert ended.out.splitlines()[0].split() == [
        "criterion",
        "n",
        "d_k",
        "needed",
        "95%",
        "interval",
        "predicted",
        "trials",
    ]
    assert "to hold 8 associations takes d_k =" in " ".join(ended.out.split())


def test_json_has_the_same_numbers_and_a_figure(asked):
    _, ended, _ = asked
    found = json.loads(ended.out)
    for row in found["rows"]:
        n = row["num_associations"]
        assert row["required_low"] < 4 * (n - 1) < row["required_high"]
        assert row["predicted_d_k"] == pytest.approx(4 * (n - 1), rel=0.02)
        assert row["d_k"] is None
    assert any(path.endswith("required_dimension.png") for path in found["files"])
    assert {row["num_associations"] for row in found["curve"]} == {4, 8}


def test_a_stored_answer_is_shown_again(asked, pavlov):
    first, _, out = asked
    assert first.out.splitlines()[0] in pavlov("show", "--out", out).out


def test_dimension_and_number_together_are_refused(pavlov, tmp_path):
    ended = pavlov("capacity", "--n", "8", "--dk", "16", "--out", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "give one of them" in ended.err


def test_a_target_has_no_place_in_an_error_rate(pavlov, tmp_path):
    ended = pavlov("error-rate", "target_error=0.1", "--out", tmp_path)
    assert ended.code == 2 and "does not apply to error-rate" in ended.err


@pytest.mark.parametrize(
    ("words", "need"),
    [("--dk 2147483647 criterion=mse", "GiB"), ("--dk 2147483647", "GiB"), ("--dk 200000 --dry-run", "GiB")],
)
def test_what_cannot_fit_is_refused_with_the_number(pavlov, tmp_path, words, need):
    ended = pavlov("capacity", *words.split(), "--out", tmp_path / "out")
    assert (ended.code, ended.out) == (2, "")
    assert "needs about" in ended.err and need in ended.err and "Use a smaller d_k" in ended.err
    assert not (tmp_path / "out").exists()
