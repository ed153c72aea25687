"""How often does a coordinate of the readout have the wrong sign, for one Hebbian head with sphere keys, +-1 values?

The interference in a coordinate is a sum of n - 1 overlaps with random signs; an error means that it outweighs 1.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target
from pavlov_cli.theory._sphere_sum import upper_tail

LAW = Law(
    name="sign_sphere",
    validity="one Hebbian head, identity map, sphere keys and +-1 values, d_k >= 4, any n >= 1",
    stated_error="exact",
    slope_errors=(),
    source="inversion of the characteristic function of a sphere coordinate (Watson 1944, Bessel integral 3.3)",
    leading_law="1 + d_k / Qinv(eps)^2",
    exponent="d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the sign error of one Hebbian head with sphere keys (d_k >= 4) and +-1 values."""
    return is_single_hebbian_head(spec, criterion="sign", keys=("sphere",), values=("rademacher",), d_k_min=4)


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that a coordinate reads with the wrong sign, exactly; 0 for n <= 2.

    ``1/2 - (1/pi) int_0^inf (sin t / t) c(t)^(n-1) dt``, ``c(t) = Gamma(d/2) (2/t)^(d/2-1) J_{d/2-1}(t)``, evaluated
    on a shifted contour that keeps relative precision in the tail.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1.

    Returns:
        Error rate in [0, 1/2), of the shape of ``n``.
    """
    numbers = counts(n)
    rates = [upper_tail(spec.d_k, int(number) - 1) for number in numbers.ravel()]
    return np.array(rates, dtype=np.float64).reshape(numbers.shape)


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact curve; None from 1/2 on, which no n exceeds."""
    target = required_target(target_error, "sign")
    return first_crossing(lambda n: upper_tail(spec.d_k, n - 1), target, guess=leading(spec, target), ceiling=0.5)


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """1 + d_k / Qinv(target_error)^2; infinite from 1/2 on."""
    from scipy.special import ndtri

    target = required_target(target_error, "sign")
    return 1 + spec.d_k / float(ndtri(target)) ** 2 if target < 0.5 else math.inf
