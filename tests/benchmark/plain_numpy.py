"""What would a careful person write with NumPy alone? The programs that the benchmark compares with.

Both measure the same number as ``pavlov capacity``: where the mean error of one Hebbian head with sphere keys crosses
its target. They use float32, BLAS on all cores and NumPy's fastest normal generator.
"""

from __future__ import annotations

import math

import numpy as np

CHUNK = 256


def unit_rows(rng: np.random.Generator, count: int, dimension: int) -> np.ndarray:
    rows = rng.standard_normal((count, dimension), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def draw_values(rng: np.random.Generator, count: int, dimension: int, criterion: str) -> np.ndarray:
    if criterion == "sign":
        return np.where(rng.standard_normal((count, dimension), dtype=np.float32) < 0, -1, 1).astype(np.float32)
    return unit_rows(rng, count, dimension)


def error(criterion: str, readouts: np.ndarray, values: np.ndarray, probed: np.ndarray) -> float:
    """Mean error of the probed items, given every stored value."""
    targets = values[probed]
    if criterion == "mse":
        return float(np.mean(np.sum((readouts - targets) ** 2, axis=1)))
    if criterion == "sign":
        return float(np.mean(readouts * targets < 0))
    lost = np.zeros(len(probed), bool)
    own = np.einsum("id,id->i", readouts, targets)
    for start in range(0, len(values), 4 * CHUNK):  # a block at a time: n x n scores would not fit
        scores = readouts @ values[start : start + 4 * CHUNK].T
        inside = (probed >= start) & (probed < start + 4 * CHUNK)
        scores[np.flatnonzero(inside), probed[inside] - start] = -np.inf
        lost |= (scores >= own[:, None]).any(axis=1)
    return float(lost.mean())


def fresh_capacity(criterion: str, d: int, target: float, trials: int, queries: int, width: float, seed: int) -> float:
    """Bisection over n with a fresh memory for every n and trial, until the bracket is narrower than ``width``."""
    rng = np.random.default_rng(seed)

    def mean_error(n: int) -> float:
        total = 0.0
        for _ in range(trials):
            keys, values = unit_rows(rng, n, d), draw_values(rng, n, d, criterion)
            probed = rng.permutation(n)[:queries]
            total += error(criterion, keys[probed] @ (keys.T @ values), values, probed)
        return total / trials

    low, high = 1, 16
    while mean_error(high) <= target:
        low, high = high, 2 * high
    while high - low > 1 and math.log(high / low) > width:
        middle = round(math.sqrt(low * high))
        low, high = (low, middle) if mean_error(middle) > target else (middle, high)
    return math.sqrt(low * high)


def streaming_errors(
    criterion: str, d: int, ns: tuple[int, ...], trials: int, queries: int, rng: np.random.Generator
) -> np.ndarray:
    """Mean error at every n from one pass over each trial's associations, [len(ns)]."""
    totals = np.zeros(len(ns))
    for _ in range(trials):
        keys, values = unit_rows(rng, ns[-1], d), draw_values(rng, ns[-1], d, criterion)
        state, written = np.zeros((d, d), np.float32), 0
        for position, n in enumerate(ns):
            state += keys[written:n].T @ values[written:n]
            written = n
            probed = rng.permutation(n)[:queries]
            totals[position] += error(criterion, keys[probed] @ state, values[:n], probed)
    return totals / trials


def streaming_capacity(
    criterion: str, d: int, target: float, trials: int, queries: int, width: float, seed: int
) -> float:
    """Doubling with a few trials, then one pass over a window of n for all trials."""
    rng = np.random.default_rng(seed)
    pilot, high = min(trials, 8), 16
    while streaming_errors(criterion, d, (high,), pilot, queries, rng)[0] <= target:
        high *= 2
    ns = tuple(sorted({round(high / 2 * 2 ** (i / 4)) for i in range(5)}))
    coarse = crossing(ns, streaming_errors(criterion, d, ns, pilot, queries, rng), target)
    window = tuple(sorted({max(1, round(coarse * math.exp(width * i))) for i in range(-2, 3)}))
    return crossing(window, streaming_errors(criterion, d, window, trials, queries, rng), target)


def crossing(ns: tuple[int, ...], errors: np.ndarray, target: float) -> float:
    above = next((i for i, e in enumerate(errors) if e > target), len(ns) - 1)
    if above == 0:
        return float(ns[0])
    share = (target - errors[above - 1]) / (errors[above] - errors[above - 1])
    return float(ns[above - 1] * (ns[above] / ns[above - 1]) ** min(max(share, 0.0), 1.0))
