"""The engine's errors are those of float64 loops written from the equations, draw by draw."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from memory_specs import make_spec
from reference import distractors, hebbian
from reference.draws import drawn

from pavlov_cli.engine.attention import first_failures
from pavlov_cli.engine.draws import draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory


@cache
def all_drawn(spec, trial: int, count: int):
    return drawn(spec, trial, count)


def expected(spec, trial: int, n: int) -> float:
    """The trial's error at n, summed over the probed items."""
    stored = all_drawn(spec, trial, 300 if n <= 300 else 2100).first(n)
    probed = stored.probed(min(n, spec.queries))
    scale = 1 / spec.d_k if spec.key_ensemble.name == "rademacher" else 1.0
    got = scale * hebbian.readouts(stored.keys, stored.values, stored.queries[probed])
    wanted = stored.values[probed]
    if spec.criterion.name == "sign":
        return float(hebbian.half_sign_errors(got, wanted).sum())
    if spec.criterion.name == "cosine":
        return float(sum(distractors.cosine_distance(got, wanted)))
    power = spec.d_v if spec.value_ensemble.name in ("rademacher", "gaussian") else 1.0
    return float(hebbian.mse(got, wanted, power).sum())


# inside and at the ends of row sizes and chunks, with all and some items probed
NS = (1, 2, 5, 64, 65, 256, 257, 300)


FAR_NS = (512, 600, 1024, 1025, 2048, 2100)  # where more is drawn and written at once


def check_every_n(spec, devices, ns=NS, trials=(0, 7)) -> None:
    lane = Lane(build_memory(spec), (build_criterion(spec),), ns, spec.queries)
    sums = stream_trials([lane], trials, draw_words(spec), None, devices)
    for n in ns:
        for position, trial in enumerate(trials):
            # float32 rounding of a zero error (n = 1) is about 1e-14; a relative 2e-5 covers sums of 70 x 12 terms
            tolerance = dict(rel=1e-10, abs=1e-12) if spec.precision == "float64" else dict(rel=2e-5, abs=1e-6)
            assert sums[0, 0, n][position] == pytest.approx(expected(spec, trial, n), **tolerance)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
@pytest.mark.parametrize("criterion", ["mse", "sign"])
def test_errors_equal_the_loops_at_every_kind_of_n(devices, criterion: str, keys: str, precision: str) -> None:
    check_every_n(make_spec(criterion, d_k=8, d_v=12, keys=keys, precision=precision, queries=70, seed=3), devices)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [70, 1024])
def test_errors_far_out_equal_the_loops(devices, queries: int) -> None:
    kind = dict(d_k=8, d_v=12, precision="float64", queries=queries, query_cosine=0.6, seed=3)
    check_every_n(make_spec("mse", **kind), devices, FAR_NS, (7,))


@pytest.mark.parametrize("values", ["sphere", "gaussian"])
def test_cosine_distances_equal_the_loop(devices, values: str) -> None:
    spec = make_spec("cosine", d_k=8, d_v=12, values=values, precision="float64", queries=70, seed=3)
    check_every_n(spec, devices)


@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
def test_errors_of_noisy_queries_equal_the_loop(devices, keys: str) -> None:
    kind = dict(d_k=8, d_v=12, keys=keys, precision="float64", queries=70, seed=3)
    check_every_n(make_spec("mse", query_cosine=0.6, **kind), devices)


@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
def test_guaranteed_with_noisy_queries_is_brute_force(devices, keys: str) -> None:
    spec = make_spec("guaranteed", d_k=32, keys=keys, query_cosine=0.9, precision="float64", seed=2)
    found = first_failures(build_memory(spec), build_criterion(spec), range(8), 64, draw_words(spec), None, devices)
    for trial in range(8):
        stored = drawn(spec, trial, 64)
        assert found[trial] == hebbian.first_failure(stored.queries @ stored.keys.T, 1.0)


def rounded(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)


def bfloat16_errors(spec, trial: int, n: int) -> np.ndarray:
    """Squared errors of probed items: vectors rounded once drawn, the state once a chunk, the readout at the end."""
    stored = all_drawn(spec, trial, 300 if n <= 300 else 2100).first(n)
    keys, values = rounded(stored.keys), rounded(stored.values)
    state = np.zeros((spec.d_k, spec.d_v))
    for start in range(0, n, 256):
        state = rounded(state + keys[start : start + 256].T @ values[start : start + 256])
    probed = stored.probed(min(n, spec.queries))
    return hebbian.mse(rounded(keys[probed] @ state), values[probed], 1.0)


def test_bfloat16_rounds_vectors_state_and_readout_and_nothing_else(devices) -> None:
    spec = make_spec("mse", d_k=8, d_v=12, precision="bfloat16", queries=70, seed=3)
    lane = Lane(build_memory(spec), (build_criterion(spec),), NS, spec.queries)
    sums = stream_trials([lane], range(4), draw_words(spec), None, devices)
    for n in NS:
        assert sums[0, 0, n].dtype == np.float32
        for trial in range(4):
            # Sums in float32 may round to the other neighbour of a midpoint, once in a thousand numbers.
            assert sums[0, 0, n][trial] == pytest.approx(bfloat16_errors(spec, trial, n).sum(), rel=2e-3)


def test_bfloat16_has_a_rounding_floor_where_float32_has_none(devices) -> None:
    def alone(precision: str) -> np.ndarray:
        spec = make_spec("mse", d_k=8, d_v=12, precision=precision, seed=3)
        lane = Lane(build_memory(spec), (build_criterion(spec),), (1,), spec.queries)
        return stream_trials([lane], range(40), draw_words(spec), None, devices)[0, 0, 1]

    unit = 2.0**-9  # relative rounding error of 8 significant bits
    assert unit**2 / 4 < alone("bfloat16").mean() < 16 * unit**2
    assert alone("float32").max() < 1e-12


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
        rows = drawn(spec, trial, 64).keys
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


@pytest.mark.parametrize(("m", "s"), [(20, 20), (64, 64), (64, 5), (300, 70)])
def test_a_memory_of_one_chunk_is_read_the_same_with_and_without_a_state(m: int, s: int) -> None:
    memory = build_memory(make_spec(d_k=32, d_v=48, precision="float64"))
    rng = np.random.default_rng(1)
    keys, values, queries = rng.normal(size=(m, 32)), rng.normal(size=(m, 48)), rng.normal(size=(s, 32))
    with jax.enable_x64(True):
        for count in (0, 1, m // 2, m):
            read = memory.recall(jnp.array(keys), jnp.array(values), jnp.int32(count), jnp.array(queries))
            np.testing.assert_allclose(read, queries @ hebbian.state(keys[:count], values[:count]), atol=1e-11)


def test_integers_are_read_exactly_without_a_state() -> None:
    memory = build_memory(make_spec("sign", d_k=96, keys="rademacher"))
    rng = np.random.default_rng(2)
    keys, values = (rng.choice([-1.0, 1.0], size=(64, 96)).astype("float32") for _ in range(2))
    read = memory.recall(jnp.array(keys), jnp.array(values), jnp.int32(50), jnp.array(keys[:50]))
    assert read.dtype == jnp.float32
    np.testing.assert_array_equal(read, keys[:50] @ hebbian.state(keys[:50], values[:50]))
