"""What does the data sheet of a registry entry say, without importing the entry's code?

A sheet is ``configs/<group>/<name>.yaml``: parameters with their defaults, and an ``about`` block with summary, source,
legal ranges and the facts that validation needs before jax is loaded. Tests hold sheets and code equal.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pavlov_cli.errors import ConfigError, unknown_name
from pavlov_cli.records import Choice, Scalar
from pavlov_cli.registry import label, resource_root

_TYPES: Mapping[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
_OPERATORS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Pow: operator.pow}


@dataclass(frozen=True)
class Sheet:
    """The data sheet of one entry.

    Attributes:
        group: registry.
        name: file stem.
        defaults: parameter -> default.
        about: summary, source, legal ranges, facts.
    """

    group: str
    name: str
    defaults: Mapping[str, Scalar]
    about: Mapping[str, Any]

    def dimension(self, d_k: int, parameters: Mapping[str, Scalar]) -> int:
        """d_phi of a feature map, from the formula on its sheet."""
        return self.number("dimension", {"d_k": d_k, **parameters})

    def number(self, fact: str, names: Mapping[str, Scalar]) -> int:
        """A whole number that the sheet states as a formula (names, integers, ``+``, ``*``, ``**``)."""

        def value(node: ast.AST) -> int:
            if isinstance(node, ast.BinOp):
                return _OPERATORS[type(node.op)](value(node.left), value(node.right))
            if isinstance(node, ast.Name):
                return int(names[node.id] or 0)
            return int(ast.literal_eval(node))

        return value(ast.parse(str(self.about[fact]), mode="eval").body)

    def check(self, parameters: Mapping[str, Scalar]) -> Choice:
        """The choice with these parameters, each checked against its legal range.

        Raises:
            ConfigError: a parameter of the wrong type, outside its range, or required and missing.
        """
        checked = {
            name: self._check_one(name, value, self.about["parameters"][name]) for name, value in parameters.items()
        }
        return Choice(self.name, tuple(checked.items()))

    def _check_one(self, name: str, value: Scalar, rule: Mapping[str, Any]) -> Scalar:
        title = f"{self.group}.{name}"
        if rule.get("required") and value in (None, ""):
            raise ConfigError(f"{title} must be given: {rule['help']}. Write {title}=...")
        if value is None:
            if self.defaults[name] is not None:
                raise ConfigError(
                    f"{title} must be of type {rule['type']}; got null. Leave it out for {self.defaults[name]}."
                )
            return None
        kinds = _TYPES[rule["type"]]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise ConfigError(f"{title} must be of type {rule['type']}; got '{value}'.")
        limits = (
            ("above", ">", lambda v, limit: v > limit),
            ("at_least", ">=", lambda v, limit: v >= limit),
            ("below", "<", lambda v, limit: v < limit),
            ("at_most", "<=", lambda v, limit: v <= limit),
        )
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{title} must be finite; got {value}.")
        for key, sign, holds in limits:
            if key in rule and not holds(value, rule[key]):
                raise ConfigError(f"{title} must be {sign} {rule[key]}; got {value}.")
        if "choices" in rule and value not in rule["choices"]:
            raise unknown_name(title, str(value), map(str, rule["choices"]))
        return float(value) if rule["type"] == "float" else value


@cache
def entries(group: str) -> tuple[str, ...]:
    """Sorted names of every sheet of a group."""
    return tuple(sorted(path.stem for path in (resource_root("configs") / group).glob("*.yaml")))


@cache
def read_sheet(group: str, name: str) -> Sheet:
    """The sheet of an entry.

    Raises:
        ConfigError: no such entry.
    """
    import yaml

    if name not in entries(group):
        raise unknown_name(label(group), name, entries(group))
    text = (resource_root("configs") / group / f"{name}.yaml").read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    about = content.pop("about")
    return Sheet(group, name, content, about)
