"""How far does the readout point away from the stored value?"""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float

from pavlov_cli.memory._contracts import Criterion


@dataclass(frozen=True)
class Cosine(Criterion):
    """Cosine distance ``1 - cos(r, v)``, a mean over queries; 1 for a readout of zero.

    It forgives any gain of the memory, where ``mse`` does not.
    """

    def errors(
        self, readouts: Float[Array, "m d_v"], targets: Float[Array, "m d_v"], scale: float, squared_norm: float
    ) -> Float[Array, " m"]:
        """Cosine distance of each query."""
        along = jnp.sum(readouts * targets, axis=-1)
        norms = jnp.sqrt(jnp.sum(readouts**2, axis=-1) * jnp.sum(targets**2, axis=-1))
        return 1 - along / jnp.where(norms > 0, norms, 1)


ENTRY = Cosine
