"""Memory that was freed is kept for the next call, and handed back where much is held."""

from __future__ import annotations

import json
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import json, os
from pathlib import Path
import numpy as np
from pavlov_cli.engine import devices

def held():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

devices.open_devices("cpu", 1)
before = held()
arrays = [np.ones(2**20) for _ in range(64)]  # 512 MiB, 8 MiB each
full = held()
arrays.clear()
kept = held()
devices.release_memory()
below = held()
devices.HELD_BYTES = 0
devices.release_memory()
print(json.dumps([before, full, kept, below, held()]))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no such settings")
def test_freed_arrays_stay_until_much_is_held():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=120)
    before, full, kept, below, after = json.loads(done.stdout)
    assert full - before > 500 * 2**20
    assert kept - before > 400 * 2**20, "freed arrays were given back: every call pays for new pages"
    assert abs(below - kept) < 2**20, "little was held, yet it was handed back"
    assert after - before < 100 * 2**20
