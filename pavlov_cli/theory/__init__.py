"""What do equations say a memory holds, before it is simulated?

Predicted error curves and capacities in float64, one law per file; a file without a leading underscore is a law (see
``_law.LawModule``). SciPy is imported only when a law needs it.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from functools import cache

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory._law import Law, LawModule, Prediction

__all__ = ["Law", "LawModule", "Prediction", "find", "laws", "predict_capacity", "predict_error"]


@cache
def _law_modules() -> dict[str, LawModule]:
    stems = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    return {stem: importlib.import_module(f"{__name__}.{stem}") for stem in stems}


def laws() -> dict[str, LawModule]:
    """Every law by name, in alphabetical order.

    >>> "mse_isotropic" in laws()
    True
    """
    return dict(_law_modules())


def find(spec: Spec) -> LawModule | None:
    """The law that covers a memory and its criterion, or None; no two laws cover the same."""
    return next((law for law in _law_modules().values() if law.applies(spec)), None)


def predict_error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."] | None:
    """Predicted error rate at each number of associations.

    Args:
        spec: the memory and its criterion.
        n: numbers of associations, each >= 1.

    Returns:
        Error rates of the shape of ``n``; None where no law covers the memory.
    """
    law = find(spec)
    return None if law is None else law.error(spec, n)


def predict_capacity(spec: Spec, target_error: float | None) -> Prediction | None:
    """Predicted capacity at a target error rate.

    Args:
        spec: the memory and its criterion.
        target_error: > 0; None for ``guaranteed``, which has none.

    Returns:
        The prediction; None where no law covers the memory.

    Raises:
        ConfigError: if the criterion needs a target and none above 0 is given.
    """
    law = find(spec)
    if law is None:
        return None
    leading = law.leading(spec, target_error)
    return Prediction(
        capacity=law.capacity(spec, target_error),
        fit_capacity=law.fit_capacity(spec, target_error),
        leading_law=leading if math.isfinite(leading) else None,
        law=law.LAW,
    )
