"""How many associations does one Hebbian head hold whatever the values are (strict diagonal dominance)?

Item i is safe while the sum of its n - 1 absolute overlaps stays below the margin. That sum is nearly normal, and the n
items are nearly independent, so all are safe with about Phi(z)^n: a square-root memory.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Spec
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head

# Against tests/golden/guaranteed_capacity.csv (sphere keys, 4000 trials a row, d_k 16..1024, margins 0.5 and 1) medians
# differ by at most 1; the predicted mean is 9.6% low at d_k = 16, margin 0.5, and within 1.1% from d_k = 256.
# slope_errors bound the difference between the log-log slopes of the predicted and the simulated mean over the rows
# that an entry covers, at both margins: at most 0.0442 (d_k 32 to 64, margin 0.5), the prediction always being the
# steeper one.
LAW = Law(
    name="guaranteed_gaussian",
    validity="one Hebbian head, identity map, sphere or +-1 keys, any values; checked d_k 16..2048, margin 0.5 and 1",
    stated_error="median within +-1 for d_k 16..2048; mean up to 10% low at d_k 16, within 1.1% from d_k 256",
    slope_errors=((16, 1, 0.045), (16, 3, 0.039), (16, 4, 0.034), (64, 1, 0.032), (64, 3, 0.020), (64, 4, 0.018)),
    source="absolute overlaps of sphere coordinates, normal sum, independent items; Qiao 2025 (arXiv 2508.08289)",
    leading_law="1 + margin sqrt(pi d_k / 2)",
    exponent="sqrt(d_k)",
)


def applies(spec: Spec) -> bool:
    """Whether this is the guaranteed capacity of one Hebbian head with sphere or +-1 keys, d_k >= 2, margin > 0.

    Also outside the checked range; there the median was still within 1 for d_k 2..8 and margins 0.25 and 2, while the
    mean was off by up to 23% (+-1 keys at d_k = 2).
    """
    plain = is_single_hebbian_head(spec, criterion="guaranteed", keys=("sphere", "rademacher"), d_k_min=2)
    return plain and _margin(spec) > 0


def _margin(spec: Spec) -> float:
    return float(spec.criterion.get("margin", 1.0))


def overlap_moments(spec: Spec) -> tuple[float, float]:
    """Mean and standard deviation of the absolute overlap of two keys, exactly.

    Sphere keys: ``mu1(d) = Gamma(d/2) / (sqrt(pi) Gamma((d+1)/2))``, ``sigma1^2 = 1/d - mu1^2``; +-1 keys have the mean
    mu1(d+1) for even d and mu1(d) for odd d.

    Args:
        spec: a memory that ``applies`` accepts.

    Returns:
        (mu1, sigma1), each in (0, 1).
    """
    from scipy.special import gammaln

    shifted = spec.key_ensemble.name == "rademacher" and spec.d_k % 2 == 0
    d = spec.d_k + 1 if shifted else spec.d_k
    mean = math.exp(gammaln(d / 2) - gammaln((d + 1) / 2)) / math.sqrt(math.pi)
    return mean, math.sqrt(1 / spec.d_k - mean**2)


def all_pass(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that every one of n stored items is safe, ``Phi((m - (n-1) mu1) / (sigma1 sqrt(n-1)))^n``.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Probability in [0, 1], falling in n, 1 at n = 1; of the shape of ``n``.
    """
    return np.exp(_log_all_pass(spec, n))


def _log_all_pass(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    from scipy.special import log_ndtr

    mean, deviation = overlap_moments(spec)
    numbers = counts(n)
    others = np.maximum(numbers - 1, 1)  # n = 1 has no other item and always passes
    z = (_margin(spec) - others * mean) / (deviation * np.sqrt(others))
    return np.where(numbers > 1, numbers * log_ndtr(z), 0.0)


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Probability that a trial has failed at n, ``1 - all_pass``; precise where it is small.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Error rate per trial in [0, 1], of the shape of ``n``.
    """
    return -np.expm1(_log_all_pass(spec, n))


def quantile(spec: Spec, probability: float) -> float:
    """Predicted quantile of the capacity over trials: the largest n with P(all pass at n) >= 1 - probability.

    Args:
        spec: a memory that ``applies`` accepts.
        probability: in (0, 1); 1/2 gives the median.

    Returns:
        An integer >= 1, as a float.

    Raises:
        ConfigError: if ``probability`` is not in (0, 1).
    """
    if not 0 < probability < 1:
        raise ConfigError(f"quantile must be in (0, 1); got {probability}.")
    passing = all_pass(spec, _range_of_interest(spec))
    return float(np.count_nonzero(passing >= 1 - probability))


def mean(spec: Spec) -> float:
    """Predicted mean capacity over trials, the sum over n >= 1 of P(all pass at n); >= 1."""
    return float(np.sum(all_pass(spec, _range_of_interest(spec))))


def _range_of_interest(spec: Spec) -> Num[np.ndarray, " n"]:
    """N = 1, 2, ... to where P(all pass) is below 1e-17."""
    last = 2 * math.ceil(leading(spec, None))
    while all_pass(spec, np.array(last)) > 1e-17:
        last *= 2
    return np.arange(1, last + 1)


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """Predicted median over trials, an integer; ``target_error`` is not used, a trial fails or does not."""
    return quantile(spec, 0.5)


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """Predicted mean over trials: medians are integers, whose rounding would bend a slope."""
    return mean(spec)


def leading(spec: Spec, target_error: float | None) -> float:
    """1 + margin sqrt(pi d_k / 2), where the mean sum of absolute overlaps reaches the margin."""
    return 1 + _margin(spec) * math.sqrt(math.pi * spec.d_k / 2)
