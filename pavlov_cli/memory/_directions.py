"""How is a vector put at an exact angle to another?"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from pavlov_cli.memory._contracts import unit


def across(direction: Float[Array, " d"], noise: Float[Array, " d"]) -> Float[Array, " d"]:
    """The unit vector along the part of ``noise`` that is orthogonal to ``direction``; d >= 2.

    Args:
        direction: unit vector.
        noise: any vector that is not parallel to it; a Gaussian one gives a uniformly random result.
    """
    # Where noise is almost parallel, little is left of it after one projection and rounding would show: do it twice.
    for _ in range(2):
        noise = noise - direction * jnp.sum(noise * direction)
    return unit(noise)


def at_cosine(direction: Float[Array, " d"], noise: Float[Array, " d"], cosine: float) -> Float[Array, " d"]:
    """A unit vector whose cosine to ``direction`` is given, otherwise in the direction of ``noise``; d >= 2.

    Args:
        direction: unit vector.
        noise: as in ``across``.
        cosine: in [0, 1].
    """
    return cosine * direction + (1 - cosine**2) ** 0.5 * across(direction, noise)
