"""How large is the mean squared error of one head that writes corrections?

Each later write along a key k removes beta <k, k'> of what is stored along k': an association fades with its age m by
1 - beta/d_k a write, and the interference of the others settles. At beta = gamma = 1 the error at age m tends to
2 (1 - (1 - 1/d_k)^m): a memory for the last d_k or so.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target
from pavlov_cli.theory.mse_decay import left

LAW = Law(
    name="mse_delta",
    validity="one head of rule delta, beta 1, identity map, sphere keys, centred values, any n",
    stated_error="exact",
    slope_errors=(),
    source="second moments of sphere keys through the recursion, by age; averaged over the ages m < n",
    leading_law="x d_k with the mean over u < x of the error at age u d_k = eps",
    exponent="d_k",
)
_NODES = 64  # Gauss-Legendre: the integrand is a sum of exponentials
_CENTRED = ("sphere", "rademacher", "gaussian")


def applies(spec: Spec) -> bool:
    """Whether this is the mean squared error of one correcting head with sphere keys and centred values."""
    return covers(spec, "delta")


def covers(spec: Spec, rule: str) -> bool:
    """Whether it is that of a head of this rule."""
    return is_single_hebbian_head(spec, criterion="mse", keys=("sphere",), values=_CENTRED, rules=(rule,), d_k_min=2)


def by_age(
    d_k: int, n: int, beta: float = 1.0, gamma: float = 1.0, ages: Num[np.ndarray, " m"] | None = None
) -> Float[np.ndarray, " m"]:
    """Mean squared error of each association by its age, exactly.

    With h = 2 beta - beta^2, a = gamma^2 (1 - 2 beta/d + 2 beta^2/(d (d+2))), c = gamma^2 (1 - h/d) and the mean
    squared overlap of what an association wrote with its own key after m further writes p_m = (1 - 1/d) a^m + c^m/d:

        beta^2 p_m - 2 beta (gamma (1 - beta/d))^m + 1 + (beta^2/d) (1 - c^m)/(1 - c)
            + (beta^2 gamma^2/d) (1 - c^(n-m-1))/(1 - c) (c^m - h p_m)

    Args:
        d_k: key dimension, >= 2.
        n: associations stored, >= 1.
        beta: write strength, in (0, 2).
        gamma: what one write leaves of what was stored, in (0, 1].
        ages: 0 .. n - 1; None for all of them.

    Returns:
        Error >= 0 for each age.
    """
    m = np.arange(n, dtype=np.float64) if ages is None else np.asarray(ages, np.float64)
    h = 2 * beta - beta**2
    a = gamma**2 * (1 - 2 * beta / d_k + 2 * beta**2 / (d_k * (d_k + 2)))
    c = gamma**2 * (1 - h / d_k)
    remaining = c**m
    own = (1 - 1 / d_k) * a**m + remaining / d_k
    after = (1 - remaining) / (1 - c)  # of the later writes
    before = (1 - c ** (n - m - 1)) / (1 - c)
    signal = beta**2 * own - 2 * beta * (gamma * (1 - beta / d_k)) ** m + 1
    return signal + beta**2 / d_k * (after + gamma**2 * before * (remaining - h * own))


def mean_error(d: int, n: Num[np.ndarray, "..."], gamma: float) -> Float[np.ndarray, "..."]:
    """The mean of ``by_age`` over all ages at beta = 1, summed exactly.

    Args:
        d: key dimension, >= 2.
        n: associations stored, integers >= 1.
        gamma: what one write leaves of what was stored, in (0, 1].

    Returns:
        Error >= 0, of the shape of ``n``.
    """
    numbers = counts(n)
    a, c = gamma**2 * (1 - 2 / d + 2 / (d * (d + 2))), gamma**2 * (1 - 1 / d)
    remaining = left(c, numbers)
    own = (1 - 1 / d) * left(a, numbers) + remaining / d
    crossed = (c**numbers - a**numbers) / (c - a)  # sum of c^(n-1-m) a^m
    before = remaining - own - (1 - 1 / d) * (numbers * c ** (numbers - 1) - crossed)
    signal = own - 2 * left(gamma * (1 - 1 / d), numbers) + numbers
    interference = (numbers - remaining + gamma**2 * before) / (d * (1 - c))
    return np.where(numbers == 1, 0.0, (signal + interference) / numbers)  # a sum that rounds where it cancels


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Mean squared error over the mean squared value norm, averaged over all that is stored, exactly; see ``by_age``.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1.

    Returns:
        Error in [0, 2), of the shape of ``n``.
    """
    return mean_error(spec.d_k, n, 1.0)


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact curve; None from 2 on, which the oldest tend to."""
    target = required_target(target_error, "mse")
    return first_crossing(lambda n: float(error(spec, np.array(n))), target, guess=leading(spec, target), ceiling=2.0)


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """X d_k: for large d_k errors depend on n/d_k alone; infinite from 2 on."""
    target = required_target(target_error, "mse")
    return math.inf if target >= 2 else spec.d_k * _load(target)


def _load(target: float) -> float:
    """The n/d_k at which the mean error of a large memory crosses the target, in (0, 2)."""
    from scipy.optimize import brentq

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)

    def at_load(x: float) -> float:
        u = x * (nodes + 1) / 2
        own, remaining = np.exp(-2 * u), np.exp(-u)
        errors = own - 2 * remaining + 1 + (1 - remaining) + -np.expm1(-(x - u)) * (remaining - own)
        return float(weights @ errors) / 2

    high = 1.0
    while at_load(high) < target:
        high *= 2
    return float(brentq(lambda x: at_load(x) - target, 1e-12, high, xtol=1e-12))
