"""How is a command run in a test: inside this process, or as a process of its own?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

TINY = ("capacity", "--dk", "8,16", "criterion=mse", "--trials", "8")


@dataclass(frozen=True)
class Ended:
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _composed(composed_once):
    """No test here is about composition itself."""


@pytest.fixture
def pavlov(capsys) -> Callable[..., Ended]:
    """Runs a command in this process."""
    from pavlov_cli.cli import main

    def run(*words: object) -> Ended:
        texts = [str(word) for word in words]
        capsys.readouterr()
        code = main(texts)
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts a command as a process of its own; whatever still runs at the end is killed."""
    started: list[subprocess.Popen] = []

    def begin(*words: object, env: Mapping[str, str] | None = None, **options) -> subprocess.Popen:
        command = [sys.executable, "-m", "pavlov_cli", *map(str, words)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
        process = subprocess.Popen(command, env=os.environ | (env or {}), **pipes)
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def process(start) -> Callable[..., Ended]:
    """Runs a command as a process of its own, to its end."""

    def run(*words: object, **options) -> Ended:
        child = start(*words, **options)
        out, err = child.communicate(timeout=300)
        return Ended(child.returncode, out or "", err or "")

    return run


@pytest.fixture
def tiny(pavlov, tmp_path) -> tuple[Ended, Path]:
    """A finished run of two capacities, and the folder of all results."""
    out = tmp_path / "results"
    return pavlov(*TINY, "--out", out), out


@pytest.fixture(scope="session")
def stored(tmp_path_factory) -> Path:
    """The folder of results with one finished run, for tests that only read it."""
    from pavlov_cli.cli import main

    out = tmp_path_factory.mktemp("stored")
    assert main([*TINY, "--no-figures", "--quiet", "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="session")
def derived() -> Callable[[Path], dict[str, bytes]]:
    """Tables and figures of every run under a folder, by their place below the run."""

    def read(out: Path) -> dict[str, bytes]:
        runs = sorted(path.parent for path in out.glob("*/*/manifest.json"))
        found = {
            f"{run.parent.name}/{path.relative_to(run)}": path.read_bytes()
            for run in runs
            for kind in ("tables", "figures")
            for path in sorted((run / kind).glob("*"))
        }
        assert found, f"nothing was derived under {out}"
        return found

    return read


@pytest.fixture
def keys() -> np.ndarray:
    """Forty random keys of dimension 8."""
    return np.random.default_rng(0).normal(size=(40, 8)).astype(np.float32)
