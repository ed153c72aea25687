"""Keys have the geometry their ensemble promises, computed here in float64."""

from __future__ import annotations

import math
from functools import cache

import jax
import numpy as np
import pytest
from memory_specs import make_spec

from pavlov_cli.memory import build_memory

Z = 3.3  # one false alarm in a thousand per comparison
D = 16


@cache
def keys_of(name: str, trials: int, n: int, d_k: int = D, dtype: str = "float32", **parameters) -> np.ndarray:
    """Keys [trials, n, d_k] as an ensemble draws them."""
    ensemble = build_memory(make_spec(keys=name, d_k=d_k, key_parameters=parameters)).key_ensemble

    def of_trial(prng_key):
        common = ensemble.begin(jax.random.fold_in(prng_key, 1), d_k, None)
        each = jax.random.split(jax.random.fold_in(prng_key, 0), n)
        return jax.vmap(lambda key, i: ensemble.draw(common, key, i, d_k, None, dtype))(each, jax.numpy.arange(n))

    prng_keys = jax.random.split(jax.random.key(5), trials)
    drawn = jax.jit(jax.vmap(of_trial))(prng_keys)
    assert drawn.dtype == dtype
    return np.asarray(drawn, np.float64)


def cosines(keys: np.ndarray) -> np.ndarray:
    """All pairs of different keys of a trial, [trials, n, n], NaN on the diagonal."""
    products = keys @ keys.transpose(0, 2, 1)
    products[:, np.arange(keys.shape[1]), np.arange(keys.shape[1])] = np.nan
    return products


def check_mean(of_trials: np.ndarray, expected: float) -> None:
    """Trials are the independent units."""
    error = of_trials.std(ddof=1) / math.sqrt(len(of_trials))
    assert abs(of_trials.mean() - expected) <= Z * error, (of_trials.mean(), expected, error)


UNIT = [
    ("correlated", {}),
    ("clustered", {}),
    ("orthogonal", {}),
    ("power_law", {}),
    ("power_law", {"alpha": 0.0}),
    ("power_law", {"alpha": 3.0}),
]


@pytest.mark.parametrize(("name", "parameters"), UNIT)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_unit_keys_have_norm_1(devices, name: str, parameters: dict, dtype: str) -> None:
    norms = np.linalg.norm(keys_of(name, 50, D, dtype=dtype, **parameters), axis=-1)
    np.testing.assert_allclose(norms, 1, atol=1e-6 if dtype == "float32" else 1e-10)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("gaussian", {}), ("sparse", {}), ("power_law", {"normalise": False}), ("power_law", {"normalise": True})],
)
def test_both_precisions_draw_the_same_keys(devices, name: str, parameters: dict) -> None:
    single, double = (keys_of(name, 20, 8, dtype=dtype, **parameters) for dtype in ("float32", "float64"))
    np.testing.assert_allclose(single, double, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "parameters"), [("gaussian", {}), ("power_law", {"normalise": False}), ("power_law", {"alpha": 0.0})]
)
def test_the_squared_norm_is_the_stated_one_in_expectation(devices, name: str, parameters: dict) -> None:
    stated = build_memory(make_spec(keys=name, d_k=D, key_parameters=parameters)).key_ensemble.squared_norm(D)
    squared = (keys_of(name, 400, 16, **parameters) ** 2).sum(axis=-1).mean(axis=1)
    if np.ptp(squared) < 1e-6:
        assert squared.mean() == pytest.approx(stated, abs=1e-6)
    else:
        check_mean(squared, stated)


def test_gaussian_components_have_variance_1_over_d(devices) -> None:
    keys = keys_of("gaussian", 400, 16)
    check_mean((keys**2).mean(axis=(1, 2)), 1 / D)
    check_mean(keys.mean(axis=(1, 2)), 0)
    check_mean((keys**4).mean(axis=(1, 2)), 3 / D**2)  # Gaussian, not merely of this variance


@pytest.mark.parametrize("d_k", [1, 2, 5, 64])
@pytest.mark.parametrize(("dtype", "close"), [("float32", 1e-6), ("float64", 1e-10)])
def test_orthogonal_keys_are_orthonormal(devices, d_k: int, dtype: str, close: float) -> None:
    keys = keys_of("orthogonal", 30, d_k, d_k, dtype=dtype)
    np.testing.assert_allclose(keys @ keys.transpose(0, 2, 1), np.broadcast_to(np.eye(d_k), keys.shape), atol=close)


def test_orthogonal_keys_have_no_preferred_direction(devices) -> None:
    keys = keys_of("orthogonal", 3000, 4, 4)
    for i in range(4):
        for component in range(4):
            check_mean(keys[:, i, component], 0)  # a QR without its sign fix fails on the diagonal
            check_mean(keys[:, i, component] ** 2, 1 / 4)
            check_mean(keys[:, i, component] ** 4, 3 / (4 * 6))


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.8])
@pytest.mark.parametrize(("dtype", "close"), [("float32", 2e-6), ("float64", 1e-12)])
def test_correlated_keys_stand_at_one_angle_to_their_direction(devices, rho: float, dtype: str, close: float) -> None:
    keys = keys_of("correlated", 300, 24, dtype=dtype, rho=rho)
    of_pairs = np.nanmean(cosines(keys), axis=(1, 2))
    check_mean(of_pairs, rho)
    # One direction at cosine sqrt(rho) to all 24 keys: more equations than its 16 components.
    for trial in keys[:20] if rho else ():
        direction, *_ = np.linalg.lstsq(trial, np.full(24, rho**0.5), rcond=None)
        np.testing.assert_allclose(trial @ direction, rho**0.5, atol=close)
        assert np.linalg.norm(direction) == pytest.approx(1, abs=10 * close)


def test_keys_across_the_shared_direction_are_isotropic(devices) -> None:
    rho = 0.3
    squares = np.nanmean(cosines(keys_of("correlated", 800, 16, rho=rho)) ** 2, axis=(1, 2))
    check_mean(squares, rho**2 + (1 - rho) ** 2 / (D - 1))


def test_a_projection_done_once_would_show() -> None:
    from pavlov_cli.memory._directions import at_cosine

    direction = jax.numpy.array([0.6, 0.8], "float32")
    nearly_parallel = direction + 1e-4 * jax.numpy.array([-0.8, 0.6], "float32")
    found = np.asarray(at_cosine(direction, nearly_parallel, 0.5), np.float64)
    assert found @ np.asarray(direction, np.float64) == pytest.approx(0.5, abs=1e-6)


def test_clustered_keys_are_alike_within_a_cluster_only(devices) -> None:
    clusters, rho = 4, 0.9
    keys = keys_of("clustered", 300, 32, 64, clusters=clusters, rho=rho)
    pairs = cosines(keys)
    within = pairs > 0.6  # cosines within lie near 0.9, those between near 0, with a spread of at most 0.13
    assert np.nanmax(np.abs(pairs[~within])) < 0.6
    check_mean(np.array([pairs[t][within[t]].mean() for t in range(300)]), rho)
    check_mean(np.array([np.nanmean(pairs[t][~within[t]]) for t in range(300)]), 0)
    check_mean(within.sum(axis=(1, 2)) / (32 * 31), 1 / clusters)
    ranks = [np.linalg.matrix_rank(alike + np.eye(32)) for alike in within[:50]]
    assert max(ranks) == clusters  # like pairs make blocks of ones, one a cluster


def test_one_cluster_is_correlated_keys(devices) -> None:
    squares = np.nanmean(cosines(keys_of("clustered", 500, 16, clusters=1, rho=0.4)), axis=(1, 2))
    check_mean(squares, 0.4)


@pytest.mark.parametrize(
    ("d_k", "density", "active"),
    [(16, 0.1, 2), (100, 0.1, 10), (16, 0.001, 1), (16, 1.0, 16), (1, 0.5, 1), (7, 0.5, 4)],
)
def test_sparse_keys_have_exactly_s_signs(devices, d_k: int, density: float, active: int) -> None:
    keys = keys_of("sparse", 40, 20, d_k, density=density)
    assert set(np.unique(keys)) <= {-1.0, 0.0, 1.0}
    assert set(np.unique(np.abs(keys).sum(axis=-1))) == {active}
    memory = build_memory(make_spec(keys="sparse", d_k=d_k, key_parameters={"density": density}))
    assert memory.key_ensemble.squared_norm(d_k) == active
    assert memory.scale == 1 / active


def test_sparse_components_are_equally_often_active_and_uncorrelated(devices) -> None:
    keys = keys_of("sparse", 800, 16, density=0.25)
    for component in range(D):
        check_mean(np.abs(keys[:, :, component]).mean(axis=1), 0.25)
        check_mean(keys[:, :, component].mean(axis=1), 0)
    check_mean((keys[:, :, 0] * keys[:, :, 1]).mean(axis=1), 0)
    check_mean(np.abs(keys[:, :, 0] * keys[:, :, 15]).mean(axis=1), 4 * 3 / (16 * 15))  # drawn without replacement


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 2.0])
def test_the_covariance_of_power_law_keys_has_its_spectrum(devices, alpha: float) -> None:
    keys = keys_of("power_law", 600, 16, alpha=alpha, normalise=False)
    spectrum = np.arange(1.0, D + 1) ** -alpha
    for i in range(D):
        check_mean((keys[:, :, i] ** 2).mean(axis=1), spectrum[i] / spectrum.sum())
    check_mean((keys[:, :, 0] * keys[:, :, 3]).mean(axis=1), 0)
    unit = keys_of("power_law", 600, 16, alpha=alpha)
    np.testing.assert_allclose(unit, keys / np.linalg.norm(keys, axis=-1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("kappa", [0.05, 0.6, 0.9, 0.999])
@pytest.mark.parametrize("keys", ["sphere", "rademacher", "sparse", "gaussian"])
@pytest.mark.parametrize("d_k", [2, 16])
def test_noisy_queries_have_the_cosine_and_the_norm_asked_for(devices, keys: str, d_k: int, kappa: float) -> None:
    source = build_memory(make_spec(keys=keys, d_k=d_k, query_cosine=kappa)).source
    prng_keys = jax.random.split(jax.random.key(2), 500)
    stored, queries = (
        np.asarray(array, np.float64) for array in source.features((), prng_keys, jax.numpy.arange(500), None)
    )
    norms = np.linalg.norm(stored, axis=1), np.linalg.norm(queries, axis=1)
    np.testing.assert_allclose((stored * queries).sum(axis=1) / (norms[0] * norms[1]), kappa, atol=1e-6)
    np.testing.assert_allclose(norms[1], norms[0], rtol=1e-6)


def test_noise_of_queries_has_no_preferred_direction(devices) -> None:
    kappa = 0.6
    source = build_memory(make_spec(d_k=D, query_cosine=kappa)).source
    prng_keys = jax.random.split(jax.random.key(3), 4000)
    stored, queries = (
        np.asarray(array, np.float64) for array in source.features((), prng_keys, jax.numpy.arange(4000), None)
    )
    across = (queries - kappa * stored) / np.sqrt(1 - kappa**2)
    probe = np.roll(stored, 1, axis=0)  # another key: its part across the own key is isotropic
    probe -= stored * (probe * stored).sum(axis=1, keepdims=True)
    probe /= np.linalg.norm(probe, axis=1, keepdims=True)
    along = (across * probe).sum(axis=1)
    check_mean(along, 0)
    check_mean(along**2, 1 / (D - 1))
    check_mean(along**4, 3 / ((D - 1) * (D + 1)))
