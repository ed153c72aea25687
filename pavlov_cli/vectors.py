"""Which vectors does a file hold, and are they fit to be keys or values?

Reads .npy, .npz and .safetensors without ever unpickling. An array is [rows, d], [heads, rows, d] or
[layers, heads, rows, d]; leading axes are picked by ``layer`` and ``head``.
"""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pavlov_cli.errors import DataError

SUFFIXES = (".npy", ".npz", ".safetensors")


@dataclass(frozen=True)
class Vectors:
    """Rows read from a file.

    Attributes:
        rows: [count, d] float32; keys have norm 1, values a mean squared norm of 1.
        digest: SHA-256 of the rows' shape and bytes; identifies the data wherever the file lies.
        repeated: how many rows equal an earlier one.
        name: file, array, layer and head in words.
    """

    rows: Any
    digest: str
    repeated: int
    name: str

    @property
    def dimension(self) -> int:
        """D."""
        return int(self.rows.shape[1])

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(self.rows.shape[0])


@cache
def read_vectors(
    path: str,
    array: str | None = None,
    layer: int | None = None,
    head: int | None = None,
    *,
    group: str = "key_ensemble",
) -> Vectors:
    """Reads the rows that a file ensemble draws from.

    Args:
        path: .npy, .npz or .safetensors file.
        array: which array, where the file holds several.
        layer: which layer of an array with a layer axis, from 0.
        head: which head of an array with a head axis, from 0.
        group: ``key_ensemble`` scales every row to unit norm; ``value_ensemble`` scales all rows by one factor to a
            mean squared norm of 1.

    Returns:
        The rows, scaled.

    Raises:
        DataError: the file is missing, damaged, pickled, of another shape or type, or has NaN, infinite or zero rows.
    """
    import numpy as np

    rows = _pick(_load(Path(path), array, group), path, layer, head, group)
    where = f"'{path}'"
    if not (np.issubdtype(rows.dtype, np.floating) or np.issubdtype(rows.dtype, np.integer)):
        raise DataError(f"{where} must hold real numbers; got {rows.dtype}.")
    if rows.shape[0] < 2 or rows.shape[1] < 1:
        raise DataError(f"{where} must hold at least two vectors; got shape {list(rows.shape)}.")
    wide = rows.astype(np.float64)
    bad = ~np.isfinite(wide).all(axis=1)
    if bad.any():
        raise DataError(
            f"{where} must be finite; {bad.sum()} rows hold NaN or infinity, the first is row {bad.argmax()}."
        )
    sizes = np.abs(wide).max(axis=1)
    if (sizes == 0).any():
        raise DataError(f"{where} must have no zero vector; row {(sizes == 0).argmax()} is one.")
    exponents = np.frexp(sizes[:, None] if group == "key_ensemble" else sizes.max())[1]
    wide = np.ldexp(wide, -exponents)  # exact; squares of the largest floats overflow, of the smallest vanish
    norms = np.linalg.norm(wide, axis=1)
    gain = norms[:, None] if group == "key_ensemble" else np.sqrt(np.mean(norms**2))
    scaled = np.ascontiguousarray((wide / gain).astype(np.float32))
    content = hashlib.sha256(str(scaled.shape).encode() + scaled.tobytes()).hexdigest()
    repeated = len(scaled) - len(np.unique(scaled, axis=0))
    parts = (("array", array), ("layer", layer), ("head", head))
    name = ", ".join([Path(path).name, *(f"{label} {value}" for label, value in parts if value is not None)])
    return Vectors(scaled, content, repeated, name)


def _load(path: Path, array: str | None, group: str) -> Any:
    if path.suffix not in SUFFIXES:
        raise DataError(f"'{path}' must end in {', '.join(SUFFIXES)}; got '{path.suffix}'.")
    if not path.is_file():
        raise DataError(f"'{path}' does not exist or is not a file.")
    try:
        return (
            _read_safetensors(path, array, group) if path.suffix == ".safetensors" else _read_numpy(path, array, group)
        )
    except DataError:
        raise
    except Exception as error:  # every reader has its own zoo of errors for a damaged file
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"'{path}' cannot be read as {path.suffix}: {reason}") from error


def _read_numpy(path: Path, array: str | None, group: str) -> Any:
    import numpy as np

    if path.suffix == ".npz":
        if not zipfile.is_zipfile(path):
            raise DataError(f"'{path}' is not a .npz archive (damaged or truncated).")
        with np.load(path, allow_pickle=False) as archive:
            return archive[_array_name(path, list(archive.files), array, group)]
    if array is not None:
        raise DataError(f"'{path}' holds a single array; leave {group}.array out.")
    loaded = np.load(path, allow_pickle=False)
    if not isinstance(loaded, np.ndarray):
        raise DataError(f"'{path}' is not a .npy array.")
    return loaded


def _read_safetensors(path: Path, array: str | None, group: str) -> Any:
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as archive:
        return archive.get_tensor(_array_name(path, list(archive.keys()), array, group))


def _array_name(path: Path, known: list[str], array: str | None, group: str) -> str:
    if array is None and len(known) == 1:
        return known[0]
    if not known:
        raise DataError(f"'{path}' holds no array.")
    if array not in known:
        asked = "several arrays" if array is None else f"no array '{array}'"
        raise DataError(f"'{path}' has {asked}; choose {group}.array from: {', '.join(sorted(known))}.")
    return str(array)


def _pick(loaded: Any, path: str, layer: int | None, head: int | None, group: str) -> Any:
    axes = {2: (), 3: ("head",), 4: ("layer", "head")}.get(loaded.ndim)
    if axes is None:
        raise DataError(
            f"'{path}' must be [rows, d], [heads, rows, d] or [layers, heads, rows, d]; got {list(loaded.shape)}."
        )
    given = {"layer": layer, "head": head}
    for axis, index in given.items():
        if index is not None and axis not in axes:
            raise DataError(f"'{path}' has no {axis} axis (shape {list(loaded.shape)}); leave {group}.{axis} out.")
    for axis in axes:
        index = given[axis]
        if not loaded.shape[0]:
            raise DataError(f"'{path}' must hold at least two vectors; it has an empty {axis} axis.")
        if index is None or index >= loaded.shape[0]:
            got = "none" if index is None else index
            raise DataError(f"{group}.{axis} must be from 0 to {loaded.shape[0] - 1} for '{path}'; got {got}.")
        loaded = loaded[index]
    return loaded
