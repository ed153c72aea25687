"""Decoding by inner products, as float64 loops written from the definitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def rivals(readout: np.ndarray, own: int, names: Sequence[int], pool: np.ndarray) -> int:
    """How many of the pool score at least as high as ``own``, those of its name left out.

    Args:
        readout: [d_v].
        own: name of the right entry.
        names: name of every entry of the pool.
        pool: [size, d_v].
    """
    wanted = float(np.dot(readout, pool[list(names).index(own)]))
    count = 0
    for name, value in zip(names, pool, strict=True):
        if name != own and float(np.dot(readout, value)) >= wanted:
            count += 1
    return count


def stored_rivals(readouts: np.ndarray, values: np.ndarray, probed: Sequence[int]) -> list[int]:
    """Other stored values that score at least as high as the own, for each probed item."""
    names = list(range(len(values)))
    return [rivals(readout, item, names, values) for readout, item in zip(readouts, probed, strict=True)]


def alphabet_rivals(readouts: np.ndarray, alphabet: np.ndarray, labels: Sequence[int]) -> list[int]:
    """Other entries of the alphabet that score at least as high as the own, for each probed item."""
    names = list(range(len(alphabet)))
    return [rivals(readout, label, names, alphabet) for readout, label in zip(readouts, labels, strict=True)]


def cosine_distance(got: np.ndarray, wanted: np.ndarray) -> list[float]:
    """1 - cos, per query."""
    return [1 - float(r @ v) / float(np.sqrt((r @ r) * (v @ v))) for r, v in zip(got, wanted, strict=True)]
