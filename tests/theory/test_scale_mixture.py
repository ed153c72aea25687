"""Are the parts of the scale mixture right: its weights, the win of one distractor, the law of an overlap?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from theory_specs import draw

from pavlov_cli.theory import _repeats, _scale_mixture

Z = 3.3


@pytest.mark.parametrize(("d_v", "freedom"), [(8, 6.0), (16, 30.0), (64, 1e3), (4096, 1e6), (16, 1e13)])
def test_interference_has_the_stated_moments(d_v: int, freedom: float) -> None:
    grid = _scale_mixture.interference_grid(d_v, 2.5, freedom)
    t, r = grid.t[:, None], grid.radius
    assert np.sum(grid.weight) == pytest.approx(1, abs=1e-6)
    assert np.sum(grid.weight * t) == pytest.approx(0, abs=1e-6)
    assert np.sum(grid.weight * t**2) == pytest.approx(2.5 / d_v, rel=1e-5)
    assert np.sum(grid.weight * r**2) == pytest.approx(2.5 * (d_v - 1) / d_v, rel=1e-5)
    assert np.sum(grid.weight * t**4) == pytest.approx(3 * (2.5 / d_v) ** 2 * (1 + 2 / freedom), rel=1e-4)
    assert np.sum(grid.weight * t**2 * r**2) == pytest.approx(2.5**2 * (d_v - 1) / d_v**2 * (1 + 2 / freedom), rel=1e-4)


@pytest.mark.parametrize("repeats", [0.0, 0.25])
@pytest.mark.parametrize(
    ("keys", "values"), [("sphere", "sphere"), ("rademacher", "sphere"), ("rademacher", "rademacher")]
)
def test_degrees_of_freedom_are_those_of_the_simulated_sum(keys: str, values: str, repeats: float) -> None:
    d_k, d_v, terms, trials = 9, 8, 5, 300_000
    generator = np.random.default_rng(4)
    k, v = draw(generator, keys, trials, terms + 1, d_k), draw(generator, values, trials, terms + 1, d_v)
    if repeats:  # the terms take one of four values each
        v[:, 1:] = np.take_along_axis(v[:, 1:5], generator.integers(4, size=(trials, terms, 1)), axis=1)
    overlap, along = (np.einsum("td,tjd->tj", x[:, 0], x[:, 1:]) for x in (k, v))
    fourth = np.sum(overlap * along, axis=1) ** 4
    moments = {"sphere": _scale_mixture.sphere_moment, "rademacher": _scale_mixture.sign_moment}
    freedom = _scale_mixture.degrees_of_freedom(moments[keys](d_k), moments[values](d_v), terms, repeats=repeats)
    predicted = 3 * (terms / (d_k * d_v)) ** 2 * (1 + 2 / freedom)
    standard_error = fourth.std() / math.sqrt(trials)
    assert abs(fourth.mean() - predicted) < Z * standard_error
    assert standard_error < 0.02 * predicted  # so nu = infinity, or repeats left out, would show


def test_a_distractor_wins_as_often_as_random_values_do() -> None:
    d_v, trials, b, along, across = 5, 200_000, 0.2, -0.3, 0.9
    own, side = np.eye(d_v)[:2]
    other = draw(np.random.default_rng(6), "gaussian", trials, 1, d_v)[:, 0]
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    readout = own + b * other + along * own + across * side
    wins = np.mean(np.sum((other - own) * readout, axis=1) > 0)
    predicted = float(_scale_mixture.win_probability(d_v, np.array(1 - b + along), np.array(across)))
    assert abs(wins - predicted) < Z * math.sqrt(predicted / trials)


@pytest.mark.parametrize("d_k", [8, 64, 1024])
@pytest.mark.parametrize("relative_step", [0.05, 0.3, 0.69, 0.71, 1.5, 4.0])
def test_overlap_weights_have_the_moments_of_a_sphere_coordinate(d_k: int, relative_step: float) -> None:
    step = relative_step / math.sqrt(d_k)
    weights = _scale_mixture.overlap_weights(d_k, step)
    overlap = step * (np.arange(len(weights)) - len(weights) // 2)
    moments = [1.0, 1 / d_k, 3 / (d_k * (d_k + 2)), 15 / (d_k * (d_k + 2) * (d_k + 4))]
    smooth = d_k >= 64 or relative_step > 0.7  # at d 8 the density ends like (1 - b)^(5/2), which equal steps feel
    allowed = 1e-8 if smooth else 1e-3 if relative_step < 0.2 else 0.05
    for power, moment in enumerate(moments):
        assert weights @ overlap ** (2 * power) == pytest.approx(moment, rel=allowed)
    np.testing.assert_array_equal(weights, weights[::-1])


@pytest.mark.parametrize(("draws", "probability"), [(0, 0.5), (1, 0.25), (7, 0.125), (4000, 0.01)])
def test_total_overlap_of_repeats_is_a_compound_binomial(draws: int, probability: float) -> None:
    d_k, step = 32, 0.05
    weights = _repeats.total_overlap_weights(d_k, step, draws=draws, probability=probability)
    middle = len(weights) // 2
    total = step * (np.arange(len(weights)) - middle)
    second, fourth = probability / d_k, 3 * probability / (d_k * (d_k + 2))
    assert np.sum(weights) == pytest.approx(1, rel=1e-12)
    assert weights @ total**2 == pytest.approx(draws * second, rel=1e-7)
    expected = draws * fourth + 3 * draws * (draws - 1) * second**2
    assert weights @ total**4 == pytest.approx(expected, rel=1e-6)
    assert weights[middle] >= (1 - probability) ** draws


@pytest.mark.parametrize("product", [0.1, 1.0, 32.0, 1e7])
def test_log_linear_root_solves_its_equation(product: float) -> None:
    root = _scale_mixture.log_linear_root(product)
    assert root > 1 and root * math.log(root) == pytest.approx(product, rel=1e-12)


@pytest.mark.parametrize(
    ("d_k", "d_v", "n"), [(16, 16, 8), (16, 16, 60), (64, 64, 40), (64, 64, 300), (1024, 1024, 50_000)]
)
def test_halving_every_step_changes_nothing(monkeypatch: pytest.MonkeyPatch, d_k: int, d_v: int, n: int) -> None:
    def expected_wins() -> float:
        _scale_mixture.stored_wins.cache_clear()
        wins, weight = _scale_mixture.stored_wins(d_k, d_v, n)
        return float(np.sum(weight * wins))

    coarse = expected_wins()
    for name in ("_STEP_T", "_STEP_R", "_STEP_X"):
        monkeypatch.setattr(_scale_mixture, name, getattr(_scale_mixture, name) / 2)
    assert coarse == pytest.approx(expected_wins(), rel=1e-5)
    _scale_mixture.stored_wins.cache_clear()
