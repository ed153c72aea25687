"""Pure JAX associative memories: where keys and values come from, how they are written, and what counts as an error."""

from pavlov_cli.memory._build import build_criterion, build_memory
from pavlov_cli.memory._contracts import Criterion, FeatureMap, KeyEnsemble, UpdateRule, ValueEnsemble, product
from pavlov_cli.memory._head import Head
from pavlov_cli.memory._memory import KeySource, Memory, ValueSource, draw_type
from pavlov_cli.memory._random import fold_in

__all__ = [
    "Criterion",
    "FeatureMap",
    "Head",
    "KeyEnsemble",
    "KeySource",
    "Memory",
    "UpdateRule",
    "ValueEnsemble",
    "ValueSource",
    "build_criterion",
    "build_memory",
    "draw_type",
    "fold_in",
    "product",
]
