"""What if the strength of a memory limits itself?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import State, UpdateRule, product


@dataclass(frozen=True)
class Oja(UpdateRule):
    """Self-limiting Hebbian writing: every column fades with the square of what is written to it.

        S += eta (k^T v - S diag(v^2))          readout r(q) = q S

    A pattern that is repeated for ever reads 1/v_c in column c. On +-1 values this is the fading memory with gamma =
    1 - eta and beta = eta. It is stable for eta max v^2 <= 1; unit and one-hot values have v^2 <= 1, Gaussian values
    any v^2. The chunk form multiplies what later writes leave of each column.

    Attributes:
        eta: learning rate, in (0, 1].

    Source: Oja 1982, eq. 3, with the value in the place of the output.
    """

    eta: float = 0.03125

    homogeneous: ClassVar[bool] = True

    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """S = 0, [d_phi, d_v]."""
        return jnp.zeros((d_phi, d_v), dtype)

    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """S + eta (k^T v - S diag(v^2))."""
        return state + self.eta * (jnp.outer(key, value) - state * value**2)

    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """Q S."""
        return product(query, state).astype(state.dtype)

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """S diag(prod_j f_j) + eta K^T (V * prod_{l > j} f_l) with f_j = 1 - eta v_j^2."""
        wide = jnp.promote_types(state.dtype, "float32")
        written = jnp.where(jnp.arange(keys.shape[0])[:, None] < count, values, 0).astype(wide)
        kept = 1 - self.eta * written**2
        left = jnp.cumprod(kept[::-1], axis=0)[::-1]  # of what was there before write number j
        after = jnp.concatenate([left[1:], jnp.ones_like(left[:1])])
        added = product(keys.astype(wide).T, written * after)
        return (state.astype(wide) * left[0] + self.eta * added).astype(state.dtype)


ENTRY = Oja
