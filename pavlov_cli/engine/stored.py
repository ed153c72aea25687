"""Which stored associations are probed, and what is carried of them while more stream in?

Only their places are carried: far out, what was stored there is drawn again when they are probed, which costs less than
moving it along with every chunk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from pavlov_cli.engine.draws import Rows, joined, priorities


@dataclass(frozen=True)
class Stored:
    """Stored associations of a batch of trials, as arrays [trials, rows, ...].

    Attributes:
        priorities: [.., rows]; infinite where a slot is unused.
        places: [.., rows] position in the trial's stream.
        queries: [.., rows, d_phi], features of what they are probed with.
        values: [.., rows, d_v].
        labels: [.., rows] which entry of an alphabet the value is; None where nothing asks.
    """

    priorities: Any
    places: Any
    queries: Any = None
    values: Any = None
    labels: Any = None


jax.tree_util.register_dataclass(Stored, ["priorities", "places", "queries", "values", "labels"], [])


@dataclass(frozen=True)
class Sample:
    """Body: priorities and places of the associations probed once the first ``count`` of a chunk are stored.

    Attributes:
        slots: how many are probed; where fewer are stored, the other slots are unused.
    """

    slots: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        carried, rows = per_trial
        fresh = among_first(joined(rows), shared)
        if carried is None:
            return smallest(fresh, self.slots)
        return smallest(joined((carried, fresh)), self.slots)


def among_first(rows: Rows, count: jax.Array) -> Stored:
    """A chunk of which only the first ``count`` associations can be probed."""
    stored = jnp.arange(rows.places.shape[0]) < count
    return Stored(jnp.where(stored, priorities(rows.key_data), jnp.inf), rows.places)


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
