"""How are memories spelled in the tests?"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.records import Choice, Scalar, Spec


def choice(group: str, name: str, **parameters: Scalar) -> Choice:
    """An entry with its defaults, some replaced."""
    return Choice(name, tuple({**read_sheet(group, name).defaults, **parameters}.items()))


def make_spec(
    criterion: str = "mse",
    *,
    d_k: int = 16,
    d_v: int | None = None,
    keys: str = "sphere",
    values: str | None = None,
    precision: str = "float32",
    seed: int = 0,
    queries: int = 256,
    margin: float = 1.0,
    query_cosine: float = 1.0,
    key_parameters: Mapping[str, Scalar] = MappingProxyType({}),
    value_parameters: Mapping[str, Scalar] = MappingProxyType({}),
    criterion_parameters: Mapping[str, Scalar] = MappingProxyType({}),
    rule: str = "hebb",
    rule_parameters: Mapping[str, Scalar] = MappingProxyType({}),
) -> Spec:
    """One head, Hebbian unless another rule is named; values are +-1 for ``sign`` and the sphere otherwise."""
    parameters = {"margin": margin} if criterion == "guaranteed" else dict(criterion_parameters)
    resolved = values or ("rademacher" if criterion == "sign" else "sphere")
    return Spec(
        d_k=d_k,
        d_v=d_v or d_k,
        d_phi=d_k,
        key_ensemble=choice("key_ensemble", keys, **key_parameters),
        value_ensemble=choice("value_ensemble", resolved, **value_parameters),
        feature_map=choice("feature_map", "identity"),
        update_rule=choice("update_rule", rule, **rule_parameters),
        criterion=choice("criterion", criterion, **parameters),
        queries=queries,
        precision=precision,  # type: ignore[arg-type]  # a plain text, so that tests can parametrise it
        seed=seed,
        query_cosine=query_cosine,
    )
