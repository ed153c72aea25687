"""Requests are served by draw, two draws at once, and their results do not depend on the order."""

from __future__ import annotations

import threading
import time

import pytest

from pavlov_cli.studies._turns import Turns


def asking(draws):
    """A request that needs these draws one after the other and returns the sum of what it received."""

    def request():
        total = 0
        for draw in draws:
            total += (yield draw)["value"]
        return total

    return request()


def served(requests, workers, fetch, done=lambda index, result: None):
    return Turns(requests, lambda need: need, fetch, done).serve(workers)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_requests(workers):
    requests = [asking([draw, draw + 1, draw]) for draw in (5, 1, 3, 1, 5)]
    results = served(requests, workers, lambda needs: [{"value": 10 * need} for need in needs])
    assert results == [160, 40, 100, 40, 160]


def test_a_request_that_needs_nothing_ends_at_once():
    assert served([asking([]), asking([2])], 2, lambda needs: [{"value": 1} for _ in needs]) == [0, 1]
    assert served([], 2, lambda needs: []) == []


def test_needs_of_one_draw_are_fetched_together_and_never_twice_at_once():
    calls, busy, lock = [], set(), threading.Lock()

    def fetch(needs):
        with lock:
            assert len(set(needs)) == 1 and needs[0] not in busy
            busy.add(needs[0])
            calls.append(tuple(needs))
        time.sleep(0.01)
        with lock:
            busy.discard(needs[0])
        return [{"value": 1} for _ in needs]

    assert served([asking([1]) for _ in range(4)] + [asking([2])], 2, fetch) == [1] * 5
    assert sorted(calls) == [(1, 1, 1, 1), (2,)]


def test_two_draws_are_under_way_at_once():
    meeting = threading.Barrier(2, timeout=10)

    def fetch(needs):
        meeting.wait()  # breaks, and fails the test, unless another draw is fetched meanwhile
        return [{"value": 1} for _ in needs]

    assert served([asking([1]), asking([2])], 2, fetch) == [1, 1]


def test_a_failure_stops_the_others_and_is_raised():
    def fetch(needs):
        if needs[0] == 2:
            raise OSError("disk full")
        time.sleep(0.01)
        return [{"value": 1} for _ in needs]

    before = threading.active_count()
    with pytest.raises(OSError, match="disk full"):
        served([asking([1] * 10_000), asking([2])], 2, fetch)
    assert threading.active_count() == before


def test_done_is_told_each_index_once():
    told = []
    served(
        [asking([1]), asking([2]), asking([1])], 2, lambda needs: [{"value": 3} for _ in needs],
        lambda index, result: told.append((index, result)),
    )  # fmt: skip
    assert sorted(told) == [(0, 3), (1, 3), (2, 3)]
