"""Is this installation fit to measure?"""

from __future__ import annotations

import math
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path

from pavlov_cli.errors import PavlovError

PACKAGES = ("jax", "jaxlib", "numpy", "scipy", "hydra-core", "typer", "matplotlib", "pandas", "safetensors")
SELF_TEST_TRIALS = 256
Z_BOUND = 3.3  # a right installation fails one time in a thousand


def examine(out: str) -> int:
    """Prints one line per check.

    Args:
        out: folder of results to be written to.

    Returns:
        0 if every check passed, else 1.
    """
    checks: tuple[tuple[str, Callable[[], str]], ...] = (
        ("python", platform.python_version),
        ("packages", _packages),
        ("devices", _devices),
        ("compiled programs", _cache),
        ("results folder", lambda: _writable(Path(out))),
        ("self-test", _self_test),
    )
    failed = 0
    for name, check in checks:
        try:
            print(f"ok      {name}: {check()}", flush=True)
        except (PavlovError, OSError, ArithmeticError) as error:
            failed += 1
            print(f"FAILED  {name}: {error}", flush=True)
    print("All checks passed." if not failed else f"{failed} of {len(checks)} checks failed.")
    return 1 if failed else 0


def _packages() -> str:
    from importlib.metadata import version

    return ", ".join(f"{name} {version(name)}" for name in PACKAGES)


def _devices() -> str:
    from pavlov_cli.engine.devices import open_devices

    devices = open_devices()
    return f"{devices.description} ({devices.platform}, environment {devices.environment})"


def _cache() -> str:
    from pavlov_cli.places import cache_root

    try:
        return f"kept in {_writable(cache_root())}"
    except OSError:
        return "compiled anew in every run: the cache folder cannot be written"


def _writable(folder: Path) -> str:
    created = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass
    if created:
        folder.rmdir()
    return str(folder)


def _self_test() -> str:
    """The mse of a small memory against its exact law, in units of its exact standard error."""
    import numpy as np

    from pavlov_cli.engine.devices import open_devices
    from pavlov_cli.engine.draws import draw_words
    from pavlov_cli.engine.stream import Lane, stream_trials
    from pavlov_cli.memory import build_criterion, build_memory
    from pavlov_cli.records import Choice, Spec
    from pavlov_cli.theory import mse_isotropic

    keys, values, identity, hebb, mse = map(Choice, ("sphere", "sphere", "identity", "hebb", "mse"))
    spec, n = Spec(16, 16, 16, keys, values, identity, hebb, mse), 9
    lane = Lane(build_memory(spec), (build_criterion(spec),), (n,), spec.queries)
    sums = stream_trials([lane], range(SELF_TEST_TRIALS), draw_words(spec), None, open_devices())
    measured = float(np.mean(sums[0, 0, n]) / n)
    expected = float(mse_isotropic.error(spec, np.array([n]))[0])
    z = (measured - expected) / math.sqrt(float(mse_isotropic.trial_variance(spec, np.array(n))) / SELF_TEST_TRIALS)
    said = f"mse {measured:.4f}, exact {expected:.4f}, {z:+.1f} standard errors"
    if abs(z) > Z_BOUND:
        raise ArithmeticError(said)
    return said
