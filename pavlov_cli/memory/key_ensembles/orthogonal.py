"""What if keys do not interfere at all?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble, product
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Orthogonal(KeyEnsemble):
    """Orthonormal keys, at most d_k of them: rows of a uniformly random (Haar) rotation.

    The rotation is Gram-Schmidt applied to the rows of a Gaussian matrix, each projected twice: the triangular factor
    has a positive diagonal, which makes it Haar. Inner products are zero to 1e-6 in float32, and to 1e-10 in float64,
    where one Newton step towards the nearest orthogonal matrix refines each row.

    Source: Mezzadri (2007) for the distribution; Giraud et al. (2005), twice is enough.
    """

    def squared_norm(self, d_k: int) -> float:
        """Exactly 1."""
        return 1.0

    def limit(self, d_k: int, data: Array | None) -> int | None:
        """d_k."""
        return d_k

    def begin(self, prng_key: Array, d_k: int, data: Array | None) -> Common:
        """The rotation [d_k, d_k] in float32."""
        prng_keys = jax.random.split(jax.random.fold_in(prng_key, 2), d_k)
        gaussian = jax.vmap(lambda row: normal(row, d_k, "float32"))(prng_keys)

        # Not a library's QR: that is threaded by the number of cores, which must not reach the last bit.
        def orthonormal(j: Any, done: Array) -> Array:
            row = gaussian[j]
            for _ in range(2):
                row = row - product(product(done, row), done)
            return done.at[j].set(row / jnp.linalg.norm(row))

        return lax.fori_loop(0, d_k, orthonormal, jnp.zeros_like(gaussian))

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """The row at this position; positions past the last repeat it and are never counted."""
        rotation = common.astype(dtype)
        row = rotation[jnp.minimum(index, d_k - 1)]
        if dtype != "float64":
            return row
        return 1.5 * row - 0.5 * product(product(rotation, row), rotation)


ENTRY = Orthogonal
