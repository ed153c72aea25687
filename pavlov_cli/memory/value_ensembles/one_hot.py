"""What if a value is one of d_v symbols?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, ValueEnsemble


@dataclass(frozen=True)
class OneHot(ValueEnsemble):
    """Values drawn with replacement from the d_v basis vectors: ``v = e_label``, label uniform on 0..d_v - 1.

    Source: Schlag et al. (2021), arXiv 2102.11174, whose retrieval task has one-hot values.
    """

    def squared_norm(self, d_v: int) -> float:
        """Exactly 1."""
        return 1.0

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_v"]:
        """The basis vector that this association's label names."""
        return jax.nn.one_hot(self.label(common, prng_key, index, d_v), d_v, dtype=dtype)

    def label(self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int) -> Int[Array, ""]:
        """A uniformly random symbol."""
        return jax.random.randint(prng_key, (), 0, d_v)

    def alphabet(self, common: Common, d_v: int, data: Array | None, dtype: Any) -> Float[Array, "size d_v"]:
        """The basis [d_v, d_v]."""
        return jnp.eye(d_v, dtype=dtype)


ENTRY = OneHot
