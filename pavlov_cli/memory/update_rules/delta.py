"""What if a write only corrects what the memory would have answered?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._chunkwise import gated_delta_chunk
from pavlov_cli.memory._contracts import State, UpdateRule, product


@dataclass(frozen=True)
class Delta(UpdateRule):
    """Error-correcting writing (Rescorla-Wagner): what is already predicted is not learned again.

        S += beta k^T (v - k S)          readout r(q) = q S

    One write shrinks the error along its key by 1 - beta |k|^2, which is stable for 0 < beta |k|^2 < 2; at
    beta |k|^2 = 1 the new association is read without error. The chunk form solves one triangular system.

    Attributes:
        beta: write strength for keys of norm 1, in (0, 2).

    Source: Widrow and Hoff 1960; Rescorla and Wagner 1972; Schlag et al. 2021 (arXiv 2102.11174), eq. 24.
    """

    beta: float = 1.0

    linear_in_values: ClassVar[bool] = True

    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """S = 0, [d_phi, d_v]."""
        return jnp.zeros((d_phi, d_v), dtype)

    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """S + beta k^T (v - k S)."""
        return state + self.beta * jnp.outer(key, value - product(key, state).astype(state.dtype))

    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """Q S."""
        return product(query, state).astype(state.dtype)

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """The writes of a chunk at once."""
        return gated_delta_chunk(state, keys, values, count, self.beta, 1.0)


ENTRY = Delta
