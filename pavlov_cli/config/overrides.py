"""What did the user ask for? Splits ``key=value`` words into groups, parameters, axes and settings.

Hydra's own parser refuses comma lists, ranges and paths with ``~ = (``, so words are understood here and only plain
scalars are handed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from pavlov_cli.config.sheets import entries, read_sheet
from pavlov_cli.errors import ConfigError, unknown_name
from pavlov_cli.records import Scalar
from pavlov_cli.registry import GROUPS

AXES = ("d_k", "d_v", "num_associations", "depth", "width", "num_heads")
_WORD = re.compile(r"([^=\s]+)=(.*)", re.DOTALL)


@dataclass
class Overrides:
    """Words sorted by what they set; later words win.

    Attributes:
        groups: group -> names chosen.
        parameters: (group, parameter) -> values chosen.
        settings: axis or setting -> text.
    """

    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: dict[tuple[str, str], tuple[Scalar, ...]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)


def scalar(text: str) -> Scalar:
    """A YAML scalar: number, boolean, null or text."""
    import yaml

    if not text.strip():
        return text  # an empty shell variable is a mistake, not null
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+", value):
        return float(value)  # YAML 1.1 reads 1e-3 as text
    return value if isinstance(value, (bool, int, float, str)) or value is None else text


def split_overrides(words: Iterable[str], known_settings: Iterable[str]) -> Overrides:
    """Sorts override words.

    Args:
        words: as typed, such as ``criterion=sign,mse`` or ``d_k=64..256``.
        known_settings: names of plain settings and axes.

    Returns:
        The sorted words.

    Raises:
        ConfigError: not an override, an unknown name (the nearest are listed), or a form that is refused.
    """
    found = Overrides()
    settings = tuple(known_settings)
    for word in words:
        match = _WORD.fullmatch(word)
        if not match:
            raise ConfigError(f"'{word}' must be an override such as criterion=sign or d_k=64..1024.")
        key, text = match[1], match[2]
        _refuse(key, text)
        group, _, parameter = key.partition(".")
        if key in GROUPS:
            found.groups[key] = _group_names(key, text)
        elif group in GROUPS:
            found.parameters[group, parameter] = _parameter_values(group, parameter, text)
        elif key in settings:
            found.settings[key] = text
        else:
            raise unknown_name("override", key, _known_keys(settings))
    return found


def _refuse(key: str, text: str) -> None:
    if key[0] in "+~" or key.startswith("hydra.") or key == "hydra" or "_target_" in key or "about" in key.split("."):
        raise ConfigError(f"override '{key}' is refused: it may only set a group, a parameter, an axis or a setting.")
    if "${" in text or "_target_" in text:
        raise ConfigError(f"the value of '{key}' is refused: interpolations and _target_ are not evaluated.")


def _group_names(group: str, text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        read_sheet(group, name)  # raises for an unknown name
    return names


def _parameter_values(group: str, parameter: str, text: str) -> tuple[Scalar, ...]:
    rules = {
        name: rule for entry in entries(group) for name, rule in read_sheet(group, entry).about["parameters"].items()
    }
    if parameter not in rules:
        raise unknown_name(f"parameter of {group}", parameter, rules)
    if rules[parameter]["type"] == "str":
        return (text,)  # a path may hold commas
    return tuple(dict.fromkeys(scalar(part.strip()) for part in text.split(",")))


def _known_keys(settings: Iterable[str]) -> list[str]:
    parameters = [
        f"{group}.{name}"
        for group in GROUPS
        for entry in entries(group)
        for name in read_sheet(group, entry).about["parameters"]
    ]
    return [*settings, *GROUPS, *dict.fromkeys(parameters)]
