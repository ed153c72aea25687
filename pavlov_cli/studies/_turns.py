"""In which order are requests served, and what runs side by side?

Requests that share their draws are served together, one pass over the associations for all of them. Two such groups
are served at once, from either end of the list: one is compiled while the other computes. Values do not depend on the
order, so neither do results.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Condition
from typing import Any, Generic, TypeVar

Need = TypeVar("Need")
Values = Mapping[int, Any]


class Stopped(Exception):
    """Another worker failed, or the run was interrupted."""


class Turns(Generic[Need]):
    """Serves requests, generators that yield a need and receive its values.

    Args:
        requests: the generators.
        draw_of: what must be equal for needs to be served together.
        fetch: values of needs that share their draw, in order; called by one worker at a time for a draw.
        done: called with index and result as each request ends; never by two workers at once.
    """

    def __init__(
        self,
        requests: Sequence[Generator[Need, Values, Any]],
        draw_of: Callable[[Need], Hashable],
        fetch: Callable[[list[Need]], list[Values]],
        done: Callable[[int, Any], None],
    ):
        self._requests, self._draw_of, self._fetch, self._done = requests, draw_of, fetch, done
        self._waiting: dict[int, Need] = {}
        self._in_flight: set[Hashable] = set()
        self._results: dict[int, Any] = {}
        self._changed = Condition()
        self.stopped = False

    def serve(self, workers: int) -> list[Any]:
        """Results in the order of the requests.

        Args:
            workers: groups served at once, >= 1.
        """
        for index in range(len(self._requests)):
            self._step(index, None)
        with ThreadPoolExecutor(workers, thread_name_prefix="pavlov") as pool:
            running = [pool.submit(self._work, position) for position in range(workers)]
            try:
                finished, _ = wait(running, return_when=FIRST_EXCEPTION)
            finally:
                self._stop()
        for worker in finished:
            worker.result()
        return [self._results[index] for index in range(len(self._requests))]

    def _stop(self) -> None:
        with self._changed:
            self.stopped = True
            self._changed.notify_all()

    def _step(self, index: int, values: Values | None) -> None:
        """Gives a request its values and keeps what it needs next."""
        try:
            request = self._requests[index]
            self._waiting[index] = next(request) if values is None else request.send(values)
        except StopIteration as end:
            self._waiting.pop(index, None)
            self._results[index] = end.value
            self._done(index, end.value)

    def _work(self, position: int) -> None:
        while True:
            group = self._next_group(position)
            if not group:
                return
            needs = [self._waiting[index] for index in group]
            values = self._fetch(needs)
            with self._changed:
                self._in_flight.discard(self._draw_of(needs[0]))
                for index, found in zip(group, values, strict=True):
                    self._step(index, found)
                self._changed.notify_all()

    def _next_group(self, position: int) -> list[int]:
        """Indices of waiting requests whose common draw nobody serves yet; empty once all is done."""
        with self._changed:
            while self._waiting and not self.stopped:
                order = list(self._waiting) if position % 2 == 0 else list(reversed(self._waiting))
                for first in order:
                    draw = self._draw_of(self._waiting[first])
                    if draw not in self._in_flight:
                        self._in_flight.add(draw)
                        return [index for index, need in self._waiting.items() if self._draw_of(need) == draw]
                self._changed.wait()
            return []
