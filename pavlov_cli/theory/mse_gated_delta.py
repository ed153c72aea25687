"""How large is the mean squared error of one head that writes corrections into a fading memory?

What ``mse_delta`` says with everything stored scaled by gamma at every write: for large d_k fading alone is left.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory import mse_delta
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import required_target
from pavlov_cli.theory.mse_decay import faded, gamma_of

LAW = Law(
    name="mse_gated_delta",
    validity="one head of rule gated_delta, beta 1, identity map, sphere keys, centred values, any n",
    stated_error="exact",
    slope_errors=(),
    source="second moments of sphere keys through the recursion, by age; averaged over the ages m < n",
    leading_law="the n with 1 - 2 G(gamma)/n + G(gamma^2)/n = eps, G(x) = (1 - x^n)/(1 - x)",
    exponent="constant in d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the mean squared error of one fading and correcting head with sphere keys and centred values."""
    return mse_delta.covers(spec, "gated_delta")


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Mean squared error over the mean squared value norm, averaged over all that is stored, exactly.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1.

    Returns:
        Error >= 0, of the shape of ``n``.
    """
    return mse_delta.mean_error(spec.d_k, n, gamma_of(spec))


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact curve; None from what the errors of the oldest tend to."""
    target, gamma = required_target(target_error, "mse"), gamma_of(spec)
    oldest = 1 + 1 / (spec.d_k * (1 - gamma**2) + gamma**2)
    return first_crossing(
        lambda n: float(error(spec, np.array(n))), target, guess=leading(spec, target), ceiling=oldest
    )


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """Where fading alone reaches the target; that of ``mse_delta`` without fading; infinite where fading never does."""
    target, gamma = required_target(target_error, "mse"), gamma_of(spec)
    if gamma == 1:
        return mse_delta.leading(spec, target)
    crossing = first_crossing(lambda n: float(faded(gamma, np.array(float(n)))), target, ceiling=1.0)
    return math.inf if crossing is None else crossing
