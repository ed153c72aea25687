"""What if keys come in groups that resemble each other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble, unit
from pavlov_cli.memory._directions import at_cosine
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Clustered(KeyEnsemble):
    """Unit keys around random centres: ``k_j = sqrt(rho) c + sqrt(1 - rho) u_j``, c one of the trial's centres.

    Each key belongs to a uniformly random cluster; u_j is a random unit vector exactly orthogonal to its centre. Two
    keys of one cluster have a mean cosine of exactly rho, those of different clusters 0. With C clusters the mean
    squared error is (n - 1) ((rho^2 + (1 - rho)^2 / (d_k - 1)) / C + (1 - 1/C) / d_k). Needs d_k >= 2.

    Attributes:
        clusters: number of centres C, >= 1; at 1 this is ``correlated``.
        rho: mean cosine between keys of one cluster, in [0, 1).

    Source: hierarchically correlated patterns, Parga and Virasoro (1986).
    """

    clusters: int = 16
    rho: float = 0.5

    def squared_norm(self, d_k: int) -> float:
        """Exactly 1."""
        return 1.0

    def begin(self, prng_key: Array, d_k: int, data: Array | None) -> Common:
        """The Gaussian draws [clusters, d_k] behind the centres."""
        prng_keys = jax.random.split(jax.random.fold_in(prng_key, 2), self.clusters)
        return jax.vmap(lambda centre: normal(centre, d_k, "float32"))(prng_keys)

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """A unit vector at cosine sqrt(rho) to a random centre."""
        cluster = jax.random.randint(jax.random.fold_in(prng_key, 2), (), 0, self.clusters)
        return at_cosine(unit(common[cluster].astype(dtype)), normal(prng_key, d_k, dtype), self.rho**0.5)


ENTRY = Clustered
