"""How often do k other stored values score at least as high as the own one, for one Hebbian head on the sphere?

Given the interference that all share, distractors win independently with one probability, so their number is Binomial.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory import _scale_mixture as mixture
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target

# Simulated at k = 5: rates from 0.1 up within 1.2% from d 16 (0.7 +- 0.5% low at d 32, n 102; 1.2 +- 0.6% high at d
# 128, n 1000). Smaller ones are low, for distractors that resemble each other win together: by 6.4 +- 1.3% at rate
# 0.022, d 16; 7.1 +- 2.0% at 0.006, d 32; 2.0 +- 2.1% at 0.010, d 64; 4.4 +- 2.4% at 0.011, d 128; 2.6 +- 4.9% at
# 0.010, d 256; but 18 +- 2% at 0.012, d 8 and 45 +- 11% at 0.0003, d 16. At k = 2: 11 +- 2% low at 0.009, d 16; 20 +-
# 4% at 0.001, d_k 16, d_v 256. From these and the local slope d ln(error)/d ln(n), about 6 at 0.01, the capacity there
# is off by at most 1.8% from d 16 and 1% from d 32; slope errors as in top1_scale_mixture, with h = 0.018 and 0.01, for
# targets from 0.01.
LAW = Law(
    name="listwise_scale_mixture",
    validity="one Hebbian head, identity map, sphere keys and values, d_k, d_v >= 8; checked d 8..256, k 1, 2, 5",
    stated_error="error rate within 5% for rates from 0.01 and d from 32 (k = 5), 10% at d 16; below, up to 45% low",
    slope_errors=((16, 1, 0.078), (16, 2, 0.039), (16, 3, 0.026), (32, 1, 0.044), (32, 2, 0.022), (32, 4, 0.011)),
    source="scale mixture of the shared interference, Binomial distractors; see top1_scale_mixture",
    leading_law="2 n ln(n/k) = d_k d_v",
    exponent="d_k^2/log d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the listwise error of one Hebbian head with sphere keys and values, d_k, d_v >= 8, k >= 1."""
    plain = is_single_hebbian_head(spec, criterion="listwise", keys=("sphere",), values=("sphere",), d_k_min=8)
    return plain and spec.d_v >= 8 and _list_length(spec) >= 1


def _list_length(spec: Spec) -> int:
    return int(spec.criterion.get("k", 5))


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that at least k others score at least as high, ``E[P(Binomial(n-1, P) >= k)]``; 0 for n <= max(2, k).

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1.

    Returns:
        Error rate in [0, 1), of the shape of ``n``.
    """
    numbers = counts(n)
    rates = [_error_at(spec.d_k, spec.d_v, _list_length(spec), int(number)) for number in numbers.ravel()]
    return np.array(rates, dtype=np.float64).reshape(numbers.shape)


@lru_cache(maxsize=4096)
def _error_at(d_k: int, d_v: int, k: int, n: int) -> float:
    from scipy.special import betainc

    if n <= max(2, k):
        return 0.0
    wins, weight = mixture.stored_wins(d_k, d_v, n)
    return min(1.0, float(np.sum(weight * betainc(k, n - k, wins))))


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the predicted curve; None from 1 on, which no n exceeds."""
    target = required_target(target_error, "listwise")
    if target >= 1:
        return None
    at = (spec.d_k, spec.d_v, _list_length(spec))
    return first_crossing(lambda n: _error_at(*at, n), target, guess=leading(spec, target))


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """The n with 2 n ln(n/k) = d_k d_v, where about k others win; the target error (> 0) enters below that order."""
    required_target(target_error, "listwise")
    k = _list_length(spec)
    return k * mixture.log_linear_root(spec.d_k * spec.d_v / (2 * k))
