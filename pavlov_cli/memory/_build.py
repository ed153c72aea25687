"""Which memory and which criterion does a spec describe?"""

from __future__ import annotations

from typing import Any

from pavlov_cli.memory._contracts import Criterion
from pavlov_cli.memory._head import Head
from pavlov_cli.memory._memory import Memory
from pavlov_cli.records import Choice, Spec
from pavlov_cli.registry import entry_class


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
    return Head(
        dtype=spec.precision,
        d_k=spec.d_k,
        d_v=spec.d_v,
        key_ensemble=_build("key_ensemble", spec.key_ensemble),
        value_ensemble=_build("value_ensemble", spec.value_ensemble),
        feature_map=_build("feature_map", spec.feature_map),
        update_rule=_build("update_rule", spec.update_rule),
        query_cosine=spec.query_cosine,
    )


def build_criterion(spec: Spec) -> Criterion:
    """The criterion that a spec names."""
    return _build("criterion", spec.criterion)
