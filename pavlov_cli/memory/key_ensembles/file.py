"""What if keys are those of a trained model?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
from jaxtyping import Array, Float, Int

from pavlov_cli.errors import DataError
from pavlov_cli.memory._contracts import Common, KeyEnsemble


@dataclass(frozen=True)
class File(KeyEnsemble):
    """Keys sampled without replacement, per trial, from the rows of a file, scaled to unit norm when read.

    The parameters say which rows (see ``pavlov_cli.vectors``); the rows themselves arrive as ``data`` [rows, d_k].

    Attributes:
        path: the file: .npy, .npz or .safetensors.
        array: name of the array in a file that holds several.
        layer: leading index of an array with a layer axis.
        head: next index of an array with a head axis.
    """

    path: str | None = None
    array: str | None = None
    layer: int | None = None
    head: int | None = None

    def squared_norm(self, d_k: int) -> float:
        """Exactly 1: rows are normalised when read."""
        return 1.0

    def limit(self, d_k: int, data: Array | None) -> int | None:
        """The number of rows."""
        return self._rows(data).shape[0]

    def begin(self, prng_key: Array, d_k: int, data: Array | None) -> Common:
        """The order in which this trial takes the rows."""
        return jax.random.permutation(prng_key, self._rows(data).shape[0])

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """The row that comes at this position; positions past the last row repeat it and are never counted."""
        rows = self._rows(data)
        return rows[common[jax.numpy.minimum(index, rows.shape[0] - 1)]].astype(dtype)

    def _rows(self, data: Array | None) -> Array:
        if data is None:
            raise DataError("key_ensemble=file needs the rows of its file; got none.")
        return data


ENTRY = File
