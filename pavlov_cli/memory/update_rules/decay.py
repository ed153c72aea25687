"""What if everything stored fades a little with every write?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._chunkwise import fading
from pavlov_cli.memory._contracts import State, UpdateRule, product


@dataclass(frozen=True)
class Decay(UpdateRule):
    """Fading memory: the old is scaled down before the new is added (passive extinction).

        S = gamma S + beta k^T v          readout r(q) = q S

    An association of age m (later writes) is read with the strength gamma^m; repeated for ever, it saturates at
    beta / (1 - gamma). The chunk form weighs every key by what is left of it at the chunk's end.

    Attributes:
        beta: write strength, > 0.
        gamma: what one write leaves of what was stored, in (0, 1]; the default 1 - 2^-5 is that of the first head of a
            retentive network.

    Source: Sun et al. 2023 (arXiv 2307.08621), eq. 5 and section 2.2.
    """

    beta: float = 1.0
    gamma: float = 0.96875

    linear_in_values: ClassVar[bool] = True
    nested: ClassVar[bool] = True  # later writes scale whole rows, which no dominance notices
    homogeneous: ClassVar[bool] = True

    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """S = 0, [d_phi, d_v]."""
        return jnp.zeros((d_phi, d_v), dtype)

    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """Gamma S + beta k^T v."""
        return self.gamma * state + self.beta * jnp.outer(key, value)

    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """Q S."""
        return product(query, state).astype(state.dtype)

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """Gamma^count S + beta (diag(gamma^(count-1-j)) K)^T V over the first ``count`` rows."""
        weighed = keys * fading(self.gamma, keys.shape[0], count)[:, None].astype(keys.dtype)
        return (self.gamma**count * state + self.beta * product(weighed.T, values)).astype(state.dtype)


ENTRY = Decay
