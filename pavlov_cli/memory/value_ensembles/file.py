"""What if values are those of a trained model?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
from jaxtyping import Array, Float, Int

from pavlov_cli.errors import DataError
from pavlov_cli.memory._contracts import Common, ValueEnsemble


@dataclass(frozen=True)
class File(ValueEnsemble):
    """Values sampled without replacement, per trial, from the rows of a file, scaled to a mean squared norm of 1.

    The order of rows is the one in which ``key_ensemble=file`` takes its own, so that keys and values from files with
    equally many rows stay paired row by row.

    Attributes:
        path: the file: .npy, .npz or .safetensors.
        array: name of the array in a file that holds several.
        layer: leading index of an array with a layer axis.
        head: next index of an array with a head axis.

    Source: your model; ``pavlov_cli.vectors`` says which rows.
    """

    path: str | None = None
    array: str | None = None
    layer: int | None = None
    head: int | None = None

    def squared_norm(self, d_v: int) -> float:
        """1, the mean over rows: they are scaled by one factor when read."""
        return 1.0

    def limit(self, d_v: int, data: Array | None) -> int | None:
        """The number of rows."""
        return self._rows(data).shape[0]

    def begin(self, prng_key: Array, d_v: int, data: Array | None) -> Common:
        """The order in which this trial takes the rows."""
        # Not folded: the key is the one that a file of keys shuffles its rows by.
        return jax.random.permutation(prng_key, self._rows(data).shape[0])

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_v"]:
        """The row that comes at this position; positions past the last row repeat it and are never counted."""
        return self._rows(data)[self.label(common, prng_key, index, d_v)].astype(dtype)

    def label(self, common: Common, prng_key: Array, index: Int[Array, ""], d_v: int) -> Int[Array, ""]:
        """The number of the row in the file."""
        return common[jax.numpy.minimum(index, common.shape[0] - 1)]

    def alphabet(self, common: Common, d_v: int, data: Array | None, dtype: Any) -> Float[Array, "size d_v"]:
        """All rows."""
        return self._rows(data).astype(dtype)

    def _rows(self, data: Array | None) -> Array:
        if data is None:
            raise DataError("value_ensemble=file needs the rows of its file; got none.")
        return data


ENTRY = File
