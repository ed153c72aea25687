"""Every ensemble meets its law through the engine, and its bits depend on nothing but seed, trial and position."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from memory_specs import choice, make_spec

from pavlov_cli.engine.devices import open_devices
from pavlov_cli.engine.draws import draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory

Z = 3.3  # one false alarm in a thousand per comparison
D = 16
N = 12
SPECTRUM = np.arange(1.0, D + 1) ** -1.0
SHARED = (SPECTRUM**2).sum() / SPECTRUM.sum() ** 2  # E <k, k'>^2 of keys with this spectrum
WITHIN = 0.5**2 + 0.5**2 / (D - 1)
LAWS = [
    ("gaussian", {}, (N + 1) / D),
    ("correlated", {"rho": 0.3}, (N - 1) * (0.3**2 + 0.7**2 / (D - 1))),
    ("correlated", {"rho": 0.0}, (N - 1) / (D - 1)),
    ("clustered", {"clusters": 3, "rho": 0.5}, (N - 1) * (WITHIN / 3 + (2 / 3) / D)),
    ("sparse", {"density": 0.25}, (N - 1) / D),
    ("sparse", {"density": 0.01}, (N - 1) / D),
    ("power_law", {"alpha": 0.0}, (N - 1) / D),
    ("power_law", {"alpha": 1.0, "normalise": False}, (N + 1) * SHARED),
]


def errors(spec, trials: int, n: int, devices) -> np.ndarray:
    """Mean error of each trial."""
    lane = Lane(build_memory(spec), (build_criterion(spec),), (n,), spec.queries)
    return stream_trials([lane], range(trials), draw_words(spec), None, devices)[0, 0, n] / min(n, spec.queries)


def check_mean(of_trials: np.ndarray, expected: float) -> None:
    error = of_trials.std(ddof=1) / math.sqrt(len(of_trials))
    assert abs(of_trials.mean() - expected) <= Z * error, (of_trials.mean(), expected, error)


@pytest.mark.parametrize(("keys", "parameters", "law"), LAWS)
def test_mse_meets_the_law_of_its_keys(devices, keys: str, parameters: dict, law: float) -> None:
    check_mean(errors(make_spec("mse", d_k=D, keys=keys, key_parameters=parameters), 1500, N, devices), law)


def test_orthonormal_keys_are_read_without_error_up_to_d_k(devices) -> None:
    assert errors(make_spec("mse", d_k=D, keys="orthogonal"), 20, D, devices).max() < 1e-11
    assert errors(make_spec("mse", d_k=D, keys="orthogonal", precision="float64"), 20, D, devices).max() < 1e-20
    assert errors(make_spec("sign", d_k=D, keys="orthogonal"), 20, D, devices).max() == 0


@pytest.mark.parametrize("values", ["gaussian", "one_hot", "codebook"])
def test_mse_does_not_depend_on_where_values_come_from(devices, values: str) -> None:
    check_mean(errors(make_spec("mse", d_k=D, d_v=10, values=values), 1500, N, devices), (N - 1) / D)


@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
def test_a_noisy_query_loses_signal_and_meets_the_same_interference(devices, keys: str) -> None:
    kappa = 0.9
    spec = make_spec("mse", d_k=D, keys=keys, query_cosine=kappa)
    check_mean(errors(spec, 1500, N, devices), (1 - kappa) ** 2 + (N - 1) / D)


ENSEMBLES = [
    *(("sphere" if name == "file" else name, "sphere") for name in ("gaussian", "correlated", "clustered", "sparse")),
    *((name, "sphere") for name in ("power_law", "orthogonal")),
    *(("sphere", name) for name in ("gaussian", "one_hot", "file")),
]
ROWS = np.random.default_rng(3).normal(size=(70, D)).astype(np.float32) / 4


def measure(keys: str, values: str, devices, batch=None) -> dict[int, np.ndarray]:
    ns = (3, 16) if keys == "orthogonal" else (3, 70)
    spec = make_spec("mse", d_k=D, keys=keys, values=values)
    rows = ROWS if values == "file" else None
    lane = Lane(build_memory(spec), (build_criterion(spec),), ns, spec.queries, rows)
    sums = stream_trials([lane], range(5), draw_words(spec), None, devices, batch_limit=batch)
    return {n: sums[0, 0, n] for n in ns}


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "values"), ENSEMBLES)
def test_neither_batch_nor_devices_change_a_bit(devices, keys: str, values: str) -> None:
    reference = measure(keys, values, devices)
    for other in (
        measure(keys, values, devices, batch=1),
        measure(keys, values, devices, batch=3),
        measure(keys, values, devices, batch=64),
        measure(keys, values, open_devices("cpu", 1)),
    ):
        for n, sums in reference.items():
            np.testing.assert_array_equal(sums, other[n])


_SCRIPT = """
import json, sys
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/engine"]
from test_ensembles import ENSEMBLES, measure
from pavlov_cli.engine.devices import open_devices
devices = open_devices("cpu", int(sys.argv[1]))
assert devices.count == int(sys.argv[1])
found = {}
for keys, values in ENSEMBLES:
    found[f"{keys} {values}"] = {str(n): [float(x).hex() for x in s] for n, s in measure(keys, values, devices).items()}
print(json.dumps(found, sort_keys=True))
"""


@pytest.mark.slow
def test_one_and_eight_devices_and_one_core_give_equal_bits(on_devices) -> None:
    one = on_devices(_SCRIPT, 1)
    assert len(one) == len(ENSEMBLES)
    assert on_devices(_SCRIPT, 8) == one
    assert on_devices(_SCRIPT, 1, "taskset", "-c", "0") == one


def test_values_leave_the_draw_of_keys_alone() -> None:
    plain = make_spec(keys="correlated")
    for values in ("gaussian", "one_hot", "file", "codebook"):
        other = replace(plain, value_ensemble=choice("value_ensemble", values), value_digest="1", query_cosine=0.5)
        assert draw_words(other) == draw_words(plain)
    assert draw_words(make_spec(keys="correlated", key_parameters={"rho": 0.2})) != draw_words(plain)


def test_what_keys_share_is_independent_of_what_values_share(devices) -> None:
    """Both read the trial's own random key, so that files stay paired: every other entry must fold it differently."""
    import jax

    keys = build_memory(make_spec(keys="clustered", key_parameters={"clusters": 20})).key_ensemble
    values = build_memory(make_spec(values="codebook", value_parameters={"size": 20})).value_ensemble
    shared = jax.random.key(1)
    centres, book = np.asarray(keys.begin(shared, D, None)), np.asarray(values.begin(shared, D, None))
    assert np.abs(np.corrcoef(centres, book)[:20, 20:]).max() < 0.95
