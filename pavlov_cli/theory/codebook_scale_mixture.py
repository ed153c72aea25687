"""How often does another value of a fixed codebook score at least as high as the own one, for one Hebbian head?

Values are drawn with replacement from V vectors on the sphere, so a value may be stored under several keys. With B_w
the total overlap of the other keys that carry value w, and B_0 that of the other keys that carry the own value v,
w wins where ``(1 + B_0 - B_w) v + g`` lies closer to w than to v: repeats of the own value move the signal, those of a
distractor help it, and a value that is not stored at all competes with B_w = 0.
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
from pavlov_cli.theory._repeats import total_overlap_weights
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target

# Simulated error rates, d = d_k = d_v: predicted 7.1 +- 1.2% high (d 16, V 64, n 8), 4.9 +- 0.4% (16, 64, 16), 3.0 +-
# 0.2% (16, 64, 32), 0.7 +- 0.1% (16, 64, 128), 7.4 +- 1.0% (32, 128, 40), 1.7 +- 0.7% (32, 1024, 50), 0.0 +- 0.1% (32,
# 1024, 200), 6.3 +- 1.1% (64, 64, 100), 4.0 +- 0.5% (64, 64, 200), 3.4 +- 1.6% (64, 1024, 98), -1 +- 4% (128, 1024,
# 400). Far more dimensions than values: 9.0 +- 0.8% low (64, 8, 50), 6.3 +- 1.6% low (32, 8, 16), but 1.6 +- 0.2% high
# (16, 8, 40). For n <= 4: 15 +- 5% high (16, 64, 4), 6 +- 2% low (8, 64, 3), 10 +- 4% low (8, 64, 2). Taking n distinct
# values instead, (1-P)^(n-1) (1-P_absent)^(V-n), is 41% high, 9% low, 3% low, 2% high and 7% high at d 16, V 64, n = 4,
# 8, 16, 32, 128, and 23% high at (16, 8, 40). Divided by the local slope d ln(error)/d ln(n), 5.5 to 6.3 at 0.01, the
# capacity at targets 0.01 to 0.7 is 3% low to 2% high: h = 0.025, as in top1_scale_mixture.
LAW = Law(
    name="codebook_scale_mixture",
    validity="one Hebbian head, identity map, sphere keys, sphere codebook, d_k, d_v >= 8; checked d 8..128, V 8..1024",
    stated_error="error rate within 10% (0..7% high from V = d) for n from 5, 20% for n 2..4; capacity at 1% within 2%",
    slope_errors=((16, 1, 0.108), (16, 2, 0.054), (16, 3, 0.036), (16, 4, 0.027)),
    source="scale mixture of the shared interference, values drawn with replacement; see top1_scale_mixture",
    leading_law="s^2 d_k d_v V / (d_v + V), P(max of V-1 normals > another + 1/s) = eps",
    exponent="d_k d_v V / (d_v + V)",
)
DEFAULT_SIZE = 1024


def applies(spec: Spec) -> bool:
    """Whether this is the codebook error of one Hebbian head with sphere keys and that codebook's values."""
    plain = is_single_hebbian_head(spec, criterion="codebook", keys=("sphere",), values=("codebook",), d_k_min=8)
    return plain and spec.d_v >= 8 and _size(spec) >= 8 and spec.value_ensemble.get("size", DEFAULT_SIZE) == _size(spec)


def _size(spec: Spec) -> int:
    return int(spec.criterion.get("codebook_size", DEFAULT_SIZE))


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that a value of the codebook other than the own one scores at least as high; 0 at n = 1.

    ``E[1 - (1 - P_stored)^S (1 - P_absent)^(V-1-S)]`` with ``S = (V-1) (1 - (1 - 1/V)^(n-1))``, the mean number of
    other values that are stored, over the interference of n - 1 associations and B_0.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, integers >= 1; they may exceed V.

    Returns:
        Error rate in [0, 1), of the shape of ``n``.
    """
    numbers = counts(n)
    rates = [_error_at(spec.d_k, spec.d_v, _size(spec), int(number)) for number in numbers.ravel()]
    return np.array(rates, dtype=np.float64).reshape(numbers.shape)


@lru_cache(maxsize=4096)
def _error_at(d_k: int, d_v: int, size: int, n: int) -> float:
    if n == 1:
        return 0.0
    others = n - 1
    terms = others * (1 - 1 / size)  # associations with another value than the own one
    keys, values = mixture.sphere_moment(d_k), mixture.sphere_moment(d_v)
    freedom = mixture.degrees_of_freedom(keys, values, terms, repeats=1 / (size - 1))
    grid = mixture.interference_grid(d_v, terms / d_k, freedom, own=others / size / d_k)
    own = total_overlap_weights(d_k, grid.step, draws=others, probability=1 / size)
    reach = len(own) // 2
    weight = mixture.convolved(np.pad(grid.weight, ((2 * reach, 2 * reach), (0, 0))), own)
    absent = mixture.win_probability(d_v, 1 + grid.extended(reach)[:, None], grid.radius)
    stored = _stored_wins(d_k, d_v, size, others, grid, reach)
    stored_count = (size - 1) * (1 - (1 - 1 / size) ** others)
    log_kept = stored_count * np.log1p(-np.clip(stored, 0.0, mixture.BELOW_ONE))
    log_kept += (size - 1 - stored_count) * np.log1p(-np.minimum(absent, mixture.BELOW_ONE))
    return min(1.0, float(np.sum(weight * -np.expm1(log_kept))))


def _stored_wins(
    d_k: int, d_v: int, size: int, others: int, grid: mixture.Grid, reach: int
) -> Float[np.ndarray, "t r"]:
    """P(t, R) that a value stored at least once wins; its own terms are no part of the interference that it meets."""
    never = (1 - 1 / size) ** others
    own_terms = others / size / (1 - never)  # of a value that is stored
    remaining = 1 - own_terms / (others * (1 - 1 / size))
    if remaining < 1e-9:  # n = 2: nothing but the two values, and (1 - a)(1 - b) > 0
        return np.zeros((len(grid.t) + 2 * reach, len(grid.radius)))
    shrink = math.sqrt(remaining)  # of t and R alike, so that y / R = ((1 - B) / shrink + t) / R
    overlap = total_overlap_weights(d_k, grid.step * shrink, draws=others, probability=1 / size)
    middle = len(overlap) // 2
    overlap[middle] -= never
    overlap /= 1 - never
    advantage = 1 / shrink + grid.extended(reach + middle)
    return mixture.convolved(mixture.win_probability(d_v, advantage[:, None], grid.radius), overlap)


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0) by the predicted curve; None from 1 - 1/V on, a guess's error."""
    target = required_target(target_error, "codebook")
    if target >= 1 - 1 / _size(spec):
        return None
    at = (spec.d_k, spec.d_v, _size(spec))
    return first_crossing(lambda n: _error_at(*at, n), target, guess=leading(spec, target))


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """s^2 d_k d_v V / (d_v + V); infinite from 1 - 1/V on.

    In high dimensions every score is normal with variance n/d_k (1/d_v + 1/V), which counts values of the codebook that
    resemble the own one and associations that share a value.
    """
    target = required_target(target_error, "codebook")
    size = _size(spec)
    signal = _signal_at(target, size)
    if signal == 0:
        return math.inf
    return spec.d_k * spec.d_v * size / (spec.d_v + size) / signal**2


@lru_cache(maxsize=256)
def _signal_at(target: float, size: int) -> float:
    """The signal 1/s in standard deviations of a score at which V - 1 normals beat it with probability ``target``."""
    from scipy.optimize import brentq
    from scipy.special import log_ndtr

    if target >= 1 - 1 / size:
        return 0.0
    z = np.linspace(-9, 9, 361)
    density = np.exp(-z * z / 2) / np.sum(np.exp(-z * z / 2))

    def excess(signal: float) -> float:
        return float(np.sum(density * -np.expm1((size - 1) * log_ndtr(z + signal)))) - target

    return float(brentq(excess, 0.0, 40.0, xtol=1e-13)) if excess(40.0) < 0 < excess(0.0) else 0.0
