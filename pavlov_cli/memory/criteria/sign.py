"""How often does a coordinate of the readout have the wrong sign?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Criterion


@dataclass(frozen=True)
class Sign(Criterion):
    """Wrong signs per coordinate (the bit-error rate when values are +-1); a readout of exactly zero counts half.

    Counted in half errors, so that the count is an integer.
    """

    counted: ClassVar[bool] = True

    def units(self, d_v: int) -> int:
        """2 d_v half errors."""
        return 2 * d_v

    def errors(
        self, readouts: Float[Array, "m d_v"], targets: Float[Array, "m d_v"], scale: float, squared_norm: float
    ) -> Int[Array, " m"]:
        """Half errors of each query."""
        agreement = readouts * jnp.sign(targets)
        # what is not a number, in a memory that grew beyond all bounds, is wrong too
        return jnp.sum(jnp.where(agreement > 0, 0, jnp.where(agreement == 0, 1, 2)), axis=-1).astype(jnp.int32)


ENTRY = Sign
