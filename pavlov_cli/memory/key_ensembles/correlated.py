"""What if all keys share a direction?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble, unit
from pavlov_cli.memory._directions import at_cosine
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Correlated(KeyEnsemble):
    """Unit keys around a direction of the trial's own: ``k_j = sqrt(rho) c + sqrt(1 - rho) u_j``.

    c is a random unit vector and u_j are random unit vectors exactly orthogonal to it, so two keys have a mean cosine
    of exactly rho, and the mean squared error is (n - 1) (rho^2 + (1 - rho)^2 / (d_k - 1)). Needs d_k >= 2.

    Attributes:
        rho: mean cosine between keys, in [0, 1).

    Source: one-factor model, Spearman (1904); Loewe (1998) for associative memories of correlated patterns.
    """

    rho: float = 0.1

    def squared_norm(self, d_k: int) -> float:
        """Exactly 1."""
        return 1.0

    def begin(self, prng_key: Array, d_k: int, data: Array | None) -> Common:
        """The Gaussian draw behind the shared direction."""
        return normal(jax.random.fold_in(prng_key, 2), d_k, "float32")

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """A unit vector at cosine sqrt(rho) to the shared direction."""
        return at_cosine(unit(common.astype(dtype)), normal(prng_key, d_k, dtype), self.rho**0.5)


ENTRY = Correlated
