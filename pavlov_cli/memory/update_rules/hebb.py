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

    The chunk form is one matrix product over the chunk; rows past ``count`` are zeroed, which adds exact zeros. A
    memory that holds less than a chunk is read without a state, as attention without softmax, where that is cheaper.
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
        return (state + self.beta * product(_first(keys, count).T, values)).astype(state.dtype)

    def recall(
        self,
        keys: Float[Array, "m d_phi"],
        values: Float[Array, "m d_v"],
        count: Int[Array, ""],
        queries: Float[Array, "s d_phi"],
    ) -> Float[Array, "s d_v"]:
        """Beta (Q K^T) V where that takes fewer operations than Q (beta K^T V), and no rounded state comes between."""
        (m, d_phi), (s, d_v) = keys.shape, (queries.shape[0], values.shape[1])
        if keys.dtype == jnp.bfloat16 or m * s * (d_phi + d_v) >= d_phi * d_v * (m + s):
            return super().recall(keys, values, count, queries)
        return self.beta * product(product(queries, _first(keys, count).T), values)


def _first(keys: Float[Array, "m d_phi"], count: Int[Array, ""]) -> Float[Array, "m d_phi"]:
    """Zeros in place of the keys from number ``count`` on: they add exact zeros."""
    return jnp.where(jnp.arange(keys.shape[0])[:, None] < count, keys, 0)


ENTRY = Hebb
