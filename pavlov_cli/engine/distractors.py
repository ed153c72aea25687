"""How many other values score at least as high as the right one, without a matrix of all against all?

Readouts are compared with one chunk of values at a time, in tiles of one fixed shape: the own score and those of
distractors come from products of equal shape, so equal values tie exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from pavlov_cli.engine.draws import CHUNK, FAR, GROUP, joined
from pavlov_cli.engine.stored import Stored, probed_sum
from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import Criterion, product


def _tiles(readouts: jax.Array, used: Any, of_tile: Any) -> jax.Array:
    """Applies ``of_tile(slice)`` to the tiles of probed items that are in use; [slots]."""
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
        rows: rows of a piece that they will be compared with.
    """

    rows: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        readouts, values = per_trial

        def of_tile(part: Any) -> jax.Array:
            return jnp.diagonal(product(part(readouts), _of_rows(part(values), min(self.rows, CHUNK)).T))

        return _tiles(readouts, shared, of_tile)


@dataclass(frozen=True)
class Count:
    """Body: rivals [slots] found so far, plus those in one more piece of the pool.

    Attributes:
        rows: rows of the piece, filled up with zeros.
    """

    rows: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        readouts, own, names, found, pieces = per_trial
        start, size, used = shared
        pool = _of_rows(joined(pieces), self.rows)
        most = min(self.rows, CHUNK)  # one shape of products, whatever the piece: equal values tie exactly

        def of_tile(part: Any) -> jax.Array:
            def more(i: Any, rivals: jax.Array) -> jax.Array:
                others = start + i * most + jnp.arange(most)
                scores = product(part(readouts), lax.dynamic_slice_in_dim(pool, i * most, most).T)
                # at least as high as the own one, or not a number, in a memory that grew beyond all bounds
                rival = ~(scores < part(own)[:, None]) & (others != part(names)[:, None]) & (others < size)
                return rivals + jnp.sum(rival, axis=1, dtype=jnp.int32)

            return lax.fori_loop(0, self.rows // most, more, jnp.zeros(part(own).shape, jnp.int32))

        return found + _tiles(readouts, used, of_tile)


@dataclass(frozen=True)
class Open:
    """Body: the own inner product [slots] of each readout, and its rivals in the first piece of the pool.

    Attributes:
        rows: rows of a piece.
    """

    rows: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        readouts, values, names, pieces = per_trial
        own = Own(self.rows)((readouts, values), shared[2])
        return own, Count(self.rows)((readouts, own, names, jnp.zeros_like(names), pieces), shared)


@dataclass(frozen=True)
class Lost:
    """Body: the error of a trial by its rivals, summed over its probed items."""

    criterion: Criterion

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        found, priorities = per_trial
        return probed_sum(self.criterion.lost(found), priorities)


def _of_rows(values: jax.Array, rows: int) -> jax.Array:
    """The first rows of a trial's values [.., d_v], or zeros after the last."""
    lacking = rows - values.shape[0]
    return jnp.pad(values, ((0, lacking), (0, 0))) if lacking > 0 else values[:rows]


@dataclass
class _Probed:
    """The probed items at one n: readouts and values [trials, slots, d_v], everything else [trials, slots]."""

    readouts: jax.Array
    values: jax.Array | None
    names: jax.Array
    priorities: jax.Array
    own: jax.Array | None = None
    found: jax.Array | None = None


class Rivals:
    """Counts the rivals of the probed items of a batch of trials, a piece of the pool at a time.

    Args:
        batch: the trials.
        pool: ``stored``, the values of the first n associations, or ``alphabet``, every value there is.
    """

    def __init__(self, batch: Batch, pool: str):
        self._batch, self._stored = batch, pool == "stored"
        self._probed: dict[int, _Probed] = {}
        self._under_way: list[Any] = []  # the host runs one piece ahead

    def add(self, n: int, readouts: jax.Array, items: Stored) -> None:
        """Takes the probed items at n, with their values as targets."""
        names = items.places if self._stored else items.labels
        probed = _Probed(readouts, items.values, names, items.priorities)
        if self._stored and n > FAR:  # far out values are not kept until they are compared
            used = np.int32(min(n, readouts.shape[1]))
            probed.own = self._batch.run(Own(FAR), (readouts, items.values), used)
            probed.found, probed.values = jnp.zeros_like(names), None
        self._probed[n] = probed

    def meet(self, start: int, pieces: tuple[jax.Array, ...], size: int | None = None) -> None:
        """Compares with values number ``start`` and following of the pool; ``size`` is the alphabet's."""
        far = self._stored and sum(piece.shape[1] for piece in pieces) == FAR
        for n, items in self._probed.items():
            if self._stored and (n <= start or far != (n > FAR)):
                continue
            rows, used = self._rows(n), min(n, items.readouts.shape[1])
            piece = pieces[: -(-rows // pieces[0].shape[1])]
            shared = (np.int32(start), np.int32(n if size is None else size), np.int32(used))
            if items.own is None:
                first = (items.readouts, items.values, items.names, piece)
                items.own, items.found = self._batch.run(Open(rows), first, shared)
                items.values = None
            else:
                more = (items.readouts, items.own, items.names, items.found, piece)
                items.found = self._batch.run(Count(rows), more, shared)
        jax.block_until_ready(self._under_way)
        self._under_way = [items.found for items in self._probed.values()]

    def judge(self, criterion: Criterion) -> dict[int, jax.Array]:
        """N -> [trials] error summed over the probed items."""
        return {
            n: self._batch.run(Lost(criterion), (items.found, items.priorities)) for n, items in self._probed.items()
        }

    def clear(self) -> None:
        """Forgets all probed items."""
        self._probed.clear()
        self._under_way = []

    def _rows(self, n: int) -> int:
        """Rows of a piece: few while all of the stored fit there, many far out."""
        if not self._stored:
            return CHUNK
        return GROUP if n <= GROUP else CHUNK if n <= FAR else FAR
