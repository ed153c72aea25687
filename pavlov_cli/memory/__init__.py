"""Pure JAX associative memories: where keys and values come from, how they are written, and what counts as an error."""

from pavlov_cli.memory._contracts import Criterion, FeatureMap, KeyEnsemble, UpdateRule, ValueEnsemble
from pavlov_cli.memory._memory import KeySource, Memory, build_criterion, build_memory

__all__ = [
    "Criterion",
    "FeatureMap",
    "KeyEnsemble",
    "KeySource",
    "Memory",
    "UpdateRule",
    "ValueEnsemble",
    "build_criterion",
    "build_memory",
]
