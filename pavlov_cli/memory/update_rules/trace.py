"""What if a key is still felt when a later value comes?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import State, UpdateRule, product


@dataclass(frozen=True)
class Trace(UpdateRule):
    """Trace conditioning: a value is written to a fading trace of the keys up to now.

        e = gamma e + k,   S += beta e^T v          readout r(q) = q S

    A value that follows its key by m steps is still written to it with the strength gamma^m; where values come with
    their keys, earlier keys share in them. The chunk form weighs the keys of a chunk by their delays.

    Attributes:
        beta: write strength, > 0.
        gamma: what one step leaves of the trace, in [0, 1); 0 is Hebbian writing.

    Source: Sutton and Barto 1981 (stimulus trace); Klopf 1988.
    """

    beta: float = 1.0
    gamma: float = 0.5

    linear_in_values: ClassVar[bool] = True
    nested: ClassVar[bool] = True
    homogeneous: ClassVar[bool] = True

    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """S = 0, [d_phi, d_v], and e = 0, [d_phi]."""
        return jnp.zeros((d_phi, d_v), dtype), jnp.zeros(d_phi, dtype)

    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """S + beta e^T v with e = gamma e + k."""
        matrix, trace = state
        trace = self.gamma * trace + key
        return matrix + self.beta * jnp.outer(trace, value), trace

    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """Q S."""
        return product(query, state[0]).astype(state[0].dtype)

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """S + beta E^T V over the first ``count`` rows, e_j = gamma^j e_0 + sum_{i <= j} gamma^(j-i) k_i."""
        matrix, trace = state
        wide = jnp.promote_types(matrix.dtype, "float32")
        number = jnp.arange(keys.shape[0])
        delay = number[:, None] - number[None, :]
        weights = jnp.where(delay >= 0, self.gamma ** jnp.maximum(delay, 0), 0.0).astype(wide)
        traces = product(weights, keys.astype(wide)) + self.gamma ** (number[:, None] + 1) * trace.astype(wide)
        written = jnp.where(number[:, None] < count, traces, 0)
        added = self.beta * product(written.T, values.astype(wide))
        last = jnp.where(count > 0, traces[jnp.maximum(count - 1, 0)], trace.astype(wide))
        return (matrix.astype(wide) + added).astype(matrix.dtype), last.astype(trace.dtype)


ENTRY = Trace
