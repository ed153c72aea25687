"""Every update rule is the float64 loop written from its equation, and obeys the laws that its kind obeys.

A row of ``RULES`` is one rule with parameters; a column is one law.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from memory_specs import make_spec
from reference import hebbian, update_rules
from reference.draws import drawn

from pavlov_cli.engine.attention import first_failures
from pavlov_cli.engine.draws import draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory
from pavlov_cli.registry import entry_class, names

RULES = (
    ("hebb", {"beta": 1.0}),
    ("hebb", {"beta": 0.3}),
    ("decay", {"beta": 1.0, "gamma": 0.96875}),
    ("decay", {"beta": 0.5, "gamma": 0.7}),
    ("decay", {"beta": 1.0, "gamma": 1.0}),
    ("delta", {"beta": 1.0}),
    ("delta", {"beta": 0.2}),
    ("delta", {"beta": 1.9}),
    ("gated_delta", {"beta": 1.0, "gamma": 0.96875}),
    ("gated_delta", {"beta": 0.4, "gamma": 0.8}),
    ("gated_delta", {"beta": 1.0, "gamma": 1.0}),
    ("oja", {"eta": 0.03125}),
    ("oja", {"eta": 0.3}),
    ("trace", {"beta": 1.0, "gamma": 0.5}),
    ("trace", {"beta": 0.4, "gamma": 0.0}),
    ("trace", {"beta": 0.7, "gamma": 0.9}),
    ("normalised", {"beta": 1.0, "when": "end"}),
    ("normalised", {"beta": 0.6, "when": "each"}),
)
IDS = [f"{name} {' '.join(f'{p}={v}' for p, v in parameters.items())}" for name, parameters in RULES]
FADING_AND_STRONG = [RULES[i] for i in (1, 3, 7, 9, 12, 15, 17)]  # one of each, where a run is simulated
SIZES = (1, 33, 64, 100, 256)


def unit(generator: np.random.Generator, count: int, dimension: int) -> np.ndarray:
    rows = generator.normal(size=(count, dimension))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def pairs(count: int, d_k: int = 8, d_v: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return unit(generator, count, d_k), generator.normal(size=(count, d_v))


@pytest.fixture(autouse=True)
def wide(devices):
    """Devices are there, and with them float64."""
    assert jax.config.jax_enable_x64


def empty(rule, d_k: int = 8, d_v: int = 6, dtype: str = "float64", matrix: np.ndarray | None = None):
    """The state before anything is written, or one with another S."""
    state = rule.init(d_k, d_v, dtype)
    if matrix is None:
        return state
    return (jnp.array(matrix), *state[1:]) if isinstance(state, tuple) else jnp.array(matrix)


def matrix_of(state) -> np.ndarray:
    """S, whatever else a rule keeps."""
    return np.asarray(state[0] if isinstance(state, tuple) else state)


@partial(jax.jit, static_argnums=0)
def write(rule, state, key, value):
    return rule.write(state, key, value)


@partial(jax.jit, static_argnums=0)
def write_chunk(rule, state, keys, values, count):
    return rule.write_chunk(state, keys, values, count)


@partial(jax.jit, static_argnums=0)
def recall(rule, keys, values, count, queries):
    return rule.recall(keys, values, count, queries)


def chunked(rule, state, keys, values, size: int) -> jax.Array:
    """The state after writing by chunks of one size, the last one filled up with rows that do not count."""
    for start in range(0, len(keys), size):
        k, v = keys[start : start + size], values[start : start + size]
        lacking = size - len(k)
        filler = [np.full((lacking, array.shape[1]), 7.0, array.dtype) for array in (keys, values)]
        full = np.concatenate([k, filler[0]]), np.concatenate([v, filler[1]])
        state = write_chunk(rule, state, *full, np.int32(len(k)))
    return state


def test_the_table_has_every_rule() -> None:
    assert {name for name, _ in RULES} == set(names("update_rule")) == set(update_rules.RULES)


@pytest.mark.parametrize(("name", "parameters"), RULES, ids=IDS)
def test_the_step_form_is_the_equation(name: str, parameters: dict) -> None:
    rule, (keys, values) = entry_class("update_rule", name)(**parameters), pairs(40)
    state = empty(rule)
    for count, (key, value) in enumerate(zip(keys, values, strict=True), start=1):
        state = write(rule, state, key, value)
        expected = update_rules.written(name, keys[:count], values[:count], **parameters)
        np.testing.assert_allclose(matrix_of(state), expected, atol=1e-12)
    np.testing.assert_allclose(
        rule.read(state, jnp.array(keys[3])), update_rules.read(name, expected, keys[3:4])[0], atol=1e-12
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "parameters"), RULES, ids=IDS)
def test_the_chunk_form_is_the_step_form_also_where_chunks_do_not_divide_n(name, parameters, size: int) -> None:
    rule, (keys, values) = entry_class("update_rule", name)(**parameters), pairs(150)
    before = np.random.default_rng(5).normal(size=(8, 6))
    found = matrix_of(chunked(rule, empty(rule, matrix=before), keys, values, size))
    expected = update_rules.written(name, keys, values, before, **parameters)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("name", "parameters"), RULES, ids=IDS)
def test_the_chunk_form_in_float32_stays_near_the_step_form(name: str, parameters: dict) -> None:
    rule, (keys, values) = entry_class("update_rule", name)(**parameters), pairs(1024, 4, 3)
    narrow = keys.astype("float32"), values.astype("float32")
    found = matrix_of(chunked(rule, empty(rule, 4, 3, "float32"), *narrow, 1024))
    expected = update_rules.written(name, narrow[0].astype(float), narrow[1].astype(float), **parameters)
    assert found.dtype == jnp.float32
    assert np.abs(found - expected).max() < 2e-4 * np.abs(expected).max()


@pytest.mark.parametrize(("name", "parameters"), RULES, ids=IDS)
def test_a_memory_of_one_chunk_is_read_as_written_and_read(name: str, parameters: dict) -> None:
    rule, (keys, values) = entry_class("update_rule", name)(**parameters), pairs(64)
    for count in (0, 1, 40, 64):
        found = recall(rule, keys, values, np.int32(count), keys[:9])
        expected = update_rules.read(
            name, update_rules.written(name, keys[:count], values[:count], **parameters), keys[:9]
        )
        np.testing.assert_allclose(found, expected, atol=1e-11)


@pytest.mark.parametrize(("name", "parameters"), RULES, ids=IDS)
def test_states_and_readouts_are_linear_in_the_values_exactly_where_the_rule_says_so(
    name: str, parameters: dict
) -> None:
    entry = entry_class("update_rule", name)
    keys, values = pairs(20)
    other = pairs(20, seed=1)[1]
    rule = entry(**parameters)

    def state(v: np.ndarray) -> np.ndarray:
        written = write_chunk(rule, empty(rule), keys, v, np.int32(20))
        return np.stack([rule.read(written, jnp.array(key)) for key in keys])

    linear = np.allclose(state(2 * values - other), 2 * state(values) - state(other), atol=1e-10)
    assert linear == entry.linear_in_values


@pytest.mark.parametrize(("name", "parameters"), RULES, ids=IDS)
def test_scaled_keys_scale_the_readout_by_the_square_exactly_where_the_rule_says_so(
    name: str, parameters: dict
) -> None:
    entry = entry_class("update_rule", name)
    rule, (keys, values) = entry(**parameters), pairs(20)

    def read(k: np.ndarray) -> np.ndarray:
        state = write_chunk(rule, empty(rule), k, values, np.int32(20))
        return np.asarray(rule.read(state, jnp.array(k[2])))

    assert np.allclose(read(1.2 * keys), 1.44 * read(keys), rtol=1e-9) == entry.homogeneous


@pytest.mark.parametrize(("name", "parameters"), RULES, ids=IDS)
def test_the_order_of_writing_matters_exactly_where_later_writes_touch_earlier_ones(name, parameters) -> None:
    rule, (keys, values) = entry_class("update_rule", name)(**parameters), pairs(20)
    forwards = update_rules.written(name, keys, values, **parameters)
    backwards = matrix_of(write_chunk(rule, empty(rule), keys[::-1], values[::-1], np.int32(20)))
    sums = (
        name == "hebb"
        or (name, parameters.get("gamma")) in (("decay", 1), ("trace", 0))
        or parameters.get("when") == "end"
    )
    assert np.allclose(backwards, forwards, atol=1e-10) == sums


@pytest.mark.parametrize(("name", "parameters"), RULES[:11], ids=IDS[:11])
def test_orthonormal_keys_are_recalled_up_to_what_fades(name: str, parameters: dict) -> None:
    rule = entry_class("update_rule", name)(**parameters)
    keys = np.linalg.qr(np.random.default_rng(3).normal(size=(8, 8)))[0]
    values = pairs(8)[1]
    read = recall(rule, keys, values, np.int32(8), keys)
    left = parameters["beta"] * parameters.get("gamma", 1.0) ** np.arange(7, -1, -1)
    np.testing.assert_allclose(read, left[:, None] * values, atol=1e-12)


@pytest.mark.parametrize(("name", "parameters"), FADING_AND_STRONG)
def test_errors_equal_the_loop_across_chunks(devices, name: str, parameters: dict) -> None:
    kind = dict(d_k=8, d_v=12, precision="float64", queries=70, seed=3, rule=name, rule_parameters=parameters)
    spec, ns = make_spec("mse", **kind), (1, 5, 64, 65, 256, 257, 300)
    lane = Lane(build_memory(spec), (build_criterion(spec),), ns, spec.queries)
    sums = stream_trials([lane], (0, 7), draw_words(spec), None, devices)
    for position, trial in enumerate((0, 7)):
        stored = drawn(spec, trial, 300)
        for n in ns:
            some = stored.first(n)
            probed = some.probed(min(n, spec.queries))
            state = update_rules.written(name, some.keys, some.values, **parameters)
            errors = hebbian.mse(update_rules.read(name, state, some.keys[probed]), some.values[probed], 1.0)
            assert sums[0, 0, n][position] == pytest.approx(errors.sum(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "parameters"), [row for row in FADING_AND_STRONG if entry_class("update_rule", row[0]).linear_in_values]
)
def test_guaranteed_is_the_first_n_that_is_not_dominant_at_that_n(devices, name: str, parameters: dict) -> None:
    kind = dict(d_k=24, precision="float64", seed=2, rule=name, rule_parameters=parameters)
    spec = make_spec("guaranteed", **kind)
    found = first_failures(build_memory(spec), build_criterion(spec), range(6), 64, draw_words(spec), None, devices)
    for trial in range(6):
        keys = drawn(spec, trial, 64).keys
        failing = (
            n for n in range(1, 65) if hebbian.dominated(update_rules.attention(name, keys[:n], **parameters), 1.0)
        )
        assert found[trial] == next(failing, 65)


def test_the_gated_rule_is_the_delta_rule_where_nothing_fades() -> None:
    keys, values = pairs(50)
    gated = update_rules.written("gated_delta", keys, values, beta=0.7, gamma=1.0)
    np.testing.assert_allclose(gated, update_rules.written("delta", keys, values, beta=0.7), rtol=1e-12, atol=1e-12)


def test_the_self_limiting_rule_on_sign_values_is_the_fading_memory() -> None:
    keys = pairs(50)[0]
    values = np.random.default_rng(2).choice([-1.0, 1.0], size=(50, 6))
    limited = update_rules.written("oja", keys, values, eta=0.1)
    fading = update_rules.written("decay", keys, values, beta=0.1, gamma=0.9)
    np.testing.assert_allclose(limited, fading, rtol=1e-12, atol=1e-12)


def test_a_repeated_pattern_reads_one_over_its_value_and_a_column_has_that_norm() -> None:
    rule, keys = entry_class("update_rule", "oja")(eta=0.3), pairs(1)[0]
    values = np.array([[0.5, -0.8, 1.2, -1.5, 0.6, 1.0]])
    often = np.repeat(keys, 256, axis=0), np.repeat(values, 256, axis=0)
    state = empty(rule)
    for _ in range(40):
        state = write_chunk(rule, state, *often, np.int32(256))
    np.testing.assert_allclose(rule.read(state, jnp.array(keys[0])), 1 / values[0], rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(state, axis=0), 1 / np.abs(values[0]), rtol=1e-6)


@pytest.mark.parametrize("delay", [0, 1, 5])
def test_a_value_that_comes_late_is_written_to_what_is_left_of_its_key(delay: int) -> None:
    rule, value = entry_class("update_rule", "trace")(gamma=0.7), np.arange(1.0, 7.0)
    keys, values = np.zeros((delay + 1, 8)), np.zeros((delay + 1, 6))
    keys[0], values[delay] = np.eye(8)[2], value
    state = write_chunk(rule, empty(rule), keys, values, np.int32(delay + 1))
    np.testing.assert_allclose(rule.read(state, jnp.array(keys[0])), 0.7**delay * value, rtol=1e-12)
    fading = entry_class("update_rule", "decay")(gamma=0.7)
    state = write_chunk(fading, empty(fading), keys, values, np.int32(delay + 1))
    assert bool(np.any(np.asarray(state))) == (delay == 0), "decay alone writes nothing where key and value never meet"


def test_columns_normalised_at_the_end_have_hebbian_signs_and_at_each_write_forget() -> None:
    wrong = {"hebb": [], "end": [], "each": []}
    for seed in range(40):
        generator = np.random.default_rng(seed)
        keys, values = unit(generator, 16, 64), generator.choice([-1.0, 1.0], size=(16, 64))
        plain = update_rules.written("hebb", keys, values, beta=1.0)
        read = {"hebb": keys @ plain}
        for when in ("end", "each"):
            rule = entry_class("update_rule", "normalised")(when=when)
            read[when] = np.asarray(recall(rule, keys, values, np.int32(16), keys))
        for name, found in read.items():
            wrong[name].append(np.mean(found * values < 0))
        np.testing.assert_array_equal(np.sign(read["end"]), np.sign(read["hebb"]))
    assert np.mean(wrong["hebb"]) == pytest.approx(0.019, abs=3.3 * np.std(wrong["hebb"]) / np.sqrt(40) + 0.0005)
    assert np.mean(wrong["each"]) == pytest.approx(0.27, abs=3.3 * np.std(wrong["each"]) / np.sqrt(40) + 0.005)


@pytest.mark.parametrize("criterion", ["top1", "listwise", "codebook"])
def test_a_memory_that_grows_beyond_all_bounds_has_everything_wrong(devices, criterion: str) -> None:
    values = "codebook" if criterion == "codebook" else None
    kind = dict(d_k=4, keys="gaussian", values=values, rule="delta", rule_parameters={"beta": 1.9}, queries=64)
    spec, n = make_spec(criterion, **kind), 4096
    lane = Lane(build_memory(spec), (build_criterion(spec),), (n,), spec.queries)
    sums = stream_trials([lane], range(8), draw_words(spec), None, devices)[0, 0, n]
    squares = Lane(build_memory(spec), (build_criterion(make_spec("mse")),), (n,), spec.queries)
    burst = np.isnan(stream_trials([squares], range(8), draw_words(spec), None, devices)[0, 0, n])
    assert burst.any()
    assert set(sums[burst]) == {64 * build_criterion(spec).units(4)}


def test_a_sign_that_is_not_a_number_is_wrong() -> None:
    readouts = jnp.array([[1.0, -1.0, 0.0, jnp.nan], [jnp.inf, -jnp.inf, jnp.nan, jnp.nan]])
    errors = entry_class("criterion", "sign")().errors(readouts, jnp.ones((2, 4)), 1.0, 4.0)
    assert list(errors) == [0 + 2 + 1 + 2, 0 + 2 + 2 + 2]
