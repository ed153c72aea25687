"""What if every key component is a fair coin?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble
from pavlov_cli.memory._random import signs


@dataclass(frozen=True)
class Rademacher(KeyEnsemble):
    """Keys with independent +-1 components, of squared norm d_k.

    They stay integers on the device, so that ties between signal and interference are exact; ``Memory.scale`` brings
    readouts to those of unit keys after the comparison. float32 holds the sums exactly up to 2^24.
    """

    def squared_norm(self, d_k: int) -> float:
        """Exactly d_k."""
        return float(d_k)

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """A vector of signs."""
        return signs(prng_key, d_k, dtype)


ENTRY = Rademacher
