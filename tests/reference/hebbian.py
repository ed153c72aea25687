"""Float64 loops written from the equations, sharing no code with the engine.

One head stores n pairs (k_j, v_j): S = sum_j k_j^T v_j, r(q) = q S; the attention matrix is A_ij = <k_i, k_j>.
"""

from __future__ import annotations

import numpy as np


def state(keys: np.ndarray, values: np.ndarray, beta: float = 1.0) -> np.ndarray:
    """S [d_k, d_v], one association after the other."""
    total = np.zeros((keys.shape[1], values.shape[1]))
    for key, value in zip(keys, values, strict=True):
        for i in range(keys.shape[1]):
            for c in range(values.shape[1]):
                total[i, c] += beta * key[i] * value[c]
    return total


def readouts(keys: np.ndarray, values: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """r(q) = sum_j <q, k_j> v_j for each query."""
    result = np.zeros((len(queries), values.shape[1]))
    for i, query in enumerate(queries):
        for key, value in zip(keys, values, strict=True):
            result[i] += float(np.dot(query, key)) * value
    return result


def delta_readouts(keys: np.ndarray, values: np.ndarray, queries: np.ndarray, beta: float) -> np.ndarray:
    """Readouts of S += beta k^T (v - k S), one association after the other."""
    total = np.zeros((keys.shape[1], values.shape[1]))
    for key, value in zip(keys, values, strict=True):
        total += beta * np.outer(key, value - key @ total)
    return queries @ total


def mse(got: np.ndarray, wanted: np.ndarray, power: float) -> np.ndarray:
    """Squared error over the expected squared norm of a value, per query."""
    return np.array(
        [sum((a - b) ** 2 for a, b in zip(r, v, strict=True)) / power for r, v in zip(got, wanted, strict=True)]
    )


def half_sign_errors(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Half errors per query: two for a wrong sign, one for an exact zero."""
    return np.array(
        [
            sum(2 if a * b < 0 else 1 if a == 0 else 0 for a, b in zip(r, v, strict=True))
            for r, v in zip(got, wanted, strict=True)
        ]
    )


def dominated(attention: np.ndarray, margin: float) -> bool:
    """Whether some row is not strictly dominated by its positive diagonal times the margin."""
    for i, row in enumerate(attention):
        interference = sum(abs(a) for j, a in enumerate(row) if j != i)
        if not (row[i] > 0 and interference < margin * row[i]):
            return True
    return False


def first_failure(attention: np.ndarray, margin: float) -> int:
    """Smallest n at which the n x n corner fails; size + 1 if none does."""
    for n in range(1, len(attention) + 1):
        if dominated(attention[:n, :n], margin):
            return n
    return len(attention) + 1
