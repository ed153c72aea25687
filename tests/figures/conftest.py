"""Rows to draw."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pavlov_cli.report.columns import CAPACITY, ERROR, VERDICT

MEMORY = {
    "depth": 1,
    "width": 1,
    "num_heads": 1,
    "key_ensemble": "sphere",
    "value_ensemble": "sphere",
    "feature_map": "identity",
    "update_rule": "hebb",
    "parameters": "{}",
}


@pytest.fixture
def capacity_row() -> Callable[..., dict]:
    """A capacity row."""

    def make(criterion="mse", d_k=64, **changed):
        value = d_k / 4 if criterion != "guaranteed" else 1.25 * d_k**0.5
        row = dict.fromkeys(CAPACITY) | MEMORY | {"study": "capacity", "criterion": criterion, "d_k": d_k, "d_v": d_k}
        judged = {"margin": 1.0} if criterion == "guaranteed" else {"target_error": 0.25}
        row |= {"capacity": value, "capacity_low": 0.97 * value, "capacity_high": 1.02 * value, "censored": False}
        return row | judged | {"trials": 64, "predicted_capacity": 1.01 * value, "leading_law": 1.1 * value} | changed

    return make


@pytest.fixture
def verdict_row() -> Callable[..., dict]:
    """A verdict."""

    def make(criterion="mse", **changed):
        row = dict.fromkeys(VERDICT) | MEMORY | {"criterion": criterion, "axis": "d_k", "exponent": 0.987, "law": "d_k"}
        return row | {"consistent": True, "reason": "because"} | changed

    return make


@pytest.fixture
def error_row() -> Callable[..., dict]:
    """An error row."""

    def make(n, rate, criterion="sign", **changed):
        row = dict.fromkeys(ERROR) | MEMORY | {"study": "error_rate", "criterion": criterion, "d_k": 64, "d_v": 64}
        row |= {"num_associations": n, "error_rate": rate, "error_low": 0.9 * rate, "error_high": 1.1 * rate + 0.001}
        return row | {"trials": 64, "queries": 64, "predicted_error": 1.01 * rate} | changed

    return make
