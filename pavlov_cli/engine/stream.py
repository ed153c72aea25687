"""What are the errors at every n asked for, from one pass over each trial's associations?

Associations stream in by chunks. The state at a chunk boundary is carried, and the places of a uniform sample of what
is stored; at a lattice point inside a chunk the partial chunk is written to a copy, the sampled items are read back,
and every criterion judges the same readouts. Each array shape depends on n alone, so a result's bits do not depend on
which other n, criteria or lanes run beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pavlov_cli.engine.devices import Devices
from pavlov_cli.engine.distractors import Rivals
from pavlov_cli.engine.draws import CHUNK, FAR, GROUP, Draws, Piece, Rows, joined, piece_rows
from pavlov_cli.engine.stored import Sample, Stored, among_first, probed_sum, smallest
from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import Criterion, KeySource, Memory, draw_type

BATCH_BYTES = 160 * 2**20  # working memory of one device's batch
KEPT_BYTES = 192 * 2**20  # values of all devices kept for a comparison with distractors; others are drawn again
READOUTS_KEPT = 8  # n whose readouts wait for their distractors, as batches are sized
BATCHES = (1, 2, 4, 16)  # trials of one batch on one device


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
    """Body: readouts and probed items once the first ``count`` of a chunk are written.

    Attributes:
        memory: what is read.
        slots: how many items are probed in the first chunk; later a sample is given, and what was stored there.
        near: what was stored is given for all of the first FAR associations.
    """

    memory: Memory
    slots: int
    near: bool = False

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        state, sample, probes, chunk = per_trial
        fresh = joined(chunk)
        if sample is None:  # the first chunk: nothing is stored before it
            stored = among_first(fresh.rows, shared)
            probed = smallest(
                replace(stored, queries=fresh.queries, values=fresh.values, labels=fresh.labels), self.slots
            )
            readouts = self.memory.recall(fresh.features, fresh.values, shared, probed.queries)
        else:
            rows = sample.places if self.near else slice(sample.places.shape[0])
            queries, values, labels = jax.tree.map(lambda array: array[rows], joined(probes))
            probed = replace(sample, queries=queries, values=values, labels=labels)
            state = self.memory.write_chunk(state, fresh.features, fresh.values, shared)
            readouts = self.memory.read(state, probed.queries)
        return readouts, replace(probed, queries=None, values=self.memory.targets(probed.values))


@dataclass(frozen=True)
class Write:
    """Body: the state after a whole chunk."""

    memory: Memory

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        state, chunk = per_trial
        state = self.memory.init() if state is None else state
        features, values = joined(chunk)
        return self.memory.write_chunk(state, features, values, jnp.int32(features.shape[0]))


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


def chunks(n_max: int) -> Iterator[tuple[int, int]]:
    """First place and size of the chunks that hold the associations up to ``n_max``."""
    start = 0
    while start < n_max:
        yield start, rows_for(start, n_max)
        start += chunk_rows(start)


def chunk_rows(start: int) -> int:
    """The size of a whole chunk."""
    return CHUNK if start < FAR else FAR


def rows_for(start: int, n: int) -> int:
    """The size in which a chunk from ``start`` is processed when it is written up to ``n``."""
    if start < FAR:
        return GROUP if n <= GROUP else CHUNK
    return FAR


def batch_size(lanes: Sequence[Lane], limit: int | None = None) -> int:
    """Trials of one batch on one device, from the memory that one trial needs at any n.

    One size a dimension, whatever is asked of it: programs are compiled for a size.
    """
    numbers = 0
    for lane in lanes:
        probes = max(lane.queries, FAR)
        readouts = READOUTS_KEPT * probes * lane.memory.value_source.d_v
        needed = 2 * _state_size(lane.memory) + (FAR + 2 * probes) * lane.memory.numbers_per_association + readouts
        numbers = max(numbers, needed)
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
        self._sample: Stored | None = None
        self._rivals = {pool: Rivals(batch, pool) for pool in ("stored", "alphabet") if lane.compares(pool)}
        self._near: list[tuple[jax.Array, jax.Array, jax.Array | None]] = []  # queries, values, labels by piece
        self._alphabet: tuple[jax.Array, ...] = ()
        self._under_way: Any = None
        self.sums: dict[tuple[int, int], jax.Array] = {}

    def values(self, rows: Rows) -> jax.Array:
        """Values of some associations."""
        return self._draws.values(self.lane.memory.value_source, rows, self.value_rows)

    def labels(self, rows: Rows) -> jax.Array | None:
        """Their entries of the alphabet, where a criterion asks."""
        if not self.lane.compares("alphabet"):
            return None
        return self._draws.labels(self.lane.memory.value_source, rows, self.value_rows)

    def advance(self, start: int, chunk: tuple[Piece, ...]) -> None:
        """Probes every n inside the chunk that begins at ``start``, then closes the chunk if more follows."""
        lane, end = self.lane, start + chunk_rows(start)
        near = [(piece.queries, piece.values, piece.labels) for piece in chunk] if start < FAR else []
        self._near = [*self._near, *near] if near else []
        for n in lane.ns:
            if start < n <= end:
                self._probe(start, n, chunk[: rows_for(start, n) // piece_rows(start)])
        if max(lane.ns) > end:
            self._sample = self._sampled(chunk, end - start)
            written = tuple((piece.features, piece.values) for piece in chunk)
            self._state = self._batch.run(Write(lane.memory), (self._state, written))
        # The host runs one chunk ahead of the devices: neither waits for the other, and memory stays bounded.
        jax.block_until_ready(self._under_way)
        self._under_way = (self._state, dict(self.sums))

    def _probe(self, start: int, n: int, chunk: tuple[Piece, ...]) -> None:
        """Reads and judges at n, inside the chunk that begins at ``start``."""
        sample = self._sampled(chunk, n - start) if start else None
        body = Read(self.lane.memory, 0 if sample else min(self.lane.queries, rows_for(start, n)), near=0 < start < FAR)
        probes = self._given(start, sample) if sample else None
        self._judge(n, self._batch.run(body, (self._state, sample, probes, chunk), np.int32(n - start)))

    def _sampled(self, chunk: tuple[Piece, ...], count: int) -> Stored:
        """Priorities and places of the probed items once ``count`` associations of a chunk are stored."""
        rows = tuple(piece.rows for piece in chunk)
        return self._batch.run(Sample(self.lane.queries), (self._sample, rows), np.int32(count))

    def _given(self, start: int, sample: Stored) -> tuple[tuple[jax.Array, jax.Array, jax.Array | None], ...]:
        """Queries, values and labels in pieces: of the first FAR associations, or of a sample far out, drawn again."""
        if start < FAR:  # pieces not drawn yet are in no sample: any others stand for them
            return tuple(self._near + self._near[:1] * (FAR // GROUP - len(self._near)))
        pieces = []
        for rows in self._draws.at(sample.places):
            _, queries = self._draws.features(self.lane.memory.source, rows)
            pieces.append((queries, self.values(rows), self.labels(rows)))
        return tuple(pieces)

    def _judge(self, n: int, read: tuple[jax.Array, Stored]) -> None:
        """Judges the readouts at n; those that are compared with stored values wait for ``compare``."""
        memory = self.lane.memory
        if "stored" in self._rivals:
            self._rivals["stored"].add(n, *read)
        if "alphabet" in self._rivals:
            rivals = self._rivals["alphabet"]
            rivals.add(n, *read)
            if not self._alphabet:
                self._alphabet = self._draws.alphabet(memory.value_source, self.value_rows)
            size = sum(piece.shape[1] for piece in self._alphabet)
            for number, piece in enumerate(self._alphabet):
                rivals.meet(number * CHUNK, (piece,), size)
            self._lost("alphabet")
        for position, criterion in enumerate(self.lane.criteria):
            if criterion.reads != "distractors":
                score = Score(criterion, memory.scale, memory.value_squared_norm)
                self.sums[position, n] = self._batch.run(score, read)

    def compare(self, kept: _Kept, check: Callable[[], None]) -> None:
        """Counts the stored distractors of every probed item; ``kept`` has the values of the first pass."""
        if "stored" in self._rivals:
            for start, rows in pool_pieces(self.lane.ns):
                self._rivals["stored"].meet(start, kept.again(self, start, rows))
                check()
            self._lost("stored")

    def _lost(self, pool: str) -> None:
        """Judges by the rivals that were counted in a pool, and forgets them."""
        for position, criterion in enumerate(self.lane.criteria):
            if criterion.reads == "distractors" and criterion.pool == pool:
                self.sums |= {(position, n): total for n, total in self._rivals[pool].judge(criterion).items()}
        self._rivals[pool].clear()


def pool_pieces(ns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First place and size of the pieces of stored values that the probed items at some n are compared with.

    Pieces of FAR serve the n beyond it from the first place on: their scores come from products of one shape.
    """
    near, far = [n for n in ns if n <= FAR], [n for n in ns if n > FAR]
    if near:
        yield from chunks(max(near))
    if far:
        yield from ((start, FAR) for start in range(0, max(far), FAR))


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
    kept = _Kept(runs, draws)
    for start, size in chunks(max(max(lane.ns) for lane in lanes)):
        following = {first: draws.piece(first) for first in range(start, start + size, piece_rows(start))}
        features: dict[tuple[KeySource, int], tuple[jax.Array, jax.Array]] = {}
        for run in runs:
            source = run.lane.memory.source
            if max(run.lane.ns) <= start:
                continue
            chunk = []
            for first, rows in following.items():
                if (source, first) not in features:
                    features[source, first] = draws.features(source, rows)
                labels = run.labels(rows) if start < FAR else None
                chunk.append(Piece(rows, *features[source, first], kept.values(run, first, rows), labels))
            run.advance(start, tuple(chunk))
            check()
    for run in runs:
        run.compare(kept, check)
    return {
        (lane, position, n): batch.collect(sums)
        for lane, run in enumerate(runs)
        for (position, n), sums in run.sums.items()
    }


class _Kept:
    """Values of the pieces that distractors are taken from: kept where they fit, else drawn again."""

    def __init__(self, runs: Sequence[_LaneRun], draws: Draws):
        self._draws = draws
        self._pieces: dict[tuple[Any, int], jax.Array] = {}
        self._sources = {run.lane.memory.value_source for run in runs if run.lane.compares("stored")}
        self._bytes = 0

    def values(self, run: _LaneRun, first: int, rows: Rows) -> jax.Array:
        """Values of the piece from number ``first``, drawn once for all lanes that share their source."""
        source = run.lane.memory.value_source
        if (source, first) in self._pieces:
            return self._pieces[source, first]
        values = run.values(rows)
        if source in self._sources and self._bytes + values.nbytes <= KEPT_BYTES:
            self._bytes += values.nbytes
            self._pieces[source, first] = values
        return values

    def again(self, run: _LaneRun, start: int, rows: int) -> tuple[jax.Array, ...]:
        """The ``rows`` values from number ``start`` a second time, in pieces."""
        source, found, first = run.lane.memory.value_source, [], start
        while first < start + rows:
            known = self._pieces.get((source, first))
            found.append(run.values(self._draws.piece(first)) if known is None else known)
            first += piece_rows(first)
        # Far out all n share the pieces of one shape, the first of them too.
        return (jnp.concatenate(found, axis=1),) if rows == FAR and len(found) > 1 else tuple(found)


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
