"""Values come from the draw and the alphabet their ensemble promises."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from memory_specs import make_spec

from pavlov_cli.errors import DataError
from pavlov_cli.memory import build_memory
from pavlov_cli.vectors import read_vectors

Z = 3.3  # one false alarm in a thousand per comparison
D = 12
ROWS = np.random.default_rng(4).normal(size=(40, D)).astype(np.float32)


def source_of(name: str, precision: str = "float32", **parameters):
    return build_memory(make_spec(values=name, d_v=D, precision=precision, value_parameters=parameters)).value_source


def drawn(name: str, n: int, precision: str = "float32", rows=None, **parameters):
    """Values, labels (where there are any) and alphabet of one trial."""
    source = source_of(name, precision, **parameters)
    data = None if rows is None else jnp.asarray(rows)
    common = source.begin(jax.random.key(1), data)
    prng_keys, indices = jax.random.split(jax.random.key(2), n), jnp.arange(n)
    alphabet = source.alphabet(common, data)
    labels = None if alphabet is None else np.asarray(source.labels(common, prng_keys, indices))
    return source.values(common, prng_keys, indices, data), labels, alphabet


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_continuous_values_share_one_draw(devices, precision: str) -> None:
    gaussian, sphere, signs = (
        np.asarray(drawn(name, 60, precision)[0], np.float64) for name in ("gaussian", "sphere", "rademacher")
    )
    np.testing.assert_allclose(sphere, gaussian / np.linalg.norm(gaussian, axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_array_equal(signs, np.where(gaussian < 0, -1, 1))


@pytest.mark.parametrize("name", ["gaussian", "sphere", "rademacher", "codebook", "one_hot"])
def test_the_squared_norm_is_the_stated_one(devices, name: str) -> None:
    values = np.asarray(drawn(name, 2000)[0], np.float64)
    squared = (values**2).sum(axis=1)
    error = squared.std(ddof=1) / math.sqrt(len(squared))
    stated = source_of(name).value_ensemble.squared_norm(D)
    assert abs(squared.mean() - stated) <= max(Z * error, 1e-6 * stated)


@pytest.mark.parametrize("precision", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize(("name", "rows"), [("codebook", None), ("one_hot", None), ("file", ROWS)])
def test_a_value_is_the_entry_of_the_alphabet_that_its_label_names(devices, name: str, rows, precision: str) -> None:
    values, labels, alphabet = drawn(name, 40, precision, rows)
    assert values.dtype == alphabet.dtype == precision
    wide = np.asarray(values.astype("float64")), np.asarray(alphabet.astype("float64"))
    # A norm summed in another order may differ in its last bit, and then round to the next number.
    close = {"float32": 1e-6, "float64": 1e-14, "bfloat16": 2.0**-8}[precision] if name == "codebook" else 0
    np.testing.assert_allclose(wide[0], wide[1][labels], atol=close)


@pytest.mark.parametrize("name", ["gaussian", "sphere", "rademacher"])
def test_values_without_end_have_no_alphabet(name: str) -> None:
    source = source_of(name)
    assert source.alphabet((), None) is None
    with pytest.raises(NotImplementedError, match="values have no alphabet"):
        source.labels((), jax.random.split(jax.random.key(0), 2), jnp.arange(2))


@pytest.mark.parametrize(("name", "size"), [("one_hot", D), ("codebook", 30)])
def test_labels_are_uniform_on_the_alphabet(devices, name: str, size: int) -> None:
    _, labels, alphabet = drawn(name, 6000, **({"size": size} if name == "codebook" else {}))
    assert len(alphabet) == size
    counts = np.bincount(labels, minlength=size)
    chi2 = ((counts - 6000 / size) ** 2 / (6000 / size)).sum()
    assert abs(chi2 - (size - 1)) <= Z * math.sqrt(2 * (size - 1))


def test_one_hot_values_are_a_basis(devices) -> None:
    values, labels, alphabet = drawn("one_hot", 100)
    np.testing.assert_array_equal(np.asarray(alphabet), np.eye(D))
    np.testing.assert_array_equal(np.asarray(values).argmax(axis=1), labels)
    assert set(np.unique(values)) == {0.0, 1.0}


def test_every_row_of_a_file_comes_once_in_a_random_order(devices) -> None:
    _, labels, alphabet = drawn("file", 40, rows=ROWS)
    assert sorted(labels) == list(range(40)) != list(labels)
    np.testing.assert_array_equal(np.asarray(alphabet), ROWS)
    _, past, _ = drawn("file", 50, rows=ROWS)
    assert (past[40:] == past[39]).all()
    assert source_of("file").value_ensemble.limit(D, jnp.asarray(ROWS)) == 40
    with pytest.raises(DataError, match="value_ensemble=file needs the rows"):
        source_of("file").begin(jax.random.key(0), None)


def test_files_of_keys_and_values_stay_paired_row_by_row(devices) -> None:
    memory = build_memory(make_spec(keys="file", values="file", d_k=8, d_v=D))
    keys = jnp.asarray(np.random.default_rng(1).normal(size=(40, 8)).astype(np.float32))
    for trial in range(5):
        shared = jax.random.fold_in(jax.random.key(0), trial)
        prng_keys, indices = jax.random.split(jax.random.key(trial), 40), jnp.arange(40)
        stored, _ = memory.source.features(memory.source.begin(shared, keys), prng_keys, indices, keys)
        values = memory.value_source
        common = values.begin(shared, jnp.asarray(ROWS))
        order = np.asarray(values.labels(common, prng_keys, indices))
        np.testing.assert_array_equal(np.asarray(stored), np.asarray(keys)[order])
        np.testing.assert_array_equal(
            np.asarray(values.values(common, prng_keys, indices, jnp.asarray(ROWS))), ROWS[order]
        )


def test_values_of_a_file_keep_the_ratios_of_their_norms(tmp_path) -> None:
    path = tmp_path / "values.npy"
    np.save(path, ROWS)
    rows = read_vectors(str(path), group="value_ensemble").rows.astype(np.float64)
    assert np.mean((rows**2).sum(axis=1)) == pytest.approx(1, abs=1e-6)
    ratio = np.linalg.norm(rows, axis=1) / np.linalg.norm(ROWS.astype(np.float64), axis=1)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    assert read_vectors(str(path), group="value_ensemble").digest != read_vectors(str(path)).digest
