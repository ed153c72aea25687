"""Which entries exist in each group, and where do their code and their data sheet lie?

An entry is a file stem: ``memory/update_rules/hebb.py`` holds the mathematics, ``configs/update_rule/hebb.yaml`` the
defaults, legal ranges, summary and source. Listing reads folder names only, so ``--help`` and validation never import
jax.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pavlov_cli.errors import DataError, unknown_name

PACKAGE = Path(__file__).parent

# configuration group -> folder of code below pavlov_cli/memory
GROUPS = MappingProxyType(
    {
        "key_ensemble": "key_ensembles",
        "value_ensemble": "value_ensembles",
        "feature_map": "feature_maps",
        "update_rule": "update_rules",
        "criterion": "criteria",
    }
)


@cache
def resource_root(name: str) -> Path:
    """The folder ``configs`` or ``experiments``: beside the modules in a wheel, else beside the package in a checkout.

    Args:
        name: folder name.

    Returns:
        An existing folder.

    Raises:
        DataError: the installation lacks the folder.
    """
    # A checkout is recognised by its pyproject.toml: an editable install may leave a stale copy inside the package.
    checkout = PACKAGE.parent / name
    if (PACKAGE.parent / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    installed = PACKAGE / name
    if installed.is_dir():
        return installed
    raise DataError(f"the installation lacks its '{name}' folder; reinstall pavlov.")


def names(group: str) -> tuple[str, ...]:
    """Sorted names of every entry of a group that has code.

    Args:
        group: a key of ``GROUPS``.

    Returns:
        File stems; private files (leading underscore) are not entries.
    """
    folder = PACKAGE / "memory" / GROUPS[group]
    return tuple(sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")))


@cache
def default_of(group: str, name: str, parameter: str) -> Any:
    """Default of an entry's parameter, from its data sheet; None where it has no such parameter or no default."""
    import yaml

    sheet = resource_root("configs") / group / f"{name}.yaml"
    return yaml.safe_load(sheet.read_text(encoding="utf-8")).get(parameter) if sheet.is_file() else None


def entry_class(group: str, name: str) -> Any:
    """The class behind an entry; importing it imports jax.

    Args:
        group: a key of ``GROUPS``.
        name: a file stem of the group.

    Returns:
        The module's ``ENTRY``: a frozen dataclass whose fields are the entry's parameters.

    Raises:
        ConfigError: no such entry.
    """
    if name not in names(group):
        raise unknown_name(label(group), name, names(group))
    return importlib.import_module(f"pavlov_cli.memory.{GROUPS[group]}.{name}").ENTRY


def label(group: str) -> str:
    """The group in a reader's words: ``key_ensemble`` -> ``key ensemble``."""
    return group.replace("_", " ")
