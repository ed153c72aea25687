"""Do 95% intervals cover what they should? Seeded repeats of a small study, judged against exact values.

Run as a script for the full study (``make coverage``); the suite runs fewer repeats with bounds to match.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pavlov_cli import theory
from pavlov_cli.config.compose import compose_settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.engine.devices import open_devices
from pavlov_cli.plan.grid import Cell, build_cells
from pavlov_cli.records import Estimate
from pavlov_cli.studies._adaptive import Budget, capacity_request, error_request
from pavlov_cli.studies._supply import Supply

D_K = 16
NS = (3, 4, 5, 6)  # sign errors from 0.16% (often none seen) to 3.7%; a memory fails at n with 2% to 94%
FIXED = Budget(confidence=0.95, half_width=0.1, max_trials=512, trials=16)
ADAPTIVE = Budget(confidence=0.95, half_width=0.1, max_trials=512, trials=None)


def covers(estimate: Estimate, truth: float) -> bool:
    """Whether the interval holds the truth; a side that is not known holds everything."""
    low = -math.inf if estimate.low is None else estimate.low
    high = math.inf if estimate.high is None else estimate.high
    return low <= truth <= high


def repeat(
    seed: int, cells: tuple[Cell, ...], truths: dict[str, dict[int, float]], budget: Budget
) -> Iterable[tuple[str, bool]]:
    """(kind of interval, whether it covers) for one seed."""
    seeded = [replace(cell, spec=replace(cell.spec, seed=seed)) for cell in cells]
    with tempfile.TemporaryDirectory() as folder:
        supply = Supply(Path(folder) / "study" / "run", open_devices, "cpu")
        requests = [error_request(cell, n, budget) for cell in seeded for n in NS]
        requests += [capacity_request(cell, budget) for cell in seeded]
        results = supply.serve(requests)
        supply.close()
    points, capacities = results[: len(seeded) * len(NS)], results[len(seeded) * len(NS) :]
    for (cell, n), point in zip(((cell, n) for cell in seeded for n in NS), points, strict=True):
        name = cell.spec.criterion.name
        yield f"{name} error n={n}", covers(point.estimate, truths[name][n])
        if point.estimate.value == 0:
            yield f"{name} error, none seen", covers(point.estimate, truths[name][n])
    for cell, result in zip(seeded, capacities, strict=True):
        name = cell.spec.criterion.name
        yield f"{name} capacity", covers(result.capacity, truths[name][0])
        if cell.attention:
            yield f"{name} mean", covers(result.fit, truths[name][1])


def exact_values(cells: tuple[Cell, ...], trials: int = 200_000) -> dict[str, dict[int, float]]:
    """What is true: exact laws, and for ``guaranteed`` a run so long that its own error does not matter (0:
    capacity)."""
    from pavlov_cli.engine.attention import first_failures
    from pavlov_cli.engine.draws import draw_words
    from pavlov_cli.memory import build_criterion, build_memory

    truths: dict[str, dict[int, float]] = {}
    for cell in cells:
        name = cell.spec.criterion.name
        if cell.attention:
            spec = replace(cell.spec, seed=2**31)
            memory, criterion = build_memory(spec), build_criterion(spec)
            held = first_failures(memory, criterion, range(trials), 64, draw_words(spec), None, open_devices()) - 1
            truths[name] = {n: float(np.mean(held < n)) for n in NS}
            truths[name] |= {0: float(np.sort(held)[(trials - 1) // 2]), 1: float(np.mean(held))}
            continue
        law = theory.find(cell.spec)
        assert law is not None
        truths[name] = {n: float(law.error(cell.spec, np.array([n]))[0]) for n in NS}
        truths[name][0] = float(law.capacity(cell.spec, cell.target_error) or math.nan)
    return truths


@dataclass(frozen=True)
class Coverage:
    """How often a kind of interval held the truth.

    Attributes:
        share: fraction of intervals.
        error: standard error of the share, with repeats as the independent units.
        seen: intervals.
    """

    share: float
    error: float
    seen: int


def coverage(repeats: int, budget: Budget, *, first_seed: int = 1) -> dict[str, Coverage]:
    """Coverage of every kind of interval over seeded repeats, and of each criterion's error cells together."""
    settings = compose_settings("capacity", [], {"d_k": D_K})
    cells = build_cells(settings, read_sheet)
    truths = exact_values(cells)
    found: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for seed in range(first_seed, first_seed + repeats):
        for kind, covered in repeat(seed, cells, truths, budget):
            found[kind].append((seed, covered))
            if " error n=" in kind:  # cells in which no error was seen are among them
                found[f"{kind.split()[0]} error, all n"].append((seed, covered))
    return {kind: _clustered(pairs) for kind, pairs in found.items()}


def _clustered(pairs: list[tuple[int, bool]]) -> Coverage:
    share = sum(covered for _, covered in pairs) / len(pairs)
    residuals: dict[int, float] = defaultdict(float)
    for seed, covered in pairs:
        residuals[seed] += covered - share
    return Coverage(share, math.sqrt(sum(r * r for r in residuals.values())) / len(pairs), len(pairs))


def main() -> None:
    """Prints coverage for a fixed and for the adaptive budget."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for title, budget in (("16 trials", FIXED), ("adaptive, half-width 10%", ADAPTIVE)):
        print(f"{title}, {repeats} repeats, d_k = {D_K}")
        for kind, found in coverage(repeats, budget).items():
            print(f"  {kind:<28}{100 * found.share:6.1f}% +- {100 * found.error:.1f}  of {found.seen}", flush=True)


if __name__ == "__main__":
    main()
