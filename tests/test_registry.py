"""Code, data sheets and this table name the same entries, and sheets say of them what their code says."""

from __future__ import annotations

from dataclasses import MISSING, fields

import jax
import pytest
from memory_specs import choice

from pavlov_cli.config.compose import compose_settings
from pavlov_cli.config.sheets import entries, read_sheet
from pavlov_cli.errors import ConfigError, DataError
from pavlov_cli.registry import GROUPS, PACKAGE, entry_class, label, names, resource_root

ENTRIES = {
    "key_ensemble": (
        "clustered",
        "correlated",
        "file",
        "gaussian",
        "orthogonal",
        "power_law",
        "rademacher",
        "sparse",
        "sphere",
    ),
    "value_ensemble": ("codebook", "file", "gaussian", "one_hot", "rademacher", "sphere"),
    "feature_map": ("identity",),
    "update_rule": ("decay", "delta", "gated_delta", "hebb", "normalised", "oja", "trace"),
    "criterion": ("codebook", "cosine", "guaranteed", "listwise", "mse", "sign", "top1"),
}
# sheets without code: validation replaces them by an entry
RESOLVED = {"value_ensemble": ("auto",)}
REQUIRED = {
    ("key_ensemble", "file"): ("key_ensemble.path=keys.npy",),
    ("value_ensemble", "file"): ("value_ensemble.path=values.npy",),
}
STUDIES = ("capacity", "error_rate")
WITH_CODE = [(group, name) for group, found in ENTRIES.items() for name in found]
SHEETS = [*WITH_CODE, *((group, name) for group, found in RESOLVED.items() for name in found)]


def test_the_table_has_every_group():
    assert set(ENTRIES) == set(GROUPS)


@pytest.mark.parametrize("group", GROUPS)
def test_code_sheets_and_table_name_the_same_entries(group):
    expected = tuple(sorted(ENTRIES[group]))
    assert names(group) == expected
    assert entries(group) == tuple(sorted((*expected, *RESOLVED.get(group, ()))))


@pytest.mark.parametrize("group", GROUPS)
def test_every_folder_of_configs_is_a_group(group):
    folders = {path.name for path in resource_root("configs").iterdir() if path.is_dir()}
    assert folders == set(GROUPS)
    assert (PACKAGE / "memory" / GROUPS[group]).is_dir()


@pytest.mark.parametrize(("group", "name"), SHEETS)
def test_a_sheet_has_summary_source_and_a_rule_for_every_default(group, name):
    sheet = read_sheet(group, name)
    assert sheet.about["summary"].strip()
    assert str(sheet.about["source"]).strip()
    assert set(sheet.about["parameters"]) == set(sheet.defaults)
    for rule in sheet.about["parameters"].values():
        assert rule["help"].strip()
        assert rule["type"] in ("int", "float", "str", "bool")


@pytest.mark.parametrize(("group", "name"), SHEETS)
def test_defaults_are_legal(group, name):
    sheet = read_sheet(group, name)
    given = {parameter: value for parameter, value in sheet.defaults.items() if value is not None}
    assert dict(sheet.check(given).parameters) == given


@pytest.mark.parametrize(("group", "name"), WITH_CODE)
def test_parameters_of_a_sheet_are_the_fields_of_the_class(group, name):
    found = {field.name: field.default for field in fields(entry_class(group, name))}
    assert MISSING not in found.values()
    assert found == dict(read_sheet(group, name).defaults)
    kinds = {field.name: str(field.type) for field in fields(entry_class(group, name))}
    for parameter, rule in read_sheet(group, name).about["parameters"].items():
        assert rule["type"] in kinds[parameter]


@pytest.mark.parametrize(("group", "name"), WITH_CODE)
def test_an_entry_is_frozen_hashable_and_says_its_source_or_meaning(group, name):
    entry = entry_class(group, name)
    made = entry(**dict(choice(group, name).parameters))
    assert hash(made) == hash(entry())
    assert made == entry()
    assert len(entry.__mro__) == 4, "an entry extends its contract, never another entry"
    assert entry.__doc__


@pytest.mark.parametrize("name", ENTRIES["criterion"])
def test_facts_of_a_criterion_are_those_of_its_class(name):
    about, entry = read_sheet("criterion", name).about, entry_class("criterion", name)()
    assert about["reads"] == entry.reads
    assert about["counted"] == entry.counted
    assert about.get("pool", "stored") == entry.pool
    if entry.counted and entry.reads != "attention":
        assert entry.units(5) == (5 if about["unit"] == "coordinate" else 1) * (2 if about.get("halves") else 1)
    per_coordinate = entry.units(6) != entry.units(3)
    assert per_coordinate == (about["unit"] == "coordinate")
    assert about["unit"] in ("coordinate", "query", "trial")
    assert (about["reads"] == "attention") == (about["unit"] == "trial") == ("target_error" not in about)


@pytest.mark.parametrize("name", ENTRIES["update_rule"])
def test_facts_of_an_update_rule_are_those_of_its_class(name):
    assert (
        read_sheet("update_rule", name).about["linear_in_values"] == entry_class("update_rule", name).linear_in_values
    )


@pytest.mark.parametrize("name", ENTRIES["feature_map"])
def test_the_dimension_on_a_sheet_is_that_of_the_class(name):
    sheet, entry = read_sheet("feature_map", name), entry_class("feature_map", name)()
    for d_k in (1, 8, 100):
        assert sheet.dimension(d_k, sheet.defaults) == entry.dimension(d_k)


@pytest.mark.parametrize("name", ENTRIES["key_ensemble"])
def test_keys_have_a_name_for_sentences_and_the_limit_of_their_class(name):
    about, entry = read_sheet("key_ensemble", name).about, entry_class("key_ensemble", name)()
    assert "keys" in about["named"]
    if name != "file":
        limit = read_sheet("key_ensemble", name).number("limit", {"d_k": 7}) if "limit" in about else None
        assert limit == entry.limit(7, None)


@pytest.mark.parametrize("name", ENTRIES["value_ensemble"])
def test_the_alphabet_on_a_sheet_is_that_of_the_class(name):
    sheet, entry = read_sheet("value_ensemble", name), entry_class("value_ensemble", name)()
    if name == "file":
        assert sheet.about["alphabet"] == "rows"
        return
    found = entry.alphabet(entry.begin(jax.random.key(0), 7, None), 7, None, "float32")
    size = sheet.number("alphabet", {"d_v": 7, **sheet.defaults}) if "alphabet" in sheet.about else None
    assert size == (None if found is None else len(found))


def test_a_baseline_is_an_entry():
    for group, name in SHEETS:
        baseline = read_sheet(group, name).about.get("baseline")
        assert baseline is None or baseline in names(group)


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(("group", "name"), SHEETS)
def test_every_entry_composes_with_every_study(study, group, name):
    settings = compose_settings(study, [f"{group}={name}", *REQUIRED.get((group, name), ())], {})
    (chosen,) = getattr(settings, group)
    assert chosen.name == name
    expected = dict(read_sheet(group, name).defaults)
    expected |= {text.split(".")[1].split("=")[0]: text.split("=")[1] for text in REQUIRED.get((group, name), ())}
    assert dict(chosen.parameters) == expected


def test_every_primary_config_is_a_study():
    primary = {path.stem for path in resource_root("configs").glob("*.yaml")}
    assert primary == {*STUDIES, "base"}


def test_unknown_entries_list_the_known_ones():
    with pytest.raises(ConfigError, match="unknown update rule 'heb'. Did you mean hebb"):
        entry_class("update_rule", "heb")
    with pytest.raises(ConfigError, match="unknown key ensemble 'spere'. Did you mean sphere"):
        read_sheet("key_ensemble", "spere")
    with pytest.raises(ConfigError, match="unknown value ensemble 'auto'"):
        entry_class("value_ensemble", "auto")


def test_a_folder_that_the_installation_lacks_is_named():
    with pytest.raises(DataError, match="lacks its 'nosuch' folder"):
        resource_root("nosuch")


def test_a_group_reads_as_words():
    assert label("key_ensemble") == "key ensemble"
