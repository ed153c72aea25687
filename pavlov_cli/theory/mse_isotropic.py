"""How large is the mean squared error of one Hebbian head with isotropic keys, and how much does it vary?

Interference adds n - 1 values weighted by squared overlaps of mean 1/d_k, hence error (n-1)/d_k: a linear memory. A
query at cosine kappa to its key reads its value scaled by kappa, which adds (1 - kappa)^2.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Spec
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target

LAW = Law(
    name="mse_isotropic",
    validity="one Hebbian head, identity map, sphere or +-1 keys, any values independent of them, also noisy queries",
    stated_error="exact",
    slope_errors=(),
    source="second moment of the interference; Schlag et al. 2021 (arXiv 2102.11174) for the setting",
    leading_law="1 + (eps - (1 - kappa)^2) d_k",
    exponent="d_k",
)
INDEPENDENT_VALUES = ("sphere", "rademacher", "gaussian", "one_hot", "codebook")
_FIXED_NORM = ("sphere", "rademacher")


def applies(spec: Spec) -> bool:
    """Whether this is the mean squared error of one Hebbian head with isotropic keys and values independent of them."""
    return is_single_hebbian_head(
        spec, criterion="mse", keys=_FIXED_NORM, values=INDEPENDENT_VALUES, noisy_queries=True
    )


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Mean squared error over the mean squared value norm, ``(1 - kappa)^2 + (n-1)/d_k``, exactly; kappa = 1: rho.

    The query is a unit vector at cosine kappa to its key, independent of the other keys, whose overlaps with it have
    mean 0 and mean square 1/d_k and are independent: no cross term is left, whatever the values.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Error >= 0, of the shape of ``n``; it exceeds 1 beyond n = d_k + 1.
    """
    return _fade(spec) + (counts(n) - 1) / spec.d_k


def _fade(spec: Spec) -> float:
    return (1 - spec.query_cosine) ** 2


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact line; None where noisy queries alone exceed it."""
    target = required_target(target_error, "mse")
    return first_crossing(lambda n: _fade(spec) + (n - 1) / spec.d_k, target, guess=leading(spec, target))


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """1 + (target_error - (1 - kappa)^2) d_k; not a number where noisy queries alone exceed the target (> 0)."""
    spare = required_target(target_error, "mse") - _fade(spec)
    return 1 + spare * spec.d_k if spare >= 0 else math.nan


def _require_fixed_norm(spec: Spec) -> None:
    """Refuse memories whose squared errors vary for further reasons than overlaps.

    Raises:
        ConfigError: if values are not independent unit vectors of mean 0 or queries are noisy.
    """
    if spec.value_ensemble.name not in _FIXED_NORM or spec.query_cosine != 1.0:
        raise ConfigError(
            f"the variance of the squared error must be asked for sphere or rademacher values and query cosine 1; "
            f"got {spec.value_ensemble.name} values and query cosine {spec.query_cosine:g}."
        )


def _variance_of_squared_overlap(spec: Spec) -> float:
    """Variance of <k_i, k_j>^2: E s^4 is 3/(d(d+2)) for sphere keys and (3d-2)/d^3 for +-1 keys."""
    d = spec.d_k
    return 2 * (d - 1) / (d**2 * (d + 2)) if spec.key_ensemble.name == "sphere" else 2 * (d - 1) / d**3


def query_variance(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Variance of one query's squared error: own overlaps plus the cross terms of pairs of values, exactly.

    ``(n-1) var(s^2) + 2 (n-1)(n-2) / (d_k^2 d_v)``, with E <v_j, v_l>^2 = 1/d_v for unit-norm values.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Variance >= 0, of the shape of ``n``.

    Raises:
        ConfigError: if values are neither sphere nor +-1, or queries are noisy.
    """
    _require_fixed_norm(spec)
    n = counts(n)
    pairs = 2 * (n - 1) * (n - 2) / (spec.d_k**2 * spec.d_v)
    return (n - 1) * _variance_of_squared_overlap(spec) + pairs


def query_covariance(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Covariance of the squared errors of two queries of a trial; they share their own overlap and value pairs.

    ``var(s^2) + 2 (n-2)(n-3) / (d_k^3 d_v)``, exactly; 0 at n = 1, where there is no second query.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Covariance >= 0, of the shape of ``n``.

    Raises:
        ConfigError: as ``query_variance``.
    """
    _require_fixed_norm(spec)
    n = counts(n)
    shared = 2 * (n - 2) * (n - 3) / (spec.d_k**3 * spec.d_v)
    return np.where(n > 1, _variance_of_squared_overlap(spec) + shared, 0.0)


def trial_variance(spec: Spec, n: Num[np.ndarray, "..."], *, probes: int | None = None) -> Float[np.ndarray, "..."]:
    """Variance of a trial's mean squared error over the stored items it probes, exactly.

    Queries of a trial are exchangeable, so P of them, however chosen, have
    ``var / P + (1 - 1/P) cov``; with P = n and sphere keys this is
    ``4 (n-1)(d-1)/(n d^2 (d+2)) + 2 (n-1)(n-2)/(n d_v d^2) (1 + (n-3)/d)``.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.
        probes: distinct stored items probed per trial, >= 1, at most n of them; None for all n.

    Returns:
        Variance >= 0, of the shape of ``n``.

    Raises:
        ConfigError: as ``query_variance``.
    """
    n = counts(n)
    probed = n if probes is None else np.minimum(n, probes)
    return query_variance(spec, n) / probed + (1 - 1 / probed) * query_covariance(spec, n)
