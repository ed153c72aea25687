"""How many other values score at least as high as the right one, without a matrix of all against all?

Readouts are compared with one chunk of values at a time, in tiles of one fixed shape: the own score and those of
distractors come from products of equal shape, so equal values tie exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from pavlov_cli.engine.draws import CHUNK, GROUP
from pavlov_cli.engine.stored import Stored, probed_sum
from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import Criterion, product


def _tiles(readouts: jax.Array, used: Any, of_tile: Any) -> jax.Array:
    """Applies ``of_tile(readouts of a tile, slice)`` to the tiles of probed items that are in use; [slots]."""
    slots = readouts.shape[0]
    rows = min(slots, CHUNK)

    def one(tile: Any, kept: jax.Array) -> jax.Array:
        def part(array: jax.Array) -> jax.Array:
            return lax.dynamic_slice_in_dim(array, tile * rows, rows)

        return lax.dynamic_update_slice_in_dim(kept, of_tile(part), tile * rows, 0)

    first = jax.eval_shape(lambda: of_tile(lambda array: array[:rows]))
    return lax.fori_loop(0, (used + rows - 1) // rows, one, jnp.zeros(slots, first.dtype))


@dataclass(frozen=True)
class Own:
    """Body: inner product [slots] of each readout with its own value; shared is how many slots are in use.

    Attributes:
        rows: rows of a pool that it will be compared with.
    """

    rows: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        readouts, values = per_trial

        def of_tile(part: Any) -> jax.Array:
            own = part(values)
            pool = jnp.pad(own, ((0, self.rows - own.shape[0]), (0, 0)))
            return jnp.diagonal(product(part(readouts), pool.T))

        return _tiles(readouts, shared, of_tile)


@dataclass(frozen=True)
class Count:
    """Body: rivals [slots] found so far, plus those in one more piece of the pool."""

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        readouts, own, names, found, pool = per_trial
        start, size, used = shared
        others = start + jnp.arange(pool.shape[0])

        def of_tile(part: Any) -> jax.Array:
            scores = product(part(readouts), pool.T)
            rival = (scores >= part(own)[:, None]) & (others != part(names)[:, None]) & (others < size)
            return jnp.sum(rival, axis=1, dtype=jnp.int32)

        return found + _tiles(readouts, used, of_tile)


@dataclass(frozen=True)
class Lost:
    """Body: the error of a trial by its rivals, summed over its probed items."""

    criterion: Criterion

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        found, priorities = per_trial
        return probed_sum(self.criterion.lost(found), priorities)


class Rivals:
    """Counts the rivals of the probed items of a batch of trials, a piece of the pool at a time.

    Args:
        batch: the trials.
        probed: n -> readouts [trials, slots, d_v] and the probed items.
        pool: ``stored``, the values of the first n associations, or ``alphabet``, every value there is.
    """

    def __init__(self, batch: Batch, probed: Mapping[int, tuple[jax.Array, Stored]], pool: str):
        self._batch, self._probed, self._stored = batch, probed, pool == "stored"
        self._own: dict[int, jax.Array] = {}
        self._found: dict[int, jax.Array] = {}

    def meet(self, start: int, values: jax.Array, size: int | None = None) -> None:
        """Compares with values number ``start`` and following of the pool; ``size`` is the alphabet's."""
        for n, (readouts, items) in self._probed.items():
            if self._stored and n <= start:
                continue
            rows, used = self._rows(n), min(n, readouts.shape[1])
            if n not in self._own:
                self._own[n] = self._batch.run(Own(rows), (readouts, items.values), jnp.int32(used))
                self._found[n] = jnp.zeros_like(items.places)
            lacking = max(0, rows - values.shape[1])
            pool = jnp.pad(values[:, :rows], ((0, 0), (0, lacking), (0, 0)))
            names = items.places if self._stored else items.labels
            compared = (readouts, self._own[n], names, self._found[n], pool)
            shared = (jnp.int32(start), jnp.int32(n if size is None else size), jnp.int32(used))
            self._found[n] = self._batch.run(Count(), compared, shared)
        jax.block_until_ready(self._found)

    def judge(self, criterion: Criterion) -> dict[int, jax.Array]:
        """N -> [trials] error summed over the probed items."""
        return {
            n: self._batch.run(Lost(criterion), (self._found[n], items.priorities))
            for n, (_, items) in self._probed.items()
        }

    def _rows(self, n: int) -> int:
        """Rows of a piece: those of a small chunk while all of the stored fit there."""
        return GROUP if self._stored and n <= GROUP else CHUNK
