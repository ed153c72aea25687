"""Measured errors meet checked numbers and exact laws, each within z = 3.3 of its own standard error.

Trials are the independent units: the standard error is that of the mean over trials, from their sample variance, or
from the exact variance where it is known.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from memory_specs import make_spec

from pavlov_cli.engine.attention import first_failures
from pavlov_cli.engine.devices import open_devices
from pavlov_cli.engine.draws import draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory
from pavlov_cli.theory import mse_isotropic

GOLDEN = Path(__file__).parents[1] / "golden"
Z = 3.3  # one false alarm in a thousand per comparison
RARE = 20  # below this many expected errors, counts are judged as Poisson counts


def golden(name: str) -> list[dict[str, float]]:
    with (GOLDEN / name).open(encoding="ascii") as file:
        return [{column: float(value) for column, value in row.items()} for row in csv.DictReader(file)]


@cache
def sums(criterion: str, keys: str, d_k: int, ns: tuple[int, ...], trials: int, seed: int = 0) -> dict[int, np.ndarray]:
    spec = make_spec(criterion, d_k=d_k, keys=keys, seed=seed)
    lane = Lane(build_memory(spec), (build_criterion(spec),), ns, spec.queries)
    measured = stream_trials([lane], range(trials), draw_words(spec), None, open_devices("cpu", 2))
    return {n: measured[0, 0, n].astype(np.float64) for n in ns}


def sign_cells(name: str, column: str) -> list[tuple[int, int, float]]:
    return [(int(row["d_k"]), int(row["num_associations"]), row[column]) for row in golden(name)]


def check_sign(keys: str, table: list[tuple[int, int, float]], trials: int) -> None:
    """Every cell with a chance of being seen within z, and no error at all where none is expected."""
    failures = []
    for d_k in sorted({d for d, _, _ in table}):
        ns = tuple(n for d, n, _ in table if d == d_k)
        measured = sums("sign", keys, d_k, ns, trials)
        for _, n, exact in (cell for cell in table if cell[0] == d_k):
            units = 2 * d_k * n  # half errors per trial
            rates = measured[n] / units
            expected_errors = exact * d_k * n * trials
            # Two stored items share their overlap, so errors come in clumps of about four units when rare.
            error = max(rates.std(ddof=1), math.sqrt(4 * exact / (d_k * n))) / math.sqrt(trials)
            slack = 4 / (d_k * n * trials) if expected_errors < RARE else 0.0
            if not abs(rates.mean() - exact) <= Z * error + slack:
                failures.append((d_k, n, rates.mean(), exact, (rates.mean() - exact) / error))
    assert not failures


@pytest.mark.slow
def test_sign_errors_on_sign_keys_meet_the_exact_binomial() -> None:
    check_sign("rademacher", sign_cells("sign_error_exact.csv", "bit_error_exact"), trials=160)


def test_sign_errors_on_sphere_keys_meet_the_exact_integral() -> None:
    check_sign("sphere", sign_cells("sign_error_sphere.csv", "bit_error_exact"), trials=2000)


@pytest.mark.parametrize("margin", [0.5, 1.0])
def test_guaranteed_capacity_meets_the_golden_means_and_medians(margin: float) -> None:
    trials = 1500
    for row in golden("guaranteed_capacity.csv"):
        if row["margin"] != margin:
            continue
        spec = make_spec("guaranteed", d_k=int(row["d_k"]), margin=margin)
        memory, criterion = build_memory(spec), build_criterion(spec)
        devices = open_devices("cpu", 2)
        held = first_failures(memory, criterion, range(trials), 4096, draw_words(spec), None, devices) - 1
        error = math.hypot(held.std(ddof=1) / math.sqrt(trials), row["mean_se"])
        assert abs(held.mean() - row["mean"]) <= Z * error, (row["d_k"], held.mean(), row["mean"])
        assert abs(np.sort(held)[(trials - 1) // 2] - row["median"]) <= 1  # some medians are coin flips
        for quantile in ("q01", "q99"):
            q = int(quantile[1:]) / 100
            assert abs(np.sort(held)[round(q * (trials - 1))] - row[quantile]) <= 1


MSE_CELLS = [(d, n) for d in (8, 32, 64, 200) for n in (2, 9, 40, 129)] + [(32, 256), (32, 300)]


@pytest.mark.parametrize("keys", ["sphere", "rademacher"])
def test_mse_is_n_minus_1_over_d(keys: str) -> None:
    trials = 400
    for d_k in sorted({d for d, _ in MSE_CELLS}):
        ns = tuple(n for d, n in MSE_CELLS if d == d_k)
        measured = sums("mse", keys, d_k, ns, trials)
        for n in ns:
            probed = min(n, 256)
            mean = measured[n].mean() / probed
            spec = make_spec("mse", d_k=d_k, keys=keys)
            error = math.sqrt(float(mse_isotropic.trial_variance(spec, n, probes=probed)) / trials)
            assert abs(mean - (n - 1) / d_k) <= Z * error, (d_k, n, mean)


@pytest.mark.parametrize(("d_k", "n"), [(8, 9), (32, 9), (32, 40), (64, 40), (32, 300)])
def test_the_per_trial_variance_of_mse_is_the_exact_formula(d_k: int, n: int) -> None:
    trials = 1200
    probed = min(n, 256)
    values = sums("mse", "sphere", d_k, (n,), trials, seed=9)[n] / probed
    exact = float(mse_isotropic.trial_variance(make_spec("mse", d_k=d_k), n, probes=probed))
    # Var of a sample variance is (kurtosis - 1 + 2/(T-1)) s^4 / T, with the sample's own kurtosis
    kurtosis = float(np.mean((values - values.mean()) ** 4) / np.var(values) ** 2)
    error = exact * math.sqrt((kurtosis - 1 + 2 / (trials - 1)) / trials)
    assert abs(values.var(ddof=1) - exact) <= Z * error


@pytest.mark.slow
def test_top1_errors_meet_the_golden_simulation() -> None:
    table, failures = golden("top1_error.csv"), []
    for d_k, d_v in sorted({(int(row["d_k"]), int(row["d_v"])) for row in table}):
        rows = [row for row in table if (row["d_k"], row["d_v"]) == (d_k, d_v)]
        ns = tuple(int(row["num_associations"]) for row in rows)
        trials = 400 if d_k < 64 else 200
        spec = make_spec("top1", d_k=d_k, d_v=d_v, queries=1024)
        lane = Lane(build_memory(spec), (build_criterion(spec),), ns, spec.queries)
        measured = stream_trials([lane], range(trials), draw_words(spec), None, open_devices("cpu", 2))
        for n, row in zip(ns, rows, strict=True):
            rates = measured[0, 0, n] / n
            error = math.hypot(rates.std(ddof=1) / math.sqrt(trials), row["standard_error"])
            if not abs(rates.mean() - row["error_rate"]) <= Z * error:
                failures.append((d_k, d_v, n, rates.mean(), row["error_rate"], error))
    assert not failures


def test_probed_items_are_a_uniform_sample_of_all_stored() -> None:
    """With few probes the mean error is unbiased and positions are probed equally often: n = 300 beyond one chunk."""
    import jax
    import jax.numpy as jnp

    from pavlov_cli.engine.draws import PROBES, STREAMS, Rows
    from pavlov_cli.engine.stored import Sample

    def rows(words: np.ndarray, first: int) -> Rows:
        key_data = np.zeros((len(words), STREAMS - 1, 2), np.uint32)
        key_data[:, PROBES, 0] = words
        return Rows(first + jnp.arange(len(words)), jnp.array(key_data))

    rng = np.random.default_rng(1)
    counts = np.zeros(300)
    sample = jax.jit(lambda carried, rows, count: Sample(32)((carried, (rows,)), count))
    for _ in range(2000):
        words = rng.integers(0, 2**32, 320, np.uint32)
        carried = sample(None, rows(words[:256], 0), 256)
        probed = np.asarray(sample(carried, rows(words[256:], 256), 44).places)
        assert len(set(probed)) == 32
        counts[probed] += 1
    expected = 2000 * 32 / 300
    spread = math.sqrt(expected * (1 - 32 / 300))
    # the largest of 300 standard scores stays below 4.2 with probability 99.2%
    assert np.abs(counts - expected).max() <= 4.2 * spread
