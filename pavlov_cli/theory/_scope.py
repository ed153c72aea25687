"""Which memories are one plain Hebbian head, the setting that the laws of a single head describe?"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Spec


def is_single_hebbian_head(
    spec: Spec, *, criterion: str, keys: Collection[str], values: Collection[str] | None = None, d_k_min: int = 1
) -> bool:
    """Whether ``spec`` is one Hebbian head without a feature map, probed with its own keys, as the law requires.

    A write strength other than 1 scales the readout, which moves squared errors but no sign and no dominance.

    Args:
        spec: the memory and its criterion.
        criterion: name of the criterion that the law is about.
        keys: names of the key ensembles it covers.
        values: names of the value ensembles it covers; None for all.
        d_k_min: smallest key dimension it covers, >= 1.

    Returns:
        True where every condition holds.
    """
    plain_head = (
        (spec.depth, spec.width, spec.num_heads) == (1, 1, 1)
        and spec.update_rule.name == "hebb"
        and spec.feature_map.name == "identity"
        and spec.feature_map.get("centre", "none") != "stored"
        and spec.query_cosine == 1
    )
    unit_gain = float(spec.update_rule.get("beta", 1.0)) == 1.0 or criterion != "mse"
    ensembles = spec.key_ensemble.name in keys and (values is None or spec.value_ensemble.name in values)
    return plain_head and unit_gain and ensembles and spec.criterion.name == criterion and spec.d_k >= d_k_min


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
