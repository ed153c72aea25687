"""Which cells does a sweep have, and what is refused before anything runs?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pavlov_cli.errors import ConfigError
from pavlov_cli.plan.sources import FactsOf, limit_of, read_source, refuse_narrow, resolve_criterion, resolve_values
from pavlov_cli.records import Choice, Spec
from pavlov_cli.vectors import Vectors

READOUT_N_MAX = 65_536  # largest n looked at unless n_max says otherwise
ATTENTION_N_MAX = 4096  # an attention matrix [n, n] is formed up to here
MOST_CELLS = 100_000
SMALLEST_D_K, LARGEST_D_K = 2, 16_384  # looked at by the inverse question
QUERIES = 256  # stored items probed per trial and n, where a criterion does not ask for more


@dataclass(frozen=True)
class Cell:
    """One memory, one criterion: a row of the capacity table.

    Attributes:
        spec: the memory and its criterion.
        target_error: error at which capacity is read; None for ``guaranteed``.
        n_max: largest n looked at.
        attention: judged by the effective attention matrix.
        counted: errors are counted (a proportion), not averaged.
        units: countable units of error per query; 1 for means.
        halves: errors are counted in halves, since a tie counts half.
        baseline: measured for comparison with an ensemble drawn from data.
        vectors: rows of a file that keys are drawn from.
        value_vectors: rows of a file that values are drawn from.
        pool: what a readout is compared with, ``stored`` values or the ``alphabet``; empty where with its own value.
    """

    spec: Spec
    target_error: float | None
    n_max: int
    attention: bool
    counted: bool
    units: int
    halves: bool = False
    baseline: bool = False
    vectors: Vectors | None = None
    value_vectors: Vectors | None = None
    pool: str = ""


def build_cells(settings: Any, facts: FactsOf) -> tuple[Cell, ...]:
    """The cells of a sweep, in grid order.

    Args:
        settings: validated settings (``config.settings.Settings``).
        facts: (group, entry) -> its data sheet.

    Returns:
        Cells; those of a baseline follow the ensemble they are compared with.

    Raises:
        ConfigError: a combination that has no meaning or is not simulated.
        DataError: a key file that cannot be used.
    """
    _refuse_stacks(settings)
    ensembles = [(choice, False) for choice in settings.key_ensemble]
    for choice in settings.key_ensemble:
        baseline = facts("key_ensemble", choice.name).about.get("baseline")
        if baseline and not any(known.name == baseline for known, _ in ensembles):
            ensembles.append((Choice(baseline), True))
    sources = [read_source(choice) for choice in settings.key_ensemble]
    dimensions = settings.d_k or tuple(dict.fromkeys(v.dimension for v in sources if v))
    families = _families(settings, facts, ensembles)
    if len(families) * len(dimensions) > MOST_CELLS:
        count = len(families) * len(dimensions)
        raise ConfigError(f"a sweep must have at most {MOST_CELLS} cells; got {count}. Use fewer values.")
    cells = tuple(family.at(d_k) for d_k in dimensions for family in families)
    _refuse_unreachable(settings.num_associations or (), cells)
    return cells


@dataclass(frozen=True)
class Family:
    """Everything about a cell but d_k.

    Attributes:
        at: d_k -> the cell.
        n: number of associations whose d_k is asked for; None where d_k is given.
    """

    at: Callable[[int], Cell]
    n: int | None = None


def build_families(settings: Any, facts: FactsOf) -> tuple[Family, ...]:
    """What the inverse question, which d_k holds n associations, is asked of: one family per n and memory.

    Raises:
        ConfigError: a combination that has no meaning, or keys whose dimension or number is bounded.
    """
    _refuse_stacks(settings)
    if settings.n_max is not None:
        raise ConfigError(f"n_max does not apply where --n is given; got {settings.n_max}. Leave it out.")
    for choice in settings.key_ensemble:
        if choice.name == "file" or "limit" in facts("key_ensemble", choice.name).about:
            raise ConfigError(
                f"--n asks for a d_k, so keys must exist in any d_k and number; {choice.name} keys do not."
            )
    families = []
    for n in settings.num_associations:
        asked = replace(settings, n_max=n)
        for family in _families(asked, facts, [(choice, False) for choice in settings.key_ensemble]):
            _refuse_unreachable((n,), [family.at(SMALLEST_D_K)])
            families.append(Family(family.at, n))
    return tuple(families)


def first_cells(settings: Any, facts: FactsOf) -> tuple[Cell, ...]:
    """The cells that the inverse question looks at first: d_k about n."""
    return tuple(family.at(first_dimension(family.n or 1)) for family in build_families(settings, facts))


def first_dimension(n: int) -> int:
    """The power of two from which a d_k that holds n is looked for, up or down."""
    return min(max(1 << (n - 1).bit_length(), SMALLEST_D_K), LARGEST_D_K)


def _families(settings: Any, facts: FactsOf, ensembles: Sequence[tuple[Choice, bool]]) -> list[Family]:
    axes = (
        settings.d_v or (None,),
        settings.update_rule,
        settings.feature_map,
        settings.value_ensemble,
        settings.criterion,
        settings.target_error or (None,),
        settings.query_cosine,
        ensembles,
    )
    count = 1
    for axis in axes:
        count *= len(axis)
    if count > MOST_CELLS:
        raise ConfigError(f"a sweep must have at most {MOST_CELLS} cells; got {count}. Use fewer values.")
    families = []
    for combination in itertools.product(*axes):
        criterion, target = combination[4:6]
        if "target_error" not in facts("criterion", criterion.name).about and target != axes[5][0]:
            continue  # one cell for all targets: it has none
        families.append(Family(partial(_cell, settings, facts, combination)))
    return families


def _refuse_unreachable(ns: Sequence[int], cells: Sequence[Cell]) -> None:
    for cell in cells:
        if max(ns, default=0) > cell.n_max:
            raise ConfigError(f"num_associations must be at most {cell.n_max} here ({_why(cell)}); got {max(ns)}.")


def _why(cell: Cell) -> str:
    """What bounds n."""
    for vectors in (cell.vectors, cell.value_vectors):
        if vectors and vectors.count == cell.n_max:
            return f"{vectors.name} has {vectors.count} rows"
    if cell.attention and cell.n_max == ATTENTION_N_MAX:
        return f"{cell.spec.criterion.name} reads an [n, n] matrix"
    if cell.n_max == cell.spec.d_k:
        return f"there are no more {cell.spec.key_ensemble.name} keys"
    return "raise --n-max"


def _refuse_stacks(settings: Any) -> None:
    for name in ("depth", "width", "num_heads"):
        if getattr(settings, name) != (1,):
            got = ",".join(map(str, getattr(settings, name)))
            raise ConfigError(
                f"{name} must be 1 for '{settings.study.replace('_', '-')}': one memory is measured; got {got}."
            )


def _cell(settings: Any, facts: FactsOf, combination: Sequence[Any], d_k: int) -> Cell:
    d_v, update_rule, feature_map, value_ensemble, criterion, target, query_cosine, (key_ensemble, baseline) = (
        combination
    )
    refuse_narrow(facts("key_ensemble", key_ensemble.name), key_ensemble, d_k, query_cosine)
    judged = facts("criterion", criterion.name).about
    attention = judged["reads"] == "attention"
    if attention:
        _refuse_without_attention(facts, criterion, update_rule)
    values = resolve_values(value_ensemble, criterion)
    keys_from, values_from = read_source(key_ensemble), read_source(values, "value_ensemble")
    width = d_v or (values_from.dimension if values_from else d_k)
    _refuse_mismatch(keys_from, values_from, d_k, width)
    limits = (
        settings.n_max or READOUT_N_MAX,
        ATTENTION_N_MAX if attention else None,
        limit_of(facts("key_ensemble", key_ensemble.name), key_ensemble, d_k, keys_from),
        limit_of(facts("value_ensemble", values.name), values, width, values_from),
    )
    own_target = judged.get("target_error")
    spec = Spec(
        d_k=d_k,
        d_v=width,
        d_phi=facts("feature_map", feature_map.name).dimension(d_k, dict(feature_map.parameters)),
        key_ensemble=key_ensemble,
        value_ensemble=values,
        feature_map=feature_map,
        update_rule=update_rule,
        criterion=resolve_criterion(facts, criterion, values, width, values_from),
        queries=settings.queries or judged.get("queries", QUERIES),
        precision=settings.precision,
        seed=settings.seed,
        data_digest=keys_from.digest if keys_from else "",
        value_digest=values_from.digest if values_from else "",
        query_cosine=query_cosine,
    )
    return Cell(
        spec=spec,
        target_error=None if own_target is None else (target or own_target),
        n_max=min(limit for limit in limits if limit is not None),
        attention=attention,
        counted=judged["counted"],
        units=width if judged["unit"] == "coordinate" else 1,
        halves=judged.get("halves", False),
        baseline=baseline,
        vectors=keys_from,
        value_vectors=values_from,
        pool=judged.get("pool", "") if judged["reads"] == "distractors" else "",
    )


def _refuse_without_attention(facts: FactsOf, criterion: Choice, update_rule: Choice) -> None:
    if not facts("update_rule", update_rule.name).about.get("linear_in_values"):
        raise ConfigError(
            f"criterion {criterion.name} needs a rule that is linear in the values, since only then an attention "
            f"matrix exists; {update_rule.name} is not. Choose another criterion or rule."
        )


def _refuse_mismatch(keys: Vectors | None, values: Vectors | None, d_k: int, d_v: int) -> None:
    for name, vectors, dimension in (("d_k", keys, d_k), ("d_v", values, d_v)):
        if vectors and vectors.dimension != dimension:
            raise ConfigError(
                f"{name} must be {vectors.dimension}, the dimension of the vectors of {vectors.name}; got {dimension}."
            )
    if keys and values and keys.count != values.count:
        raise ConfigError(
            "keys and values from files belong together row by row, so both must have equally many rows; "
            f"got {keys.count} ({keys.name}) and {values.count} ({values.name})."
        )
