"""What if a memory both fades and corrects itself?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._chunkwise import gated_delta_chunk
from pavlov_cli.memory._contracts import State, UpdateRule, product


@dataclass(frozen=True)
class GatedDelta(UpdateRule):
    """Error-correcting writing into a fading memory: the delta rule at gamma = 1.

        S = gamma (S - beta k^T (k S)) + beta k^T v          readout r(q) = q S

    Attributes:
        beta: write strength for keys of norm 1, in (0, 2).
        gamma: what one write leaves of what was stored, in (0, 1].

    Source: Yang et al. 2024 (arXiv 2412.06464), eq. 10.
    """

    beta: float = 1.0
    gamma: float = 0.96875

    linear_in_values: ClassVar[bool] = True

    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """S = 0, [d_phi, d_v]."""
        return jnp.zeros((d_phi, d_v), dtype)

    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """Gamma (S - beta k^T (k S)) + beta k^T v."""
        expected = product(key, state).astype(state.dtype)
        return self.gamma * (state - self.beta * jnp.outer(key, expected)) + self.beta * jnp.outer(key, value)

    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """Q S."""
        return product(query, state).astype(state.dtype)

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """The writes of a chunk at once."""
        return gated_delta_chunk(state, keys, values, count, self.beta, self.gamma)


ENTRY = GatedDelta
