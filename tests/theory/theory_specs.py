"""How are memories spelled in the theory tests?"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal

import numpy as np

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
    key_parameters: tuple[tuple[str, Scalar], ...] = (),
    values: str = "rademacher",
    value_parameters: tuple[tuple[str, Scalar], ...] = (),
    margin: float | None = None,
    criterion_parameters: tuple[tuple[str, Scalar], ...] = (),
    rule: str = "hebb",
    rule_parameters: tuple[tuple[str, Scalar], ...] = (),
    feature_map: str = "identity",
    depth: int = 1,
    width: int = 1,
    num_heads: int = 1,
    precision: Literal["float32", "float64", "bfloat16"] = "float32",
    query_cosine: float = 1.0,
) -> Spec:
    """One memory; everything not named is the plain Hebbian head."""
    return Spec(
        d_k=d_k,
        d_v=d_v or d_k,
        d_phi=d_k,
        key_ensemble=Choice(keys, key_parameters),
        value_ensemble=Choice(values, value_parameters),
        feature_map=Choice(feature_map),
        update_rule=Choice(rule, rule_parameters),
        criterion=Choice(criterion, criterion_parameters if margin is None else (("margin", margin),)),
        depth=depth,
        width=width,
        num_heads=num_heads,
        precision=precision,
        query_cosine=query_cosine,
    )


def draw(generator: np.random.Generator, ensemble: str, trials: int, n: int, d: int) -> np.ndarray:
    """Vectors [trials, n, d] of an ensemble: of unit norm, but for ``gaussian``, whose components are standard normal.

    ``codebook`` has 4 vectors a trial, ``one_hot`` takes each coordinate with the same probability.
    """
    if ensemble == "one_hot":
        return np.eye(d)[generator.integers(d, size=(trials, n))]
    if ensemble == "codebook":
        entries = draw(generator, "sphere", trials, 4, d)
        return np.take_along_axis(entries, generator.integers(4, size=(trials, n, 1)), axis=1)
    drawn = generator.standard_normal((trials, n, d))
    if ensemble == "gaussian":
        return drawn
    drawn = np.sign(drawn) if ensemble == "rademacher" else drawn
    return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
