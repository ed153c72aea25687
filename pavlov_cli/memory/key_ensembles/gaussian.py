"""What if keys are Gaussian and nobody normalises them?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Gaussian(KeyEnsemble):
    """Keys with independent components N(0, 1/d_k): squared norm 1 in expectation, not for each key.

    The squared norm varies by 2/d_k, which costs 2/d_k of mean squared error: (n + 1)/d_k where unit keys have
    (n - 1)/d_k.

    Source: Katharopoulos et al. (2020), arXiv 2006.16236, for keys without normalisation; the error follows from
    E norm(k)^4 = 1 + 2/d_k.
    """

    def squared_norm(self, d_k: int) -> float:
        """1, in expectation."""
        return 1.0

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """A Gaussian vector."""
        return normal(prng_key, d_k, dtype) / d_k**0.5


ENTRY = Gaussian
