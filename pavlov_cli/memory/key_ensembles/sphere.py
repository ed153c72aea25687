"""What if keys point in uniformly random directions?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble, unit
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Sphere(KeyEnsemble):
    """Keys uniform on the unit sphere: ``k = g / norm(g)``, g standard normal.

    Source: Muller (1959), a note on a method for generating points uniformly on n-dimensional spheres.
    """

    def squared_norm(self, d_k: int) -> float:
        """Exactly 1."""
        return 1.0

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """A unit vector."""
        return unit(normal(prng_key, d_k, dtype))


ENTRY = Sphere
