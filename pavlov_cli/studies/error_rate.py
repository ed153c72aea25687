"""How often does retrieval fail at a given number of associations?"""

from __future__ import annotations

from typing import Any

import numpy as np

from pavlov_cli import theory
from pavlov_cli.config.settings import Settings
from pavlov_cli.errors import ConfigError
from pavlov_cli.plan.grid import Cell
from pavlov_cli.report.columns import ERROR
from pavlov_cli.studies._adaptive import Budget, ErrorPoint, describe, error_request
from pavlov_cli.studies._answer import error_answer
from pavlov_cli.studies._progress import Finished, Started, cell_name
from pavlov_cli.studies._session import Options, Outcome, Session, error_row


def run(settings: Settings, options: Options) -> Outcome:
    """Measures the error of every cell at every n.

    Args:
        settings: axes, groups, precision.
        options: where and how.

    Returns:
        Error rows and the answer.

    Raises:
        ConfigError: no n is given.
    """
    if settings.target_error is not None:
        raise ConfigError("target_error does not apply to error-rate: errors are measured, not compared with a target.")
    session = Session(settings, options)
    cells = _cells_at(session)
    budget = Budget(settings.confidence, settings.half_width, settings.max_trials, settings.trials)

    def done(index: int, point: ErrorPoint) -> None:
        cell, n = cells[index]
        options.progress(Finished(f"{cell_name(cell)} n={n}: {describe(point)}"))

    options.progress(Started(len(cells)))
    points = session.supply.serve([error_request(cell, n, budget) for cell, n in cells], done)
    rows = [_row(session, cell, point) for (cell, _), point in zip(cells, points, strict=True)]
    rows.sort(key=lambda row: (row["criterion"], row["key_ensemble"], row["d_k"], row["num_associations"]))
    return session.finish({"error_rate": (rows, ERROR)}, error_answer(rows), [point.settled for point in points])


def _cells_at(session: Session) -> list[tuple[Cell, int]]:
    ns = session.settings.num_associations
    if not ns:
        raise ConfigError("num_associations must be given: write --n 8..4096.")
    return [(cell, n) for cell in session.cells for n in sorted(ns)]


def _row(session: Session, cell: Cell, point: ErrorPoint) -> dict[str, Any]:
    law = theory.find(cell.spec)
    predicted = float(law.error(cell.spec, np.array([point.n]))[0]) if law else None
    return error_row(session, cell, point, predicted, law.LAW.name if law else None)
