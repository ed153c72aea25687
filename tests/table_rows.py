"""Rows of made-up tables, complete and easy to change."""

from __future__ import annotations

from pavlov_cli.report.columns import CAPACITY, ERROR, VERDICT

HEAD = {
    "depth": 1,
    "width": 1,
    "num_heads": 1,
    "key_ensemble": "sphere",
    "value_ensemble": "sphere",
    "feature_map": "identity",
    "update_rule": "hebb",
    "parameters": "{}",
}
TARGETS = {"mse": 0.25, "sign": 0.01, "top1": 0.01, "listwise": 0.1, "codebook": 0.01, "cosine": 0.1}


def capacity_row(criterion="mse", d_k=64, value=None, **changed):
    """A capacity row with digits to spare; the capacity follows the criterion's law unless it is given."""
    if value is None:
        value = 1.2533 * d_k**0.5 if criterion == "guaranteed" else 0.251234 * d_k
    row = dict.fromkeys(CAPACITY) | HEAD | {"study": "capacity", "criterion": criterion, "d_k": d_k, "d_v": d_k}
    judged = {"margin": 1.0, "quantile": 0.5} if criterion == "guaranteed" else {"target_error": TARGETS[criterion]}
    row |= {"capacity": value, "capacity_low": 0.98765432 * value, "capacity_high": 1.0123456 * value}
    row |= {"censored": False, "trials": 4096}
    return row | judged | {"predicted_capacity": 1.0012345 * value, "leading_law": 1.112345 * value} | changed


def verdict_row(criterion="mse", **changed):
    """A verdict."""
    row = (
        dict.fromkeys(VERDICT)
        | HEAD
        | {
            "criterion": criterion,
            "axis": "d_k",
            "target_error": TARGETS.get(criterion),
            "exponent": 0.98765,
            "law": "d_k",
        }
    )
    return row | {"consistent": True, "reason": "because"} | changed


def error_row(n, rate, criterion="sign", d_k=64, **changed):
    """An error row."""
    row = dict.fromkeys(ERROR) | HEAD | {"study": "error_rate", "criterion": criterion, "d_k": d_k, "d_v": d_k}
    row |= {"num_associations": n, "error_rate": rate, "error_low": 0.9123456 * rate, "error_high": 1.1123456 * rate}
    row |= {"trials": 4096, "queries": 64, "predicted_error": 1.0123456 * rate}
    return row | ({"error_high": 0.001} if rate == 0 else {}) | changed
