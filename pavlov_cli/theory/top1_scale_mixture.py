"""How often does another stored value score at least as high as the own one, for one Hebbian head on the sphere?

A distractor close to the target in key and value also raises the target's own score, so scores are far from independent
Gaussians; given the shared interference, distractors win independently: a d^2/log d memory.
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

# Against tests/golden/top1_error.csv (d_k, d_v 16..64) the error rate is 0 to 4% high beyond the sampling error (4.0 +-
# 0.3% at d 16, n 16); own simulations gave 3.0 +- 0.3% at d 8, n 10, 0.9 +- 0.3% at d 128, n 1000, 2.0 +- 1.8% at d
# 256, n 2224, and 0.4 +- 1.3% low at d_k 16, d_v 256, n 60. Divided by the local slope d ln(error)/d ln(n), about 5 at
# error 0.01 and 1 at 0.4, the capacity at targets up to 0.5 is 0 to 2.6% low from d 16, 0 to 1.5% from d 32. A slope
# fitted to evenly spaced ln(d_k) over L octaves moves by at most 3 h/(L ln 2) where capacities are off by -h..h in
# their logarithm, around a common shift: h = 0.013 and 0.0075 give the entries.
LAW = Law(
    name="top1_scale_mixture",
    validity="one Hebbian head, identity map, sphere keys and values, d_k, d_v >= 8; checked d 8..256, n up to 2200",
    stated_error="error rate within 5% (0..4% high) for rates 0.001 to 0.8 from d 16; capacity at 1% within 1%",
    slope_errors=((16, 1, 0.056), (16, 2, 0.028), (16, 3, 0.019), (32, 1, 0.033), (32, 2, 0.017), (32, 4, 0.009)),
    source="scale mixture of the shared interference; Barnfield et al. 2026 (arXiv 2605.05189) for the threshold",
    leading_law="2 n ln n = d_k d_v",
    exponent="d_k^2/log d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the top-1 error of one Hebbian head with sphere keys and values, d_k and d_v >= 8."""
    plain = is_single_hebbian_head(spec, criterion="top1", keys=("sphere",), values=("sphere",), d_k_min=8)
    return plain and spec.d_v >= 8


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that another stored value scores at least as high, ``E[1 - (1 - P)^(n-1)]``; 0 for n <= 2.

    P is the probability that a given one does, given the interference that all share; see ``_scale_mixture``.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1.

    Returns:
        Error rate in [0, 1), of the shape of ``n``.
    """
    numbers = counts(n)
    rates = [_error_at(spec.d_k, spec.d_v, int(number)) for number in numbers.ravel()]
    return np.array(rates, dtype=np.float64).reshape(numbers.shape)


@lru_cache(maxsize=4096)
def _error_at(d_k: int, d_v: int, n: int) -> float:
    if n <= 2:
        return 0.0
    wins, weight = mixture.stored_wins(d_k, d_v, n)
    return min(1.0, float(np.sum(weight * -np.expm1((n - 1) * np.log1p(-wins)))))


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the predicted curve; None from 1 on, which no n exceeds."""
    target = required_target(target_error, "top1")
    if target >= 1:
        return None
    return first_crossing(lambda n: _error_at(spec.d_k, spec.d_v, n), target, guess=leading(spec, target))


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """The n with 2 n ln n = d_k d_v, whatever the target error (> 0), which only enters below the leading order."""
    required_target(target_error, "top1")
    return mixture.log_linear_root(spec.d_k * spec.d_v / 2)
