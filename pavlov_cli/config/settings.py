"""Which settings does a run have, validated and frozen?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args, get_origin, get_type_hints

from pavlov_cli.config.overrides import AXES
from pavlov_cli.errors import ConfigError, unknown_name
from pavlov_cli.records import Choice

# settings that say how precisely and where to compute, not what: they do not change a run's folder
BUDGET = ("half_width", "max_trials", "trials", "device_count")


@dataclass(frozen=True)
class Settings:
    """A validated configuration: what one command runs.

    Attributes mirror ``configs/base.yaml``; axes hold their values, groups every choice of the sweep.
    """

    study: str
    d_k: tuple[int, ...]
    d_v: tuple[int, ...] | None
    num_associations: tuple[int, ...] | None
    depth: tuple[int, ...]
    width: tuple[int, ...]
    num_heads: tuple[int, ...]
    key_ensemble: tuple[Choice, ...]
    value_ensemble: tuple[Choice, ...]
    feature_map: tuple[Choice, ...]
    update_rule: tuple[Choice, ...]
    criterion: tuple[Choice, ...]
    query_cosine: tuple[float, ...]
    seed: int
    queries: int | None
    n_max: int | None
    target_error: tuple[float, ...] | None
    confidence: float
    half_width: float
    max_trials: int
    trials: int | None
    precision: str
    platform: str | None
    device_count: int | None


_AT_LEAST = {"seed": 0, "queries": 1, "n_max": 1, "max_trials": 8, "trials": 2, "device_count": 1}
_AT_MOST = {
    "seed": 2**32 - 1,
    "queries": 65_536,
    "n_max": 2**24,
    "max_trials": 2**24,
    "trials": 2**24,
    "device_count": 256,
}
_CHOICES = {"precision": ("float32", "float64", "bfloat16"), "platform": ("cpu", "gpu", "tpu")}


def _check_scalar(name: str, value: Any, hint: Any) -> Any:
    allowed = get_args(hint) if get_origin(hint) is not None and not isinstance(hint, type) else (hint,)
    if value is None:
        if type(None) in allowed:
            return None
        raise ConfigError(f"{name} must be given; got null.")
    if isinstance(value, bool):
        raise ConfigError(f"{name} must be a number; got {str(value).lower()}.")
    if int in allowed:
        if not isinstance(value, int):
            raise ConfigError(f"{name} must be a whole number; got '{value}'.")
        if not _AT_LEAST[name] <= value <= _AT_MOST[name]:
            raise ConfigError(f"{name} must be between {_AT_LEAST[name]} and {_AT_MOST[name]}; got {value}.")
    elif float in allowed:
        if not isinstance(value, (int, float)):
            raise ConfigError(f"{name} must be a number; got '{value}'.")
        if not (math.isfinite(value) and 0 < value < 1):
            raise ConfigError(f"{name} must be between 0 and 1 (both excluded); got {value}.")
        return float(value)
    elif value not in _CHOICES[name]:
        raise unknown_name(name, str(value), _CHOICES[name])
    return value


def make_settings(study: str, content: Mapping[str, Any]) -> Settings:
    """Checks every value and freezes them.

    Args:
        study: command, with underscores.
        content: axes as tuples of integers, groups as tuples of choices, settings as plain values.

    Raises:
        ConfigError: a value of the wrong type or outside its range.
    """
    hints = get_type_hints(Settings)
    checked: dict[str, Any] = {"study": study}
    for field in fields(Settings):
        if field.name == "study":
            continue
        value = content[field.name]
        structured = field.name in (*AXES, "target_error") or isinstance(value, tuple)
        checked[field.name] = value if structured else _check_scalar(field.name, value, hints[field.name])
    return Settings(**checked)
