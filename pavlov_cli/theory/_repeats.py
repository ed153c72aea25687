"""How much overlap do all the keys that carry one value of a codebook have together with the key that is probed?

Each of N associations carries the value with probability p, and adds an independent overlap if it does.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from pavlov_cli.theory._scale_mixture import overlap_weights

_NEGLIGIBLE = 1e-25  # weights below it are cut off at both ends


def total_overlap_weights(d_k: int, step: float, *, draws: int, probability: float) -> Float[np.ndarray, " odd"]:
    """The law of a sum of Binomial(N, p) many overlaps, as weights on multiples of ``step``, the middle one at 0.

    The N-fold convolution of ``(1 - p) delta_0 + p (law of an overlap)``, by repeated squaring: all large terms are
    positive, so that weights keep their relative precision in both tails.

    Args:
        d_k: key dimension, >= 8.
        step: > 0.
        draws: N >= 0.
        probability: p in [0, 1].

    Returns:
        Weights summing to 1, of odd length; P(no overlap at all) = (1 - p)^N is part of the middle one.
    """
    base = probability * overlap_weights(d_k, step)
    base[len(base) // 2] += 1 - probability
    total = np.ones(1)
    while draws:
        if draws & 1:
            total = _trimmed(np.convolve(total, base))
        draws >>= 1
        if draws:
            base = _trimmed(np.convolve(base, base))
    return total


def _trimmed(weights: Float[np.ndarray, " odd"]) -> Float[np.ndarray, " odd"]:
    first = int(np.argmax(np.abs(weights) > _NEGLIGIBLE))
    return weights[first : len(weights) - first]
