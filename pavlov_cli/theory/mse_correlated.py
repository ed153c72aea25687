"""How large is the mean squared error of one Hebbian head whose keys share a direction?

Keys ``sqrt(rho) c + sqrt(1-rho) u_j``, u_j a random unit vector across c, overlap by rho on average, so interference
does not thin out in high dimensions: the capacity stops growing near 1 + eps/rho^2.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target

LAW = Law(
    name="mse_correlated",
    validity="one Hebbian head, identity map, correlated keys (0 <= rho < 1, d_k >= 2), sphere, +-1 or Gaussian values",
    stated_error="exact",
    slope_errors=(),
    source="second moment of rho + (1 - rho) times a sphere coordinate in d_k - 1 dimensions",
    leading_law="1 + eps / (rho^2 + (1 - rho)^2/(d_k - 1))",
    exponent="constant (d_k at rho = 0)",
)
_CENTRED_VALUES = (
    "sphere",
    "rademacher",
    "gaussian",
)  # independent with mean 0, or cross terms rho^2 <v_j, v_l> remain


def applies(spec: Spec) -> bool:
    """Whether this is the mean squared error of one Hebbian head with correlated keys and centred values."""
    plain = is_single_hebbian_head(spec, criterion="mse", keys=("correlated",), values=_CENTRED_VALUES, d_k_min=2)
    return plain and spec.key_ensemble.get("rho") is not None and 0 <= _rho(spec) < 1


def _rho(spec: Spec) -> float:
    return float(spec.key_ensemble.get("rho"))


def _mean_square(spec: Spec) -> float:
    rho = _rho(spec)
    return rho**2 + (1 - rho) ** 2 / (spec.d_k - 1)


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Mean squared error over the mean squared value norm, ``(n-1) (rho^2 + (1-rho)^2/(d_k-1))``, exactly.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Error >= 0, of the shape of ``n``.
    """
    return (counts(n) - 1) * _mean_square(spec)


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact line."""
    target = required_target(target_error, "mse")
    return first_crossing(lambda n: (n - 1) * _mean_square(spec), target, guess=leading(spec, target))


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """``1 + target_error / (rho^2 + (1-rho)^2/(d_k-1))``, towards 1 + target_error/rho^2; ``target_error`` > 0."""
    return 1 + required_target(target_error, "mse") / _mean_square(spec)
