"""Which cells does a sweep have, and what is refused before anything runs?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Choice, Spec
from pavlov_cli.vectors import Vectors, read_vectors

READOUT_N_MAX = 65_536  # largest n looked at unless n_max says otherwise
ATTENTION_N_MAX = 4096  # an attention matrix [n, n] is formed up to here
MOST_CELLS = 100_000


class Facts(Protocol):
    """What the grid needs to know of an entry: its data sheet."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Summary, source, legal ranges, facts."""

    def dimension(self, d_k: int, parameters: Mapping[str, Any]) -> int:
        """d_phi of a feature map."""


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
        baseline: measured for comparison with an ensemble drawn from data.
        vectors: rows of a file ensemble.
    """

    spec: Spec
    target_error: float | None
    n_max: int
    attention: bool
    counted: bool
    units: int
    baseline: bool = False
    vectors: Vectors | None = None


def build_cells(settings: Any, facts: Callable[[str, str], Facts]) -> tuple[Cell, ...]:
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
    axes = (
        dimensions,
        settings.d_v or (None,),
        settings.update_rule,
        settings.feature_map,
        settings.value_ensemble,
        settings.criterion,
        ensembles,
    )
    count = 1
    for axis in axes:
        count *= len(axis)
    if count > MOST_CELLS:
        raise ConfigError(f"a sweep must have at most {MOST_CELLS} cells; got {count}. Use fewer values.")
    cells = tuple(_cell(settings, facts, *combination) for combination in itertools.product(*axes))
    _refuse_unreachable(settings.num_associations or (), cells)
    return cells


def _refuse_unreachable(ns: Sequence[int], cells: Sequence[Cell]) -> None:
    for cell in cells:
        if max(ns, default=0) > cell.n_max:
            keys = f"{cell.vectors.name} has {cell.vectors.count} rows" if cell.vectors else "raise --n-max"
            if cell.attention and not cell.vectors:
                keys = f"{cell.spec.criterion.name} reads an [n, n] matrix"
            raise ConfigError(f"num_associations must be at most {cell.n_max} here ({keys}); got {max(ns)}.")


def _refuse_stacks(settings: Any) -> None:
    for name in ("depth", "width", "num_heads"):
        if getattr(settings, name) != (1,):
            got = ",".join(map(str, getattr(settings, name)))
            raise ConfigError(
                f"{name} must be 1 for '{settings.study.replace('_', '-')}': one memory is measured; got {got}."
            )


def read_source(ensemble: Choice) -> Vectors | None:
    """The rows behind a file ensemble; None for the others.

    Raises:
        DataError: the file cannot be used.
    """
    if ensemble.name != "file":
        return None
    return read_vectors(str(ensemble.get("path")), ensemble.get("array"), ensemble.get("layer"), ensemble.get("head"))


def _cell(
    settings: Any,
    facts: Callable[[str, str], Facts],
    d_k: int,
    d_v: int | None,
    update_rule: Choice,
    feature_map: Choice,
    value_ensemble: Choice,
    criterion: Choice,
    ensemble: tuple[Choice, bool],
) -> Cell:
    key_ensemble, baseline = ensemble
    judged = facts("criterion", criterion.name).about
    vectors = read_source(key_ensemble)
    if vectors and vectors.dimension != d_k:
        raise ConfigError(
            f"d_k must be {vectors.dimension}, the dimension of the vectors of {vectors.name}; got {d_k}."
        )
    attention = judged["reads"] == "attention"
    if attention and not facts("update_rule", update_rule.name).about.get("linear_in_values"):
        raise ConfigError(
            f"criterion {criterion.name} needs a rule that is linear in the values, since only then an attention "
            f"matrix exists; {update_rule.name} is not. Choose another criterion or rule."
        )
    limits = [settings.n_max or (ATTENTION_N_MAX if attention else READOUT_N_MAX)]
    limits += [ATTENTION_N_MAX] if attention else []
    limits += [vectors.count] if vectors else []
    own_target = judged.get("target_error")
    width = d_v or d_k
    spec = Spec(
        d_k=d_k,
        d_v=width,
        d_phi=facts("feature_map", feature_map.name).dimension(d_k, dict(feature_map.parameters)),
        key_ensemble=key_ensemble,
        value_ensemble=resolve_values(value_ensemble, criterion),
        feature_map=feature_map,
        update_rule=update_rule,
        criterion=criterion,
        queries=settings.queries,
        precision=settings.precision,
        seed=settings.seed,
        data_digest=vectors.digest if vectors else "",
    )
    return Cell(
        spec=spec,
        target_error=None if own_target is None else (settings.target_error or own_target),
        n_max=min(limits),
        attention=attention,
        counted=judged["counted"],
        units=width if judged["unit"] == "coordinate" else 1,
        baseline=baseline,
        vectors=vectors,
    )


def resolve_values(value_ensemble: Choice, criterion: Choice) -> Choice:
    """``auto`` becomes +-1 values for the sign criterion and the unit sphere otherwise; other choices stay.

    With sphere values a 1% sign capacity would be below 3 for any d: small coordinates lose their sign at once.
    """
    if value_ensemble.name != "auto":
        return value_ensemble
    return Choice("rademacher" if criterion.name == "sign" else "sphere")
