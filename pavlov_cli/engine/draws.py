"""Which random numbers does an association get? A function of (seed, draw, trial, group, position) and nothing else.

The draw id leaves out rule, map, criterion, value ensemble and d_v, so that all of them are compared on the same
draws. Random keys are derived in programs of their own: a hash costs more to compile than to run, and these serve
every dimension. Associations are drawn in groups of one fixed shape: a norm summed over another shape may differ in
its last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from pavlov_cli.engine.trials import Batch
from pavlov_cli.memory import KeySource, ValueSource
from pavlov_cli.records import Spec, digest

CHUNK = 256  # associations written together; never a function of n_max
GROUP = 64  # associations drawn together
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
class AssociationKeys:
    """Body: random keys [streams, GROUP] of the associations of a group; shared is the group's number."""

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        def of_stream(key_data: Array) -> Array:
            of_group = jax.random.fold_in(jax.random.wrap_key_data(key_data), shared)
            return jax.vmap(lambda position: jax.random.fold_in(of_group, position))(jnp.arange(GROUP))

        return jax.random.key_data(jax.vmap(of_stream)(per_trial[:COMMON]))


@dataclass(frozen=True)
class Begin:
    """Body: what the keys, or the values, of a trial share."""

    source: KeySource | ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        return self.source.begin(jax.random.wrap_key_data(per_trial[COMMON]), shared)


@dataclass(frozen=True)
class DrawFeatures:
    """Body: features [GROUP, d_phi] of a group, and those of its queries where they differ."""

    source: KeySource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        key_data, common = per_trial
        data, group = shared
        return self.source.features(common, jax.random.wrap_key_data(key_data[KEYS]), _indices(group), data)


@dataclass(frozen=True)
class DrawValues:
    """Body: values [GROUP, d_v] of a group."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        key_data, common = per_trial
        data, group = shared
        return self.source.values(common, jax.random.wrap_key_data(key_data[VALUES]), _indices(group), data)


@dataclass(frozen=True)
class DrawLabels:
    """Body: which entry of the alphabet each value of a group is, [GROUP]."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        key_data, common = per_trial
        return self.source.labels(common, jax.random.wrap_key_data(key_data[VALUES]), _indices(shared))


@dataclass(frozen=True)
class Alphabet:
    """Body: every value that a trial can draw, [size, d_v]; shared are the rows of a file, or None."""

    source: ValueSource

    def __call__(self, per_trial: Any, shared: Any) -> Any:
        return self.source.alphabet(per_trial[1], shared)


def _indices(group: Any) -> Int[Array, " rows"]:
    return group * GROUP + jnp.arange(GROUP)


@jax.jit
def priorities(key_data: Array) -> Float[Array, "... rows"]:
    """A uniform number in [0, 1) per association; the stored items of smallest number are the ones probed.

    Args:
        key_data: [..., streams, rows, 2] from ``AssociationKeys``.
    """
    # The probe stream's keys are themselves hash outputs: 24 of their bits are as uniform as another draw's.
    return (key_data[..., PROBES, :, 0] >> 8).astype(jnp.float32) * jnp.float32(2.0**-24)


class Draws:
    """Draws the associations of one batch of trials, features once for all lanes that share their source."""

    def __init__(self, batch: Batch, words: tuple[int, int, int], data: jax.Array | None):
        self._batch, self._data = batch, data
        self._trial_keys = batch.run(TrialKeys(), batch.numbers, root_key(words))
        self._common: dict[KeySource | ValueSource, Any] = {}

    def keys(self, start: int, rows: int) -> list[jax.Array]:
        """Random keys of ``rows`` associations from number ``start``, both multiples of GROUP: one array a group."""
        groups = range(start // GROUP, (start + rows) // GROUP)
        return [self._batch.run(AssociationKeys(), self._trial_keys, np.int32(group)) for group in groups]

    def features(self, source: KeySource, start: int, keys: list[jax.Array]) -> tuple[jax.Array, jax.Array | None]:
        """Features [trials, rows, d_phi] of the associations from number ``start``, and of their noisy queries."""
        common = self._begun(source, self._data)
        groups = self._drawn(DrawFeatures(source), common, start, keys, self._data)
        queries = None if groups[0][1] is None else _joined([queries for _, queries in groups])
        return _joined([features for features, _ in groups]), queries

    def values(self, source: ValueSource, start: int, keys: list[jax.Array], data: jax.Array | None) -> jax.Array:
        """Values [trials, rows, d_v] of the associations from number ``start``; ``data`` are the rows of a file."""
        return _joined(self._drawn(DrawValues(source), self._begun(source, data), start, keys, data))

    def labels(self, source: ValueSource, start: int, keys: list[jax.Array], data: jax.Array | None) -> jax.Array:
        """Which entry of the alphabet each of these values is, [trials, rows]."""
        body, common = DrawLabels(source), self._begun(source, data)
        return _joined(
            [
                self._batch.run(body, (key_data, common), np.int32(start // GROUP + position))
                for position, key_data in enumerate(keys)
            ]
        )

    def alphabet(self, source: ValueSource, data: jax.Array | None) -> jax.Array:
        """Every value that can be drawn, [trials, size, d_v]."""
        return self._batch.run(Alphabet(source), (self._trial_keys, self._begun(source, data)), data)

    def _begun(self, source: KeySource | ValueSource, data: jax.Array | None) -> Any:
        if source not in self._common:
            self._common[source] = self._batch.run(Begin(source), self._trial_keys, data)
        return self._common[source]

    def _drawn(self, body: Any, common: Any, start: int, keys: list[jax.Array], data: jax.Array | None) -> list[Any]:
        return [
            self._batch.run(body, (key_data, common), (data, np.int32(start // GROUP + position)))
            for position, key_data in enumerate(keys)
        ]

    def priorities(self, keys: list[jax.Array]) -> jax.Array:
        """Uniform numbers [trials, rows] that decide which stored items are probed."""
        return _joined([priorities(key_data) for key_data in keys])

    def places(self, start: int, keys: list[jax.Array]) -> jax.Array:
        """Positions [trials, rows] of these associations in their trial's stream."""
        rows = start + jnp.arange(GROUP * len(keys), dtype=jnp.int32)
        return jnp.broadcast_to(rows, (*self._batch.numbers.shape, rows.size))


def _joined(groups: list[jax.Array]) -> jax.Array:
    return groups[0] if len(groups) == 1 else jnp.concatenate(groups, axis=1)
