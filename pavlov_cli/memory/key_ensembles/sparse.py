"""What if only a few key components are active?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble
from pavlov_cli.memory._random import signs


@dataclass(frozen=True)
class Sparse(KeyEnsemble):
    """Keys with exactly ``s = max(1, round(density d_k))`` components +-1 at random places, all others 0.

    The squared norm is exactly s. Keys stay integers on the device, as +-1 keys do, so that ties are exact; at density
    1 they are +-1 keys. Components are uncorrelated whatever s is, so the mean squared error is (n - 1)/d_k.

    Attributes:
        density: fraction of non-zero components, in (0, 1].

    Source: Willshaw, Buneman and Longuet-Higgins (1969) for sparse patterns, here with signs.
    """

    density: float = 0.1

    def active(self, d_k: int) -> int:
        """Number of non-zero components s."""
        return max(1, round(self.density * d_k))

    def squared_norm(self, d_k: int) -> float:
        """Exactly s."""
        return float(self.active(d_k))

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """A vector of s signs."""
        ranks = jax.random.uniform(jax.random.fold_in(prng_key, 2), (d_k,), "float32")
        _, places = lax.top_k(ranks, self.active(d_k))
        return jnp.zeros(d_k, dtype).at[places].set(signs(prng_key, d_k, dtype)[places])


ENTRY = Sparse
