"""What if keys are stored as they are?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Array, Float

from pavlov_cli.memory._contracts import FeatureMap


@dataclass(frozen=True)
class Identity(FeatureMap):
    """phi(k) = k: linear attention without a kernel, d_phi = d_k."""

    homogeneous: ClassVar[bool] = True

    def dimension(self, d_k: int) -> int:
        """d_k."""
        return d_k

    def features(self, keys: Float[Array, "m d_k"]) -> Float[Array, "m d_phi"]:
        """The keys."""
        return keys


ENTRY = Identity
