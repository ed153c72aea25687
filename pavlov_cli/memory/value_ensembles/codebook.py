"""What if values are drawn from a fixed vocabulary?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, ValueEnsemble, unit
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class Codebook(ValueEnsemble):
    """Values drawn with replacement from ``size`` uniformly random unit vectors, a codebook of each trial's own.

    Attributes:
        size: number of entries V, >= 2.
    """

    size: int = 1024

    def squared_norm(self, d_v: int) -> float:
        """Exactly 1."""
        return 1.0

    def begin(self, prng_key: Array, d_v: int, data: Array | None) -> Common:
        """The codebook [size, d_v], normalised here alone: in another program a norm may differ by a bit."""
        widest = jax.dtypes.canonicalize_dtype("float64")
        prng_keys = jax.random.split(jax.random.fold_in(prng_key, 1), self.size)
        return jax.vmap(lambda entry: unit(normal(entry, d_v, widest)))(prng_keys)

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_v"]:
        """The entry that this association's label names."""
        return common[self.label(common, prng_key, index, d_v)].astype(dtype)

    def label(self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int) -> Int[Array, ""]:
        """A uniformly random entry."""
        return jax.random.randint(prng_key, (), 0, self.size)

    def alphabet(self, common: Common, d_v: int, data: Array | None, dtype: Any) -> Float[Array, "size d_v"]:
        """The codebook."""
        return common.astype(dtype)


ENTRY = Codebook
