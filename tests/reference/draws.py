"""The associations of a trial, derived one random key at a time and computed in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np

from pavlov_cli.engine.draws import COMMON, KEYS, PROBES, VALUES, draw_words

GROUP = 64


@dataclass(frozen=True)
class Drawn:
    """The first n associations of a trial.

    Attributes:
        keys: [n, d_k].
        queries: [n, d_k], the keys where queries are not noisy.
        values: [n, d_v].
        numbers: [n]; the stored items of smallest number are probed.
        labels: [n] which entry of the alphabet a value is; None where there is no alphabet.
        alphabet: [size, d_v] or None.
    """

    keys: np.ndarray
    queries: np.ndarray
    values: np.ndarray
    numbers: np.ndarray
    labels: np.ndarray | None = None
    alphabet: np.ndarray | None = None

    def first(self, n: int) -> Drawn:
        """The first n of them."""
        shorter = {name: None if array is None else array[:n] for name, array in vars(self).items()}
        return Drawn(**shorter | {"alphabet": self.alphabet})

    def probed(self, most: int) -> np.ndarray:
        """Positions of the items that are probed."""
        return np.argsort(self.numbers, kind="stable")[:most]


@partial(jax.jit, static_argnums=1)
def _normal(key: Any, d: int) -> jax.Array:
    return jax.random.normal(key, (d,), "float32")


def normals(key: Any, d: int) -> np.ndarray:
    """The Gaussian draw of a random key."""
    return np.asarray(_normal(key, d), np.float64)


def vector(ensemble: str, key: Any, d: int) -> np.ndarray:
    """A sphere, +-1 or Gaussian vector."""
    gaussian = normals(key, d)
    if ensemble == "rademacher":
        return np.where(gaussian < 0, -1.0, 1.0)
    return gaussian if ensemble == "gaussian" else gaussian / np.linalg.norm(gaussian)


def noisy(key: np.ndarray, noise: np.ndarray, cosine: float) -> np.ndarray:
    """A vector of the key's norm at the given cosine to it, otherwise along the noise."""
    norm = np.linalg.norm(key)
    across = noise - key * (key @ noise) / norm**2
    return cosine * key + np.sqrt(1 - cosine**2) * norm * across / np.linalg.norm(across)


def drawn(spec: Any, trial: int, n: int, rows: np.ndarray | None = None) -> Drawn:
    """A trial's first n associations; ``rows`` are those of a file of values."""
    words = draw_words(spec)
    root = jax.random.fold_in(jax.random.fold_in(jax.random.key(words[0]), words[1]), words[2])
    of_trial = jax.random.fold_in(root, trial)

    @jax.jit
    def key_at(stream: int, j: int) -> Any:
        of_group = jax.random.fold_in(jax.random.fold_in(of_trial, stream), j // GROUP)
        return jax.random.fold_in(of_group, j % GROUP)

    def query(j: int) -> np.ndarray:
        if spec.query_cosine == 1:
            return keys[j]
        return noisy(keys[j], normals(jax.random.fold_in(key_at(KEYS, j), 1), spec.d_k), spec.query_cosine)

    keys = np.stack([vector(spec.key_ensemble.name, key_at(KEYS, j), spec.d_k) for j in range(n)])
    numbers = np.array([int(jax.random.key_data(key_at(PROBES, j))[0]) >> 8 for j in range(n)])
    value_keys = [key_at(VALUES, j) for j in range(n)]
    alphabet, labels = _labelled(spec, value_keys, jax.random.fold_in(of_trial, COMMON), rows)
    if alphabet is None:
        values = np.stack([vector(spec.value_ensemble.name, key, spec.d_v) for key in value_keys])
    else:
        values = alphabet[labels]
    return Drawn(keys, np.stack([query(j) for j in range(n)]), values, numbers, labels, alphabet)


def _labelled(spec: Any, value_keys: list[Any], common: Any, rows: np.ndarray | None) -> tuple[Any, Any]:
    """Alphabet and labels of an ensemble that draws from finitely many values."""
    name, n = spec.value_ensemble.name, len(value_keys)
    if name == "file":
        return np.asarray(rows, np.float64), np.asarray(jax.random.permutation(common, len(rows)))[:n]
    if name == "one_hot":
        alphabet = np.eye(spec.d_v)
    elif name == "codebook":
        entries = jax.random.split(jax.random.fold_in(common, 1), spec.value_ensemble.get("size"))
        alphabet = np.stack([vector("sphere", entry, spec.d_v) for entry in entries])
    else:
        return None, None
    return alphabet, np.array([int(jax.random.randint(key, (), 0, len(alphabet))) for key in value_keys])
