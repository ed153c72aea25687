"""Update rules in float64, one association after the other, written from their equations."""

from __future__ import annotations

from collections.abc import Callable

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


STEPS: dict[str, Step] = {"hebb": hebb, "decay": decay, "delta": delta, "gated_delta": gated_delta, "oja": oja}
RULES = (*STEPS, "trace")


def traced(keys: np.ndarray, values: np.ndarray, start: State, beta: float, gamma: float) -> State:
    """S + beta e^T v for each pair in turn, with e the sum of gamma^(age) times the keys up to now."""
    state = start
    for j, value in enumerate(values):
        trace = sum(gamma ** (j - i) * keys[i] for i in range(j + 1))
        state = state + beta * np.outer(trace, value)
    return state


def written(rule: str, keys: np.ndarray, values: np.ndarray, start: State | None = None, **parameters: float) -> State:
    """The state S after all associations, from an S before them and no trace of earlier keys."""
    state = np.zeros((keys.shape[1], values.shape[1])) if start is None else start
    if rule == "trace":
        return traced(keys, values, state, **parameters)
    for key, value in zip(keys, values, strict=True):
        state = STEPS[rule](state, key, value, **parameters)
    return state


def attention(rule: str, keys: np.ndarray, **parameters: float) -> np.ndarray:
    """A with A_ij the weight of value j in the readout of key i, once all are written."""
    return keys @ written(rule, keys, np.eye(len(keys)), **parameters)
