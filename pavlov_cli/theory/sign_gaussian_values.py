"""How often does a component of a Gaussian value read with the wrong sign, for one Hebbian head?

Given the keys, value and interference are both Gaussian, of standard deviations 1 and sqrt(S) with S the sum of n - 1
squared overlaps, so a sign is wrong with probability arctan(sqrt(S))/pi: about arctan(sqrt((n-1)/d_k))/pi.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target

LAW = Law(
    name="sign_gaussian_values",
    validity="one Hebbian head, identity map, sphere (d_k >= 2) or +-1 keys, Gaussian values, any n >= 1",
    stated_error="exact",
    slope_errors=(),
    source="sign disagreement of correlated normals (Sheppard 1899), averaged over keys by a Laplace transform",
    leading_law="1 + d_k tan^2(pi eps)",
    exponent="d_k",
)
_STEP = (
    0.15  # in log z; the integrand is analytic for abs(Im log z) < pi/4, so this leaves exp(-2 pi (pi/4)/0.15) = 5e-15
)


def applies(spec: Spec) -> bool:
    """Whether this is the sign error of one Hebbian head with sphere or +-1 keys and Gaussian values."""
    keys = ("sphere", "rademacher")
    d_k_min = 2 if spec.key_ensemble.name == "sphere" else 1
    return is_single_hebbian_head(spec, criterion="sign", keys=keys, values=("gaussian",), d_k_min=d_k_min)


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that a component reads with the wrong sign, ``E arctan(sqrt(S)) / pi``, exactly.

    ``= pi^(-3/2) int_0^inf (2 D(z)/z) (1 - L(z^2)^(n-1)) dz`` with Dawson's function D and the Laplace transform
    ``L(x) = E exp(-x b^2)`` of a squared overlap, ``1F1(1/2; d/2; -x)`` for sphere keys.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Error rate in [0, 1/2), of the shape of ``n``.
    """
    numbers = counts(n)
    log_laplace, weight = _laplace_nodes(spec.key_ensemble.name, spec.d_k)
    return -np.expm1((numbers[..., None] - 1) * log_laplace) @ weight


@lru_cache(maxsize=64)
def _laplace_nodes(keys: str, d_k: int) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """Log L at the nodes z^2 and the weights of the integral, by equal steps in log z."""
    from scipy.special import dawsn, hyp1f1

    z = np.exp(np.arange(-13, 37, _STEP))  # the integrand falls as z^3 and as 1/z
    weight = 2 * dawsn(z) * _STEP / math.pi**1.5
    laplace = hyp1f1(0.5, d_k / 2, -(z**2)) if keys == "sphere" else _sign_keys_laplace(d_k, z**2)
    return np.log(np.maximum(laplace, 1e-300)), weight


def _sign_keys_laplace(d_k: int, x: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """E exp(-x b^2) with b = (2 B - d)/d, B ~ Binomial(d, 1/2)."""
    from scipy.special import gammaln

    ups = np.arange(d_k + 1)
    log_share = gammaln(d_k + 1) - gammaln(ups + 1) - gammaln(d_k - ups + 1) - d_k * math.log(2)
    return np.exp(-np.outer(x, ((2 * ups - d_k) / d_k) ** 2)) @ np.exp(log_share)


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the exact curve; None from 1/2 on, which no n exceeds."""
    target = required_target(target_error, "sign")
    return first_crossing(lambda n: float(error(spec, np.array(n))), target, guess=leading(spec, target), ceiling=0.5)


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """1 + d_k tan^2(pi target_error); infinite from 1/2 on."""
    target = required_target(target_error, "sign")
    return 1 + spec.d_k * math.tan(math.pi * target) ** 2 if target < 0.5 else math.inf
