"""Stored blocks are served from the store; only what is missing is simulated, and it is stored once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pavlov_cli.errors import InterruptedRun
from pavlov_cli.records import TrialValues
from pavlov_cli.store import read_rows
from pavlov_cli.studies._supply import Need, Supply


def value(cell, n, trial):
    return float(1000 * n + trial) + cell.spec.d_k / 1000


class Simulated(Supply):
    """A supply whose engine is a formula; it notes the trials of every call."""

    calls: list

    def __init__(self, run_dir, *, per_call=64, **options):
        self.calls = []
        self.opened = 0
        self.per_call = per_call

        def open_devices():
            self.opened += 1
            return SimpleNamespace(count=1, environment="test")

        super().__init__(run_dir, open_devices, "cpu", **options)

    def _trials_per_call(self, needs):
        return self.per_call

    def _stream(self, needs, trials):
        self.calls.append((sorted(need.cell.spec.d_k for need in needs), tuple(trials)))
        return {
            (self.point(need.cell, n).id, n): TrialValues(tuple(value(need.cell, n, t) for t in trials), 1, n)
            for need in needs
            for n in need.ns
        }

    _attention = _stream


def ask(*needs):
    """A request that asks for these and returns all it was given."""
    given = []
    for need in needs:
        given.append((yield need))
    return given


@pytest.fixture
def cell(make_cell):
    return make_cell()


def test_a_need_is_given_exactly_its_blocks_in_order(tmp_path, cell):
    supply = Simulated(tmp_path / "study" / "run")
    ((first, second),) = supply.serve([ask(Need(cell, (3, 5), 2), Need(cell, (3,), 1))])
    assert first[3].values == tuple(value(cell, 3, t) for t in range(8))
    assert first[5].values == tuple(value(cell, 5, t) for t in range(8))
    assert second[3].values == tuple(value(cell, 3, t) for t in range(4)), "more is stored than was asked for"


def test_only_missing_blocks_are_simulated(tmp_path, cell):
    supply = Simulated(tmp_path / "study" / "run")
    supply.serve([ask(Need(cell, (3,), 2), Need(cell, (3,), 3), Need(cell, (3,), 3))])
    assert [trials for _, trials in supply.calls] == [tuple(range(8)), tuple(range(8, 12))]
    assert supply.simulated == 3
    supply.serve([ask(Need(cell, (3, 4), 1))])
    assert supply.simulated == 4


def test_blocks_are_reused_across_the_runs_of_a_study(tmp_path, cell):
    first = Simulated(tmp_path / "study" / "one")
    (given,) = first.serve([ask(Need(cell, (3, 5), 2))])
    first.close()
    second = Simulated(tmp_path / "study" / "two")
    assert second.serve([ask(Need(cell, (3, 5), 2))]) == [given]
    assert (second.opened, second.simulated, second.calls) == (0, 0, [])
    assert not (tmp_path / "study" / "two").exists()
    other = Simulated(tmp_path / "other" / "one")
    other.serve([ask(Need(cell, (3, 5), 2))])
    assert other.opened == 1


def test_fresh_leaves_stored_rows_alone(tmp_path, cell):
    first = Simulated(tmp_path / "study" / "one")
    first.serve([ask(Need(cell, (3,), 2))])
    first.close()
    anew = Simulated(tmp_path / "study" / "one", fresh=True)
    anew.serve([ask(Need(cell, (3,), 2))])
    assert anew.simulated == 2


def test_requests_that_share_draws_are_served_together(tmp_path, make_cell):
    supply = Simulated(tmp_path / "study" / "run")
    cells = [make_cell(d_k=16), make_cell(d_k=8), make_cell("sign", d_k=16)]
    supply.serve([ask(Need(cell, (3,), 2)) for cell in cells])
    assert [d_k for d_k, _ in supply.calls] == [[16, 16], [8]]


def test_results_come_in_the_order_of_the_requests_and_are_told_as_they_end(tmp_path, make_cell):
    supply, told = Simulated(tmp_path / "study" / "run"), []
    long, short = make_cell(d_k=16), make_cell(d_k=8)
    requests = [ask(Need(long, (3,), 1), Need(long, (4,), 1)), ask(Need(short, (5,), 1)), ask()]
    results = supply.serve(requests, lambda index, result: told.append(index))
    assert [[list(given) for given in result] for result in results] == [[[3], [4]], [[5]], []]
    assert sorted(told) == [0, 1, 2]
    assert told[0] == 2


def test_calls_hold_whole_blocks_and_each_is_stored_before_the_next(tmp_path, cell):
    seen = []

    def check():
        seen.append(len(read_rows(tmp_path / "study").blocks))

    supply = Simulated(tmp_path / "study" / "run", per_call=9, check=check)
    supply.serve([ask(Need(cell, (3,), 5))])
    assert [len(trials) for _, trials in supply.calls] == [8, 8, 4]
    assert seen == [0, 2, 4]


def test_what_was_measured_before_an_interrupt_is_kept(tmp_path, cell):
    calls = [0]

    def check():
        calls[0] += 1
        if calls[0] == 3:
            raise InterruptedRun("stopped")

    supply = Simulated(tmp_path / "study" / "run", per_call=4, check=check)
    with pytest.raises(InterruptedRun):
        supply.serve([ask(Need(cell, (3,), 5))])
    supply.close()
    again = Simulated(tmp_path / "study" / "run")
    again.serve([ask(Need(cell, (3,), 5))])
    assert [trials for _, trials in again.calls] == [tuple(range(8, 20))]


def test_a_point_is_known_by_all_that_defines_it_and_by_nothing_else(tmp_path, make_cell):
    from dataclasses import replace

    from pavlov_cli.records import Choice

    supply = Supply(tmp_path / "study" / "run", lambda: None, "cpu")
    cell = make_cell()
    point = supply.point(cell, 3).id
    assert supply.point(replace(cell, target_error=0.5, n_max=7, baseline=True), 3).id == point
    assert supply.point(cell, 4).id != point
    assert supply.point(make_cell("sign"), 3).id != point
    assert Supply(tmp_path / "study" / "run", lambda: None, "gpu").point(cell, 3).id != point

    def of_file(path, digest):
        spec = replace(cell.spec, key_ensemble=Choice("file", (("path", path),)), data_digest=digest)
        return supply.point(replace(cell, spec=spec), 3).id

    assert of_file("a.npy", "1") == of_file("elsewhere/b.npy", "1")
    assert len({of_file("a.npy", "1"), of_file("a.npy", "2"), point}) == 3
