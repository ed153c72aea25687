"""As a process of its own: closed pipes are silent, and devices do not change a number."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = f"{sys.executable} -m pavlov_cli"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("list",), ("--help",), ("--version",), ("list", "theory"), ("capacity", "--cfg")])
def test_a_closed_pipe_is_silent(process, words, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = process(*words, stdout=writer, env={"PYTHONUNBUFFERED": unbuffered})
    finally:
        os.close(writer)
    assert ended.err == ""
    assert ended.code == 0


def test_a_reader_that_takes_one_line_is_enough(tmp_path):
    ended = subprocess.run(
        f"{SCRIPT} list | head -1", shell=True, capture_output=True, text=True, timeout=60, check=True
    )
    assert (ended.stdout, ended.stderr) == ("key_ensemble\n", "")


def test_a_closed_pipe_still_shows_errors(process, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = process("capacity", "--dk", 0, "--out", tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert ended.code == 2
    assert ended.err == "pavlov: d_k must be between 1 and 2147483647; got 0.\n"


def test_the_installed_script_is_the_module():
    script = os.path.join(os.path.dirname(sys.executable), "pavlov")
    ended = [
        subprocess.run([*command, "list", "criterion"], capture_output=True, text=True, timeout=60, check=True).stdout
        for command in ([script], [sys.executable, "-m", "pavlov_cli"])
    ]
    assert ended[0] == ended[1] != ""


@pytest.mark.slow
def test_the_number_of_devices_does_not_change_a_byte(process, tmp_path, derived):
    found = []
    for count in (1, 2, 3):
        out = tmp_path / str(count)
        words = ("capacity", "--dk", "8,16", "criterion=mse,guaranteed", "--max-trials", 16, "--out", out)
        ended = process(*words, "--device-count", count)
        assert ended.code == 0, ended.err
        found.append(derived(out))
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_two_processes_may_share_a_folder(start, tmp_path, derived):
    words = ("capacity", "--dk", "8,16", "criterion=mse", "--max-trials", 64, "--half-width", "0.01")
    together = [start(*words, "--out", tmp_path / "shared") for _ in range(2)]
    alone = start(*words, "--out", tmp_path / "alone")
    for child in (*together, alone):
        _, err = child.communicate(timeout=240)
        assert child.returncode == 0, err
    assert derived(tmp_path / "shared") == derived(tmp_path / "alone")
