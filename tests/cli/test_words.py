"""Options and overrides may stand in any order, and a path may hold any character."""

from __future__ import annotations

import numpy as np
import pytest
import yaml


@pytest.fixture
def config(pavlov):
    """The resolved configuration of a command."""

    def read(*words):
        ended = pavlov(*words, "--cfg") if "--" not in words else pavlov(words[0], "--cfg", *words[1:])
        assert ended.code == 0, ended.err
        return yaml.safe_load(ended.out)

    return read


def test_options_and_overrides_interleave(config):
    orders = (
        ("capacity", "criterion=mse", "--dk", "8,16", "update_rule.beta=2", "--seed", "3"),
        ("capacity", "--seed", "3", "criterion=mse", "update_rule.beta=2", "--dk", "8,16"),
        ("capacity", "--seed=3", "--dk=8,16", "--", "update_rule.beta=2", "criterion=mse"),
    )
    first, *others = [config(*words) for words in orders]
    assert first["criterion"] == [{"name": "mse"}]
    assert first["update_rule"] == [{"name": "hebb", "beta": 2.0}]
    assert (first["seed"], first["d_k"]) == (3, [8, 16])
    assert all(other == first for other in others)


def test_after_a_double_dash_nothing_is_an_option(pavlov):
    ended = pavlov("capacity", "--dk", "8", "--", "--trials", "8")
    assert ended.code == 2
    assert "'--trials' must be an override" in ended.err


@pytest.mark.parametrize(
    ("option", "override"),
    [
        (("--dk", "8..32"), "d_k=8..32"),
        (("--dv", "4,8"), "d_v=4,8"),
        (("--trials", "8"), "trials=8"),
        (("--target-error", "1e-2"), "target_error=1e-2"),
        (("--n-max", "100"), "n_max=100"),
        (("--precision", "float64"), "precision=float64"),
    ],
)
def test_an_option_is_an_override_in_other_words(config, option, override):
    assert config("capacity", *option) == config("capacity", override) != config("capacity")


def test_the_option_goes_before_the_override_and_later_before_earlier(config):
    assert config("capacity", "seed=1", "--seed", "2", "seed=3")["seed"] == 2
    assert config("capacity", "seed=1", "seed=2")["seed"] == 2


def test_a_comma_list_sweeps_groups_and_parameters(config):
    content = config("capacity", "criterion=guaranteed,mse", "criterion.margin=0.5,1")
    assert content["criterion"] == [
        {"name": "guaranteed", "margin": 0.5},
        {"name": "guaranteed", "margin": 1.0},
        {"name": "mse"},
    ]


NAMES = [
    *("~", "a~b", "a=b", "a(b", "a)b", "a'b", "it's 'so'", 'a"b', "a,b", "a b", " a", "a\\b", "a\\'b", "a{b}c", "[a]"),
    *("a#b", "a: b", "100%", "$HOME", "null", "1e3", "ä∑", "-a", "a;b|c&d"),
]


@pytest.mark.parametrize("stem", NAMES)
def test_a_path_may_hold_any_character(pavlov, tmp_path, keys, stem):
    path = tmp_path / f"{stem}.npy"
    np.save(path, keys)
    ended = pavlov("capacity", "key_ensemble=file", f"key_ensemble.path={path}", "--dry-run")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[0].split() == ["cells", "8"]  # four criteria, these keys and random ones


def test_keys_of_a_file_are_measured_beside_random_keys(pavlov, tmp_path, keys):
    import json

    path = tmp_path / "it's ~(a, b)=c.npy"
    np.save(path, keys)
    words = ("capacity", "key_ensemble=file", f"key_ensemble.path={path}", "criterion=mse", "--trials", 8)
    ended = pavlov(*words, "--out", tmp_path / "results", "--json")
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    assert [(row["key_ensemble"], row["d_k"]) for row in content["rows"]] == [("file", 8), ("sphere", 8)]
    assert json.loads(content["rows"][0]["parameters"]) == {"key_ensemble.path": path.name}
    assert content["answer"].startswith("At d_k = 8 these keys hold, against random keys, ")
    moved = tmp_path / "moved.npy"
    path.rename(moved)
    words = ("capacity", "key_ensemble=file", f"key_ensemble.path={moved}", "criterion=mse", "--trials", 8)
    ended = pavlov(*words, "--out", tmp_path / "results")
    assert "nothing to measure" in ended.err
    assert content["run_dir"] in ended.out


def test_a_file_of_values_is_paired_with_its_keys_and_kept_for_random_keys(pavlov, tmp_path, keys):
    import json

    np.save(tmp_path / "keys.npy", keys)
    np.save(tmp_path / "values.npy", keys[:, :5])
    where = [f"{name}_ensemble.path={tmp_path / name}s.npy" for name in ("key", "value")]
    words = ("capacity", "key_ensemble=file", "value_ensemble=file", *where, "criterion=mse", "--trials", 8)
    ended = pavlov(*words, "--out", tmp_path / "results", "--json")
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    found = [(row["key_ensemble"], row["value_ensemble"], row["d_k"], row["d_v"]) for row in content["rows"]]
    assert found == [("file", "file", 8, 5), ("sphere", "file", 8, 5)]
    assert content["answer"].startswith("At d_k = 8 these keys hold, against random keys, ")


def test_orthonormal_keys_hold_all_there_are(pavlov, tmp_path):
    words = ("capacity", "key_ensemble=orthogonal", "criterion=mse,guaranteed", "--dk", "8", "--trials", 8)
    ended = pavlov(*words, "--out", tmp_path / "results")
    assert ended.code == 0, ended.err
    assert "one Hebbian head with orthonormal keys holds more than 8" in ended.out.replace("\n", " ")
