"""Update rules in float64, one association after the other, written from their equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

State = np.ndarray
Step = Callable[..., State]


def hebb(state: State, key: np.ndarray, value: np.ndarray, beta: float) -> State:
    """S + beta k^T v."""
    return state + beta * np.outer(key, value)


def decay(state: State, key: np.ndarray, value: np.ndarray, beta: float, gamma: float) -> State:
    """Gamma S + beta k^T v."""
    return gamma * state + beta * np.outer(key, value)


def delta(state: State, key: np.ndarray, value: np.ndarray, beta: float) -> State:
    """S + beta k^T (v - k S)."""
    return state + beta * np.outer(key, value - key @ state)


def gated_delta(state: State, key: np.ndarray, value: np.ndarray, beta: float, gamma: float) -> State:
    """Gamma (S - beta k^T (k S)) + beta k^T v."""
    return gamma * (state - beta * np.outer(key, key @ state)) + beta * np.outer(key, value)


def oja(state: State, key: np.ndarray, value: np.ndarray, eta: float) -> State:
    """S + eta (k^T v - S diag(v^2))."""
    return state + eta * (np.outer(key, value) - state @ np.diag(value**2))


def bounded(state: State) -> State:
    """Columns divided by their norm where that is above 1."""
    norms = np.sqrt(np.sum(state**2, axis=0))
    return state / np.where(norms > 1, norms, 1.0)


def normalised(state: State, key: np.ndarray, value: np.ndarray, beta: float, when: str) -> State:
    """S + beta k^T v, bounded where that is done at each write."""
    written = state + beta * np.outer(key, value)
    return bounded(written) if when == "each" else written


def read(rule: str, state: State, queries: np.ndarray) -> np.ndarray:
    """Readouts of queries [m, d_k]."""
    return queries @ (bounded(state) if rule == "normalised" else state)


STEPS: dict[str, Step] = {
    "hebb": hebb,
    "decay": decay,
    "delta": delta,
    "gated_delta": gated_delta,
    "oja": oja,
    "normalised": normalised,
}
RULES = (*STEPS, "trace")


def traced(keys: np.ndarray, values: np.ndarray, start: State, beta: float, gamma: float) -> State:
    """S + beta e^T v for each pair in turn, with e the sum of gamma^(age) times the keys up to now."""
    state = start
    for j, value in enumerate(values):
        trace = sum(gamma ** (j - i) * keys[i] for i in range(j + 1))
        state = state + beta * np.outer(trace, value)
    return state


def written(rule: str, keys: np.ndarray, values: np.ndarray, start: State | None = None, **parameters: Any) -> State:
    """The state S after all associations, from an S before them and no trace of earlier keys."""
    state = np.zeros((keys.shape[1], values.shape[1])) if start is None else start
    if rule == "trace":
        return traced(keys, values, state, **parameters)
    for key, value in zip(keys, values, strict=True):
        state = STEPS[rule](state, key, value, **parameters)
    return state


def attention(rule: str, keys: np.ndarray, **parameters: Any) -> np.ndarray:
    """A with A_ij the weight of value j in the readout of key i, once all are written."""
    return keys @ written(rule, keys, np.eye(len(keys)), **parameters)
