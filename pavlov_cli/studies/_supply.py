"""Where do trial values come from? From stored rows where they exist, else from the engine, which then stores them.

A request is a generator: it yields what it needs next and receives the values, so the adaptive logic of a study never
sees where they come from. Requests that share their draws are served together, one pass over the associations for all
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from pavlov_cli.engine.version import KERNEL_VERSION
from pavlov_cli.plan.grid import Cell
from pavlov_cli.records import TRIALS_PER_BLOCK, Choice, Point, Row, Spec, TrialValues
from pavlov_cli.store import RowWriter, read_rows
from pavlov_cli.studies._turns import Stopped, Turns

if TYPE_CHECKING:
    from pavlov_cli.engine.devices import Devices

Values = Mapping[int, TrialValues]
WORKERS = 2  # groups served at once: one compiles while the other computes


@dataclass(frozen=True)
class Need:
    """Blocks 0 .. blocks - 1 of a cell at some n.

    Attributes:
        cell: memory and criterion.
        ns: increasing numbers of associations.
        blocks: how many blocks, >= 1.
    """

    cell: Cell
    ns: tuple[int, ...]
    blocks: int


Request = Generator[Need, Values, Any]


class Supply:
    """Serves needs from the store and the engine.

    Args:
        run_dir: where new rows go; rows of every run beside it are read.
        open_devices: starts the engine; called only when something must be simulated.
        platform: part of every point's identity.
        fresh: ignore stored rows.
        check: called between device calls; raises to stop.
        batch_limit: most trials per device call and device; changes speed, never results.
        advanced: told after each call a cell that it served, how many trials were run, and a look at its values.
    """

    def __init__(
        self,
        run_dir: Path,
        open_devices: Callable[[], Devices],
        platform: str,
        *,
        fresh: bool = False,
        check: Callable[[], None] = lambda: None,
        batch_limit: int | None = None,
        advanced: Callable[[Cell, int, Callable[[], Values]], None] = lambda cell, trials, curve: None,
    ):
        stored = read_rows(run_dir.parent)
        self.problems, self.notes = (() if fresh else stored.problems), (() if fresh else stored.notes)
        self._blocks: dict[tuple[str, int], Row] = {} if fresh else dict(stored.blocks)
        self._writer = RowWriter(run_dir)
        self._open_devices, self._platform = open_devices, platform
        self._check, self._batch_limit, self._advanced = check, batch_limit, advanced
        self._devices: Devices | None = None
        self._lock = RLock()
        self._turns: Turns[Need] | None = None
        self.simulated = 0  # blocks

    @property
    def devices(self) -> Devices:
        """The devices, started on first use."""
        with self._lock:
            if self._devices is None:
                self._devices = self._open_devices()
            return self._devices

    def close(self) -> None:
        """Closes the row file."""
        self._writer.close()

    def serve(
        self, requests: Sequence[Request], done: Callable[[int, Any], None] = lambda index, result: None
    ) -> list[Any]:
        """Runs requests to their end, those that share draws side by side.

        Args:
            requests: generators of needs.
            done: called with index and result as each request ends.

        Returns:
            Results in the order of the requests.
        """
        turns = Turns(requests, lambda need: _draw_of(need.cell), self._fetch, done)
        self._turns = turns
        return turns.serve(WORKERS)

    def _fetch(self, needs: list[Need]) -> list[Values]:
        self._fill(needs)
        return [self._values(need) for need in needs]

    def _go_on(self) -> None:
        """Raises where the run must stop: it was interrupted, or another worker failed."""
        self._check()
        if self._turns is not None and self._turns.stopped:
            raise Stopped

    def point(self, cell: Cell, n: int) -> Point:
        """The grid cell under which values are stored."""
        return Point(_by_content(cell.spec), n, self._platform, KERNEL_VERSION)

    def _values(self, need: Need) -> Values:
        return {n: self._joined(need, n) for n in need.ns}

    def _joined(self, need: Need, n: int) -> TrialValues:
        point_id = self.point(need.cell, n).id
        joined = self._blocks[point_id, 0].trial_values
        for block in range(1, need.blocks):
            joined = joined + self._blocks[point_id, block].trial_values
        return joined

    def _missing(self, need: Need) -> tuple[int, ...]:
        ids = [self.point(need.cell, n).id for n in need.ns]
        return tuple(b for b in range(need.blocks) if any((point_id, b) not in self._blocks for point_id in ids))

    def _fill(self, needs: list[Need]) -> None:
        by_blocks: dict[tuple[int, ...], list[Need]] = {}
        for need in needs:
            missing = self._missing(need)
            if missing:
                ns = tuple(n for n in need.ns if self._missing(replace(need, ns=(n,))))
                by_blocks.setdefault(missing, []).append(replace(need, ns=ns))
        for blocks, group in by_blocks.items():
            self._simulate([need for need in group if need.cell.attention], blocks, self._attention)
            self._simulate([need for need in group if not need.cell.attention], blocks, self._stream)

    def _simulate(self, needs: list[Need], blocks: tuple[int, ...], compute: Callable[..., Any]) -> None:
        if not needs:
            return
        from pavlov_cli.engine.devices import release_memory

        per_call = max(1, self._trials_per_call(needs) // TRIALS_PER_BLOCK)
        for first in range(0, len(blocks), per_call):
            self._go_on()
            part = blocks[first : first + per_call]
            trials = [TRIALS_PER_BLOCK * b + t for b in part for t in range(TRIALS_PER_BLOCK)]
            self._keep(part, compute(needs, trials))
            release_memory()
            so_far = replace(needs[0], blocks=part[-1] + 1)
            with self._lock:
                self._advanced(so_far.cell, len(trials), partial(self._values, so_far))

    def _keep(self, blocks: tuple[int, ...], computed: Mapping[tuple[str, int], TrialValues]) -> None:
        """Stores what is new; values are those of all trials of the blocks, in order."""
        rows = []
        for (point_id, _), values in computed.items():
            for position, block in enumerate(blocks):
                if (point_id, block) in self._blocks:
                    continue
                mine = values.values[TRIALS_PER_BLOCK * position : TRIALS_PER_BLOCK * (position + 1)]
                row = Row(point_id, block, replace(values, values=mine), self.devices.environment)
                rows.append(row)
        with self._lock:
            self._writer.append(rows)
            self._blocks |= {(row.point_id, row.block): row for row in rows}
            self.simulated += len(rows)

    def _trials_per_call(self, needs: list[Need]) -> int:
        from pavlov_cli.engine.attention import SIZES, attention_batch
        from pavlov_cli.engine.stream import batch_size
        from pavlov_cli.memory import build_memory

        if needs[0].cell.attention:
            per_device = min(attention_batch(build_memory(n.cell.spec), SIZES[0], self._batch_limit) for n in needs)
        else:
            per_device = batch_size(self._lanes(needs)[0], self._batch_limit)
        return per_device * self.devices.count

    def _attention(self, needs: list[Need], trials: list[int]) -> dict[tuple[str, int], TrialValues]:
        from pavlov_cli.engine.attention import first_failures
        from pavlov_cli.engine.draws import draw_words
        from pavlov_cli.memory import build_criterion, build_memory

        computed = {}
        for need in needs:
            spec = need.cell.spec
            for n in need.ns:
                failures = first_failures(
                    build_memory(spec),
                    build_criterion(spec),
                    trials,
                    n,
                    draw_words(spec),
                    need.cell.vectors.rows if need.cell.vectors else None,
                    self.devices,
                    batch_limit=self._batch_limit,
                    check=self._go_on,
                )
                held = tuple(int(failure) - 1 for failure in failures)
                computed[self.point(need.cell, n).id, n] = TrialValues(held, 1, 0)
        return computed

    def _lanes(self, needs: list[Need]) -> tuple[list[Any], dict[Any, list[Any]]]:
        """One lane per memory: all n and criteria asked of it."""
        from pavlov_cli.engine.stream import Lane
        from pavlov_cli.memory import build_criterion, build_memory

        ns: dict[Any, set[int]] = {}
        rows: dict[Any, Any] = {}
        criteria: dict[Any, list[Any]] = {}
        for need in needs:
            memory = (build_memory(need.cell.spec), need.cell.spec.queries)
            criterion = build_criterion(need.cell.spec)
            ns.setdefault(memory, set()).update(need.ns)
            rows[memory] = need.cell.value_vectors.rows if need.cell.value_vectors else None
            known = criteria.setdefault(memory, [])
            if criterion not in known:
                known.append(criterion)
        lanes = [
            Lane(memory, tuple(criteria[memory, q]), tuple(sorted(ns[memory, q])), q, rows[memory, q])
            for memory, q in ns
        ]
        return lanes, criteria

    def _stream(self, needs: list[Need], trials: list[int]) -> dict[tuple[str, int], TrialValues]:
        from pavlov_cli.engine.draws import draw_words
        from pavlov_cli.engine.stream import stream_trials
        from pavlov_cli.memory import build_criterion, build_memory

        lanes, criteria = self._lanes(needs)
        first = needs[0].cell
        sums = stream_trials(
            lanes,
            trials,
            draw_words(first.spec),
            first.vectors.rows if first.vectors else None,
            self.devices,
            batch_limit=self._batch_limit,
            check=self._go_on,
        )
        order = list(criteria)
        computed = {}
        for need in needs:
            memory = (build_memory(need.cell.spec), need.cell.spec.queries)
            position = criteria[memory].index(build_criterion(need.cell.spec))
            for n in need.ns:
                values = _per_trial(sums[order.index(memory), position, n], need.cell, n)
                computed[self.point(need.cell, n).id, n] = values
        return computed


def _per_trial(sums: Any, cell: Cell, n: int) -> TrialValues:
    """Counts stay integers over a denominator; means are divided in float64 here, on the host."""
    probed = min(n, cell.spec.queries)
    if cell.counted:
        return TrialValues(tuple(int(total) for total in sums), (2 if cell.halves else 1) * cell.units * probed, probed)
    return TrialValues(tuple(float(total) / probed for total in sums), 1, probed)


def _by_content(spec: Spec) -> Spec:
    """The spec with files known by what they hold, wherever they lie."""
    if spec.data_digest:
        spec = replace(spec, key_ensemble=Choice(spec.key_ensemble.name))
    if spec.value_digest:
        spec = replace(spec, value_ensemble=Choice(spec.value_ensemble.name))
    return spec


def _draw_of(cell: Cell) -> tuple[Any, ...]:
    """What must be equal for cells to share their draws."""
    spec = cell.spec
    return spec.key_ensemble, spec.data_digest, spec.d_k, spec.seed
