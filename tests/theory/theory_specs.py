"""How are memories spelled in the theory tests?"""

from __future__ import annotations

import csv
from pathlib import Path

from pavlov_cli.records import Choice, Scalar, Spec

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(name: str) -> list[dict[str, float]]:
    """The rows of a golden table."""
    with (GOLDEN / name).open(encoding="ascii") as file:
        return [{column: float(value) for column, value in row.items()} for row in csv.DictReader(file)]


def spec(
    criterion: str,
    *,
    d_k: int = 16,
    d_v: int | None = None,
    keys: str = "sphere",
    values: str = "rademacher",
    margin: float | None = None,
    rule: str = "hebb",
    rule_parameters: tuple[tuple[str, Scalar], ...] = (),
    feature_map: str = "identity",
    depth: int = 1,
    width: int = 1,
    num_heads: int = 1,
) -> Spec:
    """One memory; everything not named is the plain Hebbian head."""
    return Spec(
        d_k=d_k,
        d_v=d_v or d_k,
        d_phi=d_k,
        key_ensemble=Choice(keys),
        value_ensemble=Choice(values),
        feature_map=Choice(feature_map),
        update_rule=Choice(rule, rule_parameters),
        criterion=Choice(criterion, () if margin is None else (("margin", margin),)),
        depth=depth,
        width=width,
        num_heads=num_heads,
    )
