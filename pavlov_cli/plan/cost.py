"""What will a sweep cost, said before it starts?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from pavlov_cli import theory
from pavlov_cli.errors import ConfigError
from pavlov_cli.lattice import coarse_lattice
from pavlov_cli.plan.grid import Cell

PILOT_TRIALS = 8
ROWS = (64, 256)  # sizes in which a partial chunk is processed, as in the engine
FIRST_MATRIX = 64
FIRST_ROUND = 16


@dataclass(frozen=True)
class Cost:
    """Estimates for a sweep's first look: the pilot trials of every cell.

    Attributes:
        cells: rows of the table.
        points: (cell, n) pairs looked at.
        compilations: programs compiled, without those of a persistent cache.
        flops: floating-point operations of the pilot.
        normals: random numbers drawn by the pilot.
        trial_bytes: working memory of the largest trial.
    """

    cells: int
    points: int
    compilations: int
    flops: float
    normals: float
    trial_bytes: int

    def text(self) -> str:
        """Lines for the terminal."""
        return "\n".join(
            (
                f"cells         {self.cells}",
                f"points        {self.points} (cell and n)",
                f"compilations  about {self.compilations}, fewer where compiled programs are kept",
                f"pilot         {PILOT_TRIALS} trials a cell, {self.flops:.2g} FLOPs, {self.normals:.2g} draws",
                f"memory        {_size(self.trial_bytes)} for the largest trial",
            )
        )


def refuse_unfit(cells: Sequence[Cell], available_bytes: int) -> None:
    """Refuses a sweep of which not even one trial fits into memory.

    Args:
        cells: the sweep.
        available_bytes: of this machine.

    Raises:
        ConfigError: with the memory that the largest cell would need.
    """
    for cell in cells:
        needed = trial_bytes(cell)
        if needed > available_bytes:
            raise ConfigError(
                f"d_k = {cell.spec.d_k} with d_v = {cell.spec.d_v} needs about {_size(needed)} for one trial of "
                f"{cell.spec.criterion.name}; this machine has {_size(available_bytes)}. Use a smaller d_k or d_v."
            )


def memory_of_this_machine() -> int:
    """Physical memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _size(count: float) -> str:
    if count < 2**30:
        return f"{count / 2**20:.0f} MiB"
    return f"{count / 2**30:,.0f} GiB" if count >= 2**37 else f"{count / 2**30:.3g} GiB"


def trial_bytes(cell: Cell) -> int:
    """Working memory of one trial: features and attention matrix, or states, chunks and probed items."""
    spec, item = cell.spec, 8 if cell.spec.precision == "float64" else 4
    if cell.attention:
        return item * (3 * FIRST_MATRIX**2 + 3 * FIRST_MATRIX * spec.d_phi)
    width = spec.d_phi + spec.d_v
    alphabet = int(spec.value_ensemble.get("size") or 0) * spec.d_v
    return item * (2 * spec.d_phi * spec.d_v + (2 * ROWS[-1] + 3 * spec.queries) * width + 2 * alphabet)


def _reach(cell: Cell, ns: Sequence[int] | None) -> int:
    """The largest n the pilot is expected to look at."""
    if ns:
        return max(ns)
    prediction = theory.predict_capacity(cell.spec, cell.target_error)
    expected = prediction.capacity if prediction and prediction.capacity else None
    wanted = cell.n_max if expected is None else 2 * expected
    reached = FIRST_ROUND
    while reached < min(wanted, cell.n_max):
        reached *= 4 if reached < ROWS[-1] else 2
    return min(reached, cell.n_max)


def _rows(n: int) -> int:
    return next((rows for rows in ROWS if rows >= n), ROWS[-1])


def _compared(cell: Cell, n: int) -> int:
    """Inner products of readouts with other values at n."""
    if not cell.pool:
        return 0
    return min(n, cell.spec.queries) * (n if cell.pool == "stored" else cell.spec.criterion.get("codebook_size"))


def estimate(cells: Sequence[Cell], ns: Sequence[int] | None) -> Cost:
    """Counts points, compilations, arithmetic and memory of a sweep's pilot.

    Args:
        cells: the sweep.
        ns: numbers of associations asked for; None where the sweep searches for a crossing.

    Returns:
        The estimate. Later stages add trials, not compilations.
    """
    points, flops, normals, largest = 0, 0.0, 0.0, 0
    programs: set[tuple[object, ...]] = set()
    for cell in cells:
        spec, reach = cell.spec, _reach(cell, ns)
        largest = max(largest, trial_bytes(cell))
        width = spec.d_phi + spec.d_v
        if cell.attention:
            size = FIRST_MATRIX
            points += 1
            flops += PILOT_TRIALS * 4.0 * size * size * spec.d_phi
            normals += PILOT_TRIALS * size * spec.d_k
            programs |= {("features", spec.key_ensemble, spec.d_k, size), ("failure", spec.criterion, spec.d_k)}
            continue
        lattice = [n for n in (ns or coarse_lattice(reach)) if n <= reach]
        points += len(lattice)
        probed = sum(_rows(n) + min(n, spec.queries) for n in lattice)
        flops += PILOT_TRIALS * 2.0 * spec.d_phi * spec.d_v * (probed + reach)
        flops += PILOT_TRIALS * 2.0 * spec.d_v * sum(_compared(cell, n) for n in lattice)
        noise = 0 if spec.query_cosine == 1 else spec.d_k
        normals += PILOT_TRIALS * reach * (width + noise)
        memory = (spec.key_ensemble, spec.value_ensemble, spec.update_rule, spec.feature_map, spec.d_k, spec.d_v)
        for rows in {_rows(n) for n in lattice}:
            programs |= {("features", spec.key_ensemble, spec.d_k, rows), ("values", memory, rows)}
            programs |= {("read", memory, rows), ("score", spec.criterion, spec.d_v, rows)}
        if reach > ROWS[-1]:
            programs |= {("write", memory), ("read", memory, "later"), ("keys", "later")}
    shared = 2 + 2 * len(ROWS)  # random keys, for each size, and what a trial's keys share
    return Cost(len(cells), points, len(programs) + shared, flops, normals, largest)
