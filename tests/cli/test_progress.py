"""A terminal shows a bar, a pipe plain lines, and nobody an estimate that nothing supports."""

from __future__ import annotations

import io
import os
import pty
import signal

import pytest

from pavlov_cli.cli._progress import SILENCE_S, Bar, Pace, PlainLines, display, duration
from pavlov_cli.studies._progress import Advanced, Finished, Started


class Clock:
    """Seconds that pass when told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def _advanced(trials, text="cell: 5 so far"):
    return Advanced(trials, lambda: text)


def test_the_pace_counts_cells_trials_and_time(clock):
    pace = Pace(clock)
    pace.take(Started(4))
    clock.now += 10
    pace.take(_advanced(100))
    assert pace.text() == "0/4 cells, 10 trials/s"
    pace.take(Finished("one"))
    assert pace.text() == "1/4 cells, 10 trials/s, about 30 s left"


def test_cells_that_were_stored_say_nothing_about_speed(clock):
    pace = Pace(clock)
    pace.take(Started(4))
    pace.take(Finished("stored"))
    pace.take(Finished("stored"))
    clock.now += 10
    pace.take(_advanced(100))
    assert "left" not in pace.text()
    pace.take(Finished("measured"))
    assert pace.text() == "3/4 cells, 10 trials/s, about 10 s left"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59.4, "59 s"), (90, "2 min"), (3600, "1 h 0 min"), (5000, "1 h 23 min")]
)
def test_durations_are_said_as_people_say_them(seconds, text):
    assert duration(seconds) == text


def test_a_pipe_gets_one_line_per_cell_and_one_after_silence(clock):
    stream = io.StringIO()
    lines = PlainLines(stream, Pace(clock))
    lines(Started(2))
    for _ in range(5):
        clock.now += 1
        lines(_advanced(4))
    assert stream.getvalue() == ""
    clock.now += SILENCE_S
    lines(_advanced(4))
    lines(_advanced(4))
    lines(Finished("cell: 5 [4, 6]"))
    said = stream.getvalue().splitlines()
    assert said == ["cell: 5 so far; 0/2 cells, 1.6 trials/s", "cell: 5 [4, 6]"]
    assert "\x1b" not in stream.getvalue()


def test_a_bar_fits_its_terminal_and_leaves_finished_cells_above(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    bar = Bar(stream, Pace(clock))
    bar(Started(2))
    clock.now += 10
    bar(_advanced(100, "a cell with a very long name: 5 so far (8 trials)"))
    bar(Finished("one"))
    bar.close()
    drawn = stream.getvalue().split("\r\x1b[K")
    assert drawn[1].startswith("[                ] 0/2 cells, 10 trials/s | a cell")
    assert drawn[2] == "one\n"
    assert drawn[3].startswith("[========        ] 1/2 cells")
    assert drawn[-1] == "", "the bar is erased at the end"
    assert all(len(text) < 60 for text in drawn)


def test_an_estimate_is_not_computed_where_nobody_sees_it(clock):
    def fail():
        raise AssertionError("computed")

    for shown in (PlainLines(io.StringIO(), Pace(clock)), display(quiet=True)):
        shown(Started(1))
        shown(Advanced(4, fail))


def test_a_run_without_progress_says_the_same(pavlov, tmp_path):
    words = ("capacity", "--dk", 8, "criterion=guaranteed,mse", "--trials", 8, "--no-figures", "--out", tmp_path)
    assert "d_k=8 sphere guaranteed: " in pavlov(*words).err
    assert "d_k=" not in pavlov(*words, "--quiet", "--fresh").err


def _on_a_terminal(start, words, environment, stop=False):
    """What a command writes to a terminal, and its exit code."""
    ours, theirs = pty.openpty()
    child = start(*words, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    found = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the child closed it
            break
        if not part:
            break
        found += part
        if stop and b" cells, " in found:
            child.send_signal(signal.SIGINT)
            stop = False
    os.close(ours)
    return found.decode(), child.wait(timeout=60)


@pytest.mark.slow
def test_a_terminal_shows_a_bar_that_an_interrupt_leaves_clean(start, tmp_path):
    words = ("capacity", "--dk", "16,32", "criterion=sign", "--half-width", "0.001", "--no-figures", "--out", tmp_path)
    shown, code = _on_a_terminal(start, words, {"TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"}, stop=True)
    assert code == 130
    assert "/2 cells, " in shown
    assert "\x1b[K" in shown
    assert "\x1b[3" not in shown, "colours"
    assert "saving; once more to stop at once.\r\n" in shown
    assert shown.endswith("\r\x1b[Kpavlov: interrupted; what was measured is saved. The same command continues.\r\n")


@pytest.mark.slow
def test_a_terminal_that_understands_nothing_gets_plain_lines(start, tmp_path):
    words = ("capacity", "--dk", "8", "criterion=mse", "--trials", "8", "--no-figures", "--out", tmp_path)
    shown, code = _on_a_terminal(start, words, {"TERM": "dumb"})
    assert code == 0
    assert "\x1b" not in shown
    assert "d_k=8 sphere mse: " in shown
