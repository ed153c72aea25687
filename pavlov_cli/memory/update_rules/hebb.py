"""What does a sum of outer products hold?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import State, UpdateRule, product


@dataclass(frozen=True)
class Hebb(UpdateRule):
    """Hebbian writing (contiguity): what fires together is added together.

        S += beta k^T v          readout r(q) = q S

    The chunk form is one matrix product over the chunk; rows past ``count`` are zeroed, which adds exact zeros.
    In bfloat16 the state is rounded once a chunk, as chunkwise kernels do.

    Attributes:
        beta: write strength, > 0.

    Source: arXiv 2508.08289 (2025), one linear-attention head; Hebb (1949).
    """

    beta: float = 1.0

    linear_in_values: ClassVar[bool] = True
    nested: ClassVar[bool] = True
    homogeneous: ClassVar[bool] = True

    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """S = 0, [d_phi, d_v]."""
        return jnp.zeros((d_phi, d_v), dtype)

    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """S + beta k^T v."""
        return state + self.beta * jnp.outer(key, value)

    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """Q S."""
        return product(query, state).astype(state.dtype)

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """S + beta K^T V over the first ``count`` rows."""
        kept = jnp.where(jnp.arange(keys.shape[0])[:, None] < count, keys, 0)
        return (state + self.beta * product(kept.T, values)).astype(state.dtype)


ENTRY = Hebb
