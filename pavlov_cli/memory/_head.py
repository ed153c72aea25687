"""How do ensembles, map and rule make one attention head?"""

from __future__ import annotations

from dataclasses import dataclass

import jax
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import FeatureMap, KeyEnsemble, State, UpdateRule, ValueEnsemble
from pavlov_cli.memory._memory import KeySource, Memory, ValueSource


@dataclass(frozen=True)
class Head(Memory):
    """One linear-attention head with its sources of keys and values.

    Attributes:
        d_k: key dimension.
        d_v: value dimension.
        key_ensemble: source of keys.
        value_ensemble: source of values.
        feature_map: phi.
        update_rule: writes and reads.
        query_cosine: cosine between a query and its stored key, in (0, 1].
    """

    d_k: int
    d_v: int
    key_ensemble: KeyEnsemble
    value_ensemble: ValueEnsemble
    feature_map: FeatureMap
    update_rule: UpdateRule
    query_cosine: float = 1.0

    @property
    def d_phi(self) -> int:
        """Feature dimension."""
        return self.feature_map.dimension(self.d_k)

    @property
    def source(self) -> KeySource:
        """Where features come from; integer keys stay integers where map and rule only scale with them."""
        scales = self.feature_map.homogeneous and self.update_rule.homogeneous
        raw = scales and self.key_ensemble.squared_norm(self.d_k) != 1
        return KeySource(self.d_k, self.key_ensemble, self.feature_map, raw, self.dtype, self.query_cosine)

    @property
    def value_source(self) -> ValueSource:
        """Where values come from."""
        return ValueSource(self.d_v, self.value_ensemble, self.dtype)

    @property
    def numbers_per_association(self) -> int:
        """d_phi + d_v."""
        return self.d_phi + self.d_v

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

    def recall(
        self,
        features: Float[Array, "m d_phi"],
        values: Float[Array, "m d_v"],
        count: Int[Array, ""],
        queries: Float[Array, "s d_phi"],
    ) -> Float[Array, "s d_v"]:
        """What queries read once the first ``count`` of m associations are all that is stored."""
        return self.update_rule.recall(features, values, count, queries)

    def read(self, state: State, queries: Float[Array, "m d_phi"]) -> Float[Array, "m d_v"]:
        """The readout of each query."""
        return jax.vmap(lambda query: self.update_rule.read(state, query))(queries)
