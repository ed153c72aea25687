"""What is there can be listed and shown, and an installation can be examined."""

from __future__ import annotations

import json

from pavlov_cli.registry import GROUPS
from pavlov_cli.store import list_runs


def test_list_names_every_entry_with_its_source(pavlov):
    ended = pavlov("list")
    assert ended.code == 0
    headings = [line for line in ended.out.splitlines() if line and not line.startswith((" ", "More"))]
    assert headings == list(GROUPS)
    for name in ("sphere", "rademacher", "hebb", "identity", "guaranteed", "mse", "sign", "auto"):
        assert f"\n  {name} " in ended.out
    assert "update_rule.beta: write strength (default 1.0)" in ended.out


def test_list_of_one_group_has_that_group_alone(pavlov):
    ended = pavlov("list", "update-rule")
    assert "\n  hebb " in ended.out
    assert "sphere" not in ended.out
    assert ended.out == pavlov("list", "update_rule").out


def test_list_theory_says_what_each_law_holds_for(pavlov):
    ended = pavlov("list", "theory")
    assert ended.code == 0
    assert ended.out.count("\n  holds for") == ended.out.count("\n  source") >= 4
    assert "mse_isotropic" in ended.out


def test_list_runs_says_where_runs_are_and_which_command_made_them(pavlov, tiny, tmp_path):
    _, out = tiny
    (run,) = list_runs(out)
    ended = pavlov("list", "runs", "--out", out)
    assert f"capacity/{run.name}  pavlov capacity --dk 8,16 criterion=mse" in ended.out
    assert pavlov("list", "runs", "--out", tmp_path / "none").out == f"no runs in '{tmp_path / 'none'}'.\n"


def test_an_unknown_group_lists_the_known_ones(pavlov):
    ended = pavlov("list", "criterium")
    assert (ended.code, ended.out) == (2, "")
    assert "Did you mean criterion?" in ended.err
    assert "theory" in ended.err


def test_show_prints_what_the_command_printed(pavlov, tiny):
    ended, out = tiny
    (run,) = list_runs(out)
    for name in ("latest", run.name, run.name[:4], f"capacity/{run.name}", str(run)):
        shown = pavlov("show", name, "--out", out)
        assert shown.code == 0
        command, device, rest = shown.out.partition("device") if "device" in shown.out else ("", "", shown.out)
        assert shown.out.split("\n\n", 1)[1] == ended.out
        assert command.startswith("pavlov capacity --dk 8,16 criterion=mse")
        assert device
        assert rest


def test_show_prints_json_equal_to_that_of_the_command(pavlov, tiny):
    _, out = tiny
    words = ("capacity", "--dk", "8,16", "criterion=mse", "--trials", 8, "--out", out, "--json")
    expected = json.loads(pavlov(*words).out)
    found = json.loads(pavlov("show", "--json", "--out", out).out)
    for name in ("rows", "curve", "verdicts", "answer", "run_dir", "seed", "complete", "command"):
        assert found[name] == expected[name], name
    assert list(found) == list(expected)
    assert set(expected["files"]) <= set(found["files"])


def test_show_of_an_unfinished_run_says_what_to_do(pavlov, tiny):
    _, out = tiny
    (run,) = list_runs(out)
    (run / "tables" / "capacity.csv").unlink()
    ended = pavlov("show", "--out", out)
    assert (ended.code, ended.out) == (3, "")
    assert "the run did not finish. Run again: pavlov capacity" in ended.err


def test_doctor_checks_a_number_against_theory_and_leaves_no_folder(pavlov, tmp_path):
    ended = pavlov("doctor", "--out", tmp_path / "results")
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "All checks passed."
    assert [line.split(":")[0] for line in ended.out.splitlines()[:-1]] == [
        "ok      python",
        "ok      packages",
        "ok      devices",
        "ok      compiled programs",
        "ok      results folder",
        "ok      self-test",
    ]
    assert not (tmp_path / "results").exists()


def test_doctor_fails_where_results_cannot_be_written(pavlov, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("pavlov_cli.cli._doctor._self_test", lambda: "left out")
    ended = pavlov("doctor", "--out", tmp_path / "file")
    assert ended.code == 1
    assert "FAILED  results folder:" in ended.out
    assert ended.out.endswith("1 of 6 checks failed.\n")


def test_doctor_fails_where_the_measured_number_is_wrong(pavlov, tmp_path, monkeypatch):
    from pavlov_cli.theory import mse_isotropic

    right = mse_isotropic.error
    monkeypatch.setattr(mse_isotropic, "error", lambda spec, n: 1.2 * right(spec, n))
    ended = pavlov("doctor", "--out", tmp_path / "results")
    assert ended.code == 1
    assert "FAILED  self-test: mse" in ended.out


def test_the_version_is_that_of_the_package(pavlov):
    from importlib.metadata import version

    ended = pavlov("--version")
    assert (ended.code, ended.out) == (0, f"pavlov {version('pavlov-cli')}\n")
