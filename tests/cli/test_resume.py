"""What is stored is never measured again, and tables do not depend on how they came about."""

from __future__ import annotations

import json
import shutil
from collections import Counter

import pytest

from pavlov_cli.store import list_runs, read_table

WORDS = ("capacity", "--dk", "8,16", "criterion=mse", "--half-width", "0.001")


def _stored(out):
    """How often each (point, block) stands in a row file."""
    found = Counter()
    for path in out.glob("*/*/rows/*.jsonl"):
        for line in path.read_text().splitlines():
            row = json.loads(line[9:])
            found[row["point_id"], row["block"]] += 1
    return found


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Where the run that all tests start from is kept."""
    return tmp_path_factory.mktemp("original") / "results"


@pytest.fixture
def measured(pavlov, original, tmp_path):
    """The folder of a finished run with a small budget; each test has a copy of its own."""
    if not original.exists():
        assert pavlov(*WORDS, "--max-trials", 16, "--out", original).code == 0
    return shutil.copytree(original, tmp_path / "results")


def test_the_same_command_again_measures_nothing_and_leaves_every_byte(pavlov, measured, derived):
    before, rows = derived(measured), _stored(measured)
    (run,) = list_runs(measured)
    stamps = {path: path.stat().st_mtime_ns for path in run.glob("*/*")}
    ended = pavlov(*WORDS, "--max-trials", 16, "--out", measured)
    assert ended.code == 0
    assert "nothing to measure: all blocks were stored." in ended.err
    assert derived(measured) == before
    assert {name.rpartition(".")[2] for name in before if "." in name} == {"csv", "png", "svg", "pdf"}
    assert _stored(measured) == rows
    assert {path: path.stat().st_mtime_ns for path in run.glob("*/*")} == stamps


def test_tables_and_figures_that_were_lost_are_rebuilt_byte_by_byte(pavlov, measured, derived):
    before = derived(measured)
    (run,) = list_runs(measured)
    for path in (*run.glob("tables/*"), *run.glob("figures/*")):
        path.unlink()
    ended = pavlov(*WORDS, "--max-trials", 16, "--out", measured)
    assert "nothing to measure" in ended.err
    assert derived(measured) == before


def test_figures_follow_tables_that_changed_without_them(pavlov, measured, derived):
    before = derived(measured)
    assert pavlov(*WORDS, "--max-trials", 24, "--no-figures", "--out", measured).code == 0
    assert pavlov(*WORDS, "--max-trials", 24, "--out", measured).code == 0
    after = derived(measured)
    changed = {name for name in after if after[name] != before[name]}
    assert {name for name in after if "figures/" in name} <= changed


@pytest.mark.parametrize("kind", ["*.png", "*.svg", "*.pdf"])
def test_a_damaged_figure_is_drawn_again(pavlov, measured, derived, kind):
    before = derived(measured)
    (run,) = list_runs(measured)
    path = next((run / "figures").glob(kind))
    path.write_bytes(path.read_bytes()[:-100])
    assert pavlov(*WORDS, "--max-trials", 16, "--out", measured).code == 0
    assert derived(measured) == before


def test_a_larger_budget_measures_only_what_is_missing_and_equals_a_fresh_run(pavlov, measured, derived, tmp_path):
    before = _stored(measured)
    assert set(before.values()) == {1}
    small = derived(measured)
    assert pavlov(*WORDS, "--max-trials", 48, "--out", measured).code == 0
    after = _stored(measured)
    assert len(list_runs(measured)) == 1
    assert set(after.values()) == {1}, "a block was measured twice"
    assert set(after) > set(before)
    fresh = tmp_path / "fresh"
    assert pavlov(*WORDS, "--max-trials", 48, "--out", fresh).code == 0
    assert set(_stored(fresh)) == set(after)
    assert derived(measured) == derived(fresh)
    assert derived(measured) != small


def test_a_smaller_budget_after_a_larger_one_gives_its_own_tables(pavlov, measured, derived):
    small = derived(measured)
    assert pavlov(*WORDS, "--max-trials", 48, "--out", measured).code == 0
    assert derived(measured) != small
    assert pavlov(*WORDS, "--max-trials", 16, "--out", measured).code == 0
    assert derived(measured) == small


def test_blocks_are_reused_from_other_runs_of_the_study(pavlov, measured):
    ended = pavlov(*WORDS[:2], "16", *WORDS[3:], "--max-trials", 16, "--out", measured)
    assert ended.code == 0
    assert "nothing to measure" in ended.err
    assert len(list_runs(measured)) == 2


def test_fresh_measures_anew_and_finds_the_same(pavlov, measured, derived):
    before, rows = derived(measured), _stored(measured)
    ended = pavlov(*WORDS, "--max-trials", 16, "--out", measured, "--fresh")
    assert f"{len(rows)} blocks measured." in ended.err
    assert derived(measured) == before
    assert set(_stored(measured).values()) == {2}


def test_another_seed_gives_another_run_and_other_numbers(pavlov, measured, derived):
    before = derived(measured)
    assert pavlov(*WORDS, "--max-trials", 16, "--seed", 1, "--out", measured).code == 0
    assert len(list_runs(measured)) == 2
    first, second = (read_table(run / "tables" / "capacity.csv") for run in list_runs(measured))
    assert [row["d_k"] for row in first] == [row["d_k"] for row in second]
    assert all(a["capacity"] != b["capacity"] for a, b in zip(first, second, strict=True))
    assert before


@pytest.mark.parametrize("mode", [(), ("--json",)], ids=["text", "json"])
def test_a_flipped_byte_is_named_with_file_and_line_and_healed(pavlov, measured, derived, mode):
    before = derived(measured)
    (path,) = measured.glob("*/*/rows/*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:40] + bytes([lines[2][40] ^ 1]) + lines[2][41:]
    path.write_bytes(b"".join(lines))
    ended = pavlov(*WORDS, "--max-trials", 16, "--out", measured, *mode)
    assert ended.code == 0
    assert f"{path} line 3" in " ".join(ended.err.split())
    assert "the line is ignored" in " ".join(ended.err.split())
    assert derived(measured) == before
    (_, count), *rest = Counter(_stored_after_damage(measured)).most_common()
    assert count == 1
    assert rest


def _stored_after_damage(out):
    """(point, block) of every line that is JSON of a known point; the flipped one is left out."""
    for path in out.glob("*/*/rows/*.jsonl"):
        for number, line in enumerate(path.read_text().splitlines()):
            if number != 2:
                row = json.loads(line[9:])
                yield row["point_id"], row["block"]


def test_a_torn_last_line_is_measured_again(pavlov, measured, derived):
    before = derived(measured)
    (path,) = measured.glob("*/*/rows/*.jsonl")
    path.write_bytes(path.read_bytes()[:-30])
    ended = pavlov(*WORDS, "--max-trials", 16, "--out", measured)
    assert "torn" in ended.err
    assert "\n1 blocks measured." in ended.err or "blocks measured." in ended.err
    assert derived(measured) == before


def test_the_order_of_the_grid_does_not_change_a_row(pavlov, tmp_path):
    rows = []
    for place, order in (("up", "8,16"), ("down", "16,8")):
        words = (
            "capacity",
            "--dk",
            order,
            "criterion=mse,sign",
            "--trials",
            8,
            "--no-figures",
            "--out",
            tmp_path / place,
        )
        ended = pavlov(*words, "--json")
        assert ended.code == 0
        rows.append({(row["d_k"], row["criterion"]): row for row in json.loads(ended.out)["rows"]})
    assert len(rows[0]) == 4
    assert rows[0] == rows[1]


def test_a_row_is_the_same_whatever_is_measured_beside_it(pavlov, tmp_path):
    together, alone = (
        json.loads(
            pavlov(
                "capacity", "--dk", dk, criteria, "--trials", 8, "--no-figures", "--json", "--out", tmp_path / name
            ).out
        )
        for name, dk, criteria in (("together", "8,16", "criterion=sign,mse"), ("alone", "16", "criterion=mse"))
    )
    (row,) = alone["rows"]
    assert row in together["rows"]
