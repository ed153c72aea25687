"""How are a chunk's writes done at once where each write first reads what is stored?

The gated delta rule writes ``S_j = gamma S_{j-1} + k_j^T u_j`` with ``u_j = beta (v_j - gamma k_j S_{j-1})``. Written
out over a chunk that starts from S_0, the corrections u_j solve one unit lower triangular system,

    (I + beta tril(K K^T, -1) * G) U = beta (V - diag(gamma^j) K S_0),    G_ji = gamma^(j-i),

after which the state follows from matrix products: ``S_c = gamma^c S_0 + sum_j gamma^(c-j) k_j^T u_j``.

Source: Yang et al. 2024 (arXiv 2406.06484, 2412.06464).
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import product

_BLOCK = 32  # rows solved one by one; between blocks there are matrix products


def fading(gamma: float, rows: int, count: Int[Array, ""]) -> Float[Array, " rows"]:
    """What is left at the end of ``count`` writes of what each wrote: gamma^(count-1-j), and 0 from number count on."""
    later = count - 1 - jnp.arange(rows)
    return jnp.where(later >= 0, gamma ** jnp.maximum(later, 0), 0.0)


def gated_delta_chunk(
    state: Float[Array, "d_phi d_v"],
    keys: Float[Array, "m d_phi"],
    values: Float[Array, "m d_v"],
    count: Int[Array, ""],
    beta: float,
    gamma: float,
) -> Float[Array, "d_phi d_v"]:
    """The state after the first ``count`` of m writes of the gated delta rule; at gamma = 1 of the delta rule.

    Args:
        state: before the chunk, of any floating-point type; sums are in float32 or better.
        keys: features.
        values: what is to be read with them.
        count: writes that count, 0 .. m.
        beta: write strength.
        gamma: what a write leaves of what was stored, in (0, 1].
    """
    wide = jnp.promote_types(state.dtype, "float32")
    m = keys.shape[0]
    number = jnp.arange(m)
    kept = jnp.where(number[:, None] < count, keys, 0).astype(wide)
    later = number[:, None] - number[None, :]
    coupling = jnp.where(later > 0, gamma ** jnp.maximum(later, 0), 0.0) * product(kept, kept.T)
    expected = gamma ** (number[:, None] + 1) * product(kept, state.astype(wide))
    corrections = _solve_unit_lower(beta * coupling, beta * (values.astype(wide) - expected))
    written = product((kept * fading(gamma, m, count)[:, None]).T, corrections)
    return (gamma**count * state.astype(wide) + written).astype(state.dtype)


def _solve_unit_lower(lower: Float[Array, "m m"], right: Float[Array, "m d_v"]) -> Float[Array, "m d_v"]:
    """U with (I + L) U = R for L strictly lower triangular: rows one by one in blocks, products between them.

    Forward substitution in a fixed order: the bits of a library's solver follow the number of cores.
    """
    m = lower.shape[0]
    lacking = -m % _BLOCK
    lower, right = jnp.pad(lower, ((0, lacking), (0, lacking))), jnp.pad(right, ((0, lacking), (0, 0)))

    def block(number: Array, solved: Array) -> Array:
        start = number * _BLOCK
        rows = lax.dynamic_slice_in_dim(lower, start, _BLOCK)
        inner = lax.dynamic_slice_in_dim(rows, start, _BLOCK, axis=1)
        found = lax.dynamic_slice_in_dim(right, start, _BLOCK) - product(rows, solved)  # zeros where not yet solved
        found = lax.fori_loop(1, _BLOCK, lambda i, part: part.at[i].add(-product(inner[i], part)), found)
        return lax.dynamic_update_slice_in_dim(solved, found, start, axis=0)

    return lax.fori_loop(0, (m + lacking) // _BLOCK, block, jnp.zeros_like(right))[:m]
