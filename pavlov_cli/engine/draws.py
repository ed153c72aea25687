"""Which random numbers does an association get? A function of (seed, draw, trial, group, position) and nothing else.

The draw id leaves out rule, map, criterion, value ensemble and d_v, so that all of them are compared on the same
draws. Random keys are derived in programs of their own: a hash costs more to compile than to run, and these serve
every dimension. Associations are drawn in pieces of fixed shapes: a norm summed over another shape may differ in its
last bit. Any association can be drawn again from its place in the stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import KeySource, ValueSource
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
    """The random key from which a spec's trials are derived."""
    return jax.random.fold_in(jax.random.fold_in(jax.random.key(words[0]), words[1]), words[2])


@dataclass(frozen=True)
class TrialKeys:
    """Body: the random keys of a trial, one per stream [4]; shared is the root key."""

    def __call__(self, trial: Any, shared: Any) -> Any:
        of_trial = jax.random.fold_in(shared, trial)
        return jax.random.key_data(jax.vmap(lambda stream: jax.random.fold_in(of_trial, stream))(jnp.arange(STREAMS)))


@dataclass(frozen=True)
class Rows:
    """Some associations of every trial of a batch, drawn together.

    Attributes:
        places: [trials, rows] their positions in the trials' streams.
        key_data: [trials, streams, rows, 2] their random keys.
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

        def of_stream(key_data: Array) -> Array:
            of_trial = jax.random.wrap_key_data(key_data)
            of_group = jax.vmap(lambda place: jax.random.fold_in(of_trial, place // GROUP))(places)
            return jax.vmap(jax.random.fold_in)(of_group, places % GROUP)

        return Rows(places, jax.random.key_data(jax.vmap(of_stream)(trial_keys[:COMMON])))


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
        return self.source.features(common, jax.random.wrap_key_data(rows.key_data[KEYS]), rows.places, shared)


@dataclass(frozen=True)
class DrawValues:
    """Body: values [rows, d_v] of some associations."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        rows, common = per_trial
        return self.source.values(common, jax.random.wrap_key_data(rows.key_data[VALUES]), rows.places, shared)


@dataclass(frozen=True)
class DrawLabels:
    """Body: which entry of the alphabet each value of some associations is, [rows]."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        rows, common = per_trial
        return self.source.labels(common, jax.random.wrap_key_data(rows.key_data[VALUES]), rows.places)


@dataclass(frozen=True)
class Alphabet:
    """Body: every value that a trial can draw, [size, d_v]; shared are the rows of a file, or None."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        return self.source.alphabet(per_trial[1], shared)


@jax.jit
def priorities(key_data: Array) -> Float[Array, "... rows"]:
    """A uniform number in [0, 1) per association; the stored items of smallest number are the ones probed.

    Args:
        key_data: [..., streams, rows, 2] from ``AssociationKeys``.
    """
    # The probe stream's keys are themselves hash outputs: 24 of their bits are as uniform as another draw's.
    return (key_data[..., PROBES, :, 0] >> 8).astype(jnp.float32) * jnp.float32(2.0**-24)


class Draws:
    """Draws the associations of one batch of trials."""

    def __init__(self, batch: Batch, words: tuple[int, int, int], data: jax.Array | None):
        self._batch, self._data = batch, data
        self._trial_keys = batch.run(TrialKeys(), batch.numbers, root_key(words))
        self._common: dict[KeySource | ValueSource, Any] = {}
        self._counted: dict[int, jax.Array] = {}

    def following(self, start: int, rows: int) -> list[Rows]:
        """``rows`` associations from number ``start``, both multiples of GROUP, or of FAR from there on."""
        size = GROUP if start < FAR else FAR
        if size not in self._counted:
            counted = np.broadcast_to(np.arange(size, dtype=np.int32), (*self._batch.numbers.shape, size))
            self._counted[size] = self._batch.spread(counted)
        return [self._rows(self._counted[size], first) for first in range(start, start + rows, size)]

    def at(self, places: jax.Array) -> list[Rows]:
        """The associations at any places [trials, rows], and others after them that fill the last piece."""
        rows = places.shape[1]
        size = FAR if rows % FAR == 0 else GROUP
        filled = places if rows % size == 0 else jnp.pad(places, ((0, 0), (0, -rows % size)))
        return [self._rows(filled[:, first : first + size], 0) for first in range(0, rows, size)]

    def _rows(self, places: jax.Array, start: int) -> Rows:
        return self._batch.run(AssociationKeys(), (self._trial_keys, places), np.int32(start))

    def features(self, source: KeySource, rows: list[Rows]) -> tuple[jax.Array, jax.Array | None]:
        """Features [trials, rows, d_phi] of some associations, and of their noisy queries."""
        drawn = self._drawn(DrawFeatures(source), self._begun(source, self._data), rows, self._data)
        queries = None if drawn[0][1] is None else joined([queries for _, queries in drawn])
        return joined([features for features, _ in drawn]), queries

    def values(self, source: ValueSource, rows: list[Rows], data: jax.Array | None) -> jax.Array:
        """Values [trials, rows, d_v] of some associations; ``data`` are the rows of a file."""
        return joined(self._drawn(DrawValues(source), self._begun(source, data), rows, data))

    def labels(self, source: ValueSource, rows: list[Rows], data: jax.Array | None) -> jax.Array:
        """Which entry of the alphabet each of these values is, [trials, rows]."""
        return joined(self._drawn(DrawLabels(source), self._begun(source, data), rows, ()))

    def alphabet(self, source: ValueSource, data: jax.Array | None) -> jax.Array:
        """Every value that can be drawn, [trials, size, d_v]."""
        return self._batch.run(Alphabet(source), (self._trial_keys, self._begun(source, data)), data)

    def priorities(self, rows: list[Rows]) -> jax.Array:
        """Uniform numbers [trials, rows] that decide which stored items are probed."""
        return joined([priorities(piece.key_data) for piece in rows])

    def places(self, rows: list[Rows]) -> jax.Array:
        """Positions [trials, rows] of these associations in their trial's stream."""
        return joined([piece.places for piece in rows])

    def _begun(self, source: KeySource | ValueSource, data: jax.Array | None) -> Any:
        if source not in self._common:
            self._common[source] = self._batch.run(Begin(source), self._trial_keys, data)
        return self._common[source]

    def _drawn(self, body: Any, common: Any, rows: list[Rows], shared: Any) -> list[Any]:
        return [self._batch.run(body, (piece, common), shared) for piece in rows]


def joined(pieces: list[jax.Array]) -> jax.Array:
    """Pieces [trials, rows, ...] as one array."""
    return pieces[0] if len(pieces) == 1 else jnp.concatenate(pieces, axis=1)
