"""The engine's errors are those of float64 loops written from the equations, draw by draw."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from memory_specs import make_spec
from reference import hebbian

from pavlov_cli.engine.attention import first_failures
from pavlov_cli.engine.draws import KEYS, PROBES, VALUES, draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory

GROUP = 64


def drawn(spec, trial: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keys, values and probe numbers of a trial's first n associations, derived one random key at a time."""
    words = draw_words(spec)
    root = jax.random.fold_in(jax.random.fold_in(jax.random.key(words[0]), words[1]), words[2])
    of_trial = jax.random.fold_in(root, trial)

    def key_at(stream: int, j: int):
        of_group = jax.random.fold_in(jax.random.fold_in(of_trial, stream), j // GROUP)
        return jax.random.fold_in(of_group, j % GROUP)

    def vector(ensemble: str, key, d: int) -> np.ndarray:
        gaussian = np.asarray(jax.random.normal(key, (d,), "float32"), np.float64)
        return np.where(gaussian < 0, -1.0, 1.0) if ensemble == "rademacher" else gaussian / np.linalg.norm(gaussian)

    keys = np.stack([vector(spec.key_ensemble.name, key_at(KEYS, j), spec.d_k) for j in range(n)])
    values = np.stack([vector(spec.value_ensemble.name, key_at(VALUES, j), spec.d_v) for j in range(n)])
    numbers = np.array([int(jax.random.key_data(key_at(PROBES, j))[0]) >> 8 for j in range(n)])
    return keys, values, numbers


def expected(spec, trial: int, n: int) -> float:
    """The trial's error at n, summed over the probed items."""
    keys, values, numbers = drawn(spec, trial, n)
    probed = np.argsort(numbers, kind="stable")[: min(n, spec.queries)]
    scale = 1 / spec.d_k if spec.key_ensemble.name == "rademacher" else 1.0
    got = scale * hebbian.readouts(keys, values, keys[probed])
    if spec.criterion.name == "sign":
        return float(hebbian.half_sign_errors(got, values[probed]).sum())
    power = spec.d_v if spec.value_ensemble.name == "rademacher" else 1.0
    return float(hebbian.mse(got, values[probed], power).sum())


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
@pytest.mark.parametrize("criterion", ["mse", "sign"])
def test_errors_equal_the_loops_at_every_kind_of_n(devices, criterion: str, keys: str, precision: str) -> None:
    spec = make_spec(criterion, d_k=8, d_v=12, keys=keys, precision=precision, queries=70, seed=3)
    ns = (
        1,
        2,
        5,
        64,
        65,
        256,
        257,
        300,
    )  # inside and at the ends of row sizes and chunks, with all and some items probed
    lane = Lane(build_memory(spec), (build_criterion(spec),), ns, spec.queries)
    sums = stream_trials([lane], [0, 7], draw_words(spec), None, devices)
    for n in ns:
        for position, trial in enumerate((0, 7)):
            # float32 rounding of a zero error (n = 1) is about 1e-14; a relative 2e-5 covers sums of 70 x 12 terms
            tolerance = dict(rel=1e-10, abs=1e-12) if precision == "float64" else dict(rel=2e-5, abs=1e-6)
            assert sums[0, 0, n][position] == pytest.approx(expected(spec, trial, n), **tolerance)


def test_sign_counts_are_exact_integers_on_sign_keys(devices) -> None:
    spec = make_spec("sign", d_k=8, keys="rademacher", seed=5)
    lane = Lane(build_memory(spec), (build_criterion(spec),), (9, 40), spec.queries)
    sums = stream_trials([lane], range(6), draw_words(spec), None, devices)
    for n in (9, 40):
        assert sums[0, 0, n].dtype == np.int32
        assert list(sums[0, 0, n]) == [expected(spec, trial, n) for trial in range(6)]


@pytest.mark.parametrize("margin", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
def test_guaranteed_is_the_first_n_whose_gram_corner_is_not_dominant(devices, keys: str, margin: float) -> None:
    spec = make_spec("guaranteed", d_k=32, keys=keys, margin=margin, seed=2)
    found = first_failures(build_memory(spec), build_criterion(spec), range(8), 64, draw_words(spec), None, devices)
    for trial in range(8):
        rows = drawn(spec, trial, 64)[0]
        assert found[trial] == hebbian.first_failure(rows @ rows.T, margin)


def test_the_chunk_form_equals_the_step_form() -> None:
    memory = build_memory(make_spec(d_k=8, precision="float64"))
    rng = np.random.default_rng(0)
    keys, values = rng.normal(size=(20, 8)), rng.normal(size=(20, 8))
    with jax.enable_x64(True):
        for count in (0, 1, 13, 20):
            chunk = memory.update_rule.write_chunk(memory.init(), jnp.array(keys), jnp.array(values), jnp.int32(count))
            step = memory.init()
            for key, value in zip(keys[:count], values[:count], strict=True):
                step = memory.update_rule.write(step, jnp.array(key), jnp.array(value))
            np.testing.assert_allclose(chunk, step, atol=1e-13)
            np.testing.assert_allclose(chunk, hebbian.state(keys[:count], values[:count]), atol=1e-13)


def test_signs_are_those_of_the_gaussian_draw() -> None:
    from pavlov_cli.memory._contracts import normal, signs

    key = jax.random.key(11)
    gaussian, sign = np.asarray(normal(key, 4096, "float32")), np.asarray(signs(key, 4096, "float32"))
    np.testing.assert_array_equal(np.where(gaussian < 0, -1, 1), sign)
