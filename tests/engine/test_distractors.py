"""Errors by comparison with other values are those of float64 loops written from the definitions, ties included."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from memory_specs import choice, make_spec
from reference import distractors, hebbian
from reference.draws import Drawn, drawn

from pavlov_cli.engine.devices import open_devices
from pavlov_cli.engine.draws import draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory
from pavlov_cli.memory.criteria.codebook import Codebook
from pavlov_cli.memory.criteria.listwise import Listwise
from pavlov_cli.memory.criteria.top1 import Top1

NS = (1, 2, 5, 64, 65, 256, 257, 300)  # inside and at the ends of row sizes and chunks
TRIALS = (0, 7)
CRITERIA = (Top1(), Listwise(k=1), Listwise(k=2), Listwise(k=5))
D_V = 12


def tied_rows() -> np.ndarray:
    """Rows of a file of 300 values, most of them repeated."""
    distinct = np.random.default_rng(6).normal(size=(150, D_V))
    rows = np.concatenate([distinct, distinct[:140], distinct[:10]])
    return (rows / np.sqrt(np.mean(np.sum(rows**2, axis=1)))).astype(np.float32)


ROWS = {"file": tied_rows()}
KINDS = [
    ("sphere", "sphere", "float64"),
    ("sphere", "one_hot", "float64"),
    ("sphere", "codebook", "float64"),
    ("sphere", "file", "float64"),
    ("rademacher", "rademacher", "float32"),  # integers: ties are exact
    ("rademacher", "one_hot", "float32"),
]


def spec_of(keys: str, values: str, precision: str, queries: int):
    size = {"size": 20} if values == "codebook" else {}
    kind = dict(d_k=16, d_v=D_V, precision=precision, queries=queries, seed=4)
    return make_spec("top1", keys=keys, values=values, value_parameters=size, **kind)


@cache
def all_drawn(spec, trial: int) -> Drawn:
    return drawn(spec, trial, spec.queries, ROWS.get(spec.value_ensemble.name))


@cache
def found_rivals(spec, trial: int, n: int, pool: str) -> tuple[int, ...]:
    """Rivals of every probed item, by definition."""
    stored = all_drawn(replace(spec, queries=300 if n <= 300 else 2100), trial).first(n)  # queries: how many are drawn
    probed = stored.probed(min(n, spec.queries))
    got = hebbian.readouts(stored.keys, stored.values, stored.keys[probed])
    if pool == "stored":
        return tuple(distractors.stored_rivals(got, stored.values, probed))
    return tuple(distractors.alphabet_rivals(got, stored.alphabet, stored.labels[probed]))


def measure(spec, criteria, devices, ns=NS, trials=TRIALS, batch=None):
    rows = ROWS.get(spec.value_ensemble.name)
    lane = Lane(build_memory(spec), tuple(criteria), ns, spec.queries, rows)
    return stream_trials([lane], trials, draw_words(spec), None, devices, batch_limit=batch)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [40, 300])
@pytest.mark.parametrize(("keys", "values", "precision"), KINDS)
def test_top1_and_listwise_are_the_loops_at_every_kind_of_n(
    devices, keys: str, values: str, precision: str, queries: int
) -> None:
    spec = spec_of(keys, values, precision, queries)
    sums = measure(spec, CRITERIA, devices)
    for n in NS:
        for position, trial in enumerate(TRIALS):
            rivals = np.array(found_rivals(spec, trial, n, "stored"))
            for which, least in enumerate((1, 1, 2, 5)):
                assert sums[0, which, n][position] == (rivals >= least).sum(), (n, trial, least)
            assert sums[0, 0, n].dtype == np.int32


@pytest.mark.slow
@pytest.mark.parametrize("queries", [40, 300])
@pytest.mark.parametrize("values", ["one_hot", "codebook"])
@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
def test_codebook_is_the_loop_over_the_alphabet(devices, keys: str, values: str, queries: int) -> None:
    spec = spec_of(keys, values, "float64", queries)
    sums = measure(spec, [Codebook()], devices)
    for n in NS:
        for position, trial in enumerate(TRIALS):
            rivals = np.array(found_rivals(spec, trial, n, "alphabet"))
            assert sums[0, 0, n][position] == (rivals >= 1).sum(), (n, trial)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [40, 1024])
def test_rivals_far_out_are_those_of_the_loops(devices, queries: int) -> None:
    """Beyond 1024 more is drawn, written and compared at once."""
    spec, ns = spec_of("sphere", "codebook", "float64", queries), (512, 600, 1024, 1025, 2048, 2100)
    sums = measure(spec, [*CRITERIA, Codebook()], devices, ns, (7,))
    for n in ns:
        stored, alphabet = (np.array(found_rivals(spec, 7, n, pool)) for pool in ("stored", "alphabet"))
        for which, least in enumerate((1, 1, 2, 5)):
            assert sums[0, which, n][0] == (stored >= least).sum(), (n, least)
        assert sums[0, 4, n][0] == (alphabet >= 1).sum(), n


def test_equal_stored_values_tie_and_an_equal_codebook_entry_is_the_own(devices) -> None:
    """Orthonormal keys: nothing interferes, so all errors are ties."""
    kind = dict(d_k=64, d_v=5, keys="orthogonal", values="one_hot")
    spec = make_spec("top1", **kind)
    lane = Lane(build_memory(spec), (Top1(), Listwise(k=2), Codebook()), (64,), 64)
    sums = stream_trials([lane], range(3), draw_words(spec), None, devices)
    assert list(sums[0, 0, 64]) == [64] * 3  # 64 values of 5 kinds: every value has its like
    assert list(sums[0, 1, 64]) == [64] * 3
    assert list(sums[0, 2, 64]) == [0] * 3


def test_repeated_rows_of_a_file_tie_exactly_in_float32(devices) -> None:
    spec = spec_of("sphere", "file", "float32", 300)
    sums = measure(spec, [Top1()], devices, ns=(300,), trials=range(6))
    repeated = 290  # rows that have an equal one; 140 + 10 repeat an earlier one, 10 of them twice
    like = (ROWS["file"][:, None] == ROWS["file"][None]).all(axis=2).sum(axis=1) > 1
    assert like.sum() == repeated
    assert (sums[0, 0, 300] >= repeated).all()


@pytest.mark.slow
@pytest.mark.parametrize("values", ["sphere", "codebook", "file"])
def test_neither_batch_nor_devices_nor_memory_change_a_count(devices, monkeypatch, values: str) -> None:
    spec = spec_of("sphere", values, "float32", 300)
    criteria = (Top1(), *([Codebook()] if values == "codebook" else []))
    ns, trials = (5, 65, 300), range(7)
    reference = measure(spec, criteria, devices, ns, trials)

    def check(other: dict) -> None:
        for name, sums in reference.items():
            np.testing.assert_array_equal(sums, other[name])

    check(measure(spec, criteria, devices, ns, trials, batch=1))
    check(measure(spec, criteria, devices, ns, trials, batch=3))
    check(measure(spec, criteria, open_devices("cpu", 1), ns, trials))
    monkeypatch.setattr("pavlov_cli.engine.stream.KEPT_BYTES", 0)
    check(measure(spec, criteria, devices, ns, trials))


def test_company_changes_no_count(devices) -> None:
    spec = spec_of("sphere", "sphere", "float32", 300)
    alone = measure(spec, [Top1()], devices, (65, 257))
    rows = make_spec("mse", d_k=16, d_v=D_V, seed=4)
    lanes = [
        Lane(build_memory(rows), (build_criterion(rows),), (3, 400), rows.queries),
        Lane(build_memory(spec), (Listwise(k=2), Top1()), (5, 65, 100, 257, 300), spec.queries),
    ]
    together = stream_trials(lanes, TRIALS, draw_words(spec), None, devices)
    for n in (65, 257):
        np.testing.assert_array_equal(alone[0, 0, n], together[1, 1, n])


def test_listwise_of_one_is_top1_and_longer_lists_lose_less(devices) -> None:
    sums = measure(spec_of("sphere", "sphere", "float32", 300), CRITERIA, devices, ns=(65,), trials=range(20))
    assert list(sums[0, 0, 65]) == list(sums[0, 1, 65])
    assert sums[0, 1, 65].sum() > sums[0, 2, 65].sum() > sums[0, 3, 65].sum() > 0
    assert choice("criterion", "listwise").get("k") == 5
