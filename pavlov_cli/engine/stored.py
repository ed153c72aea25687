"""Which stored associations are probed, and what is carried of them while more stream in?

Only their places are carried: what was stored there is drawn again when they are probed, which costs less than moving
it along with every chunk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


@dataclass(frozen=True)
class Stored:
    """Associations of a batch of trials, as arrays [trials, rows, ...]: a chunk's, or the probed ones.

    Attributes:
        priorities: [.., rows]; infinite where a slot is unused.
        queries: [.., rows, d_phi], features of what they are probed with.
        values: [.., rows, d_v].
        places: [.., rows] position in the trial's stream.
        labels: [.., rows] which entry of an alphabet the value is; None where nothing asks.
    """

    priorities: Any
    queries: Any = None
    values: Any = None
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


@dataclass(frozen=True)
class Sample:
    """Body: priorities and places of the associations probed once the first ``count`` of a chunk are stored.

    Attributes:
        slots: how many are probed; where fewer are stored, the other slots are unused.
    """

    slots: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        carried, fresh = per_trial
        fresh = among_first(fresh, shared)
        if carried is None:
            return smallest(fresh, self.slots)
        return smallest(jax.tree.map(lambda old, new: jnp.concatenate([old, new]), carried, fresh), self.slots)


def among_first(fresh: Stored, count: jax.Array) -> Stored:
    """A chunk of which only the first ``count`` associations can be probed."""
    stored = jnp.arange(fresh.priorities.shape[0]) < count
    return replace(fresh, priorities=jnp.where(stored, fresh.priorities, jnp.inf))


def smallest(pool: Stored, slots: int) -> Stored:
    """The associations of smallest priority: a uniform sample without replacement of those stored."""
    lacking = slots - pool.priorities.shape[0]
    if lacking >= 0:
        return _padded(pool, lacking) if lacking else pool
    _, index = lax.top_k(-pool.priorities, slots)
    return jax.tree.map(lambda array: array[index], pool)


def _padded(stored: Stored, lacking: int) -> Stored:
    def pad(array: jax.Array) -> jax.Array:
        return jnp.pad(array, [(0, lacking)] + [(0, 0)] * (array.ndim - 1))

    unused = jnp.full((lacking,), jnp.inf, stored.priorities.dtype)
    return replace(jax.tree.map(pad, stored), priorities=jnp.concatenate([stored.priorities, unused]))


def probed_sum(errors: jax.Array, priorities: jax.Array) -> jax.Array:
    """Sum over the slots that are in use."""
    return jnp.sum(jnp.where(jnp.isfinite(priorities), errors, jnp.zeros_like(errors)), dtype=errors.dtype)
