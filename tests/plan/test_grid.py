"""A sweep becomes cells in grid order; what has no meaning is refused before anything runs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.errors import ConfigError
from pavlov_cli.plan.grid import ATTENTION_N_MAX, READOUT_N_MAX, resolve_values
from pavlov_cli.records import Choice


def _seen(cells):
    return [(cell.spec.d_k, cell.spec.criterion.name) for cell in cells]


def test_the_grid_runs_over_every_axis_in_the_order_given(cells_of):
    cells = cells_of("d_k=16,8", "criterion=sign,mse")
    assert _seen(cells) == [(16, "sign"), (16, "mse"), (8, "sign"), (8, "mse")]


def test_values_are_as_wide_as_keys_unless_asked(cells_of):
    assert [cell.spec.d_v for cell in cells_of("d_k=8,16", "criterion=mse")] == [8, 16]
    assert [(c.spec.d_k, c.spec.d_v) for c in cells_of("d_k=8,16", "d_v=4,5", "criterion=mse")] == [
        (8, 4), (8, 5), (16, 4), (16, 5)
    ]  # fmt: skip


def test_auto_values_are_signs_for_the_sign_criterion_and_the_sphere_otherwise(cells_of):
    cells = cells_of("d_k=8", "criterion=sign,mse,guaranteed")
    assert [cell.spec.value_ensemble.name for cell in cells] == ["rademacher", "sphere", "sphere"]
    cells = cells_of("d_k=8", "criterion=sign,mse", "value_ensemble=sphere")
    assert [cell.spec.value_ensemble.name for cell in cells] == ["sphere", "sphere"]
    kept = Choice("sphere")
    assert resolve_values(kept, Choice("sign")) is kept


def test_a_cell_knows_what_its_criterion_counts(cells_of):
    sign, mse, guaranteed = cells_of("d_k=8", "d_v=4", "criterion=sign,mse,guaranteed")
    assert (sign.attention, sign.counted, sign.units, sign.target_error) == (False, True, 4, 0.01)
    assert (mse.attention, mse.counted, mse.units, mse.target_error) == (False, False, 1, 0.25)
    assert (guaranteed.attention, guaranteed.counted, guaranteed.units, guaranteed.target_error) == (
        True,
        True,
        1,
        None,
    )


def test_the_target_applies_to_every_criterion_that_has_one(cells_of):
    cells = cells_of("d_k=8", "criterion=sign,mse,guaranteed", "target_error=0.1")
    assert [cell.target_error for cell in cells] == [0.1, 0.1, None]


@pytest.mark.parametrize(
    ("words", "readout", "attention"),
    [
        ((), READOUT_N_MAX, ATTENTION_N_MAX),
        (("n_max=100",), 100, 100),
        (("n_max=10000",), 10000, ATTENTION_N_MAX),
    ],
)
def test_the_largest_n_looked_at(cells_of, words, readout, attention):
    mse, guaranteed = cells_of("d_k=8", "criterion=mse,guaranteed", *words)
    assert (mse.n_max, guaranteed.n_max) == (readout, attention)


def test_a_file_is_compared_with_random_keys_and_limits_n(cells_of, key_file):
    cells = cells_of("key_ensemble=file", f"key_ensemble.path={key_file}", "criterion=mse")
    assert [(cell.spec.key_ensemble.name, cell.baseline, cell.n_max) for cell in cells] == [
        ("file", False, 40),
        ("sphere", True, READOUT_N_MAX),
    ]
    file, sphere = cells
    assert file.spec.d_k == sphere.spec.d_k == 8
    assert file.vectors.count == 40
    assert file.spec.data_digest == file.vectors.digest != ""
    assert (sphere.vectors, sphere.spec.data_digest) == (None, "")


def test_a_baseline_that_is_asked_for_is_not_added_twice(cells_of, key_file):
    cells = cells_of("key_ensemble=file,sphere", f"key_ensemble.path={key_file}", "criterion=mse")
    assert [(cell.spec.key_ensemble.name, cell.baseline) for cell in cells] == [("file", False), ("sphere", False)]


def test_random_keys_have_no_baseline(cells_of):
    assert [cell.baseline for cell in cells_of("d_k=8", "key_ensemble=rademacher")] == [False] * 4


def test_keys_of_another_dimension_are_refused(cells_of, key_file):
    with pytest.raises(ConfigError, match="d_k must be 8, the dimension of the vectors of keys.npy; got 16"):
        cells_of("key_ensemble=file", f"key_ensemble.path={key_file}", "d_k=16")


def _facts(**changed):
    """Data sheets with some facts about update rules changed."""

    def facts(group, name):
        sheet = read_sheet(group, name)
        about = {**sheet.about, **changed} if group == "update_rule" else sheet.about
        return SimpleNamespace(about=about, dimension=sheet.dimension)

    return facts


def test_guaranteed_needs_a_rule_that_is_linear_in_the_values(cells_of):
    words = ("d_k=8", "criterion=guaranteed")
    assert len(cells_of(*words, facts=_facts(linear_in_values=True))) == 1
    with pytest.raises(ConfigError, match="guaranteed needs a rule that is linear in the values.*hebb is not"):
        cells_of(*words, facts=_facts(linear_in_values=False))
    assert len(cells_of("d_k=8", "criterion=mse,sign", facts=_facts(linear_in_values=False))) == 2


def test_the_feature_dimension_is_the_one_on_the_sheet(cells_of):
    def facts(group, name):
        sheet = read_sheet(group, name)
        wide = (lambda d_k, parameters: 3 * d_k) if group == "feature_map" else sheet.dimension
        return SimpleNamespace(about=sheet.about, dimension=wide)

    (cell,) = cells_of("d_k=8", "criterion=mse", facts=facts)
    assert (cell.spec.d_k, cell.spec.d_phi) == (8, 24)


@pytest.mark.parametrize("word", ["depth=2", "width=3", "num_heads=1,2"])
def test_stacks_are_refused(cells_of, word):
    with pytest.raises(ConfigError, match="must be 1 for 'capacity': one memory is measured; got"):
        cells_of("d_k=8", word)


def test_more_associations_than_a_cell_reaches_are_refused(cells_of, key_file):
    words = ("key_ensemble=file", f"key_ensemble.path={key_file}", "criterion=mse")
    assert cells_of(*words, "num_associations=40", study="error_rate")
    with pytest.raises(ConfigError, match="at most 40 here .keys.npy has 40 rows.; got 41"):
        cells_of(*words, "num_associations=8,41", study="error_rate")


def test_the_grid_is_bounded(cells_of):
    with pytest.raises(ConfigError, match="at most 100000 cells; got 200000"):
        cells_of("d_k=1..10000:+1", "d_v=1..20:+1", "criterion=mse")


def test_settings_enter_every_spec(cells_of):
    (cell,) = cells_of("d_k=8", "criterion=mse", "seed=5", "queries=7", "precision=float64", "update_rule.beta=2")
    spec = cell.spec
    assert (spec.seed, spec.queries, spec.precision, spec.update_rule.get("beta")) == (5, 7, "float64", 2.0)


def test_equal_rows_in_another_file_give_an_equal_digest(cells_of, key_file, tmp_path):
    copy = tmp_path / "copy.npy"
    np.save(copy, np.load(key_file))
    first, second = (
        cells_of("key_ensemble=file", f"key_ensemble.path={path}", "criterion=mse")[0] for path in (key_file, copy)
    )
    assert first.spec.data_digest == second.spec.data_digest


@pytest.fixture
def value_file(tmp_path):
    """Forty values of dimension 5 in a file."""
    path = tmp_path / "values.npy"
    np.save(path, np.random.default_rng(1).normal(size=(40, 5)))
    return path


def test_values_of_a_file_set_d_v_and_stay_with_the_baseline(cells_of, key_file, value_file):
    words = ("key_ensemble=file", f"key_ensemble.path={key_file}", "value_ensemble=file")
    file, sphere = cells_of(*words, f"value_ensemble.path={value_file}", "criterion=codebook")
    for cell in (file, sphere):
        assert (cell.spec.d_k, cell.spec.d_v, cell.n_max, cell.pool) == (8, 5, 40, "alphabet")
        assert cell.spec.criterion.get("codebook_size") == 40
        assert cell.spec.value_digest == cell.value_vectors.digest != ""
    assert (file.baseline, sphere.baseline, sphere.spec.value_ensemble.name) == (False, True, "file")
    with pytest.raises(ConfigError, match="d_v must be 5, the dimension of the vectors of values.npy; got 6"):
        cells_of(*words, f"value_ensemble.path={value_file}", "criterion=mse", "d_v=6")


def test_files_of_unequal_length_cannot_be_paired(cells_of, key_file, tmp_path):
    np.save(tmp_path / "short.npy", np.eye(5))
    words = ("key_ensemble=file", f"key_ensemble.path={key_file}", "value_ensemble=file")
    with pytest.raises(ConfigError, match="equally many rows; got 40 .keys.npy. and 5 .short.npy."):
        cells_of(*words, f"value_ensemble.path={tmp_path / 'short.npy'}", "criterion=mse")


def test_orthonormal_keys_end_at_d_k(cells_of):
    words = ("d_k=8", "key_ensemble=orthogonal", "criterion=mse")
    assert cells_of(*words)[0].n_max == 8
    with pytest.raises(ConfigError, match="at most 8 here .there are no more orthogonal keys.; got 9"):
        cells_of(*words, "num_associations=9", study="error_rate")


def test_one_dimension_has_no_second_direction(cells_of):
    for keys in ("correlated", "clustered"):
        with pytest.raises(ConfigError, match=f"d_k must be at least 2 for {keys} keys; got 1"):
            cells_of("d_k=1", f"key_ensemble={keys}", "criterion=mse")
    with pytest.raises(ConfigError, match="d_k must be at least 2 for query.cosine=0.9; got 1"):
        cells_of("d_k=1", "query.cosine=0.9", "criterion=mse")


def test_a_codebook_needs_values_from_a_finite_set(cells_of):
    (cell,) = cells_of("d_k=8", "d_v=5", "value_ensemble=one_hot", "criterion=codebook")
    assert cell.spec.criterion.get("codebook_size") == 5
    with pytest.raises(ConfigError, match="gaussian values are not"):
        cells_of("d_k=8", "value_ensemble=gaussian", "criterion=codebook")


def test_a_cell_knows_what_its_readouts_are_compared_with(cells_of):
    found = cells_of("d_k=8", "criterion=mse,top1,codebook,guaranteed")
    assert [cell.pool for cell in found] == ["", "stored", "alphabet", ""]
