"""What are the errors at every n asked for, from one pass over each trial's associations?

Associations stream in by chunks. The state at a chunk boundary is carried; at a lattice point inside a chunk the
partial chunk is written to a copy, a uniform sample of the stored items is read back, and every criterion judges the
same readouts. Each array shape depends on n alone, so a result's bits do not depend on which other n, criteria or
lanes run beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pavlov_cli.engine.devices import Devices
from pavlov_cli.engine.distractors import Rivals
from pavlov_cli.engine.draws import CHUNK, GROUP, Draws
from pavlov_cli.engine.stored import Fresh, Stored, probed_sum, sample
from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import Criterion, KeySource, Memory, draw_type

ROWS = (GROUP, CHUNK)  # sizes in which a partial chunk is processed
BATCH_BYTES = 128 * 2**20  # working memory of one device's batch
KEPT_BYTES = 256 * 2**20  # values of all devices kept for a comparison with distractors; others are drawn again
READOUTS_KEPT = 12  # n whose readouts wait for their distractors, as batches are sized
BATCHES = (1, 4, 16, 64)  # trials of one batch on one device


@dataclass(frozen=True)
class Lane:
    """One memory judged at some n, on the same draws as the other lanes of a call.

    Attributes:
        memory: what is simulated.
        criteria: what is read, all from the same readouts.
        ns: increasing numbers of associations.
        queries: most stored items probed per trial and n.
        value_rows: rows of a file that values are drawn from, or None.
    """

    memory: Memory
    criteria: tuple[Criterion, ...]
    ns: tuple[int, ...]
    queries: int
    value_rows: np.ndarray | None = field(default=None, compare=False)

    def compares(self, pool: str) -> bool:
        """Whether any criterion compares with the distractors of a pool: ``stored`` or ``alphabet``."""
        return any(criterion.reads == "distractors" and criterion.pool == pool for criterion in self.criteria)


@dataclass(frozen=True)
class Read:
    """Body: readouts and probed items once the first ``count`` of a chunk are written."""

    memory: Memory
    queries: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        state, carried, fresh = per_trial
        state = self.memory.init() if state is None else state
        state = self.memory.write_chunk(state, fresh.features, fresh.stored.values, shared)
        slots = min(self.queries, fresh.features.shape[0]) if carried is None else self.queries
        probed = sample(carried, fresh.stored, shared, slots)
        readouts = self.memory.read(state, probed.queries)
        return readouts, replace(probed, queries=None, values=self.memory.targets(probed.values))


@dataclass(frozen=True)
class Write:
    """Body: state and probe sample after a whole chunk."""

    memory: Memory
    queries: int

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        state, carried, fresh = per_trial
        state = self.memory.init() if state is None else state
        count = jnp.int32(CHUNK)
        written = self.memory.write_chunk(state, fresh.features, fresh.stored.values, count)
        return written, sample(carried, fresh.stored, count, self.queries)


@dataclass(frozen=True)
class Score:
    """Body: the error of a trial, summed over its probed items."""

    criterion: Criterion
    scale: float
    squared_norm: float

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        readouts, probed = per_trial
        wide = draw_type(readouts.dtype)
        errors = self.criterion.errors(readouts.astype(wide), probed.values.astype(wide), self.scale, self.squared_norm)
        return probed_sum(errors, probed.priorities)


def rows_for(count: int) -> int:
    """The size in which a partial chunk of ``count`` associations is processed."""
    return next(rows for rows in ROWS if rows >= count)


def batch_size(lanes: Sequence[Lane], limit: int | None = None) -> int:
    """Trials of one batch on one device, from the memory that one trial needs at any n: one size a dimension."""
    numbers = 0
    for lane in lanes:
        width = lane.memory.numbers_per_association
        numbers += 2 * _state_size(lane.memory) + (2 * CHUNK + 3 * lane.queries) * width
        if lane.compares("stored") or lane.compares("alphabet"):
            numbers += READOUTS_KEPT * lane.queries * lane.memory.value_source.d_v
    return batch_of(jnp.dtype(draw_type(lanes[0].memory.dtype)).itemsize * numbers, limit)


@cache
def _state_size(memory: Memory) -> int:
    """Numbers in one state."""
    return sum(array.size for array in jax.tree.leaves(jax.eval_shape(memory.init)))


def batch_of(trial_bytes: int, limit: int | None) -> int:
    """The largest of a few batch sizes that fits; few sizes mean few compilations of what does not depend on d."""
    fitting = [size for size in BATCHES if size * trial_bytes <= BATCH_BYTES]
    return min(max(fitting, default=1), limit or BATCHES[-1])


class _LaneRun:
    """The carried arrays of one lane over one batch of trials."""

    def __init__(self, lane: Lane, batch: Batch, draws: Draws, value_rows: jax.Array | None):
        self.lane, self._batch, self._draws, self.value_rows = lane, batch, draws, value_rows
        self._state: Any = None
        self._carried: Stored | None = None
        self._rivals = {pool: Rivals(batch, pool) for pool in ("stored", "alphabet") if lane.compares(pool)}
        self._under_way: Any = None
        self.sums: dict[tuple[int, int], jax.Array] = {}

    def values(self, start: int, keys: list[jax.Array]) -> jax.Array:
        """Values of the associations from number ``start``."""
        return self._draws.values(self.lane.memory.value_source, start, keys, self.value_rows)

    def labels(self, start: int, keys: list[jax.Array]) -> jax.Array | None:
        """Their entries of the alphabet, where a criterion asks."""
        if not self.lane.compares("alphabet"):
            return None
        return self._draws.labels(self.lane.memory.value_source, start, keys, self.value_rows)

    def advance(self, start: int, fresh: Fresh) -> None:
        """Probes every n inside the chunk that begins at ``start``, then closes the chunk if more follows."""
        lane, memory = self.lane, self.lane.memory
        chunks: dict[int, Fresh] = {}  # slicing costs as much as a small product: once for each size
        for n in lane.ns:
            if start < n <= start + CHUNK:
                rows = rows_for(n - start)
                if rows not in chunks:
                    chunks[rows] = fresh.first(rows)
                body = Read(memory, lane.queries)
                read = self._batch.run(body, (self._state, self._carried, chunks[rows]), np.int32(n - start))
                self._judge(n, read)
        if max(lane.ns) > start + CHUNK:
            write = Write(memory, lane.queries)
            self._state, self._carried = self._batch.run(write, (self._state, self._carried, fresh))
        # The host runs one chunk ahead of the devices: neither waits for the other, and memory stays bounded.
        jax.block_until_ready(self._under_way)
        self._under_way = (self._state, dict(self.sums))

    def _judge(self, n: int, read: tuple[jax.Array, Stored]) -> None:
        memory = self.lane.memory
        for rivals in self._rivals.values():
            rivals.add(n, *read)
        for position, criterion in enumerate(self.lane.criteria):
            if criterion.reads != "distractors":
                score = Score(criterion, memory.scale, memory.value_squared_norm)
                self.sums[position, n] = self._batch.run(score, read)

    def compare(self, kept: _Kept, check: Callable[[], None]) -> None:
        """Counts every probed item's distractors and judges by them; ``kept`` has the values of the first pass."""
        for pool, rivals in self._rivals.items():
            if pool == "stored":
                for start in range(0, max(self.lane.ns), CHUNK):
                    rivals.meet(start, kept.again(self, start))
                    check()
            else:
                alphabet = self._draws.alphabet(self.lane.memory.value_source, self.value_rows)
                for start in range(0, alphabet.shape[1], CHUNK):
                    rivals.meet(start, alphabet[:, start : start + CHUNK], alphabet.shape[1])
            for position, criterion in enumerate(self.lane.criteria):
                if criterion.reads == "distractors" and criterion.pool == pool:
                    self.sums |= {(position, n): total for n, total in rivals.judge(criterion).items()}


def stream_batch(
    lanes: Sequence[Lane], batch: Batch, draws: Draws, devices: Devices, check: Callable[[], None]
) -> dict[tuple[int, int, int], np.ndarray]:
    """Runs one batch of trials through all lanes.

    Args:
        lanes: memories that share their draws.
        batch: the trials.
        draws: their associations.
        devices: where to compute.
        check: called between device calls; raises to stop.

    Returns:
        (lane, criterion, n) -> [trials] error summed over the probed items.
    """
    runs = [_LaneRun(lane, batch, draws, devices.replicate(lane.value_rows)) for lane in lanes]
    n_max = max(max(lane.ns) for lane in lanes)
    kept = _Kept(runs, draws, n_max)
    for start in range(0, n_max, CHUNK):
        keys = draws.keys(start, rows_for(min(CHUNK, n_max - start)))
        order, places = draws.priorities(keys), draws.places(start, keys)
        features: dict[KeySource, tuple[jax.Array, jax.Array | None]] = {}
        for run in runs:
            source = run.lane.memory.source
            if max(run.lane.ns) <= start:
                continue
            if source not in features:
                features[source] = draws.features(source, start, keys)
            written, queries = features[source]
            probes = written if queries is None else queries
            stored = Stored(order, probes, kept.values(run, start, keys), places, run.labels(start, keys))
            run.advance(start, Fresh(written, stored))
            check()
    for run in runs:
        run.compare(kept, check)
    return {
        (lane, position, n): batch.collect(sums)
        for lane, run in enumerate(runs)
        for (position, n), sums in run.sums.items()
    }


class _Kept:
    """Values of the chunks that distractors are taken from: kept where they fit, else drawn again."""

    def __init__(self, runs: Sequence[_LaneRun], draws: Draws, n_max: int):
        self._draws, self._n_max = draws, n_max
        self._chunks: dict[tuple[Any, int], jax.Array] = {}
        self._sources = {run.lane.memory.value_source for run in runs if run.lane.compares("stored")}
        self._bytes = 0

    def values(self, run: _LaneRun, start: int, keys: list[jax.Array]) -> jax.Array:
        """Values from ``start``, drawn once for all lanes that share their source."""
        source = run.lane.memory.value_source
        if (source, start) in self._chunks:
            return self._chunks[source, start]
        values = run.values(start, keys)
        if source in self._sources and self._bytes + values.nbytes <= KEPT_BYTES:
            self._bytes += values.nbytes
            self._chunks[source, start] = values
        return values

    def again(self, run: _LaneRun, start: int) -> jax.Array:
        """The values from ``start`` a second time."""
        known = self._chunks.get((run.lane.memory.value_source, start))
        if known is not None:
            return known
        return run.values(start, self._draws.keys(start, rows_for(min(CHUNK, self._n_max - start))))


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
        data: rows of a file that keys are drawn from, or None.
        devices: where to compute.
        batch_limit: most trials of one device call on one device; does not change results.
        check: called between device calls; raises to stop.

    Returns:
        (lane, criterion, n) -> [trials] error summed over the min(n, queries) probed items.
    """
    size = batch_size(lanes, batch_limit)
    rows = devices.replicate(data)
    parts = []
    for first in range(0, len(trials), size * devices.count):
        batch = Batch(devices, size, tuple(trials[first : first + size * devices.count]))
        parts.append(stream_batch(lanes, batch, Draws(batch, words, rows), devices, check))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
