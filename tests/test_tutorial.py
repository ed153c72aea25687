"""The tutorial's commands run as written, and print what it shows.

Words must be equal, numbers close: results are equal to the last digit only on one type of processor. ``...`` stands
for any text, as in a doctest.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLOSE = 0.25  # relative: several times the widest interval shown; a wrong law or criterion is off by more
# run names depend on the configuration alone; counts of trials on where measuring stopped
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]\d)")


def console_blocks() -> list[tuple[str, str]]:
    """(command, what it is said to print) in order."""
    text = (ROOT / "TUTORIAL.md").read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        starts = [match.start() for match in re.finditer(r"^\$ ", block, re.MULTILINE)]
        for start, end in pairwise([*starts, len(block)]):
            command, _, shown = block[start + 2 : end].partition("\n")
            found.append((command, shown))
    return found


def agrees(shown: str, printed: str) -> bool:
    """Whether the text matches, numbers within ``CLOSE``, trials left out."""
    parts, expected = [], []
    for piece in re.split(r"\s*(\.\.\.)\s*", re.sub(r"\s+", " ", shown).strip()):
        if piece == "...":
            parts.append(".*?")
            continue
        for token in re.split(r"(\s+)", piece):
            if NUMBER.fullmatch(token):
                parts.append(r"(-?[\d.]+(?:e[+-]?\d+)?)")
                expected.append(float(token))
            else:
                parts.append(r"[\s-]+" if re.fullmatch(r"-{3,}", token) else re.escape(token).replace(r"\ ", r"\s+"))
    match = re.fullmatch("".join(parts), re.sub(r"\s+", " ", printed).strip(), re.DOTALL)
    if not match:
        return False
    pairs = zip(expected, map(float, match.groups()), strict=True)
    return all(abs(a - b) <= CLOSE * max(abs(a), abs(b)) or is_count(a, b) for a, b in pairs)


def is_count(a: float, b: float) -> bool:
    """Numbers of trials, multiples of 4, differ by stages: up to a factor of 4."""
    return a % 4 == b % 4 == 0 and min(a, b) * 4 >= max(a, b)


def test_numbers_may_differ_a_little_and_words_may_not():
    assert agrees("mse 12.8 .. 13", "mse  12.5 .. 13.2")
    assert not agrees("mse 12.8", "mse 30.1")
    assert not agrees("mse 12.8", "sign 12.8")
    assert agrees("a 1 ... z", "a 1 b c z") and not agrees("a 1 ... z", "a 1 b c")


@pytest.mark.slow
def test_the_tutorial_runs_as_written(tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    blocks = console_blocks()
    assert len(blocks) >= 10
    for command, shown in blocks:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        assert agrees(shown, done.stdout), f"{command}\n--- shown\n{shown}\n--- printed\n{done.stdout}"
    runs = [path for study in (tmp_path / "results").iterdir() for path in study.iterdir()]
    assert len(runs) == 5
