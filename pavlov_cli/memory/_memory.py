"""How do ensemble, map and rule make the one memory that the engine simulates?

The engine knows only this interface: draw associations, write them, read queries, compare readouts with targets. A
stack of layers or a bank of heads is another implementation of it, with nothing to change in the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, Criterion, FeatureMap, KeyEnsemble, State, UpdateRule, ValueEnsemble
from pavlov_cli.records import Choice, Spec
from pavlov_cli.registry import entry_class


@dataclass(frozen=True)
class KeySource:
    """Where the features of a memory come from: what memories with equal sources can share.

    Attributes:
        d_k: key dimension.
        key_ensemble: source of keys.
        feature_map: phi.
        raw: keys enter unscaled, so that integer keys stay integers and ties stay ties.
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
class Memory:
    """One linear-attention head with its sources of keys and values.

    Attributes:
        d_k: key dimension.
        d_v: value dimension.
        key_ensemble: source of keys.
        value_ensemble: source of values.
        feature_map: phi.
        update_rule: writes and reads.
        dtype: floating-point type of features, state and readout.
    """

    d_k: int
    d_v: int
    key_ensemble: KeyEnsemble
    value_ensemble: ValueEnsemble
    feature_map: FeatureMap
    update_rule: UpdateRule
    dtype: Any

    @property
    def d_phi(self) -> int:
        """Feature dimension."""
        return self.feature_map.dimension(self.d_k)

    @property
    def source(self) -> KeySource:
        """Where features come from; integer keys stay integers where map and rule only scale with them."""
        raw = self.feature_map.homogeneous and self.update_rule.homogeneous
        return KeySource(self.d_k, self.key_ensemble, self.feature_map, raw, self.dtype)

    @property
    def scale(self) -> float:
        """What turns a readout into that of unit-norm keys."""
        return 1.0 / self.key_ensemble.squared_norm(self.d_k) if self.source.raw else 1.0

    @property
    def value_squared_norm(self) -> float:
        """Expected squared norm of a target."""
        return self.value_ensemble.squared_norm(self.d_v)

    @property
    def linear_in_values(self) -> bool:
        """Whether an effective attention matrix exists."""
        return self.update_rule.linear_in_values

    @property
    def nested(self) -> bool:
        """Whether the attention matrix at n is a corner of the one at any larger n."""
        return self.update_rule.nested

    def values(self, prng_keys: Array) -> Float[Array, "m d_v"]:
        """What each association stores, from random keys of their own."""
        return jax.vmap(lambda prng_key: self.value_ensemble.draw(prng_key, self.d_v, self.dtype))(prng_keys)

    def targets(self, values: Float[Array, "m d_v"]) -> Float[Array, "m d_v"]:
        """What a perfect readout of each association would be."""
        return values

    def init(self, value_dimension: int | None = None) -> State:
        """The empty memory; ``value_dimension`` replaces d_v when one-hot values are written to read the attention."""
        return self.update_rule.init(self.d_phi, value_dimension or self.d_v, self.dtype)

    def write_chunk(
        self, state: State, features: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """The state after the first ``count`` of m associations."""
        return self.update_rule.write_chunk(state, features, values, count)

    def read(self, state: State, queries: Float[Array, "m d_phi"]) -> Float[Array, "m d_v"]:
        """The readout of each query."""
        return jax.vmap(lambda query: self.update_rule.read(state, query))(queries)


def _build(group: str, choice: Choice) -> Any:
    return entry_class(group, choice.name)(**dict(choice.parameters))


def build_memory(spec: Spec) -> Memory:
    """The memory that a spec describes.

    Raises:
        ConfigError: an unknown entry.
        NotImplementedError: more than one layer, circuit or head.
    """
    if (spec.depth, spec.width, spec.num_heads) != (1, 1, 1):
        raise NotImplementedError(
            f"depth, width and num_heads must be 1; got {spec.depth}, {spec.width}, {spec.num_heads}."
        )
    return Memory(
        d_k=spec.d_k,
        d_v=spec.d_v,
        key_ensemble=_build("key_ensemble", spec.key_ensemble),
        value_ensemble=_build("value_ensemble", spec.value_ensemble),
        feature_map=_build("feature_map", spec.feature_map),
        update_rule=_build("update_rule", spec.update_rule),
        dtype=spec.precision,
    )


def build_criterion(spec: Spec) -> Criterion:
    """The criterion that a spec names."""
    return _build("criterion", spec.criterion)
