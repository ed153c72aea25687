"""How far is the readout from the stored value?"""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float

from pavlov_cli.memory._contracts import Criterion


@dataclass(frozen=True)
class Mse(Criterion):
    """Mean squared error relative to the value's power: ``norm(r - v)^2 / E norm(v)^2``, a mean over queries.

    For unit keys and one Hebbian head its expectation is (n - 1)/d_k exactly.
    """

    def errors(
        self, readouts: Float[Array, "m d_v"], targets: Float[Array, "m d_v"], scale: float, squared_norm: float
    ) -> Float[Array, " m"]:
        """Relative squared error of each query."""
        return jnp.sum((readouts * scale - targets) ** 2, axis=-1) / squared_norm


ENTRY = Mse
