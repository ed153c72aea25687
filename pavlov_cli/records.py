"""What is measured, where, and what came out: the frozen records that every layer shares.

A ``Spec`` is everything that defines a simulation; a ``Point`` is a spec at one number of associations; ``TrialValues``
are the raw per-trial results at a point, which add up across blocks; an ``Estimate`` is what statistics make of them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

Scalar = bool | int | float | str | None
TRIALS_PER_BLOCK = 4  # work unit: a block is trials [4 b, 4 b + 4)


@dataclass(frozen=True)
class Choice:
    """One entry of a registry with its parameters, e.g. ``criterion=guaranteed`` with ``margin = 0.5``.

    Attributes:
        name: file stem of the entry.
        parameters: (name, value) pairs sorted by name; hashable, so a choice can be a static argument of a compiled
        function.
    """

    name: str
    parameters: tuple[tuple[str, Scalar], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(sorted(self.parameters)))

    def get(self, parameter: str, default: Scalar = None) -> Any:
        """The value of ``parameter``, or ``default`` where the entry has none of that name."""
        return dict(self.parameters).get(parameter, default)


@dataclass(frozen=True)
class Spec:
    """Everything that defines one simulated memory and how it is judged, except the number of associations.

    Attributes:
        d_k: key dimension, >= 1.
        d_v: value dimension, >= 1.
        d_phi: feature dimension (d_k for the identity map).
        key_ensemble: where keys come from.
        value_ensemble: where values come from, already resolved (never ``auto``).
        feature_map: phi, applied to keys and queries.
        update_rule: how associations are written and read.
        criterion: what counts as an error.
        queries: most stored items probed per trial and n, >= 1.
        depth: memory layers stacked, >= 1.
        width: parallel circuits, >= 1.
        num_heads: redundant heads, >= 1.
        precision: floating-point type of state and readout.
        seed: root integer of all random numbers.
        data_digest: SHA-256 of the vectors that keys are drawn from; empty where they are no file's.
        value_digest: SHA-256 of the vectors that values are drawn from; empty where they are no file's.
        query_cosine: cosine between a query and its stored key, in (0, 1]; 1 probes with the key itself.
    """

    d_k: int
    d_v: int
    d_phi: int
    key_ensemble: Choice
    value_ensemble: Choice
    feature_map: Choice
    update_rule: Choice
    criterion: Choice
    queries: int = 256
    depth: int = 1
    width: int = 1
    num_heads: int = 1
    precision: Literal["float32", "float64", "bfloat16"] = "float32"
    seed: int = 0
    data_digest: str = ""
    value_digest: str = ""
    query_cosine: float = 1.0

    def with_criterion(self, criterion: Choice) -> Spec:
        """The same memory, judged differently."""
        return replace(self, criterion=criterion)


def digest(content: Any) -> str:
    """SHA-256 (hex) of any JSON-serialisable content; equal content gives equal digests on every machine."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True)
class Point:
    """A spec at one number of associations: the grid cell whose trials are stored and resumed.

    Attributes:
        spec: the memory and its criterion.
        num_associations: n >= 1; for ``guaranteed`` the largest n searched, since one trial answers for every n.
        platform: ``cpu``, ``gpu`` or ``tpu``.
        kernel_version: changes when the engine's arithmetic changes, so older rows are not mixed with newer ones.
    """

    spec: Spec
    num_associations: int
    platform: str = "cpu"
    kernel_version: str = ""

    @property
    def id(self) -> str:
        """SHA-256 of everything that defines the point; not of host, device count or budget."""
        return _point_id(self)


@lru_cache(maxsize=100_000)
def _point_id(point: Point) -> str:
    # a sweep asks for the same few thousand ids again and again
    return digest(asdict(point))


@dataclass(frozen=True)
class TrialValues:
    """Per-trial results of one or more consecutive blocks at a point; ``a + b`` joins them in order.

    Attributes:
        values: one number per trial: an integer numerator for counted criteria, a float mean for the others, the
            number of associations held for ``guaranteed``.
        denominator: what each value is divided by to give the trial's error rate (1 for means).
        queries: stored items probed per trial.
    """

    values: tuple[int, ...] | tuple[float, ...]
    denominator: int = 1
    queries: int = 0

    def __add__(self, other: TrialValues) -> TrialValues:
        if (self.denominator, self.queries) != (other.denominator, other.queries):
            raise ValueError(
                "trial values add up only when they count the same thing; got denominators "
                f"{self.denominator} and {other.denominator}, queries {self.queries} and {other.queries}."
            )
        return TrialValues((*self.values, *other.values), self.denominator, self.queries)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes:
        value: the estimate; None where it lies beyond what was measured (censored).
        low: lower limit; None where unbounded or unknown.
        high: upper limit; None where unbounded or unknown.
        trials: independent trials behind it.
    """

    value: float | None
    low: float | None
    high: float | None
    trials: int = 0


@dataclass(frozen=True)
class Row:
    """One stored line: the trial values of one (point, block) and where they were computed.

    Attributes:
        point_id: ``Point.id``.
        block: block number b >= 0; covers trials [4 b, 4 b + 4).
        trial_values: the block's values, four of them.
        environment: short digest of processor type, libraries and flags that can change the last bit of a float.
    """

    point_id: str
    block: int
    trial_values: TrialValues
    environment: str = ""
    notes: tuple[str, ...] = field(default=())
