"""Is the squared error of keys that share a direction right, and does its capacity stop growing?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import draw, spec

from pavlov_cli.theory import find, mse_correlated

Z = 3.3


def memory(rho: float | None, d_k: int = 16, d_v: int | None = None, values: str = "sphere"):
    """A memory with correlated keys."""
    parameters = () if rho is None else (("rho", rho),)
    return spec("mse", d_k=d_k, d_v=d_v, keys="correlated", key_parameters=parameters, values=values)


@pytest.mark.parametrize("values", ["sphere", "rademacher", "gaussian"])
@pytest.mark.parametrize(("d_k", "rho"), [(2, 0.3), (6, 0.0), (6, 0.4), (6, 0.9)])
def test_error_agrees_with_simulated_memories(values: str, d_k: int, rho: float) -> None:
    d_v, n, trials = 5, 7, 40_000
    generator = np.random.default_rng(9)
    common = draw(generator, "sphere", trials, 1, d_k)
    across = draw(generator, "gaussian", trials, n, d_k)
    across -= np.sum(across * common, axis=-1, keepdims=True) * common
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    keys = math.sqrt(rho) * common + math.sqrt(1 - rho) * across
    v = draw(generator, values, trials, n, d_v)
    overlaps = np.einsum("tk,tjk->tj", keys[:, 0], keys)
    squared_norm = d_v if values == "gaussian" else 1
    errors = np.sum((np.einsum("tj,tjv->tv", overlaps, v) - v[:, 0]) ** 2, axis=-1) / squared_norm
    standard_error = errors.std() / math.sqrt(trials)
    predicted = mse_correlated.error(memory(rho, d_k, d_v, values), np.array(n))
    assert abs(errors.mean() - predicted) < Z * standard_error
    assert standard_error < 0.01 * predicted


def test_capacity_is_where_the_line_crosses_and_stops_growing() -> None:
    slope = 0.3**2 + 0.7**2 / 15
    assert mse_correlated.leading(memory(0.3), 0.25) == pytest.approx(1 + 0.25 / slope, rel=1e-12)
    assert mse_correlated.capacity(memory(0.3), 4 * slope) == pytest.approx(5, rel=1e-9)
    assert mse_correlated.leading(memory(0.5, d_k=10**6), 0.25) == pytest.approx(2, rel=1e-5)


@pytest.mark.parametrize("other", [memory(1.0), memory(-0.1), memory(None), memory(0.3, values="one_hot")], ids=str)
def test_values_with_a_mean_and_other_correlations_are_left_alone(other) -> None:
    assert find(other) is None
