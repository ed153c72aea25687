"""Is the squared error of keys that are not normalised (n + 1)/d, whatever the values?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import draw, spec

from pavlov_cli.theory import mse_gaussian_keys

Z = 3.3


@pytest.mark.parametrize("values", ["sphere", "rademacher", "gaussian", "one_hot", "codebook"])
@pytest.mark.parametrize("n", [1, 2, 6])
def test_error_agrees_with_simulated_memories(values: str, n: int) -> None:
    d_k, d_v, trials = 5, 7, 40_000
    generator = np.random.default_rng(5)
    keys = draw(generator, "gaussian", trials, n, d_k) / math.sqrt(d_k)
    v = draw(generator, values, trials, n, d_v)
    overlaps = np.einsum("tk,tjk->tj", keys[:, 0], keys)
    errors = np.sum((np.einsum("tj,tjv->tv", overlaps, v) - v[:, 0]) ** 2, axis=-1) / np.mean(np.sum(v**2, axis=-1))
    standard_error = errors.std() / math.sqrt(trials)
    predicted = mse_gaussian_keys.error(spec("mse", d_k=d_k, d_v=d_v, keys="gaussian", values=values), np.array(n))
    assert abs(errors.mean() - predicted) < Z * standard_error
    assert standard_error < 0.03 * predicted  # so n/d and (n - 1)/d would show


def test_capacity_is_linear_and_absent_where_one_association_is_too_many() -> None:
    memory = spec("mse", d_k=64, keys="gaussian")
    assert mse_gaussian_keys.capacity(memory, 0.25) == pytest.approx(15, rel=1e-12)
    assert mse_gaussian_keys.leading(memory, 0.25) == pytest.approx(15, rel=1e-12)
    assert mse_gaussian_keys.capacity(memory, 2.01 / 64) == pytest.approx(1, rel=0.02)
    assert mse_gaussian_keys.capacity(memory, 1.9 / 64) is None
    assert math.isnan(mse_gaussian_keys.leading(memory, 1.9 / 64))
