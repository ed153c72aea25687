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

from pavlov_cli.memory._contracts import Common, FeatureMap, KeyEnsemble, State


@dataclass(frozen=True)
class KeySource:
    """Where the features of a memory come from: what memories with equal sources can share.

    Attributes:
        d_k: key dimension.
        key_ensemble: source of keys.
        feature_map: phi.
        raw: keys of another norm than 1 enter unscaled, so that integer keys stay integers and ties stay ties.
        dtype: floating-point type of features.
    """

    d_k: int
    key_ensemble: KeyEnsemble
    feature_map: FeatureMap
    raw: bool
    dtype: Any

    def begin(self, prng_key: Array, data: Array | None) -> Common:
        """What the keys of one trial share."""
        return self.key_ensemble.begin(prng_key, self.d_k, data)

    def features(
        self, common: Common, prng_keys: Array, indices: Int[Array, " m"], data: Array | None
    ) -> Float[Array, "m d_phi"]:
        """Phi of the keys at the given positions of a trial's stream, each drawn from its own random key."""
        keys = jax.vmap(lambda key, i: self.key_ensemble.draw(common, key, i, self.d_k, data, self.dtype))(
            prng_keys, indices
        )
        if not self.raw:
            keys = keys / jnp.sqrt(jnp.asarray(self.key_ensemble.squared_norm(self.d_k), self.dtype))
        return self.feature_map.features(keys)


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
    def values(self, prng_keys: Array) -> Float[Array, "m ..."]:
        """What each association stores, from random keys of their own; the first axis counts associations."""

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

    @abstractmethod
    def read(self, state: State, queries: Float[Array, "m d_phi"]) -> Float[Array, "m d_v"]:
        """The readout of each query."""
