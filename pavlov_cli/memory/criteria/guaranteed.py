"""How many associations survive whatever the stored values are?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from pavlov_cli.memory._contracts import Criterion


@dataclass(frozen=True)
class Guaranteed(Criterion):
    """Worst case over the values: strict diagonal dominance of the effective attention matrix A.

    A stored item i passes iff ``A_ii > 0`` and ``sum_{j != i} abs(A_ij) < margin * A_ii``. At margin 1 this is
    necessary and sufficient for every coordinate of every +-1 value to keep its sign, since an adversary may choose
    ``v_j = -sign(A_ij) v_i``. A memory fails at n if any stored item fails.

    Attributes:
        margin: fraction of the own signal that interference may reach, > 0; above 1 it promises nothing.

    Source: arXiv 2508.08289 (2025), the worst-case capacity theorem made exact.
    """

    margin: float = 1.0

    reads: ClassVar[str] = "attention"
    counted: ClassVar[bool] = True

    def first_failure(self, attention: Float[Array, "m m"]) -> Int[Array, ""]:
        """Smallest n at which any stored item fails, all n at once: prefix sums over the later columns."""
        size = attention.shape[0]
        index = jnp.arange(size)
        signal = jnp.diagonal(attention)
        interference = jnp.cumsum(jnp.where(index[:, None] == index[None, :], 0, jnp.abs(attention)), axis=1)
        stored = index[:, None] <= index[None, :]  # item i is stored once n - 1 >= i
        passes = (signal[:, None] > 0) & (interference < self.margin * signal[:, None])
        failed = jnp.any(stored & ~passes, axis=0)  # at n = column + 1
        return jnp.where(jnp.any(failed), jnp.argmax(failed) + 1, size + 1).astype(jnp.int32)

    def fails(self, attention: Float[Array, "m m"], count: Int[Array, ""]) -> Bool[Array, ""]:
        """Whether any of the first ``count`` items fails at n = count."""
        index = jnp.arange(attention.shape[0])
        signal = jnp.diagonal(attention)
        counted = (index[None, :] < count) & (index[:, None] != index[None, :])
        interference = jnp.sum(jnp.where(counted, jnp.abs(attention), 0), axis=1)
        passes = (signal > 0) & (interference < self.margin * signal)
        return jnp.any((index < count) & ~passes)


ENTRY = Guaranteed
