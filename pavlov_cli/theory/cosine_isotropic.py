"""How far does the readout of one Hebbian head turn away from the stored value?

With rho = (n-1)/d_k the interference is orthogonal to the value in high dimensions, hence 1 - (1 + rho)^(-1/2): a
linear memory. In finite dimensions part t of it lies along the value and its length varies, which is integrated over.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory import _scale_mixture as mixture
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target

# Simulated at 10 pairs (d, n) each, d_k and d_v 8..64, n 2..100: sphere keys and values within 0.3% (all inside the
# sampling error, 0.06 to 0.6%); with +-1 keys or values up to 1.1% low at d 8, 0.6% at d 16, 0.2% at d 64. The formula
# for high dimensions, 1 - (1 + rho)^(-1/2), is 11% high at d 8, n 4, and 2.1% at d 64, n 20. The local slope d
# ln(error)/d ln(n) is 0.86 at error 0.1, so the capacity is off by at most 0.8% from d 16 and 0.25% from d 64 (h in
# top1_scale_mixture).
LAW = Law(
    name="cosine_isotropic",
    validity="one Hebbian head, identity map, sphere or +-1 keys and values, d_k, d_v >= 8; checked d 8..64, n 2..100",
    stated_error="within 0.4% for sphere keys and values; with +-1 keys or values within 1.5% at d 8, 0.3% from d 64",
    slope_errors=((16, 1, 0.035), (16, 2, 0.018), (16, 3, 0.012), (64, 1, 0.011), (64, 2, 0.006), (64, 4, 0.003)),
    source="scale mixture of the interference; high dimensions by orthogonality, Schlag et al. 2021 for the setting",
    leading_law="1 + d_k ((1 - eps)^-2 - 1)",
    exponent="d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the cosine error of one Hebbian head with unit keys and values, random or +-1, d_k, d_v >= 8."""
    unit = ("sphere", "rademacher")
    plain = is_single_hebbian_head(spec, criterion="cosine", keys=unit, values=unit, d_k_min=8)
    return plain and spec.d_v >= 8


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Mean of 1 - cos(r, v), ``E[1 - (1+t) / sqrt((1+t)^2 + R^2)]``; about ``1 - (1 + rho)^(-1/2)``; 0 at n = 1.

    t and R are the interference along and across the value, see ``_scale_mixture``, of n - 1 terms.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1.

    Returns:
        Error in [0, 1), of the shape of ``n``.
    """
    numbers = counts(n)
    moments = _moment(spec.key_ensemble.name, spec.d_k), _moment(spec.value_ensemble.name, spec.d_v)
    errors = [_error_at(spec.d_k, spec.d_v, *moments, int(number)) for number in numbers.ravel()]
    return np.array(errors, dtype=np.float64).reshape(numbers.shape)


def _moment(ensemble: str, d: int) -> float:
    return mixture.sphere_moment(d) if ensemble == "sphere" else mixture.sign_moment(d)


@lru_cache(maxsize=4096)
def _error_at(d_k: int, d_v: int, keys: float, values: float, n: int) -> float:
    if n == 1:
        return 0.0
    grid = mixture.interference_grid(d_v, (n - 1) / d_k, mixture.degrees_of_freedom(keys, values, n - 1))
    along = 1 + grid.t[:, None]
    return float(np.sum(grid.weight * (1 - along / np.hypot(along, grid.radius))))


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the predicted curve; None from 1 on, which no n exceeds."""
    target = required_target(target_error, "cosine")
    return first_crossing(lambda n: float(error(spec, np.array(n))), target, guess=leading(spec, target), ceiling=1)


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """1 + d_k ((1 - target_error)^-2 - 1); infinite from 1 on."""
    target = required_target(target_error, "cosine")
    return 1 + spec.d_k * ((1 - target) ** -2 - 1) if target < 1 else math.inf
