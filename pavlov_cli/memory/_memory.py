"""What does the engine know of a memory?

Draw associations, write them, read queries, compare readouts with targets: nothing else. One head implements it; a
stack of layers or a bank of heads is another implementation, with nothing to change in the engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, FeatureMap, KeyEnsemble, State, ValueEnsemble
from pavlov_cli.memory._directions import at_cosine
from pavlov_cli.memory._random import normal


def draw_type(dtype: Any) -> Any:
    """The type in which vectors are drawn and normalised: at least float32, whatever they are rounded to afterwards."""
    return jnp.promote_types(dtype, "float32")


@dataclass(frozen=True)
class KeySource:
    """Where the features of a memory come from: what memories with equal sources can share.

    Attributes:
        d_k: key dimension.
        key_ensemble: source of keys.
        feature_map: phi.
        raw: keys of another norm than 1 enter unscaled, so that integer keys stay integers and ties stay ties.
        dtype: floating-point type of features.
        query_cosine: cosine between a query and its stored key, in (0, 1]; 1 probes with the key itself.
    """

    d_k: int
    key_ensemble: KeyEnsemble
    feature_map: FeatureMap
    raw: bool
    dtype: Any
    query_cosine: float = 1.0

    def begin(self, prng_key: Array, data: Array | None) -> Common:
        """What the keys of one trial share."""
        return self.key_ensemble.begin(prng_key, self.d_k, data)

    def features(
        self, common: Common, prng_keys: Array, indices: Int[Array, " m"], data: Array | None
    ) -> tuple[Float[Array, "m d_phi"], Float[Array, "m d_phi"] | None]:
        """Phi of the keys at the given positions of a trial's stream, each drawn from its own random key.

        Returns:
            Features of the keys, and those of their queries; None for the queries where they are the keys.
        """
        dtype = draw_type(self.dtype)
        keys = jax.vmap(lambda key, i: self.key_ensemble.draw(common, key, i, self.d_k, data, dtype))(
            prng_keys, indices
        )
        if self.query_cosine == 1:
            return self._map(keys), None
        return self._map(keys), self._map(jax.vmap(self._query)(keys, prng_keys))

    def _map(self, keys: Float[Array, "m d_k"]) -> Float[Array, "m d_phi"]:
        if not self.raw:
            keys = keys / jnp.sqrt(jnp.asarray(self.key_ensemble.squared_norm(self.d_k), keys.dtype))
        return self.feature_map.features(keys).astype(self.dtype)

    def _query(self, key: Float[Array, " d_k"], prng_key: Array) -> Float[Array, " d_k"]:
        """A vector of the key's norm at the given cosine to it, otherwise in a uniformly random direction."""
        noise = normal(jax.random.fold_in(prng_key, 1), self.d_k, key.dtype)
        norm = jnp.linalg.norm(key)
        return norm * at_cosine(key / norm, noise, self.query_cosine)


@dataclass(frozen=True)
class ValueSource:
    """Where the values of a memory come from: what memories with equal sources can share.

    Attributes:
        d_v: value dimension.
        value_ensemble: source of values.
        dtype: floating-point type of values.
    """

    d_v: int
    value_ensemble: ValueEnsemble
    dtype: Any

    def begin(self, prng_key: Array, data: Array | None) -> Common:
        """What the values of one trial share."""
        return self.value_ensemble.begin(prng_key, self.d_v, data)

    def values(
        self, common: Common, prng_keys: Array, indices: Int[Array, " m"], data: Array | None
    ) -> Float[Array, "m ..."]:
        """The values at the given positions of a trial's stream, each drawn from its own random key."""
        dtype = draw_type(self.dtype)
        drawn = jax.vmap(lambda key, i: self.value_ensemble.draw(common, key, i, self.d_v, data, dtype))(
            prng_keys, indices
        )
        return drawn.astype(self.dtype)

    def labels(self, common: Common, prng_keys: Array, indices: Int[Array, " m"]) -> Int[Array, " m"]:
        """Which entry of the alphabet each of these values is."""
        return jax.vmap(lambda key, i: self.value_ensemble.label(common, key, i, self.d_v))(prng_keys, indices)

    def alphabet(self, common: Common, data: Array | None) -> Float[Array, "size d_v"] | None:
        """Every value that can be drawn; None where there is no end of them."""
        found = self.value_ensemble.alphabet(common, self.d_v, data, draw_type(self.dtype))
        return None if found is None else found.astype(self.dtype)


@dataclass(frozen=True)
class Memory(ABC):
    """Anything that stores associations and is probed with queries; hashable, so it can be a static argument.

    Attributes:
        dtype: floating-point type of features, state and readout.
    """

    dtype: Any

    @property
    @abstractmethod
    def source(self) -> KeySource:
        """Where the features of keys come from."""

    @property
    @abstractmethod
    def value_source(self) -> ValueSource:
        """Where stored values come from; the first axis counts associations."""

    @property
    @abstractmethod
    def d_phi(self) -> int:
        """Dimension of the features that are written and probed with."""

    @property
    @abstractmethod
    def numbers_per_association(self) -> int:
        """Numbers drawn for one association, features and values: what a batch of trials is sized by."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """What turns a readout into that of unit-norm keys."""

    @property
    @abstractmethod
    def value_squared_norm(self) -> float:
        """Expected squared norm of a target."""

    @property
    @abstractmethod
    def linear_in_values(self) -> bool:
        """Whether an effective attention matrix exists."""

    @property
    @abstractmethod
    def nested(self) -> bool:
        """Whether the attention matrix at n is a corner of the one at any larger n."""

    @abstractmethod
    def targets(self, values: Float[Array, "m ..."]) -> Float[Array, "m d_v"]:
        """What a perfect readout of each association would be."""

    @abstractmethod
    def init(self, value_dimension: int | None = None) -> State:
        """The empty memory; ``value_dimension`` replaces d_v when one-hot values are written to read the attention."""

    @abstractmethod
    def write_chunk(
        self, state: State, features: Float[Array, "m d_phi"], values: Float[Array, "m ..."], count: Int[Array, ""]
    ) -> State:
        """The state after the first ``count`` of m associations."""

    def recall(
        self,
        features: Float[Array, "m d_phi"],
        values: Float[Array, "m ..."],
        count: Int[Array, ""],
        queries: Float[Array, "s d_phi"],
    ) -> Float[Array, "s d_v"]:
        """What queries read once the first ``count`` of m associations are all that is stored."""
        return self.read(self.write_chunk(self.init(), features, values, count), queries)

    @abstractmethod
    def read(self, state: State, queries: Float[Array, "m d_phi"]) -> Float[Array, "m d_v"]:
        """The readout of each query."""
