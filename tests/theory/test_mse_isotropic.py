"""Do the mean squared error and its variances hold, against simulation and hand calculation?"""

from __future__ import annotations

import numpy as np
import pytest
from theory_specs import draw, spec

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Spec
from pavlov_cli.theory import mse_isotropic

Z = 3.3


def simulated_errors(keys: str, values: str, d_k: int, d_v: int, n: int, trials: int) -> np.ndarray:
    """Squared errors [trials, n] of every stored item, from the definition."""
    generator = np.random.default_rng(7)

    def unit(name: str, d: int) -> np.ndarray:
        drawn = generator.standard_normal((trials, n, d))
        drawn = np.sign(drawn) if name == "rademacher" else drawn
        return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)

    k, v = unit(keys, d_k), unit(values, d_v)
    state = np.einsum("tnk,tnv->tkv", k, v)
    return np.sum((np.einsum("tnk,tkv->tnv", k, state) - v) ** 2, axis=-1)


def variance_and_error(samples: np.ndarray) -> tuple[float, float]:
    """Sample variance and the standard error of it."""
    deviations = (samples - samples.mean()) ** 2
    return float(deviations.mean()), float(deviations.std() / np.sqrt(len(samples)))


@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
@pytest.mark.parametrize("values", ["sphere", "rademacher"])
def test_mean_and_all_variances_agree_with_simulation(keys: str, values: str) -> None:
    d_k, d_v, n, trials, probes = 5, 7, 6, 60_000, 2
    errors = simulated_errors(keys, values, d_k, d_v, n, trials)
    memory = spec("mse", d_k=d_k, d_v=d_v, keys=keys, values=values)
    at = np.array([n])
    means = errors.mean(axis=1)
    assert abs(means.mean() - mse_isotropic.error(memory, at)[0]) < Z * means.std() / np.sqrt(trials)
    for samples, predicted in [
        (errors[:, 0], mse_isotropic.query_variance(memory, at)[0]),
        (means, mse_isotropic.trial_variance(memory, at)[0]),
        (errors[:, :probes].mean(axis=1), mse_isotropic.trial_variance(memory, at, probes=probes)[0]),
    ]:
        measured, standard_error = variance_and_error(samples)
        assert abs(measured - predicted) < Z * standard_error
        assert standard_error < 0.03 * predicted  # so a wrong term would show


def test_trial_variance_is_the_closed_form_for_sphere_keys() -> None:
    d, d_v, n = 24, 9, np.array([1, 2, 3, 17, 400])
    closed = 4 * (n - 1) * (d - 1) / (n * d**2 * (d + 2))
    closed = closed + 2 * (n - 1) * (n - 2) / (n * d_v * d**2) * (1 + (n - 3) / d)
    np.testing.assert_allclose(mse_isotropic.trial_variance(spec("mse", d_k=d, d_v=d_v), n), closed, rtol=1e-13)


def test_one_probe_has_the_variance_of_a_query() -> None:
    memory, n = spec("mse"), np.array([1, 2, 30])
    np.testing.assert_allclose(
        mse_isotropic.trial_variance(memory, n, probes=1), mse_isotropic.query_variance(memory, n), rtol=1e-15
    )


@pytest.mark.parametrize(("d_k", "target", "capacity"), [(64, 0.25, 17.0), (16, 2.0, 33.0)])
def test_capacity_is_linear_where_the_crossing_is_an_integer(d_k: int, target: float, capacity: float) -> None:
    memory = spec("mse", d_k=d_k)
    assert mse_isotropic.capacity(memory, target) == pytest.approx(capacity, rel=1e-12)
    assert mse_isotropic.leading(memory, target) == pytest.approx(capacity, rel=1e-12)


def test_capacity_between_integers_is_interpolated_in_log_n() -> None:
    # d_k = 10, target 0.25: the curve is 0.2 at n = 3 and 0.3 at n = 4, so half way in log n
    assert mse_isotropic.capacity(spec("mse", d_k=10), 0.25) == pytest.approx(np.sqrt(12.0), rel=1e-12)


@pytest.mark.parametrize("values", ["gaussian", "one_hot", "codebook", "sphere"])
@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
@pytest.mark.parametrize("cosine", [1.0, 0.6])
def test_error_holds_for_any_values_and_for_noisy_queries(keys: str, values: str, cosine: float) -> None:
    d_k, d_v, n, trials = 5, 7, 6, 40_000
    generator = np.random.default_rng(13)
    k, v = draw(generator, keys, trials, n, d_k), draw(generator, values, trials, n, d_v)
    across = draw(generator, "gaussian", trials, 1, d_k)[:, 0]
    across -= np.sum(across * k[:, 0], axis=-1, keepdims=True) * k[:, 0]
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    query = cosine * k[:, 0] + np.sqrt(1 - cosine**2) * across
    readout = np.einsum("tj,tjv->tv", np.einsum("tk,tjk->tj", query, k), v)
    errors = np.sum((readout - v[:, 0]) ** 2, axis=-1) / (d_v if values == "gaussian" else 1)
    memory = spec("mse", d_k=d_k, d_v=d_v, keys=keys, values=values, query_cosine=cosine)
    standard_error = errors.std() / np.sqrt(trials)
    assert abs(errors.mean() - mse_isotropic.error(memory, np.array(n))) < Z * standard_error
    assert standard_error < 0.02 * errors.mean()


def test_noisy_queries_spend_part_of_the_target() -> None:
    memory = spec("mse", d_k=100, query_cosine=0.9)
    assert mse_isotropic.capacity(memory, 0.25) == pytest.approx(25, rel=1e-9)
    assert mse_isotropic.leading(memory, 0.25) == pytest.approx(25, rel=1e-12)
    assert mse_isotropic.capacity(memory, 0.009) is None
    assert np.isnan(mse_isotropic.leading(memory, 0.009))


@pytest.mark.parametrize(
    "memory", [spec("mse", values="gaussian"), spec("mse", query_cosine=0.5)], ids=["gaussian", "noisy"]
)
def test_variances_are_refused_where_they_have_further_causes(memory: Spec) -> None:
    for variance in (mse_isotropic.query_variance, mse_isotropic.query_covariance, mse_isotropic.trial_variance):
        with pytest.raises(ConfigError, match="must be asked for sphere or rademacher values and query cosine 1"):
            variance(memory, np.array(4))


@pytest.mark.parametrize("target", [None, 0.0, -1.0, float("nan")])
def test_a_missing_or_non_positive_target_is_refused(target: float | None) -> None:
    with pytest.raises(ConfigError, match="target_error must be > 0"):
        mse_isotropic.capacity(spec("mse"), target)


def test_fewer_than_one_association_is_refused() -> None:
    with pytest.raises(ConfigError, match="num_associations must be >= 1; got 0"):
        mse_isotropic.error(spec("mse"), np.array([0, 3]))
