"""Which stored associations are probed, and what is carried of them while more stream in?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


@dataclass(frozen=True)
class Stored:
    """Associations of a batch of trials, as arrays [trials, rows, ...]: a chunk's, or the carried sample's.

    Attributes:
        priorities: [.., rows]; infinite where a slot is unused.
        queries: [.., rows, d_phi], features of what they are probed with.
        values: [.., rows, d_v].
        places: [.., rows] position in the trial's stream.
        labels: [.., rows] which entry of an alphabet the value is; None where nothing asks.
    """

    priorities: Any
    queries: Any
    values: Any
    places: Any = None
    labels: Any = None


jax.tree_util.register_dataclass(Stored, ["priorities", "queries", "values", "places", "labels"], [])


@dataclass(frozen=True)
class Fresh:
    """A chunk as drawn: what is written, and what may be probed later.

    Attributes:
        features: [.., rows, d_phi] features of the keys.
        stored: everything else.
    """

    features: Any
    stored: Stored

    def first(self, rows: int) -> Fresh:
        """The first rows of every trial."""
        if self.features.shape[1] == rows:
            return self
        return jax.tree.map(lambda array: array[:, :rows], self)


jax.tree_util.register_dataclass(Fresh, ["features", "stored"], [])


def sample(carried: Stored | None, fresh: Stored, count: jax.Array, slots: int) -> Stored:
    """The ``slots`` stored associations of smallest priority: a uniform sample without replacement of all n so far.

    Where fewer are stored, the other slots are unused.
    """
    stored = jnp.where(jnp.arange(fresh.priorities.shape[0]) < count, fresh.priorities, jnp.inf)
    fresh = replace(fresh, priorities=stored)
    if carried is None:
        lacking = slots - stored.shape[0]
        if lacking < 0:
            return _smallest(fresh, slots)
        return _padded(fresh, lacking) if lacking else fresh
    return _smallest_of_both(carried, fresh, slots)


def _smallest(pool: Stored, slots: int) -> Stored:
    _, index = lax.top_k(-pool.priorities, slots)
    return jax.tree.map(lambda array: array[index], pool)


def _smallest_of_both(carried: Stored, fresh: Stored, slots: int) -> Stored:
    """As ``_smallest`` of both joined, without writing the joined rows to memory first."""
    held = carried.priorities.shape[0]
    _, index = lax.top_k(-jnp.concatenate([carried.priorities, fresh.priorities]), slots)
    old, new = jnp.minimum(index, held - 1), jnp.maximum(index - held, 0)

    def pick(before: jax.Array, after: jax.Array) -> jax.Array:
        kept = (index < held).reshape(-1, *[1] * (before.ndim - 1))
        return jnp.where(kept, before[old], after[new])

    return jax.tree.map(pick, carried, fresh)


def _padded(stored: Stored, lacking: int) -> Stored:
    def pad(array: jax.Array) -> jax.Array:
        return jnp.pad(array, [(0, lacking)] + [(0, 0)] * (array.ndim - 1))

    unused = jnp.full((lacking,), jnp.inf, stored.priorities.dtype)
    padded = jax.tree.map(pad, stored)
    return replace(padded, priorities=jnp.concatenate([stored.priorities, unused]))


def probed_sum(errors: jax.Array, priorities: jax.Array) -> jax.Array:
    """Sum over the slots that are in use."""
    return jnp.sum(jnp.where(jnp.isfinite(priorities), errors, jnp.zeros_like(errors)), dtype=errors.dtype)
