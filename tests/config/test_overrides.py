"""Words are sorted into groups, parameters, axes and settings; what is not one of these is refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.config.overrides import scalar, split_overrides
from pavlov_cli.errors import ConfigError

SETTINGS = ("seed", "d_k", "trials")


def test_each_word_lands_where_it_belongs():
    words = ["criterion=sign, mse", "criterion.margin=0.5,1", "d_k=64..256", "seed=3", "key_ensemble.path=a,b.npy"]
    found = split_overrides(words, SETTINGS)
    assert found.groups == {"criterion": ("sign", "mse")}
    assert found.parameters == {("criterion", "margin"): (0.5, 1), ("key_ensemble", "path"): ("a,b.npy",)}
    assert found.settings == {"d_k": "64..256", "seed": "3"}


def test_a_name_that_is_given_twice_counts_once_and_later_words_win():
    found = split_overrides(["criterion=sign,sign", "seed=1", "seed=2", "criterion.margin=1,1"], SETTINGS)
    assert found.groups == {"criterion": ("sign",)}
    assert found.settings == {"seed": "2"}
    assert found.parameters == {("criterion", "margin"): (1,)}
    assert split_overrides(["criterion=sign", "criterion=mse"], SETTINGS).groups == {"criterion": ("mse",)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-2", -2),
        ("0.5", 0.5),
        ("1e-3", 1e-3),
        ("1E3", 1000.0),
        ("2.e2", 200.0),
        ("true", True),
        ("null", None),
        ("text", "text"),
        ("a: b", "a: b"),
        ("[1, 2]", "[1, 2]"),
        ("{a: 1}", "{a: 1}"),
        ("'1'", "1"),
        ("*x", "*x"),
        ("!!python/object:os.system x", "!!python/object:os.system x"),
        ("2020-01-01", "2020-01-01"),
        ("", ""),
        (" ", " "),
    ],
)
def test_a_scalar_is_a_number_a_boolean_null_or_text(text, value):
    found = scalar(text)
    assert found == value
    assert type(found) is type(value)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back(value):
    assert float(scalar(repr(value))) == value


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_word_is_understood_or_a_config_error(word):
    # nothing but a ConfigError may come out
    with contextlib.suppress(ConfigError):
        split_overrides([word], SETTINGS)


@pytest.mark.parametrize(
    "key", ["hydra", "hydra.run.dir", "+a", "~a", "++criterion", "_target_", "criterion._target_", "x.about"]
)
def test_keys_that_reach_into_hydra_are_refused(key):
    with pytest.raises(ConfigError, match="is refused"):
        split_overrides([f"{key}=1"], SETTINGS)


@pytest.mark.parametrize("text", ["${oc.env:HOME}", "a${x}b", "{_target_: os.system}"])
def test_values_that_would_be_evaluated_are_refused(text):
    with pytest.raises(ConfigError, match="interpolations and _target_ are not evaluated"):
        split_overrides([f"key_ensemble.path={text}"], SETTINGS)
