"""From Python a study runs as from the shell, and its tables are DataFrames."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import numpy as np
import pytest

import pavlov_cli
from pavlov_cli.api import override_words
from pavlov_cli.cli import main
from pavlov_cli.errors import ConfigError, DataError
from pavlov_cli.report.columns import CAPACITY, ERROR, VERDICT

TINY = {"d_k": [8, 16], "criterion": "mse", "trials": 8}


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("pandas", "numpy", "jax", "hydra", "typer")
    script = f"import sys, pavlov_cli; print([name for name in {heavy} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "[]\n"


def test_pandas_is_loaded_by_no_command(tmp_path):
    script = "import sys; from pavlov_cli.cli import main; main(sys.argv[1:]); sys.exit('pandas' in sys.modules)"
    words = ("capacity", "--dk", "8", "criterion=mse", "--trials", "8", "--no-figures", "--out", str(tmp_path))
    for command in (words, ("show", "--out", str(tmp_path)), ("show", "--format", "md", "--out", str(tmp_path))):
        ended = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, timeout=120)
        assert ended.returncode == 0, ended.stderr


def test_a_run_holds_the_tables_of_json(tmp_path, capsys):
    run = pavlov_cli.run("capacity", out=tmp_path, **TINY)
    assert main(["show", "--json", "--out", str(tmp_path)]) == 0
    content = json.loads(capsys.readouterr().out)
    for name, columns in (("rows", CAPACITY), ("curve", ERROR), ("verdicts", VERDICT)):
        frame = getattr(run, name)
        assert tuple(frame.columns) == columns
        assert frame["criterion"].tolist() == [row["criterion"] for row in content[name]]
    assert run.rows["capacity"].tolist() == [row["capacity"] for row in content["rows"]]
    assert run.rows["margin"].dtype == np.float64 and run.rows["margin"].isna().all()
    assert run.answer == content["answer"]
    assert str(run.run_dir) == content["run_dir"]
    assert run.manifest["seed"] == 0


def test_python_and_the_shell_share_a_run(tmp_path, capsys):
    run = pavlov_cli.run("capacity", out=tmp_path, **TINY)
    words = shlex.split(run.manifest["command"])
    assert words[0] == "pavlov"
    assert main(words[1:]) == 0
    captured = capsys.readouterr()
    assert "nothing to measure" in captured.err
    assert str(run.run_dir) in captured.out
    loaded = pavlov_cli.load(run.run_dir.name[:6], out=tmp_path)
    assert loaded.rows.equals(run.rows)
    assert loaded.run_dir == run.run_dir


def test_a_study_without_verdicts_has_empty_frames(tmp_path):
    run = pavlov_cli.run("error-rate", out=tmp_path, num_associations=4, **TINY)
    assert run.rows["num_associations"].tolist() == [4, 4]
    assert run.curve.empty and run.verdicts.empty


def test_progress_is_told_number_by_number(tmp_path):
    said = []
    pavlov_cli.run("capacity", out=tmp_path, progress=said.append, **TINY)
    assert sorted(line.split(":")[0] for line in said) == ["d_k=16 sphere mse", "d_k=8 sphere mse"]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"d_k": "64..256"}, ["d_k=64..256"]),
        ({"d_k": 64, "seed": 3}, ["d_k=64", "seed=3"]),
        ({"d_k": (64, 128)}, ["d_k=64,128"]),
        ({"d_k": np.array([64, 128])}, ["d_k=64,128"]),
        ({"d_k": np.int64(64), "target_error": np.float64(0.01)}, ["d_k=64", "target_error=0.01"]),
        ({"criterion": ["sign", "mse"]}, ["criterion=sign,mse"]),
        ({"criterion": {"name": "guaranteed", "margin": [0.5, 1]}}, ["criterion=guaranteed", "criterion.margin=0.5,1"]),
        ({"key_ensemble": {"name": "file", "path": "a, b.npy"}}, ["key_ensemble=file", "key_ensemble.path=a, b.npy"]),
        ({"n_max": None}, ["n_max=null"]),
    ],
    ids=str,
)
def test_values_become_the_words_of_a_command(config, words):
    assert override_words(config) == words


@pytest.mark.parametrize(
    ("study", "config", "said"),
    [
        ("capcity", {}, "Did you mean capacity?"),
        ("capacity", {"d_kk": 8}, "Did you mean d_k"),
        ("capacity", {"criterion": "sgn"}, "Did you mean sign?"),
        ("capacity", {"d_k": {"name": 8}}, "must be a group with a 'name'"),
        ("capacity", {"criterion": {"margin": 1}}, "must be a group with a 'name'"),
    ],
)
def test_a_wrong_key_or_value_is_named(tmp_path, study, config, said):
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        pavlov_cli.run(study, out=tmp_path / "none", **config)
    assert not (tmp_path / "none").exists()


def test_a_run_that_is_not_there_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="there are no runs under"):
        pavlov_cli.load("latest", out=tmp_path)


def test_only_load_and_run_are_offered():
    assert pavlov_cli.__all__ == ["load", "run"]
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        pavlov_cli.lod  # noqa: B018  # looking it up is what must fail


def test_the_words_given_to_main_are_recorded_whatever_started_python(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["pytest", "--some", "words"])
    words = ["capacity", "--dk", "8", "criterion=mse", "--trials", "8", "--no-figures", "--out", str(tmp_path)]
    assert main(words) == 0
    assert pavlov_cli.load(out=tmp_path).manifest["command"] == shlex.join(["pavlov", *words])
    capsys.readouterr()
