"""Settings and cells of a command, as validation makes them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pavlov_cli.config.compose import compose_settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.plan.grid import build_cells


@pytest.fixture(autouse=True)
def _composed(composed_once):
    """No test here is about composition itself."""


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
