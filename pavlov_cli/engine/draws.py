"""Which random numbers does an association get? A function of (seed, draw, trial, group, position) and nothing else.

The draw id leaves out rule, map, criterion, value ensemble and d_v, so that all of them are compared on the same
draws. Random keys are derived in programs of their own: a hash costs more to compile than to run, and these serve
every dimension. Associations are drawn in pieces of fixed shapes: a norm summed over another shape may differ in its
last bit. Any association can be drawn again from its place in the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import KeySource, ValueSource, fold_in
from pavlov_cli.records import Spec, digest

GROUP = 64  # associations drawn together, and what the first keys of a stream are random by
CHUNK = 256  # associations written together; never a function of n_max
FAR = 1024  # from this place on they are drawn and written by as many: a call costs as much as some ten of them
KEYS, VALUES, PROBES, COMMON = range(4)  # independent random streams of one trial
STREAMS = 4


def draw_words(spec: Spec) -> tuple[int, int, int]:
    """The root of a spec's random numbers: seed and 64 bits that identify the draw.

    Args:
        spec: only ``key_ensemble``, ``data_digest``, ``d_k`` and ``seed`` count; of keys from a file, their content
            but not where it lies, as in the identity of a point.

    Returns:
        Three 32-bit words.
    """
    parameters = [] if spec.data_digest else [list(pair) for pair in spec.key_ensemble.parameters]
    identity = digest([[spec.key_ensemble.name, parameters], spec.data_digest, spec.d_k])
    return spec.seed, int(identity[:8], 16), int(identity[8:16], 16)


@cache
def root_key(words: tuple[int, int, int]) -> Array:
    """Data of the random key from which a spec's trials are derived."""
    seed, *draw = words
    return jax.random.key_data(jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), draw[0]), draw[1]))


@dataclass(frozen=True)
class TrialKeys:
    """Body: the random keys of a trial, one per stream [4]; shared is the root key."""

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        return fold_in(fold_in(shared, per_trial), jnp.arange(STREAMS))


@dataclass(frozen=True)
class Rows:
    """Some associations of every trial of a batch, drawn together.

    Attributes:
        places: [trials, rows] their positions in the trials' streams.
        key_data: [trials, rows, streams, 2] their random keys.
    """

    places: Any
    key_data: Any


jax.tree_util.register_dataclass(Rows, ["places", "key_data"], [])


@dataclass(frozen=True)
class AssociationKeys:
    """Body: the associations at some places [rows] after a shared start, with their random keys."""

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        trial_keys, places = per_trial
        places = shared + places
        group, position = places[:, None] // GROUP, places[:, None] % GROUP
        return Rows(places, fold_in(fold_in(trial_keys[:COMMON], group), position))


@dataclass(frozen=True)
class Begin:
    """Body: what the keys, or the values, of a trial share."""

    source: KeySource | ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        return self.source.begin(jax.random.wrap_key_data(per_trial[COMMON]), shared)


@dataclass(frozen=True)
class DrawFeatures:
    """Body: features [rows, d_phi] of some associations, and those of their queries where they differ."""

    source: KeySource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        rows, common = per_trial
        return self.source.features(common, jax.random.wrap_key_data(rows.key_data[:, KEYS]), rows.places, shared)


@dataclass(frozen=True)
class DrawValues:
    """Body: values [rows, d_v] of some associations."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        rows, common = per_trial
        return self.source.values(common, jax.random.wrap_key_data(rows.key_data[:, VALUES]), rows.places, shared)


@dataclass(frozen=True)
class DrawLabels:
    """Body: which entry of the alphabet each value of some associations is, [rows]."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        rows, common = per_trial
        return self.source.labels(common, jax.random.wrap_key_data(rows.key_data[:, VALUES]), rows.places)


@dataclass(frozen=True)
class Alphabet:
    """Body: every value that a trial can draw, [CHUNK or fewer, d_v] each; shared are the rows of a file, or None."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        values: Any = self.source.alphabet(per_trial[1], shared)
        return tuple(values[first : first + CHUNK] for first in range(0, values.shape[0], CHUNK))


def priorities(key_data: Array) -> Float[Array, " rows"]:
    """A uniform number in [0, 1) per association; the stored items of smallest number are the ones probed.

    Args:
        key_data: [rows, streams, 2] from ``AssociationKeys``.
    """
    # The probe stream's keys are themselves hash outputs: 24 of their bits are as uniform as another draw's.
    return (key_data[:, PROBES, 0] >> 8).astype(jnp.float32) * jnp.float32(2.0**-24)


@dataclass(frozen=True)
class Piece:
    """Associations of every trial of a batch, drawn together; arrays [trials, rows, ...].

    Attributes:
        rows: their places and random keys.
        features: [.., d_phi] features of their keys.
        queries: [.., d_phi] features of what they are probed with.
        values: [.., d_v].
        labels: which entry of an alphabet each value is; None where nothing asks.
    """

    rows: Rows
    features: Any
    queries: Any
    values: Any
    labels: Any = None


jax.tree_util.register_dataclass(Piece, ["rows", "features", "queries", "values", "labels"], [])


class Draws:
    """Draws the associations of one batch of trials."""

    def __init__(self, batch: Batch, words: tuple[int, int, int], data: jax.Array | None):
        self._batch, self._data = batch, data
        self._trial_keys = batch.run(TrialKeys(), batch.numbers, root_key(words))
        self._common: dict[KeySource | ValueSource, Any] = {}
        self._counted: dict[int, jax.Array] = {}

    def piece(self, start: int) -> Rows:
        """The associations drawn together from number ``start``, a multiple of their number."""
        size = piece_rows(start)
        if size not in self._counted:
            counted = np.broadcast_to(np.arange(size, dtype=np.int32), (*self._batch.numbers.shape, size))
            self._counted[size] = self._batch.spread(counted)
        return self._rows(self._counted[size], start)

    def at(self, places: jax.Array) -> tuple[Rows, ...]:
        """The associations at any places [trials, rows], and others after them that fill the last piece."""
        rows = places.shape[1]
        if rows == FAR:
            return (self._rows(places, 0),)
        filled = places if rows % GROUP == 0 else jnp.pad(places, ((0, 0), (0, -rows % GROUP)))
        return tuple(self._rows(filled[:, first : first + GROUP], 0) for first in range(0, rows, GROUP))

    def _rows(self, places: jax.Array, start: int) -> Rows:
        return self._batch.run(AssociationKeys(), (self._trial_keys, places), np.int32(start))

    def features(self, source: KeySource, rows: Rows) -> tuple[jax.Array, jax.Array]:
        """Features [trials, rows, d_phi] of the keys of some associations, and of their queries."""
        common = self._begun(source, self._data)
        features, queries = self._batch.run(DrawFeatures(source), (rows, common), self._data)
        return features, features if queries is None else queries

    def values(self, source: ValueSource, rows: Rows, data: jax.Array | None) -> jax.Array:
        """Values [trials, rows, d_v] of some associations; ``data`` are the rows of a file."""
        return self._batch.run(DrawValues(source), (rows, self._begun(source, data)), data)

    def labels(self, source: ValueSource, rows: Rows, data: jax.Array | None) -> jax.Array:
        """Which entry of the alphabet each of these values is, [trials, rows]."""
        return self._batch.run(DrawLabels(source), (rows, self._begun(source, data)))

    def alphabet(self, source: ValueSource, data: jax.Array | None) -> tuple[jax.Array, ...]:
        """Every value that can be drawn, in pieces [trials, CHUNK or fewer, d_v]."""
        return self._batch.run(Alphabet(source), (self._trial_keys, self._begun(source, data)), data)

    def _begun(self, source: KeySource | ValueSource, data: jax.Array | None) -> Any:
        if source not in self._common:
            self._common[source] = self._batch.run(Begin(source), self._trial_keys, data)
        return self._common[source]


def piece_rows(start: int) -> int:
    """How many associations are drawn together from number ``start``."""
    return GROUP if start < FAR else FAR


def joined(pieces: Sequence[Any]) -> Any:
    """Pieces [rows, ...] of one trial as one, inside a body: each array is joined along its rows."""
    if len(pieces) == 1:
        return pieces[0]
    return jax.tree.map(lambda *arrays: jnp.concatenate(arrays), *pieces)
