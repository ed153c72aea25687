"""A stopped run loses nothing: the same command continues, and its tables are those of a run that was left alone."""

from __future__ import annotations

import signal
import time

import pytest

pytestmark = pytest.mark.slow

# some five seconds of measuring after the first row: a signal must meet a run in its middle
WORDS = ("capacity", "--dk", "16,32,64", "criterion=sign", "--half-width", "0.01", "--max-trials", "4096")
PATIENCE_S = 240


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, derived):
    """What the run derives when nobody stops it."""
    import subprocess
    import sys

    out = tmp_path_factory.mktemp("undisturbed")
    command = [sys.executable, "-m", "pavlov_cli", *WORDS, "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    return derived(out)


def _started(start, out):
    """A run in the middle: some rows are stored, most are not."""
    child = start(*WORDS, "--out", out)
    deadline = time.monotonic() + PATIENCE_S
    while not any(b"\n" in path.read_bytes() for path in out.glob("*/*/rows/*.jsonl")):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return child


def _ended(child):
    out, err = child.communicate(timeout=PATIENCE_S)
    return child.returncode, out, err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_and_the_same_command_continues(start, process, tmp_path, undisturbed, derived, number, code):
    child = _started(start, tmp_path)
    child.send_signal(number)
    got, out, err = _ended(child)
    assert (got, out) == (code, "")
    assert "saving; once more to stop at once." in err
    assert err.splitlines()[-1] == "pavlov: interrupted; what was measured is saved. The same command continues."
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*/*/tables/*.csv"))
    kept = sum(len(path.read_bytes().splitlines()) for path in tmp_path.glob("*/*/rows/*.jsonl"))
    again = process(*WORDS, "--out", tmp_path)
    assert again.code == 0, again.err
    assert derived(tmp_path) == undisturbed
    lines = [line for path in tmp_path.glob("*/*/rows/*.jsonl") for line in path.read_bytes().splitlines()]
    assert 0 < kept < len(lines)
    assert len(set(lines)) == len(lines), "a stored block was measured again"


def test_after_kill_9_the_same_command_continues(start, process, tmp_path, undisturbed, derived):
    child = _started(start, tmp_path)
    child.kill()
    got, out, _ = _ended(child)
    assert (got, out) == (-signal.SIGKILL, "")
    assert not list(tmp_path.glob("*/*/tables/*.csv"))
    again = process(*WORDS, "--out", tmp_path)
    assert again.code == 0, again.err
    assert "Traceback" not in again.err
    assert derived(tmp_path) == undisturbed


def test_a_second_signal_stops_at_once(start, tmp_path):
    child = _started(start, tmp_path)
    child.send_signal(signal.SIGINT)
    # the second must come after the first was noticed, which its message tells
    assert "saving" in _line_with(child.stderr, "saving")
    child.send_signal(signal.SIGINT)
    got, out, err = _ended(child)
    assert got in (-signal.SIGINT, 130)
    assert out == ""
    assert "Traceback" not in err


def _line_with(stream, text):
    for line in stream:
        if text in line:
            return line
    raise AssertionError(f"no line with '{text}'")
