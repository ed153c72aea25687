"""How large is the mean squared error of one head whose memory fades with every write?

Of an association of age m (later writes) gamma^m is left, and so of the interference: the error of the newest stays
small, that of the oldest tends to 1, and the mean over all that are stored has a capacity that stops growing with d_k.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target

LAW = Law(
    name="mse_decay",
    validity="one head of rule decay, beta 1, identity map, sphere or +-1 keys, any values independent of them, any n",
    stated_error="exact",
    slope_errors=(),
    source="mean over ages m < n of (1 - gamma^m)^2 + [(1 - gamma^2n)/(1 - gamma^2) - gamma^2m]/d_k",
    leading_law="the n with 1 - 2 G(gamma)/n + G(gamma^2)/n = eps, G(x) = (1 - x^n)/(1 - x)",
    exponent="constant in d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the mean squared error of one fading head with unit keys of isotropic overlaps."""
    return is_single_hebbian_head(spec, criterion="mse", keys=("sphere", "rademacher"), rules=("decay",))


def gamma_of(spec: Spec) -> float:
    """What one write leaves of what was stored."""
    return float(spec.update_rule.get("gamma"))


def left(x: float, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Sum of x^m over m = 0 .. n - 1, for x in (0, 1]."""
    return np.asarray(n, np.float64) if x == 1 else -np.expm1(n * math.log(x)) / (1 - x)


def faded(gamma: float, n: Num[np.ndarray, "..."], d_k: float = math.inf) -> Float[np.ndarray, "..."]:
    """Mean squared error at n; without interference at infinite d_k."""
    signal, power = left(gamma, n), left(gamma**2, n)
    return 1 - 2 * signal / n + power / n + power * (1 - 1 / n) / d_k


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Mean squared error over the mean squared value norm, averaged over all that is stored, exactly.

    ``1 - 2 G(gamma)/n + (1 - 1/d_k) G(gamma^2)/n + G(gamma^2)/d_k`` with G(x) the sum of x^m over the ages m < n.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Error >= 0, of the shape of ``n``.
    """
    numbers = counts(n)
    return np.where(numbers == 1, 0.0, faded(gamma_of(spec), numbers, spec.d_k))  # a sum that rounds where it cancels


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact curve; None where fading and interference stay below it."""
    target = required_target(target_error, "mse")
    gamma = gamma_of(spec)
    ceiling = math.inf if gamma == 1 else 1 + 1 / (spec.d_k * (1 - gamma**2))
    return first_crossing(
        lambda n: float(error(spec, np.array(n))), target, guess=leading(spec, target), ceiling=ceiling
    )


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """Where fading alone reaches the target; 1 + eps d_k without fading; infinite where fading never does."""
    target, gamma = required_target(target_error, "mse"), gamma_of(spec)
    if gamma == 1:
        return 1 + target * spec.d_k
    crossing = first_crossing(lambda n: float(faded(gamma, np.array(float(n)))), target, ceiling=1.0)
    return math.inf if crossing is None else crossing
