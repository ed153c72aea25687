"""How is one body applied to many trials so that neither batch size nor device count changes a bit?

Trials are mapped one after the other inside each device and split over devices; the number of trials that are live is a
run-time value, so one compilation serves every batch. A body is a frozen dataclass with ``__call__``: its fields are
static.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from pavlov_cli.engine.devices import Devices

Body = Callable[[Any, Any], Any]  # (one trial's arrays, arrays shared by all trials) -> one trial's results


@partial(jax.jit, static_argnames=("body", "mesh"))
def map_trials(body: Body, mesh: Mesh, live: jax.Array, per_trial: Any, shared: Any) -> Any:
    """Applies ``body`` to every live trial.

    Args:
        body: hashable; called as ``body(per_trial_slice, shared)``.
        mesh: devices.
        live: [devices] number of live trials on each device, at most the batch per device.
        per_trial: pytree of arrays [devices * batch, ...].
        shared: pytree of arrays that every trial sees.

    Returns:
        Pytree of arrays [devices * batch, ...]; zeros for trials that are not live.
    """

    def on_device(live: jax.Array, per_trial: Any, shared: Any) -> Any:
        def one(trial: Any) -> Any:
            return body(jax.tree.map(lambda array: array[trial], per_trial), shared)

        batch = jax.tree.leaves(per_trial)[0].shape[0]
        results = jax.tree.map(lambda s: jnp.zeros((batch, *s.shape), s.dtype), jax.eval_shape(one, 0))
        return lax.fori_loop(
            0, live[0], lambda i, kept: jax.tree.map(lambda k, new: k.at[i].set(new), kept, one(i)), results
        )

    split, whole = PartitionSpec("trial"), PartitionSpec()
    return jax.shard_map(on_device, mesh=mesh, in_specs=(split, split, whole), out_specs=split, check_vma=False)(
        live, per_trial, shared
    )


class Batch:
    """A fixed-size batch of trials on the devices, of which some are live.

    Args:
        devices: where.
        size: trials per device.
        trials: trial numbers, at most ``size * devices.count``; split evenly, the first devices take the remainder.
    """

    def __init__(self, devices: Devices, size: int, trials: tuple[int, ...]):
        counts = [len(part) for part in np.array_split(np.arange(len(trials)), devices.count)]
        self._slots = np.concatenate([device * size + np.arange(count) for device, count in enumerate(counts)])
        self._devices = devices
        numbers = np.zeros(devices.count * size, np.int32)
        numbers[self._slots] = trials
        self.live = devices.spread(np.array(counts, np.int32))
        self.numbers = devices.spread(numbers)

    def spread(self, array: np.ndarray) -> jax.Array:
        """Puts an array [trials, ...], live or not, on the devices."""
        return self._devices.spread(array)

    def run(self, body: Body, per_trial: Any, shared: Any = ()) -> Any:
        """The body's results for the batch, on the devices."""
        return map_trials(body, self._devices.mesh, self.live, per_trial, shared)

    def collect(self, results: jax.Array) -> np.ndarray:
        """The live trials' results on the host, in the order the trials were given."""
        return np.asarray(results)[self._slots]
