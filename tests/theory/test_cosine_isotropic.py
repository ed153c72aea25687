"""Does the cosine error agree with simulated memories within what it states, and better than the leading formula?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import draw, spec

from pavlov_cli.theory import cosine_isotropic as law

Z = 3.3
CELLS = [
    (8, 8, 2, 30_000),
    (8, 8, 4, 30_000),
    (16, 16, 8, 10_000),
    (64, 64, 20, 1_500),
    (8, 64, 4, 10_000),
    (64, 16, 60, 800),
]


def simulated(keys: str, values: str, d_k: int, d_v: int, n: int, trials: int) -> tuple[float, float]:
    """Mean of 1 - cos over all stored items, and its standard error over trials."""
    generator = np.random.default_rng(21)
    k, v = draw(generator, keys, trials, n, d_k), draw(generator, values, trials, n, d_v)
    readout = (k @ k.transpose(0, 2, 1)) @ v
    per_trial = (1 - np.sum(readout * v, axis=-1) / np.linalg.norm(readout, axis=-1)).mean(axis=1)
    return float(per_trial.mean()), float(per_trial.std() / math.sqrt(trials))


@pytest.mark.parametrize(
    ("keys", "values"), [("sphere", "sphere"), ("rademacher", "rademacher"), ("sphere", "rademacher")]
)
@pytest.mark.parametrize(("d_k", "d_v", "n", "trials"), CELLS)
def test_error_is_within_the_stated_error(keys: str, values: str, d_k: int, d_v: int, n: int, trials: int) -> None:
    stated = 0.004 if (keys, values) == ("sphere", "sphere") else 0.015
    measured, standard_error = simulated(keys, values, d_k, d_v, n, trials)
    predicted = float(law.error(spec("cosine", d_k=d_k, d_v=d_v, keys=keys, values=values), np.array(n)))
    assert abs(predicted - measured) <= stated * measured + Z * standard_error


def test_leading_formula_would_fail_where_dimensions_are_few() -> None:
    measured, standard_error = simulated("sphere", "sphere", 8, 8, 4, 30_000)
    assert 1 - (1 + 3 / 8) ** -0.5 - measured > 0.08 * measured + Z * standard_error


def test_two_associations_agree_with_the_integral_over_both_overlaps() -> None:
    # r = v + b u: cos = (1 + a b) / sqrt(1 + 2 a b + b^2)
    from scipy.special import roots_jacobi

    d = 64
    nodes, weight = roots_jacobi(60, (d - 3) / 2, (d - 3) / 2)
    weight = weight / weight.sum()
    a, b = nodes[:, None], nodes
    exact = weight @ (1 - (1 + a * b) / np.sqrt(1 + 2 * a * b + b**2)) @ weight
    assert float(law.error(spec("cosine", d_k=d, values="sphere"), np.array(2))) == pytest.approx(exact, rel=5e-3)


def test_error_rises_from_zero_to_one() -> None:
    for d_k, d_v in ((8, 8), (64, 16), (1024, 1024)):
        memory = spec("cosine", d_k=d_k, d_v=d_v, values="sphere")
        curve = law.error(memory, np.array([1, 2, 3, 4, 7, 20, 100, 1000, 10**5, 10**7, 2**40]))
        assert curve[0] == 0 and np.all(np.diff(curve) > 0) and 0.99 < curve[-1] < 1


def test_large_dimensions_approach_the_leading_law() -> None:
    memory = spec("cosine", d_k=4096, values="sphere")
    assert law.leading(memory, 0.1) == pytest.approx(1 + 4096 * (1 / 0.81 - 1), rel=1e-12)
    assert law.capacity(memory, 0.1) == pytest.approx(law.leading(memory, 0.1), rel=1e-3)
    assert law.capacity(memory, 1.0) is None and math.isinf(law.leading(memory, 1.0))
