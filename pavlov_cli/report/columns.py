"""Which columns does each table have? The same ones everywhere; other tools read them."""

from __future__ import annotations

from pavlov_cli.series import IDENTITY, MEMORY

ERROR = (
    *IDENTITY,
    "error_rate",
    "error_low",
    "error_high",
    "trials",
    "queries",
    "predicted_error",
    "prediction",
)
CAPACITY = (
    *IDENTITY,
    "target_error",
    "margin",
    "quantile",
    "capacity",
    "capacity_low",
    "capacity_high",
    "censored",
    "side",
    "bound",
    "trials",
    "mean_capacity",
    "mean_low",
    "mean_high",
    "capacity_q01",
    "capacity_q99",
    "predicted_capacity",
    "leading_law",
    "prediction",
)
REQUIRED = (
    *IDENTITY,
    "target_error",
    "margin",
    "quantile",
    "required_d_k",
    "required_low",
    "required_high",
    "censored",
    "side",
    "bound",
    "trials",
    "predicted_d_k",
    "prediction",
)
VERDICT = (
    *MEMORY,
    "criterion",
    "target_error",
    "margin",
    "axis",
    "exponent",
    "exponent_low",
    "exponent_high",
    "predicted_exponent",
    "law",
    "consistent",
    "reason",
)
