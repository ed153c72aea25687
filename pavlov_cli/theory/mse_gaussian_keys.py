"""How large is the mean squared error of one Hebbian head whose keys are Gaussian, not normalised?

The squared norm of the own key fluctuates around 1 with variance 2/d_k, and that comes on top of the interference of
n - 1 overlaps of mean square 1/d_k: a linear memory that errs with a single association.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Num

from pavlov_cli.records import Spec
from pavlov_cli.theory._crossing import first_crossing
from pavlov_cli.theory._law import Law
from pavlov_cli.theory._scope import counts, is_single_hebbian_head, required_target
from pavlov_cli.theory.mse_isotropic import INDEPENDENT_VALUES

LAW = Law(
    name="mse_gaussian_keys",
    validity="one Hebbian head, identity map, keys N(0, I/d_k), values of any kind independent of them, any n >= 1",
    stated_error="exact",
    slope_errors=(),
    source="second and fourth moments of a normal vector; Schlag et al. 2021 (arXiv 2102.11174) for the setting",
    leading_law="eps d_k - 1",
    exponent="d_k",
)


def applies(spec: Spec) -> bool:
    """Whether this is the mean squared error of one Hebbian head with Gaussian keys."""
    return is_single_hebbian_head(spec, criterion="mse", keys=("gaussian",), values=INDEPENDENT_VALUES)


def error(spec: Spec, n: Num[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Mean squared error over the mean squared value norm, ``(n + 1)/d_k``, exactly; 2/d_k at n = 1.

    ``E (norm(k)^2 - 1)^2 + (n-1) E <k_i, k_j>^2``; given the own key, the other overlaps have mean 0 and are
    independent, so no cross term is left, whatever the values.

    Args:
        spec: a memory that ``applies`` accepts.
        n: numbers of associations, each >= 1.

    Returns:
        Error > 0, of the shape of ``n``.
    """
    return (counts(n) + 1) / spec.d_k


def capacity(spec: Spec, target_error: float | None) -> float | None:
    """First crossing of ``target_error`` (> 0); None where one association already exceeds it."""
    target = required_target(target_error, "mse")
    return first_crossing(lambda n: (n + 1) / spec.d_k, target, guess=leading(spec, target))


def fit_capacity(spec: Spec, target_error: float | None) -> float | None:
    """The capacity itself."""
    return capacity(spec, target_error)


def leading(spec: Spec, target_error: float | None) -> float:
    """``target_error d_k - 1``; not a number where one association already exceeds the target (> 0)."""
    largest = required_target(target_error, "mse") * spec.d_k - 1
    return largest if largest >= 1 else math.nan
