"""Does the listwise law agree with simulated memories within what it states, and with top1 at k = 1?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import draw, spec

from pavlov_cli.theory import listwise_scale_mixture as law
from pavlov_cli.theory import top1_scale_mixture

Z = 3.3


def memory(k: int | None, d_k: int, d_v: int | None = None):
    """A memory judged by its k best."""
    return spec("listwise", d_k=d_k, d_v=d_v, values="sphere", criterion_parameters=() if k is None else (("k", k),))


@pytest.mark.parametrize(
    ("d_k", "d_v", "n", "k", "trials", "stated"),
    [
        (16, 16, 24, 5, 5000, 0.10),
        (16, 16, 66, 5, 800, 0.05),
        (32, 32, 64, 5, 1200, 0.05),
        (64, 64, 220, 5, 200, 0.05),
        (32, 32, 64, 2, 1200, 0.05),
        (64, 16, 60, 2, 2000, 0.05),
    ],
)
def test_error_is_within_the_stated_error(d_k: int, d_v: int, n: int, k: int, trials: int, stated: float) -> None:
    generator = np.random.default_rng(23)
    lost = np.empty(trials)
    for trial in range(trials):
        keys, values = draw(generator, "sphere", 1, n, d_k)[0], draw(generator, "sphere", 1, n, d_v)[0]
        scores = (keys @ keys.T) @ (values @ values.T)
        lost[trial] = np.mean(np.sum(scores >= np.diagonal(scores)[:, None], axis=1) - 1 >= k)
    standard_error = lost.std() / math.sqrt(trials)
    predicted = float(law.error(memory(k, d_k, d_v), np.array(n)))
    assert abs(predicted - lost.mean()) <= stated * lost.mean() + Z * standard_error
    assert standard_error < 0.06 * lost.mean()  # so k - 1 or k + 1, off by a factor of about 2, would fail


def test_one_is_top1_and_five_the_default() -> None:
    n = np.array([1, 2, 3, 10, 50, 400])
    np.testing.assert_allclose(
        law.error(memory(1, 16), n), top1_scale_mixture.error(spec("top1", values="sphere"), n), rtol=1e-9
    )
    np.testing.assert_array_equal(law.error(memory(None, 16), n), law.error(memory(5, 16), n))


def test_as_many_others_as_the_list_are_needed_and_errors_rise() -> None:
    assert law.error(memory(5, 16), np.array([1, 3, 5])).tolist() == [0, 0, 0]
    curve = law.error(memory(5, 16), np.array([6, 7, 8, 12, 20, 50, 200, 1000, 10**5, 2**40]))
    assert np.all(np.diff(curve) > 0) and curve[-1] <= 1


def test_capacity_crosses_the_target_and_the_leading_law_solves_its_equation() -> None:
    capacity = law.capacity(memory(5, 64), 0.01)
    below = math.floor(capacity)
    low, high = law.error(memory(5, 64), np.array([below, below + 1]))
    assert low <= 0.01 < high
    leading = law.leading(memory(5, 64), 0.01)
    assert 2 * leading * math.log(leading / 5) == pytest.approx(64 * 64, rel=1e-12)
    assert law.capacity(memory(5, 64), 1.0) is None
