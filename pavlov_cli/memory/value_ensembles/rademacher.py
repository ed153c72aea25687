"""What if every value component is a fair coin?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, ValueEnsemble
from pavlov_cli.memory._random import signs


@dataclass(frozen=True)
class Rademacher(ValueEnsemble):
    """Values with +-1 components: the signs of the Gaussian draw that ``sphere`` normalises."""

    def squared_norm(self, d_v: int) -> float:
        """Exactly d_v."""
        return float(d_v)

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_v"]:
        """A vector of signs."""
        return signs(prng_key, d_v, dtype)


ENTRY = Rademacher
