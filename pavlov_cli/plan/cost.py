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
FAR_TRIALS = 4  # of the pilot, beyond NEAR
GROUP, CHUNK, FAR = 64, 256, 1024  # associations drawn and written together, as in the engine
FIRST_MATRIX = 64
FIRST_ROUND = 16
NEAR = 256  # n up to which the pilot looks at the whole coarse lattice


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
                f"pilot         up to {PILOT_TRIALS} trials a cell, {self.flops:.2g} FLOPs, {self.normals:.2g} draws",
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
    return item * (2 * spec.d_phi * spec.d_v + (FAR + 2 * spec.queries) * width + 2 * alphabet)


def _reach(cell: Cell, ns: Sequence[int] | None) -> int:
    """The largest n the pilot is expected to look at."""
    if ns:
        return max(ns)
    prediction = theory.predict_capacity(cell.spec, cell.target_error)
    expected = prediction.capacity if prediction and prediction.capacity else None
    wanted = cell.n_max if expected is None else 2 * expected
    reached = FIRST_ROUND
    while reached < min(wanted, cell.n_max):
        reached *= 4 if reached < NEAR else 2
    return min(reached, cell.n_max)


def _passes(cell: Cell, ns: Sequence[int] | None) -> list[tuple[tuple[int, ...], int]]:
    """What the pilot looks at in one pass over the associations, and in how many trials."""
    if ns:
        return [(tuple(ns), PILOT_TRIALS)]
    reach, reached, top, passes = _reach(cell, ns), 0, FIRST_ROUND, []
    while reached < reach:
        top = min(top, reach)
        if reached < NEAR:
            passes.append((tuple(n for n in coarse_lattice(top) if n > reached), PILOT_TRIALS))
        else:
            passes.append(((top,), FAR_TRIALS))
        reached, top = top, top * (4 if top < NEAR else 2)
    return [(found, trials) for found, trials in passes if found]


def _rows(n: int) -> int:
    """The size in which the last chunk of n associations is processed."""
    return GROUP if n <= GROUP else CHUNK if n <= FAR else FAR


def _programs(cell: Cell, ns: Sequence[int]) -> set[tuple[object, ...]]:
    """What is compiled for a cell at these n, as the engine's calls tell them apart."""
    spec, found = cell.spec, set[tuple[object, ...]]()
    memory = (spec.value_ensemble, spec.update_rule, spec.feature_map, spec.key_ensemble, spec.d_k, spec.d_v)
    for n in ns:
        slots = min(spec.queries, _rows(n)) if n <= CHUNK else spec.queries
        found |= {("features", spec.key_ensemble, spec.d_k, GROUP), ("values", spec.value_ensemble, spec.d_v, GROUP)}
        found |= {("read", memory, _rows(n), n > CHUNK, slots), ("score", spec.criterion, spec.d_v, slots)}
        if cell.pool:
            found |= {(step, spec.d_v, slots, _rows(n)) for step in (("open", "count") if n > CHUNK else ("open",))}
        if n > CHUNK:
            found |= {("sample", spec.queries, _rows(n)), ("write", memory, 0)}
        if n > 2 * CHUNK:
            found.add(("write", memory, CHUNK))
        if n > FAR:
            found |= {("features", spec.key_ensemble, spec.d_k, FAR), ("values", spec.value_ensemble, spec.d_v, FAR)}
            found.add(("keys", FAR))
        if n > 2 * FAR:
            found.add(("write", memory, FAR))
    return found


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
        spec = cell.spec
        largest = max(largest, trial_bytes(cell))
        width = spec.d_phi + spec.d_v
        if cell.attention:
            size = FIRST_MATRIX
            points += 1
            flops += PILOT_TRIALS * 4.0 * size * size * spec.d_phi
            normals += PILOT_TRIALS * size * spec.d_k
            programs |= {("features", spec.key_ensemble, spec.d_k, size), ("failure", spec.criterion, spec.d_k)}
            continue
        noise = 0 if spec.query_cosine == 1 else spec.d_k
        for looked, trials in _passes(cell, ns):
            points += len(looked)
            probed = sum(_rows(n) + min(n, spec.queries) for n in looked)
            flops += trials * 2.0 * spec.d_phi * spec.d_v * (probed + max(looked))
            flops += trials * 2.0 * spec.d_v * sum(_compared(cell, n) for n in looked)
            again = sum(spec.queries for n in looked if n > FAR)  # probed items are drawn again
            normals += trials * (max(looked) + again) * (width + noise)
            programs |= _programs(cell, looked)
    shared = 2  # random keys of trials and of their first associations
    return Cost(len(cells), points, len(programs) + shared, flops, normals, largest)
