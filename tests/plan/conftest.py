"""Settings and cells of a command, as validation makes them."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest

from pavlov_cli.config.compose import compose_settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.plan.grid import build_cells


@pytest.fixture(autouse=True)
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


@pytest.fixture(scope="session")
def cells_of() -> Callable:
    """Cells of a study for some overrides."""

    def build(*words, study="capacity", facts=read_sheet):
        return build_cells(compose_settings(study, words, {}), facts)

    return build


@pytest.fixture
def key_file(tmp_path):
    """Forty keys of dimension 8 in a file."""
    path = tmp_path / "keys.npy"
    np.save(path, np.random.default_rng(0).normal(size=(40, 8)))
    return path
