"""How does a run show that it is alive: a bar on a terminal, plain lines on a pipe?"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO

from pavlov_cli.studies._progress import Advanced, Event, Finished, Started

SILENCE_S = 10.0  # on a pipe a line appears at least about this often, device calls permitting
REDRAW_S = 0.1
_BAR = 16  # characters
_ERASE = "\r\x1b[K"


@dataclass
class Pace:
    """How far the work is and how fast it goes.

    Attributes:
        clock: seconds; only differences count.
        total: cells asked for.
        done: cells finished.
        trials: run so far.
    """

    clock: Callable[[], float] = time.monotonic
    total: int = 0
    done: int = 0
    trials: int = 0
    _began: float = 0.0
    _stored: int = 0

    def take(self, event: Event) -> None:
        """Counts an event; cells that end before the first trial were stored and say nothing about speed."""
        if isinstance(event, Started):
            self.total, self._began = event.cells, self.clock()
        elif isinstance(event, Finished):
            self.done += 1
            if not self.trials:
                self._stored, self._began = self.done, self.clock()
        else:
            self.trials += event.trials

    def text(self) -> str:
        """Cells done, trials per second, and what is left if the other cells take as long as those so far."""
        elapsed = self.clock() - self._began
        parts = [f"{self.done}/{self.total} cells"]
        if elapsed > 0 and self.trials:
            parts.append(f"{self.trials / elapsed:.3g} trials/s")
        measured = self.done - self._stored
        if measured > 0 and self.done < self.total:
            parts.append(f"about {duration(elapsed / measured * (self.total - self.done))} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Seconds as people say them: ``40 s``, ``3 min``, ``1 h 20 min``."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@dataclass
class PlainLines:
    """One line per finished cell, and one where nothing was said for a while."""

    stream: TextIO
    pace: Pace = field(default_factory=Pace)
    _last: float = 0.0

    def __call__(self, event: Event) -> None:
        """Shows an event."""
        self.pace.take(event)
        now = self.pace.clock()
        if isinstance(event, Started):
            self._last = now
        elif isinstance(event, Finished):
            self._say(event.text, now)
        elif now - self._last >= SILENCE_S:
            self._say(f"{event.text()}; {self.pace.text()}", now)

    def _say(self, line: str, now: float) -> None:
        self._last = now
        self.note(line)

    def note(self, line: str) -> None:
        """A line that is no event."""
        print(line, file=self.stream, flush=True)

    def close(self) -> None:
        """Nothing to restore."""


@dataclass
class Bar:
    """The same lines above a bar with rate, time left and the estimate in flight.

    The cursor stays visible and the terminal keeps its settings: there is nothing that an interrupt could leave behind
    but half a line, which ``close`` erases.
    """

    stream: TextIO
    pace: Pace = field(default_factory=Pace)
    _drawn: float = 0.0
    _flight: Callable[[], str] = str

    def __call__(self, event: Event) -> None:
        """Shows an event."""
        self.pace.take(event)
        if isinstance(event, Finished):
            self.note(event.text)
        if isinstance(event, Advanced):
            self._flight = event.text
        now = self.pace.clock()
        if isinstance(event, Finished) or now - self._drawn >= REDRAW_S:
            self._drawn = now
            self._draw()

    def _draw(self) -> None:
        if not self.pace.trials or self.pace.done == self.pace.total:
            return
        full = _BAR * self.pace.done // max(self.pace.total, 1)
        text = f"[{'=' * full}{' ' * (_BAR - full)}] {self.pace.text()} | {self._flight()}"
        room = shutil.get_terminal_size().columns - 1
        self.stream.write(_ERASE + (text if len(text) <= room else text[: max(room - 3, 0)] + "..."))
        self.stream.flush()

    def note(self, line: str) -> None:
        """A line above the bar, which the next event draws again."""
        self.stream.write(f"{_ERASE}{line}\n")
        self.stream.flush()

    def close(self) -> None:
        """Erases the bar."""
        self.stream.write(_ERASE)
        self.stream.flush()


class Silence:
    """Nothing at all, but notes that must be seen."""

    def __call__(self, event: Event) -> None:
        """Shows nothing."""

    def note(self, line: str) -> None:
        """A line on stderr."""
        print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Nothing to restore."""


def display(quiet: bool) -> Any:
    """What suits the place: nothing, a bar on a terminal that understands it, or plain lines.

    Colours are never used, so NO_COLOR has nothing to switch off.
    """
    if quiet:
        return Silence()
    capable = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return Bar(sys.stderr) if capable else PlainLines(sys.stderr)
