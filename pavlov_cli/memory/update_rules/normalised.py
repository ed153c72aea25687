"""What if the strength of a memory is kept in bounds?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import State, UpdateRule, product


@dataclass(frozen=True)
class Normalised(UpdateRule):
    """Gain control (homeostasis): Hebbian writing with columns of norm at most 1.

        S += beta k^T v,   S_c / max(1, |S_c|) for each column c          readout r(q) = q S

    Normalising once, at the end, scales whole columns: every sign is that of the Hebbian head. Normalising at each
    write lets the old fade as the new comes in.

    Attributes:
        beta: write strength, > 0.
        when: ``end``, before a readout, or ``each``, after every write; the latter is written step by step.

    Source: Turrigiano 2008 (synaptic scaling), as column normalisation.
    """

    beta: float = 1.0
    when: str = "end"

    linear_in_values: ClassVar[bool] = False

    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """S = 0, [d_phi, d_v]."""
        return jnp.zeros((d_phi, d_v), dtype)

    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """S + beta k^T v, normalised where that is done at each write."""
        written = state + self.beta * jnp.outer(key, value)
        return _bounded(written) if self.when == "each" else written

    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """Q S with the columns of S normalised."""
        return product(query, _bounded(state)).astype(state.dtype)

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """One matrix product where columns are normalised at the end, else step by step."""
        if self.when == "each":
            return super().write_chunk(state, keys, values, count)
        kept = jnp.where(jnp.arange(keys.shape[0])[:, None] < count, keys, 0)
        return (state + self.beta * product(kept.T, values)).astype(state.dtype)


def _bounded(state: Float[Array, "d_phi d_v"]) -> Float[Array, "d_phi d_v"]:
    """Columns of norm at most 1."""
    wide = state.astype(jnp.promote_types(state.dtype, "float32"))
    return (wide / jnp.maximum(1, jnp.linalg.norm(wide, axis=0))).astype(state.dtype)


ENTRY = Normalised
