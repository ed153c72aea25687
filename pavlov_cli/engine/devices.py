"""Which devices compute, and what about them could change the last bit of a result?"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform as host_platform
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from pavlov_cli.errors import ConfigError
from pavlov_cli.places import cache_root
from pavlov_cli.records import digest

HELD_BYTES = 2**30  # resident memory from which freed memory is handed back
THREADS = 8  # of the CPU's pool on every machine; also the most CPU devices used unless more are asked for


@dataclass(frozen=True)
class Devices:
    """The devices of one run.

    Attributes:
        mesh: one axis, ``trial``, over the devices used.
        platform: ``cpu``, ``gpu`` or ``tpu``.
        environment: digest of processor, library versions and flags; rows of equal environment must be equal.
        description: the device in words.
    """

    mesh: Mesh
    platform: str
    environment: str
    description: str

    @property
    def count(self) -> int:
        """Number of devices."""
        return int(self.mesh.devices.size)

    def spread(self, array: np.ndarray) -> jax.Array:
        """Puts an array [trials, ...] on the devices, split over its first axis."""
        return jax.device_put(array, NamedSharding(self.mesh, PartitionSpec("trial")))

    def replicate(self, array: np.ndarray | None) -> jax.Array | None:
        """Puts a copy of an array, if there is one, on every device."""
        return None if array is None else jax.device_put(array, NamedSharding(self.mesh, PartitionSpec()))


def _cpu_features() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return f"{host_platform.machine()} {host_platform.processor()}"
    kept = [line for line in text.splitlines() if line.startswith(("model name", "flags", "Features", "CPU part"))]
    return "\n".join(dict.fromkeys(kept)) or host_platform.machine()


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def release_memory() -> None:
    """Hands freed memory back to the system where much is held and the C library can.

    Large arrays come and go in many threads, and the library keeps what each of them has freed.
    """
    with contextlib.suppress(OSError, AttributeError):
        resident_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        if resident_pages * os.sysconf("SC_PAGE_SIZE") > HELD_BYTES:
            ctypes.CDLL(None).malloc_trim(0)


def _keep_memory() -> None:
    """Lets the C library, where it can, keep arrays of up to 32 MiB when they are freed, its limit for this.

    Otherwise every call has new pages cleared for its results, which takes as long as small calls compute.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for parameter, size in ((-3, 32 * 2**20), (-1, HELD_BYTES)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
            library.mallopt(parameter, size)


def _use_compilation_cache() -> None:
    """Keeps compiled programs between runs where a folder can be written; otherwise they are compiled anew."""
    folder = cache_root() / f"xla-{jax.lib.__version__}-{digest(_cpu_features())[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


@cache
def _configure(platform: str | None, cpu_count: int, double: bool) -> None:
    """Settings that jax reads once, before its first use in a process."""
    # A matrix product is blocked by the size of the thread pool, which would follow cores and devices: fix it.
    os.environ["PJRT_NPROC"] = str(THREADS)
    if platform:
        jax.config.update("jax_platforms", "cuda" if platform == "gpu" else platform)
    with contextlib.suppress(RuntimeError):  # jax was already in use in this process: the devices are those it has
        jax.config.update("jax_num_cpu_devices", cpu_count)
    if double:
        jax.config.update("jax_enable_x64", True)
    _use_compilation_cache()
    _keep_memory()


def open_devices(platform: str | None = None, device_count: int | None = None, precision: str = "float32") -> Devices:
    """Starts jax and takes devices.

    Args:
        platform: ``cpu``, ``gpu``, ``tpu``, or None for the best there is.
        device_count: devices to use; None takes all, and on a CPU one per core (at most 8).
        precision: ``float64`` turns 64-bit arithmetic on for this process.

    Returns:
        The devices.

    Raises:
        ConfigError: the platform is absent, or has fewer devices than asked for.
    """
    _configure(platform, device_count or min(available_cores(), THREADS), precision == "float64")
    try:
        devices = jax.devices()
    except (RuntimeError, AssertionError) as error:  # jax asserts where a plugin is not installed
        raise ConfigError(f"platform '{platform}' has no device here; leave --platform out or use cpu.") from error
    if device_count is not None and device_count > len(devices):
        raise ConfigError(f"device_count must be at most {len(devices)} on this machine; got {device_count}.")
    chosen = devices[: device_count or len(devices)]
    kind = chosen[0].platform
    processor = _cpu_features() if kind == "cpu" else chosen[0].device_kind
    flags = [os.environ.get("XLA_FLAGS", ""), max(THREADS, len(devices))]
    environment = digest([kind, processor, jax.__version__, jax.lib.__version__, *flags])[:16]
    noun = "device" if len(chosen) == 1 else "devices"
    return Devices(
        mesh=Mesh(np.array(chosen), ("trial",)),
        platform="gpu" if kind in ("cuda", "rocm") else kind,
        environment=environment,
        description=f"{len(chosen)} {chosen[0].device_kind} {noun}",
    )
