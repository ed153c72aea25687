"""How is a script run on another number of devices, or on one core?"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def on_devices(request) -> Callable[..., dict[str, Any]]:
    """Runs a script in a process of its own with the number of devices and the folder of tests as arguments."""
    tests = str(request.config.rootpath / "tests")

    def run(script: str, devices: int, *before: str) -> dict[str, Any]:
        words = [*before, sys.executable, "-c", script, str(devices), tests]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
        return dict(json.loads(done.stdout))

    return run
