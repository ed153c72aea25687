"""Does the codebook law agree with simulated memories, with few and with very many repeats of a value?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import draw, spec

from pavlov_cli.theory import codebook_scale_mixture as law

Z = 3.3
STATED = 0.10


def memory(size: int, d_k: int = 16, d_v: int | None = None):
    """A memory of codebook values, judged against that codebook."""
    return spec(
        "codebook",
        d_k=d_k,
        d_v=d_v,
        values="codebook",
        value_parameters=(("size", size),),
        criterion_parameters=(("codebook_size", size),),
    )


def error(size: int, d_k: int, d_v: int, n: int) -> float:
    """The predicted error at one n."""
    return float(law.error(memory(size, d_k, d_v), np.array(n)))


def simulated(size: int, d_k: int, d_v: int, n: int, trials: int) -> tuple[float, float]:
    """Rate at which another value of the codebook scores at least as high, and its standard error over trials."""
    generator = np.random.default_rng(29)
    wrong = np.empty(trials)
    for trial in range(trials):
        entries, keys = draw(generator, "sphere", 1, size, d_v)[0], draw(generator, "sphere", 1, n, d_k)[0]
        drawn = generator.integers(size, size=n)
        scores = (keys @ keys.T) @ entries[drawn] @ entries.T
        own = scores[np.arange(n), drawn]
        scores[np.arange(n), drawn] = -np.inf  # equal values are no distractors
        wrong[trial] = np.mean(scores.max(axis=1) >= own)
    return float(wrong.mean()), float(wrong.std() / math.sqrt(trials))


@pytest.mark.parametrize(
    ("size", "d_k", "d_v", "n", "trials"),
    [
        (64, 16, 16, 8, 10_000),
        (64, 16, 16, 32, 2000),
        (64, 16, 16, 256, 300),
        (8, 16, 16, 40, 2000),
        (1024, 32, 32, 50, 600),
        (128, 32, 32, 40, 2000),
        (64, 32, 8, 20, 2000),
        (64, 8, 32, 20, 2000),
        (8, 8, 8, 12, 4000),
        (8, 32, 32, 16, 8000),
        (8, 64, 64, 50, 4000),
    ],
)
def test_error_is_within_the_stated_error(size: int, d_k: int, d_v: int, n: int, trials: int) -> None:
    rate, standard_error = simulated(size, d_k, d_v, n, trials)
    assert abs(error(size, d_k, d_v, n) - rate) <= STATED * rate + Z * standard_error
    assert standard_error < 0.03 * rate


@pytest.mark.parametrize(("d", "n"), [(8, 2), (8, 3), (16, 4)])
def test_very_few_associations_are_within_a_fifth(d: int, n: int) -> None:
    rate, standard_error = simulated(64, d, d, n, 15_000)
    assert abs(error(64, d, d, n) - rate) <= 0.20 * rate + Z * standard_error


def test_errors_rise_from_zero_to_a_guess() -> None:
    curve = law.error(memory(64), np.array([1, 2, 3, 4, 6, 8, 12, 20, 40, 64, 100, 300, 1000, 10**4, 10**6]))
    assert curve[0] == 0 and np.all(np.diff(curve) > 0)
    assert curve[-1] == pytest.approx(1 - 1 / 64, abs=0.003)


def test_capacity_crosses_the_target_near_the_leading_law() -> None:
    capacity = law.capacity(memory(1024, 64), 0.01)
    below = math.floor(capacity)
    assert error(1024, 64, 64, below) <= 0.01 < error(1024, 64, 64, below + 1)
    for size, d_k, d_v in [(16, 2048, 2048), (1024, 1024, 1024), (64, 4096, 64)]:
        assert law.capacity(memory(size, d_k, d_v), 0.01) == pytest.approx(
            law.leading(memory(size, d_k, d_v), 0.01), rel=0.05
        )


def test_targets_that_guessing_meets_have_no_capacity() -> None:
    assert law.capacity(memory(4), 0.75) is None
    assert math.isinf(law.leading(memory(4), 0.75))
    assert math.isfinite(law.leading(memory(4), 0.74))


def test_leading_law_is_the_race_of_independent_normal_scores() -> None:
    generator, size, target = np.random.default_rng(37), 16, 0.05
    spread = math.sqrt(law.leading(memory(size, 64), target) / 64 * (1 / 64 + 1 / size))
    scores = spread * generator.standard_normal((200_000, size))
    beaten = np.mean(scores[:, 1:].max(axis=1) > 1 + scores[:, 0])
    assert abs(beaten - target) < Z * math.sqrt(target / 200_000)
