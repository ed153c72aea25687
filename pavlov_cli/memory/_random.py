"""The random bits of jax.random, several times faster on a CPU.

jax rolls the twenty rounds of its generator into a loop there, which compiles quickly and runs slowly: each round reads
and writes memory. Written out they stay in registers. Bits are those of ``jax.random.bits``, number by number.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, UInt32

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def bits(prng_key: Array, dimension: int) -> UInt32[Array, " dimension"]:
    """Random 32-bit words, those of ``jax.random.bits``.

    Args:
        prng_key: a key of jax's default generator.
        dimension: how many, below 2^32.
    """
    first, second = jax.random.key_data(prng_key)
    left, right = _threefry(first, second, jnp.arange(dimension, dtype=jnp.uint32))
    return left ^ right


def fold_in(key_data: UInt32[Array, "*keys 2"], numbers: Any) -> UInt32[Array, "*both 2"]:
    """Data of the keys that ``jax.random.fold_in`` derives.

    Args:
        key_data: of keys of jax's default generator.
        numbers: integers in [0, 2^32) that broadcast with the keys.
    """
    first, second = key_data[..., 0], key_data[..., 1]
    return jnp.stack(_threefry(first, second, jnp.asarray(numbers).astype(jnp.uint32)), axis=-1)


def _threefry(first: Array, second: Array, number: Array) -> tuple[Array, Array]:
    """Threefry-2x32 with 20 rounds (Salmon et al. 2011, section 3.3) of numbers below 2^32 under a key's two words."""
    schedule = (first, second, first ^ second ^ jnp.uint32(PARITY))
    left, right = jnp.broadcast_arrays(first, number + second)  # the upper half of a number is 0
    for injection in range(5):
        for rotation in ROTATIONS[injection % 2]:
            left = left + right
            right = left ^ ((right << rotation) | (right >> (32 - rotation)))
        left = left + schedule[(injection + 1) % 3]
        right = right + schedule[(injection + 2) % 3] + jnp.uint32(injection + 1)
    return left, right


def normal(prng_key: Array, dimension: int, dtype: Any) -> Float[Array, " dimension"]:
    """The Gaussian draw behind every continuous ensemble, that of ``jax.random.normal`` in float32.

    Args:
        prng_key: a key of jax's default generator.
        dimension: how many.
        dtype: what the float32 numbers are returned as.
    """
    lowest = np.nextafter(np.float32(-1), np.float32(0))
    mantissas = (bits(prng_key, dimension) >> 9) | jnp.uint32(0x3F800000)
    unit_interval = lax.bitcast_convert_type(mantissas, jnp.float32) - 1
    uniform = jnp.maximum(lowest, unit_interval * (1 - lowest) + lowest)
    return (np.float32(np.sqrt(2)) * lax.erf_inv(uniform)).astype(dtype)


def signs(prng_key: Array, dimension: int, dtype: Any) -> Float[Array, " dimension"]:
    """The signs (+-1) of ``normal`` of the same key, without its inverse error function: an odd, increasing one."""
    return jnp.where(bits(prng_key, dimension) >> 31, 1.0, -1.0).astype(dtype)
