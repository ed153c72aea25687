"""What if values point in uniformly random directions?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Float

from pavlov_cli.memory._contracts import ValueEnsemble, normal, unit


@dataclass(frozen=True)
class Sphere(ValueEnsemble):
    """Values uniform on the unit sphere: ``v = g / norm(g)``, g standard normal."""

    def squared_norm(self, d_v: int) -> float:
        """Exactly 1."""
        return 1.0

    def draw(self, prng_key: Array, d_v: int, dtype: Any) -> Float[Array, " d_v"]:
        """A unit vector."""
        return unit(normal(prng_key, d_v, dtype))


ENTRY = Sphere
