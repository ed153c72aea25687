"""What are the errors at every n asked for, from one pass over each trial's associations?

Associations stream in by chunks. The state at a chunk boundary is carried; at a lattice point inside a chunk the
partial chunk is written to a copy, a uniform sample of the stored items is read back, and every criterion judges the
same readouts. Each array shape depends on n alone, so a result's bits do not depend on which other n, criteria or
lanes run beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from pavlov_cli.engine.devices import Devices
from pavlov_cli.engine.draws import CHUNK, GROUP, Draws
from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import Criterion, KeySource, Memory

ROWS = (GROUP, CHUNK)  # sizes in which a partial chunk is processed
BATCH_BYTES = 128 * 2**20  # working memory of one device's batch
BATCHES = (1, 4, 16, 64)  # trials of one batch on one device


@dataclass(frozen=True)
class Lane:
    """One memory judged at some n, on the same draws as the other lanes of a call.

    Attributes:
        memory: what is simulated.
        criteria: what is read, all from the same readouts.
        ns: increasing numbers of associations.
        queries: most stored items probed per trial and n.
    """

    memory: Memory
    criteria: tuple[Criterion, ...]
    ns: tuple[int, ...]
    queries: int


@dataclass(frozen=True)
class Stored:
    """Associations of a batch of trials, as arrays [trials, rows, ...]: a chunk's, or the carried sample's.

    Attributes:
        priorities: [.., rows]; infinite where a slot is unused.
        features: [.., rows, d_phi].
        values: [.., rows, d_v].
    """

    priorities: Any
    features: Any
    values: Any

    def first(self, rows: int) -> Stored:
        """The first rows of every trial."""
        return jax.tree.map(lambda array: array[:, :rows], self)


jax.tree_util.register_dataclass(Stored, ["priorities", "features", "values"], [])


def _sample(carried: Stored | None, fresh: Stored, count: jax.Array, slots: int) -> Stored:
    """The ``slots`` stored associations of smallest priority: a uniform sample without replacement of all n so far."""
    stored = jnp.where(jnp.arange(fresh.priorities.shape[0]) < count, fresh.priorities, jnp.inf)
    fresh = replace(fresh, priorities=stored)
    if carried is None and slots >= stored.shape[0]:
        return fresh  # every item is probed
    pool = fresh if carried is None else jax.tree.map(lambda old, new: jnp.concatenate([old, new]), carried, fresh)
    _, index = lax.top_k(-pool.priorities, slots)
    return jax.tree.map(lambda array: array[index], pool)


def _slots(carried: Stored | None, rows: int, queries: int) -> int:
    return min(queries, rows if carried is None else carried.priorities.shape[0] + rows)


@dataclass(frozen=True)
class Read:
    """Body: readouts and targets of the probed items once the first ``count`` of a chunk are written."""

    memory: Memory
    queries: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        state, carried, fresh = per_trial
        state = self.memory.init() if state is None else state
        state = self.memory.write_chunk(state, fresh.features, fresh.values, shared)
        slots = _slots(carried, fresh.priorities.shape[0], self.queries)
        probed = _sample(carried, fresh, shared, slots)
        readouts = self.memory.read(state, probed.features)
        return readouts, self.memory.targets(probed.values), probed.priorities


@dataclass(frozen=True)
class Write:
    """Body: state and probe sample after a whole chunk."""

    memory: Memory
    queries: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        state, carried, fresh = per_trial
        state = self.memory.init() if state is None else state
        slots = _slots(carried, CHUNK, self.queries)
        count = jnp.int32(CHUNK)
        written = self.memory.write_chunk(state, fresh.features, fresh.values, count)
        return written, _sample(carried, fresh, count, slots)


@dataclass(frozen=True)
class Score:
    """Body: the error of a trial, summed over its probed items."""

    criterion: Criterion
    scale: float
    squared_norm: float

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        readouts, targets, priorities = per_trial
        errors = self.criterion.errors(readouts, targets, self.scale, self.squared_norm)
        probed = jnp.where(jnp.isfinite(priorities), errors, jnp.zeros_like(errors))
        return jnp.sum(probed, dtype=errors.dtype)


def rows_for(count: int) -> int:
    """The size in which a partial chunk of ``count`` associations is processed."""
    return next(rows for rows in ROWS if rows >= count)


def batch_size(lanes: Sequence[Lane], limit: int | None = None) -> int:
    """Trials of one batch on one device, from the memory that one trial needs at any n: one size a dimension."""
    numbers = 0
    for lane in lanes:
        width = lane.memory.numbers_per_association
        state = sum(x.size for x in jax.tree.leaves(jax.eval_shape(lane.memory.init)))
        numbers += 2 * state + (2 * CHUNK + 3 * lane.queries) * width
    item_bytes = 8 if lanes[0].memory.dtype == "float64" else 4
    return batch_of(item_bytes * numbers, limit)


def batch_of(trial_bytes: int, limit: int | None) -> int:
    """The largest of a few batch sizes that fits; few sizes mean few compilations of what does not depend on d."""
    fitting = [size for size in BATCHES if size * trial_bytes <= BATCH_BYTES]
    return min(max(fitting, default=1), limit or BATCHES[-1])


class _LaneRun:
    """The carried arrays of one lane over one batch of trials."""

    def __init__(self, lane: Lane, batch: Batch):
        self.lane, self._batch = lane, batch
        self._state: Any = None
        self._carried: Stored | None = None
        self.sums: dict[tuple[int, int], jax.Array] = {}

    def advance(self, start: int, fresh: Stored) -> None:
        """Probes every n inside the chunk that begins at ``start``, then closes the chunk if more follows."""
        lane, memory = self.lane, self.lane.memory
        for n in lane.ns:
            if start < n <= start + CHUNK:
                chunk = fresh.first(rows_for(n - start))
                body = Read(memory, lane.queries)
                read = self._batch.run(body, (self._state, self._carried, chunk), jnp.int32(n - start))
                for position, criterion in enumerate(lane.criteria):
                    score = Score(criterion, memory.scale, memory.value_squared_norm)
                    self.sums[position, n] = self._batch.run(score, read)
        if max(lane.ns) > start + CHUNK:
            write = Write(memory, lane.queries)
            self._state, self._carried = self._batch.run(write, (self._state, self._carried, fresh))
        jax.block_until_ready((self._state, self.sums))


def stream_batch(
    lanes: Sequence[Lane], batch: Batch, draws: Draws, check: Callable[[], None]
) -> dict[tuple[int, int, int], np.ndarray]:
    """Runs one batch of trials through all lanes.

    Args:
        lanes: memories that share their draws.
        batch: the trials.
        draws: their associations.
        check: called between device calls; raises to stop.

    Returns:
        (lane, criterion, n) -> [trials] error summed over the probed items.
    """
    runs = [_LaneRun(lane, batch) for lane in lanes]
    n_max = max(max(lane.ns) for lane in lanes)
    for start in range(0, n_max, CHUNK):
        keys = draws.keys(start, rows_for(min(CHUNK, n_max - start)))
        order = draws.priorities(keys)
        features: dict[KeySource, jax.Array] = {}
        for run in runs:
            source = run.lane.memory.source
            if max(run.lane.ns) <= start:
                continue
            if source not in features:
                features[source] = draws.features(source, start, keys)
            run.advance(start, Stored(order, features[source], draws.values(run.lane.memory, keys)))
            check()
    return {
        (lane, position, n): batch.collect(sums)
        for lane, run in enumerate(runs)
        for (position, n), sums in run.sums.items()
    }


def stream_trials(
    lanes: Sequence[Lane],
    trials: Sequence[int],
    words: tuple[int, int, int],
    data: np.ndarray | None,
    devices: Devices,
    *,
    batch_limit: int | None = None,
    check: Callable[[], None] = lambda: None,
) -> dict[tuple[int, int, int], np.ndarray]:
    """Errors of every lane, criterion and n for each trial.

    Args:
        lanes: memories that share their draws.
        trials: trial numbers.
        words: root of the random numbers (``draws.draw_words``).
        data: rows of a file ensemble, or None.
        devices: where to compute.
        batch_limit: most trials of one device call on one device; does not change results.
        check: called between device calls; raises to stop.

    Returns:
        (lane, criterion, n) -> [trials] error summed over the min(n, queries) probed items.
    """
    size = batch_size(lanes, batch_limit)
    rows = None if data is None else devices.replicate(data)
    parts = []
    for first in range(0, len(trials), size * devices.count):
        batch = Batch(devices, size, tuple(trials[first : first + size * devices.count]))
        parts.append(stream_batch(lanes, batch, Draws(batch, words, rows), check))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
