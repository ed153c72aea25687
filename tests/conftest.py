"""Settings that hold for every test."""

from __future__ import annotations

import copy
import os
import tempfile
from pathlib import Path

import pytest

# Compiled programs are kept between test processes: results must not depend on it, time does.
os.environ.setdefault("PAVLOV_CACHE_DIR", str(Path(tempfile.gettempdir()) / "pavlov-test-cache"))

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def devices():
    """Two simulated CPU devices, 64-bit arithmetic available."""
    import jax

    from pavlov_cli.engine.devices import open_devices

    jax.config.update("jax_enable_x64", True)
    return open_devices("cpu", 2)


@pytest.fixture
def minilm() -> Path:
    """Real query, key and value vectors of a trained encoder."""
    path = SHARED / "minilm_heads.npz"
    if not path.is_file():
        pytest.skip("the real vectors (6.6 MB) are not kept in the repository")
    return path


@pytest.fixture
def composed_once(monkeypatch, compositions):
    """Composition is pure and takes most of a refusal's time: equal ones are made once for all tests."""
    from pavlov_cli.config.compose import _Composer

    plain = _Composer._compose

    def compose(self, overrides):
        asked = (self._study, overrides)
        if asked not in compositions:
            compositions[asked] = plain(self, overrides)
        return copy.deepcopy(compositions[asked])

    monkeypatch.setattr(_Composer, "_compose", compose)


@pytest.fixture(scope="session")
def compositions():
    """What was composed before."""
    return {}
