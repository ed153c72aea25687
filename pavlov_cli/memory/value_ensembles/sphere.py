"""What if values point in uniformly random directions?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, ValueEnsemble, unit
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Sphere(ValueEnsemble):
    """Values uniform on the unit sphere: ``v = g / norm(g)``, g standard normal."""

    def squared_norm(self, d_v: int) -> float:
        """Exactly 1."""
        return 1.0

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_v"]:
        """A unit vector."""
        return unit(normal(prng_key, d_v, dtype))


ENTRY = Sphere
