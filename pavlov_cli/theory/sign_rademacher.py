"""How often does a coordinate of the readout have the wrong sign, for one Hebbian head with +-1 keys and values?

Each coordinate is d_k of signal plus (n-1) d_k fair +-1 steps of interference: a random walk, hence a Binomial tail.
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
    name="sign_rademacher",
    validity="one Hebbian head, identity map, +-1 keys and +-1 values, any d_k >= 1 and n >= 1",
    stated_error="exact",
    slope_errors=(),
    source="exact Binomial of the interference walk; McEliece et al. 1987 for the sum-of-outer-products setting",
    leading_law="1 + d_k / Qinv(eps)^2",
    exponent="d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the sign error of one Hebbian head with +-1 keys and +-1 values."""
    return is_single_hebbian_head(spec, criterion="sign", keys=("rademacher",), values=("rademacher",))


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that a coordinate reads with the wrong sign, a zero counting half, exactly.

    ``P(B < (N-d)/2) + P(B = (N-d)/2)/2`` with B ~ Binomial(N, 1/2), N = (n-1) d; lower tails are incomplete beta
    functions, which keep their relative precision (1e-12 for d_k n up to 1e5) however small the tail.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1.

    Returns:
        Error rate in [0, 1/2), of the shape of ``n``.
    """
    steps = (counts(n) - 1) * spec.d_k
    half = (steps - spec.d_k) / 2
    # P(B < half) + P(B = half)/2 is the mean of P(B <= floor(half)) and P(B <= ceil(half) - 1) in both parities.
    return (_at_most(np.floor(half), steps) + _at_most(np.ceil(half) - 1, steps)) / 2


def _at_most(successes: Float[np.ndarray, "..."], steps: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """P(B <= successes) for B ~ Binomial(steps, 1/2); ``successes`` integer, 0 below 0."""
    from scipy.special import betainc

    possible = successes >= 0
    k, total = np.where(possible, successes, 0.0), np.where(possible, steps, 1.0)
    return np.where(possible, betainc(total - k, k + 1, 0.5), 0.0)


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact curve; None from 1/2 on, which no n exceeds."""
    target = required_target(target_error, "sign")
    return first_crossing(lambda n: float(error(spec, np.array(n))), target, guess=leading(spec, target), ceiling=0.5)


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """1 + d_k / Qinv(target_error)^2; infinite from 1/2 on."""
    from scipy.special import ndtri

    target = required_target(target_error, "sign")
    return 1 + spec.d_k / float(ndtri(target)) ** 2 if target < 0.5 else math.inf
