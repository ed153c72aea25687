"""Which memories are one plain Hebbian head, the setting that the laws of a single head describe?"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Spec


def is_single_hebbian_head(
    spec: Spec,
    *,
    criterion: str,
    keys: Collection[str],
    values: Collection[str] | None = None,
    d_k_min: int = 1,
    noisy_queries: bool = False,
    rules: Collection[str] = ("hebb",),
) -> bool:
    """Whether ``spec`` is one Hebbian head without a feature map, judged and fed as the law requires.

    A write strength other than 1 scales the readout, which moves squared errors but no sign, no ranking, no
    direction and no dominance. A state in bfloat16 adds rounding errors that no law describes.

    Args:
        spec: the memory and its criterion.
        criterion: name of the criterion that the law is about.
        keys: names of the key ensembles it covers.
        values: names of the value ensembles it covers; None for all.
        d_k_min: smallest key dimension it covers, >= 1.
        noisy_queries: whether it also covers queries at a cosine below 1 to their key.
        rules: names of the update rules it covers, where it is not about Hebbian writing.

    Returns:
        True where every condition holds.
    """
    plain_head = (
        (spec.depth, spec.width, spec.num_heads) == (1, 1, 1)
        and spec.update_rule.name in rules
        and spec.feature_map.name == "identity"
        and spec.feature_map.get("centre", "none") != "stored"
    )
    exact_arithmetic = spec.precision != "bfloat16"
    plain_queries = noisy_queries or spec.query_cosine == 1.0
    unit_gain = float(spec.update_rule.get("beta", 1.0)) == 1.0 or criterion != "mse"
    ensembles = spec.key_ensemble.name in keys and (values is None or spec.value_ensemble.name in values)
    judged = spec.criterion.name == criterion and spec.d_k >= d_k_min
    return plain_head and exact_arithmetic and plain_queries and unit_gain and ensembles and judged


def counts(n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Numbers of associations as float64.

    Args:
        n: numbers of associations, any shape, each >= 1.

    Returns:
        The same numbers in float64.

    Raises:
        ConfigError: if any is below 1.
    """
    numbers = np.asarray(n, dtype=np.float64)
    if np.any(numbers < 1):
        raise ConfigError(f"num_associations must be >= 1; got {numbers.min():g}.")
    return numbers


def required_target(target_error: float | None, criterion: str) -> float:
    """The target error rate of a criterion that needs one.

    Raises:
        ConfigError: if it is missing or not above 0.
    """
    if target_error is None or not target_error > 0:
        raise ConfigError(f"target_error must be > 0 for criterion '{criterion}'; got {target_error}.")
    return float(target_error)
