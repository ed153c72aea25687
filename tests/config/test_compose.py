"""A command's words become validated settings, each entry with the parameters that it has."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.config.compose import compose_settings
from pavlov_cli.config.settings import BUDGET, Settings, make_settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Choice


def test_defaults_are_those_of_the_primary_config():
    found = compose_settings("capacity", [], {})
    assert found.study == "capacity"
    assert found.d_k == (64, 128, 256, 512, 1024)
    assert (found.d_v, found.num_associations) == (None, None)
    assert found.depth == found.width == found.num_heads == (1,)
    assert [choice.name for choice in found.criterion] == ["guaranteed", "mse", "sign", "top1"]
    assert found.update_rule == (Choice("hebb", (("beta", 1.0),)),)
    assert (found.seed, found.confidence, found.half_width, found.max_trials) == (0, 0.95, 0.03, 4096)


def test_error_rate_has_defaults_of_its_own():
    found = compose_settings("error_rate", [], {})
    assert (found.d_k, found.half_width) == ((128,), 0.1)
    assert found.num_associations == tuple(8 * 2**i for i in range(10))
    assert [choice.name for choice in found.criterion] == ["sign"]


def test_flags_go_before_words():
    found = compose_settings("capacity", ["seed=1", "d_k=8"], {"seed": "2", "d_k": None})
    assert (found.seed, found.d_k) == (2, (8,))


def test_parameters_apply_to_the_entries_that_have_them():
    found = compose_settings("capacity", ["criterion=mse,guaranteed", "criterion.margin=0.5,2"], {})
    assert found.criterion == (
        Choice("mse"),
        Choice("guaranteed", (("margin", 0.5),)),
        Choice("guaranteed", (("margin", 2.0),)),
    )


def test_an_integer_for_a_float_is_the_same_choice():
    one, other = (compose_settings("capacity", [f"update_rule.beta={text}"], {}).update_rule for text in ("2", "2.0"))
    assert one == other
    assert type(one[0].get("beta")) is float


def test_a_parameter_that_applies_nowhere_is_refused():
    with pytest.raises(ConfigError, match="criterion.margin applies to none of sign"):
        compose_settings("capacity", ["criterion=sign", "criterion.margin=0.5"], {})


def test_a_file_says_the_dimension_unless_the_user_does():
    words = ["key_ensemble=file", "key_ensemble.path=x.npy"]
    assert compose_settings("capacity", words, {}).d_k == ()
    assert compose_settings("capacity", [*words, "d_k=8"], {}).d_k == (8,)
    assert compose_settings("capacity", words, {"d_k": "8"}).d_k == (8,)


paths = st.text(
    st.one_of(
        st.sampled_from("'\"\\=~(),:;#{}[]$%&|<>?*!@ \t"), st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])
    ),
    min_size=1,
    max_size=12,
).filter(lambda text: "${" not in text and "_target_" not in text)


@settings(max_examples=12, deadline=None)
@given(paths)
def test_a_path_reads_back_unchanged(path):
    (choice,) = compose_settings("capacity", ["key_ensemble=file", f"key_ensemble.path={path}"], {}).key_ensemble
    assert choice.get("path") == path


def test_the_environment_is_never_read(monkeypatch):
    monkeypatch.setenv("PAVLOV_SECRET", "hidden")
    assert os.environ["PAVLOV_SECRET"] == "hidden"
    with pytest.raises(ConfigError) as caught:
        compose_settings("capacity", ["seed=${oc.env:PAVLOV_SECRET}"], {})
    assert "hidden" not in str(caught.value)


def test_settings_are_frozen_and_hashable():
    found = compose_settings("capacity", [], {})
    assert hash(found) == hash(compose_settings("capacity", [], {}))
    with pytest.raises(AttributeError):
        found.seed = 1


def test_what_leaves_the_run_folder_alone_is_a_setting():
    assert set(BUDGET) <= set(Settings.__dataclass_fields__)


@pytest.fixture(scope="module")
def content():
    base = compose_settings("capacity", [], {})
    return {name: getattr(base, name) for name in Settings.__dataclass_fields__ if name != "study"}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("seed", True, "must be a number; got true"),
        ("seed", 1.0, "must be a whole number"),
        ("seed", None, "must be given"),
        ("confidence", float("nan"), "between 0 and 1"),
        ("confidence", float("inf"), "between 0 and 1"),
        ("confidence", 1, "between 0 and 1"),
        ("half_width", "wide", "must be a number"),
        ("precision", "half", "unknown precision"),
        ("precision", 32, "unknown precision"),
        ("platform", "cuda", "unknown platform"),
        ("trials", 1, "between 2 and"),
        ("max_trials", 2**24 + 1, "between 8 and"),
    ],
)
def test_a_setting_outside_its_range_is_refused(content, name, value, said):
    with pytest.raises(ConfigError, match=said):
        make_settings("capacity", {**content, name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 0), ("seed", 2**32 - 1), ("trials", 2), ("trials", None), ("max_trials", 8), ("target_error", 1e-9),
     ("platform", None), ("platform", "tpu"), ("precision", "float64"), ("n_max", 1)],
)  # fmt: skip
def test_a_setting_at_the_edge_of_its_range_is_legal(content, name, value):
    assert getattr(make_settings("capacity", {**content, name: value}), name) == value


def test_a_dimension_is_computed_from_the_formula_on_the_sheet():
    from dataclasses import replace

    sheet = read_sheet("feature_map", "identity")

    def dimension(formula, **parameters):
        return replace(sheet, about={**sheet.about, "dimension": formula}).dimension(8, parameters)

    assert dimension("d_k") == 8
    assert dimension("2 * d_k + 1") == 17
    assert dimension("d_k ** 2") == 64
    assert dimension("2 * d_k * nu", nu=3) == 48
    with pytest.raises((ValueError, KeyError)):
        dimension("open('x')")
