"""What if every value component is Gaussian?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, ValueEnsemble
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Gaussian(ValueEnsemble):
    """Values with independent components N(0, 1): the draw that ``sphere`` normalises and ``rademacher`` signs.

    Source: Box and Muller (1958) for the distribution; any law of the readout given the keys is Gaussian here.
    """

    def squared_norm(self, d_v: int) -> float:
        """d_v, in expectation."""
        return float(d_v)

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_v"]:
        """A Gaussian vector."""
        return normal(prng_key, d_v, dtype)


ENTRY = Gaussian
