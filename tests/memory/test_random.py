"""Are the fast draws those of jax.random, bit for bit?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pavlov_cli.memory._random import bits, normal, signs


@pytest.mark.parametrize("dimension", [1, 2, 7, 64, 1001])
def test_bits_and_normals_are_those_of_jax_random(devices, dimension: int) -> None:
    keys = jax.random.split(jax.random.key(11), 50)
    words = jax.vmap(lambda key: jax.random.bits(key, (dimension,), "uint32"))(keys)
    gaussian = jax.vmap(lambda key: jax.random.normal(key, (dimension,), "float32"))(keys)
    np.testing.assert_array_equal(jax.vmap(lambda key: bits(key, dimension))(keys), words)
    np.testing.assert_array_equal(jax.vmap(lambda key: normal(key, dimension, "float32"))(keys), gaussian)
    drawn = jax.vmap(lambda key: signs(key, dimension, "float32"))(keys)
    np.testing.assert_array_equal(drawn, jnp.where(gaussian < 0, -1, 1))


def test_the_known_answer_of_the_generator(devices) -> None:
    """Threefry-2x32 with 20 rounds of the number 0 under the key 0, as its authors publish (Random123)."""
    key = jax.random.wrap_key_data(jnp.zeros(2, jnp.uint32))
    assert int(bits(key, 1)[0]) == 0x6B200159 ^ 0x99BA4EFE
