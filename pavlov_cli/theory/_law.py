"""What does a law of capacity declare, and what does it answer?

A law is one file of this package, named after what it predicts; it is found by its file stem. It carries a ``LAW`` and
the five functions of ``LawModule``; nothing else needs an edit when a law is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec


@dataclass(frozen=True)
class Law:
    """What a law claims, for whom, and how well.

    Attributes:
        name: file stem of the law.
        validity: the memories it holds for, in words.
        stated_error: how far the prediction may be off, such as ``"exact"``.
        slope_errors: how far the slope of the predicted capacity against d_k, both in logarithms, may be off: entries
            (smallest d_k, octaves, error) for windows that start there or above and span at least so many octaves,
            inside d_k 16..2048; empty for exact laws.
        source: author, year and equation.
        leading_law: the leading term of the capacity for large d_k, as a formula.
        exponent: its growth in d_k, such as ``"sqrt(d_k)"``.
    """

    name: str
    validity: str
    stated_error: str
    slope_errors: tuple[tuple[int, int, float], ...]
    source: str
    leading_law: str
    exponent: str

    def slope_error(self, d_low: float, d_high: float) -> float:
        """Stated error of the predicted slope over d_k ``d_low`` .. ``d_high``.

        Args:
            d_low: smallest d_k, >= 1.
            d_high: largest d_k, >= d_low.

        Returns:
            The tightest entry that covers the window; the widest of all where none does; 0 for exact laws.
        """
        octaves = math.log2(d_high / d_low) + 1e-9
        covering = [error for start, span, error in self.slope_errors if d_low >= start and octaves >= span]
        return min(covering, default=max((error for *_, error in self.slope_errors), default=0.0))


@dataclass(frozen=True)
class Prediction:
    """The capacity that a law predicts for one memory.

    Attributes:
        capacity: what the tool would measure without noise; None where the error exceeds the target at no n, or already
            at n = 1.
        fit_capacity: the number that slopes are fitted to; None likewise.
        leading_law: the leading term for large d_k; None where it is not finite.
        law: where the numbers come from.
    """

    capacity: float | None
    fit_capacity: float | None
    leading_law: float | None
    law: Law


@runtime_checkable
class LawModule(Protocol):
    """The interface of every law module; ``spec`` must be one that ``applies`` accepts."""

    LAW: Law

    def applies(self, spec: Spec) -> bool:
        """Whether the law covers this memory and criterion."""

    def error(self, spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        """Predicted error rate at each number of associations n >= 1; the shape of ``n``, in [0, 1] for counts."""

    def capacity(self, spec: Spec, target_error: float | None) -> float | None:
        """Predicted capacity as the tool measures it; None if the error exceeds the target nowhere or at n = 1."""

    def fit_capacity(self, spec: Spec, target_error: float | None) -> float | None:
        """The predicted number that slopes are fitted to."""

    def leading(self, spec: Spec, target_error: float | None) -> float:
        """Leading term of the capacity for large d_k; infinite where no n is too many, not a number where one is."""
