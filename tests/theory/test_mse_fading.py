"""Are the squared errors of memories that forget right, age by age and in the mean?"""

from __future__ import annotations

import numpy as np
import pytest
from reference import update_rules
from theory_specs import draw, spec

from pavlov_cli.theory import find, mse_decay, mse_delta, mse_gated_delta

Z = 3.3


def memory(rule: str, d_k: int = 16, gamma: float | None = None, **others):
    """A forgetting memory."""
    parameters = (("beta", 1.0),) if gamma is None else (("beta", 1.0), ("gamma", gamma))
    return spec("mse", d_k=d_k, rule=rule, rule_parameters=parameters, **{"values": "sphere", **others})


def simulated(rule: str, d_k: int, n: int, keys: str = "sphere", trials: int = 4000, **parameters: float):
    """Squared errors by age, [trials, n], the newest first."""
    generator = np.random.default_rng(4)
    k, v = draw(generator, keys, trials, n, d_k), draw(generator, "sphere", trials, n, 5)
    errors = np.empty((trials, n))
    for trial in range(trials):
        state = update_rules.written(rule, k[trial], v[trial], **parameters)
        errors[trial] = np.sum((k[trial] @ state - v[trial]) ** 2, axis=1)[::-1]
    return errors


def agrees(errors: np.ndarray, predicted: np.ndarray) -> bool:
    """Whether means over trials are within Z standard errors, beyond rounding."""
    spread = Z * errors.std(axis=0) / np.sqrt(len(errors)) + 1e-9
    return bool(np.all(np.abs(errors.mean(axis=0) - predicted) < spread))


@pytest.mark.parametrize(
    ("d_k", "n", "beta", "gamma"), [(2, 6, 1, 1), (6, 9, 1, 1), (6, 9, 0.5, 0.9), (12, 20, 1.5, 1)]
)
def test_errors_of_a_correcting_memory_agree_at_every_age(d_k: int, n: int, beta: float, gamma: float) -> None:
    errors = simulated("gated_delta", d_k, n, beta=beta, gamma=gamma)
    assert agrees(errors, mse_delta.by_age(d_k, n, beta, gamma))


@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
@pytest.mark.parametrize("gamma", [0.6, 0.96875, 1.0])
def test_the_mean_error_of_a_fading_memory_agrees_with_simulated_ones(gamma: float, keys: str) -> None:
    for n in (1, 2, 11):
        errors = simulated("decay", 6, n, keys, trials=2000, beta=1.0, gamma=gamma).mean(axis=1, keepdims=True)
        assert agrees(errors, mse_decay.error(memory("decay", 6, gamma, keys=keys), np.array([n])))


def test_a_fading_memory_fades_by_age() -> None:
    gamma, n, d_k = 0.9, 9, 6
    m = np.arange(n)
    by_age = (1 - gamma**m) ** 2 + ((1 - gamma ** (2 * n)) / (1 - gamma**2) - gamma ** (2 * m)) / d_k
    assert agrees(simulated("decay", d_k, n, beta=1.0, gamma=gamma), by_age)
    assert mse_decay.error(memory("decay", d_k, gamma), np.array(n)) == pytest.approx(by_age.mean(), rel=1e-12)


@pytest.mark.parametrize("gamma", [None, 0.5, 0.96875, 1.0])
@pytest.mark.parametrize("d_k", [2, 3, 64, 1024])
def test_the_mean_over_ages_is_summed_exactly(d_k: int, gamma: float | None) -> None:
    law, rule = (mse_delta, "delta") if gamma is None else (mse_gated_delta, "gated_delta")
    for n in (1, 2, 3, 50, 3000):
        mean = mse_delta.by_age(d_k, n, 1.0, gamma or 1.0).mean()
        assert law.error(memory(rule, d_k, gamma), np.array(n)) == pytest.approx(mean, rel=1e-9, abs=1e-12)


def test_the_steady_state_is_a_memory_of_about_d_k() -> None:
    ages = np.array([0, 1, 10, 64, 200])
    steady = 2 * (1 - (1 - 1 / 64) ** ages)
    np.testing.assert_allclose(mse_delta.by_age(64, 5000, ages=ages), steady, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("rule", "gamma"), [("delta", None), ("gated_delta", 1.0)])
def test_capacity_without_fading_grows_with_d_k(rule: str, gamma: float | None) -> None:
    law = mse_delta if gamma is None else mse_gated_delta
    for target in (0.05, 0.25, 1.0):
        large = memory(rule, 4096, gamma)
        found = law.capacity(large, target)
        assert float(law.error(large, np.array(int(found)))) <= target
        assert float(law.error(large, np.array(int(found) + 1))) > target
        assert law.leading(large, target) == pytest.approx(found, rel=4 / (target * 4096))  # a term of order 1
    assert law.capacity(memory(rule, 16, gamma), 2.0) is None


@pytest.mark.parametrize("rule", ["decay", "gated_delta"])
def test_capacity_with_fading_stops_growing(rule: str) -> None:
    law = mse_decay if rule == "decay" else mse_gated_delta
    small, large = (law.capacity(memory(rule, d_k, 0.96875), 0.25) for d_k in (64, 10**6))
    assert small < large == pytest.approx(law.leading(memory(rule, 64, 0.96875), 0.25), rel=1e-3)
    assert law.capacity(memory(rule, 16, 0.5), 3.0) is None
    assert law.leading(memory(rule, 16, 0.5), 3.0) == np.inf


def test_without_fading_decay_is_hebbian() -> None:
    ns = np.array([1, 2, 17, 400])
    np.testing.assert_allclose(mse_decay.error(memory("decay", 16, 1.0), ns), (ns - 1) / 16, atol=1e-12)
    assert mse_decay.capacity(memory("decay", 16, 1.0), 0.25) == pytest.approx(5, rel=1e-9)
    assert mse_decay.leading(memory("decay", 16, 1.0), 0.25) == 5


def test_other_memories_are_left_alone() -> None:
    assert find(memory("delta")).LAW.name == "mse_delta"
    assert find(memory("gated_delta", gamma=0.9)).LAW.name == "mse_gated_delta"
    assert find(memory("decay", gamma=0.9)).LAW.name == "mse_decay"
    for other in (
        memory("delta", keys="rademacher"),
        memory("delta", values="one_hot"),
        memory("delta", d_k=1),
        memory("decay", gamma=0.9, keys="gaussian"),
        memory("decay", gamma=0.9, query_cosine=0.5),
        spec("mse", rule="delta", rule_parameters=(("beta", 0.5),)),
        spec("sign", rule="decay", rule_parameters=(("gamma", 0.5),)),
    ):
        assert find(other) is None
