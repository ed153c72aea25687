"""What must an entry of each registry provide?

Every entry is a frozen dataclass: its fields are the parameters, so an entry is hashable and can be a static argument
of a compiled function. Methods are pure. Concrete entries are final: they extend a contract, never one another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
from jax import lax
from jaxtyping import Array, Bool, Float, Int

State = Any  # a pytree of arrays
Common = Any  # a pytree: what all keys of one trial share; () if nothing


@dataclass(frozen=True)
class KeyEnsemble(ABC):
    """A distribution of keys (conditional stimuli)."""

    @abstractmethod
    def squared_norm(self, d_k: int) -> float:
        """Expected squared norm of a drawn key; entries that stay integers on the device return d_k."""

    def limit(self, d_k: int, data: Array | None) -> int | None:
        """Most keys that one trial can draw; None if unbounded."""
        return None

    def begin(self, prng_key: Array, d_k: int, data: Array | None) -> Common:
        """What all keys of one trial share, drawn once per trial.

        Args:
            prng_key: the trial's key for what is shared, also given to the value ensemble: fold it with 2 first, values
                fold it with 1; only files use it as it is.
            d_k: key dimension.
            data: vectors [rows, d_k] of an ensemble that draws from a file, else None.
        """
        return ()

    @abstractmethod
    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """Key number ``index`` of a trial.

        Args:
            common: what ``begin`` returned.
            prng_key: a key of this association's own.
            index: position in the trial's stream, from 0.
            d_k: key dimension.
            data: as in ``begin``.
            dtype: floating-point type of the key; random numbers do not depend on it.
        """


@dataclass(frozen=True)
class ValueEnsemble(ABC):
    """A distribution of values (unconditional stimuli); all continuous entries read the same underlying Gaussian draw.

    An entry that draws from finitely many values says which: ``alphabet`` lists them and ``labels`` tells which of
    them an association got.
    """

    @abstractmethod
    def squared_norm(self, d_v: int) -> float:
        """Expected squared norm of a value."""

    def limit(self, d_v: int, data: Array | None) -> int | None:
        """Most values that one trial can draw; None if unbounded."""
        return None

    def begin(self, prng_key: Array, d_v: int, data: Array | None) -> Common:
        """What all values of one trial share, drawn once per trial.

        Args:
            prng_key: the trial's key for what is shared, the one that the key ensemble gets: files of keys and values
                are taken in the same order. Other entries fold it with 1 first.
            d_v: value dimension.
            data: vectors [rows, d_v] of an ensemble that draws from a file, else None.
        """
        return ()

    @abstractmethod
    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_v"]:
        """Value number ``index`` of a trial.

        Args:
            common: what ``begin`` returned.
            prng_key: a key of this association's own.
            index: position in the trial's stream, from 0.
            d_v: value dimension.
            data: as in ``begin``.
            dtype: floating-point type of the value; random numbers do not depend on it.
        """

    def label(self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int) -> Int[Array, ""]:
        """Which entry of the alphabet value number ``index`` is; entries without an alphabet have none."""
        raise NotImplementedError(f"{type(self).__name__} values have no alphabet.")

    def alphabet(self, common: Common, d_v: int, data: Array | None, dtype: Any) -> Float[Array, "size d_v"] | None:
        """Every value that can be drawn in a trial; None where there is no end of them."""
        return None


@dataclass(frozen=True)
class FeatureMap(ABC):
    """phi: d_k -> d_phi, applied to keys and queries alike."""

    homogeneous: ClassVar[bool] = False  # phi(c k) = c phi(k): integer keys may stay integers

    @abstractmethod
    def dimension(self, d_k: int) -> int:
        """d_phi for a key dimension."""

    @abstractmethod
    def features(self, keys: Float[Array, "m d_k"]) -> Float[Array, "m d_phi"]:
        """Phi of each key."""


@dataclass(frozen=True)
class UpdateRule(ABC):
    """How a state changes when an association is written, and what a query reads from it.

    ``write_chunk`` and ``recall`` may be overridden with parallel forms, which are tested against the step form in
    float64.
    """

    linear_in_values: ClassVar[bool] = False  # readout linear in the values: an effective attention matrix exists
    nested: ClassVar[bool] = False  # the attention matrix at n is the corner of the one at any larger n
    homogeneous: ClassVar[bool] = False  # keys scaled by c scale the readout by c^2: integer keys may stay integers

    @abstractmethod
    def init(self, d_phi: int, d_v: int, dtype: Any) -> State:
        """The empty memory."""

    @abstractmethod
    def write(self, state: State, key: Float[Array, " d_phi"], value: Float[Array, " d_v"]) -> State:
        """The state after one association."""

    @abstractmethod
    def read(self, state: State, query: Float[Array, " d_phi"]) -> Float[Array, " d_v"]:
        """The readout of a query."""

    def write_chunk(
        self, state: State, keys: Float[Array, "m d_phi"], values: Float[Array, "m d_v"], count: Int[Array, ""]
    ) -> State:
        """The state after the first ``count`` of m associations; this default is the step form."""
        return lax.fori_loop(0, count, lambda j, carry: self.write(carry, keys[j], values[j]), state)

    def recall(
        self,
        keys: Float[Array, "m d_phi"],
        values: Float[Array, "m d_v"],
        count: Int[Array, ""],
        queries: Float[Array, "s d_phi"],
    ) -> Float[Array, "s d_v"]:
        """What queries read from a memory that holds the first ``count`` of m associations and nothing else.

        This default writes and reads a state; a rule may have a form that does without one.
        """
        state = self.write_chunk(self.init(keys.shape[1], values.shape[1], keys.dtype), keys, values, count)
        return jax.vmap(lambda query: self.read(state, query))(queries)


@dataclass(frozen=True)
class Criterion(ABC):
    """What counts as an error; never sees the state.

    ``reads`` says from what: ``"readout"`` (``errors`` is called), ``"distractors"`` (``lost`` is called with how many
    other values score at least as high as the own) or ``"attention"`` (``first_failure`` and ``fails``).
    A counted criterion returns integers, divided by ``units`` on the host; the others return floats, averaged.
    """

    reads: ClassVar[str] = "readout"
    counted: ClassVar[bool] = False
    pool: ClassVar[str] = "stored"  # distractors are the other stored values, or the other entries of the "alphabet"

    def units(self, d_v: int) -> int:
        """How many units of error one query can count; 1 for means."""
        return 1

    def errors(
        self, readouts: Float[Array, "m d_v"], targets: Float[Array, "m d_v"], scale: float, squared_norm: float
    ) -> Array:
        """Error of each query, [m].

        Args:
            readouts: what the memory returned, before ``scale``.
            targets: the stored values.
            scale: turns readouts into those of unit-norm keys; ignored by criteria that do not depend on it.
            squared_norm: expected squared norm of a value.
        """
        raise NotImplementedError(f"{type(self).__name__} does not read readouts.")

    def lost(self, rivals: Int[Array, " m"]) -> Int[Array, " m"]:
        """Error of each query, given how many distractors have an inner product with its readout >= the own value's."""
        raise NotImplementedError(f"{type(self).__name__} does not compare with distractors.")

    def first_failure(self, attention: Float[Array, "m m"]) -> Int[Array, ""]:
        """Smallest n at which some stored item fails, for a nested attention matrix; m + 1 if none does."""
        raise NotImplementedError(f"{type(self).__name__} does not read the attention matrix.")

    def fails(self, attention: Float[Array, "m m"], count: Int[Array, ""]) -> Bool[Array, ""]:
        """Whether any of the first ``count`` items fails, given the attention matrix at n = count."""
        raise NotImplementedError(f"{type(self).__name__} does not read the attention matrix.")


def product(left: Array, right: Array) -> Array:
    """Matrix product summed in, and returned as, float32 or better; rounding to bfloat16 is the caller's."""
    wide = jax.numpy.promote_types(left.dtype, "float32")
    return jax.numpy.matmul(left, right, precision=lax.Precision.HIGHEST, preferred_element_type=wide)


def unit(vector: Float[Array, " d"]) -> Float[Array, " d"]:
    """The vector scaled to norm 1."""
    return vector / jax.numpy.linalg.norm(vector)
