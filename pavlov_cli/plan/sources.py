"""Where do a cell's keys and values come from, once defaults are resolved and files are read?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Choice
from pavlov_cli.vectors import Vectors, read_vectors


class Facts(Protocol):
    """What the grid needs to know of an entry: its data sheet."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Summary, source, legal ranges, facts."""

    def dimension(self, d_k: int, parameters: Mapping[str, Any]) -> int:
        """d_phi of a feature map."""

    def number(self, fact: str, names: Mapping[str, Any]) -> int:
        """A whole number stated as a formula."""


FactsOf = Callable[[str, str], Facts]  # (group, entry) -> its data sheet


def read_source(ensemble: Choice, group: str = "key_ensemble") -> Vectors | None:
    """The rows behind a file ensemble; None for the others.

    Keys are scaled to unit norm one by one; values by one common factor, so that their norms keep their ratios.

    Args:
        ensemble: a key or value ensemble.
        group: ``key_ensemble`` or ``value_ensemble``.

    Raises:
        DataError: the file cannot be used.
    """
    if ensemble.name != "file":
        return None
    picked = (ensemble.get("array"), ensemble.get("layer"), ensemble.get("head"))
    return read_vectors(str(ensemble.get("path")), *picked, group=group)


def limit_of(facts: Facts, choice: Choice, dimension: int, vectors: Vectors | None) -> int | None:
    """Most associations that an ensemble can supply to one trial; None if unbounded."""
    if vectors:
        return vectors.count
    if "limit" not in facts.about:
        return None
    return facts.number("limit", {"d_k": dimension, "d_v": dimension, **dict(choice.parameters)})


def refuse_narrow(facts: Facts, keys: Choice, d_k: int, query_cosine: float) -> None:
    """Refuses keys and noisy queries that need a second dimension: in one, no direction is orthogonal to another.

    Raises:
        ConfigError: d_k is too small.
    """
    least = facts.about.get("d_k_min", 1)
    if d_k < least:
        raise ConfigError(f"d_k must be at least {least} for {keys.name} keys; got {d_k}.")
    if d_k < 2 and query_cosine != 1:
        raise ConfigError(f"d_k must be at least 2 for query.cosine={query_cosine:g}; got {d_k}.")


def resolve_values(value_ensemble: Choice, criterion: Choice) -> Choice:
    """``auto`` becomes +-1 values for ``sign``, a codebook for ``codebook``, the unit sphere otherwise.

    With sphere values a 1% sign capacity would be below 3 for any d: small coordinates lose their sign at once.
    """
    if value_ensemble.name != "auto":
        return value_ensemble
    if criterion.name == "codebook":
        return Choice("codebook", (("size", criterion.get("codebook_size")),))
    return Choice("rademacher" if criterion.name == "sign" else "sphere")


def resolve_criterion(facts: FactsOf, criterion: Choice, values: Choice, d_v: int, rows: Vectors | None) -> Choice:
    """A criterion that compares with an alphabet is told its size, where the value ensemble brings its own.

    Raises:
        ConfigError: the value ensemble has no alphabet, or one of another size than was asked for.
    """
    if facts("criterion", criterion.name).about.get("pool") != "alphabet":
        return criterion
    sheet = facts("value_ensemble", values.name)
    if "alphabet" not in sheet.about:
        raise ConfigError(
            f"criterion {criterion.name} needs values that are drawn from a finite set; {values.name} values are not. "
            "Leave value_ensemble out, or use codebook, one_hot or file."
        )
    size = rows.count if rows else sheet.number("alphabet", {"d_v": d_v, **dict(values.parameters)})
    asked = criterion.get("codebook_size")
    default = facts("criterion", criterion.name).number("default_size", {})
    if asked not in (size, default):
        raise ConfigError(
            f"criterion.codebook_size must be {size}, the number of {values.name} values; got {asked}. Leave it out."
        )
    return Choice(criterion.name, (("codebook_size", size),))
