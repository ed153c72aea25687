"""At which n does the effective attention matrix of a trial first fail?

The matrix A of a memory that is linear in its values is what it returns when the stored values are one-hot:
``r(k_i) = sum_j A_ij g(v_j)``. Where A is nested, one matrix answers for every n; elsewhere the lattice is
searched and then every n inside the bracket. Sizes double until every trial has failed, so a result does not
depend on the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int

from pavlov_cli.engine.devices import Devices
from pavlov_cli.engine.draws import CHUNK, Draws, joined, piece_rows
from pavlov_cli.engine.stream import batch_of
from pavlov_cli.engine.trials import Batch
from pavlov_cli.lattice import coarse_lattice
from pavlov_cli.memory import Criterion, Memory, draw_type

SIZES = (64, 256, 1024, 4096)  # matrix sizes tried in turn; the last is the largest n of this criterion


@dataclass(frozen=True)
class FirstFailure:
    """Body: smallest n at which a trial fails, or size + 1, from the features [size, d_phi] of its keys and queries."""

    memory: Memory
    criterion: Criterion
    size: int

    def __call__(self, per_trial: Any, shared: Any) -> Int[Array, ""]:
        pieces, size = per_trial, self.size
        features, queries = jax.tree.map(lambda array: array[:size], joined(pieces))
        if self.memory.nested:
            return self.criterion.first_failure(self._attention(features, queries, jnp.int32(features.shape[0])))
        return self._search(features, queries)

    def _attention(
        self, features: Float[Array, "m d_phi"], queries: Float[Array, "m d_phi"], count: Int[Array, ""]
    ) -> Float[Array, "m m"]:
        """A at n = count; rows and columns past count are meaningless unless the matrix is nested."""
        size = features.shape[0]
        state = self.memory.init(size)
        for start in range(0, size, CHUNK):
            rows = min(CHUNK, size - start)
            one_hot = jnp.eye(rows, size, start, dtype=self.memory.dtype)
            written = jnp.clip(count - start, 0, rows)
            state = self.memory.write_chunk(state, features[start : start + rows], one_hot, written)
        attention = self.memory.read(state, queries)
        return attention.astype(draw_type(attention.dtype))

    def _search(self, features: Float[Array, "m d_phi"], queries: Float[Array, "m d_phi"]) -> Int[Array, ""]:
        def fails(n: Int[Array, ""]) -> Array:
            return self.criterion.fails(self._attention(features, queries, n), n)

        def first(candidates: Callable[[Array], Array], count: Int[Array, ""] | int) -> Int[Array, ""]:
            return lax.while_loop(lambda i: (i < count) & ~fails(candidates(i)), lambda i: i + 1, jnp.int32(0))

        size = features.shape[0]
        lattice = jnp.array((0, *coarse_lattice(size), size + 1), jnp.int32)
        position = first(lambda i: lattice[i + 1], lattice.shape[0] - 2)
        passed, failed = lattice[position], lattice[position + 1]
        return passed + 1 + first(lambda i: passed + 1 + i, failed - passed - 1)


def first_failures(
    memory: Memory,
    criterion: Criterion,
    trials: Sequence[int],
    n_max: int,
    words: tuple[int, int, int],
    data: np.ndarray | None,
    devices: Devices,
    *,
    batch_limit: int | None = None,
    check: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """Smallest n at which each trial fails, or n_max + 1 where none up to n_max does.

    Args:
        memory: linear in its values.
        criterion: reads the attention matrix.
        trials: trial numbers.
        n_max: largest n, at most ``SIZES[-1]``.
        words: root of the random numbers.
        data: rows of a file ensemble, or None.
        devices: where to compute.
        batch_limit: most trials of one device call on one device; does not change results.
        check: called between device calls; raises to stop.

    Returns:
        [trials] integers in [1, n_max + 1].

    Raises:
        ValueError: the memory is not linear in its values.
    """
    if not memory.linear_in_values:
        raise ValueError("memory must be linear in its values; got one that has no attention matrix.")
    rows = devices.replicate(data)
    found = np.full(len(trials), n_max + 1, np.int64)
    pending = np.arange(len(trials))
    for size in (*(s for s in SIZES if s < n_max), n_max):
        batch = attention_batch(memory, size, batch_limit) * devices.count
        for first in range(0, len(pending), batch):
            chosen = pending[first : first + batch]
            live = Batch(devices, batch // devices.count, tuple(trials[i] for i in chosen))
            features = _features(Draws(live, words, rows), memory, size)
            found[chosen] = live.collect(live.run(FirstFailure(memory, criterion, size), features))
            check()
        pending = pending[found[pending] > size]
    return np.minimum(found, n_max + 1)


def attention_batch(memory: Memory, size: int, limit: int | None = None) -> int:
    """Trials of one batch on one device for attention matrices [size, size]."""
    item_bytes = jnp.dtype(draw_type(memory.dtype)).itemsize
    return batch_of(item_bytes * (3 * size * size + 3 * size * memory.d_phi), limit)


def _features(draws: Draws, memory: Memory, size: int) -> tuple[tuple[jax.Array, jax.Array], ...]:
    """Features of the first ``size`` keys at least, and of their queries, in pieces [trials, rows, d_phi]."""
    pieces, first = [], 0
    while first < size:
        pieces.append(draws.features(memory.source, draws.piece(first)))
        first += piece_rows(first)
    return tuple(pieces)
