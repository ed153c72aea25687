"""What if a few directions carry most of the variance of keys?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pavlov_cli.memory._contracts import Common, KeyEnsemble, unit
from pavlov_cli.memory._random import normal


@dataclass(frozen=True)
class PowerLaw(KeyEnsemble):
    """Keys from a Gaussian whose covariance has the spectrum ``i^-alpha``, i = 1..d_k, then scaled to unit norm.

    ``k_i = i^(-alpha/2) g_i``, g standard normal. At alpha = 0 keys are those of ``sphere`` (``gaussian`` where they
    are not normalised).

    Attributes:
        alpha: exponent of the spectrum, >= 0.
        normalise: scale every key to norm 1; else all keys by one factor to a mean squared norm of 1.

    Source: Stringer et al. (2019), whose spectra of neural populations fall as i^-1.
    """

    alpha: float = 1.0
    normalise: bool = True

    def squared_norm(self, d_k: int) -> float:
        """1: exactly where normalised, else in expectation."""
        return 1.0

    def draw(
        self, common: Common, prng_key: Array, index: Int[Array, ""], d_k: int, data: Array | None, dtype: Any
    ) -> Float[Array, " d_k"]:
        """A vector with the spectrum."""
        spectrum = jnp.arange(1, d_k + 1, dtype=dtype) ** (-self.alpha)
        key = normal(prng_key, d_k, dtype) * jnp.sqrt(spectrum)
        return unit(key) if self.normalise else key / jnp.sqrt(jnp.sum(spectrum))


ENTRY = PowerLaw
