"""Which d_k does a memory need to hold a given number of associations? The inverse of a capacity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pavlov_cli import stats, theory
from pavlov_cli.config.settings import Settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.plan.grid import Family, build_families
from pavlov_cli.report.columns import ERROR, REQUIRED, VERDICT
from pavlov_cli.series import MEMORY
from pavlov_cli.studies._adaptive import Budget, in_words
from pavlov_cli.studies._answer import required_answer
from pavlov_cli.studies._dimension import LARGEST, SMALLEST, DimensionResult, dimension_request, target_of
from pavlov_cli.studies._progress import Finished, Started
from pavlov_cli.studies._session import Options, Outcome, Session, error_row

_SERIES = (*MEMORY, "criterion", "target_error", "margin")


def run(settings: Settings, options: Options) -> Outcome:
    """Measures the d_k that every memory needs for every n, and how it grows with n.

    Args:
        settings: n, groups, precision.
        options: where and how.

    Returns:
        One row per n and memory, the error rows behind them, verdicts and the answer.
    """
    families = build_families(settings, read_sheet)
    session = Session(settings, options, cells=tuple(family.at(SMALLEST) for family in families))
    budget = Budget(settings.confidence, settings.half_width, settings.max_trials, settings.trials)

    def done(index: int, result: DimensionResult) -> None:
        spec = families[index].at(SMALLEST).spec
        name = f"n={families[index].n} {spec.key_ensemble.name} {spec.criterion.name}"
        options.progress(Finished(f"{name}: d_k {in_words(result.dimension, result.bound)}"))

    options.progress(Started(len(families)))
    results: list[DimensionResult] = session.supply.serve([dimension_request(f, budget) for f in families], done)
    pairs = list(zip(families, results, strict=True))
    rows = [_row(session, family, result) for family, result in pairs]
    curve = [row for family, result in pairs for row in _curve(session, family, result)]
    verdicts = _verdicts(rows, pairs, settings.confidence)
    answer = required_answer(rows)
    return session.finish(
        {"capacity": (rows, REQUIRED), "curve": (curve, ERROR), "verdicts": (verdicts, VERDICT)},
        answer,
        [result.settled for result in results],
    )


def _row(session: Session, family: Family, result: DimensionResult) -> dict[str, Any]:
    cell = family.at(SMALLEST)
    sizes = {"d_k": None, "d_phi": None, "d_v": cell.spec.d_v if session.settings.d_v else None}
    law = theory.find(family.at(64).spec)
    return session.identity_columns(cell, family.n) | sizes | {
        "target_error": cell.target_error,
        "margin": cell.spec.criterion.get("margin") if cell.attention else None,
        "quantile": 0.5 if cell.attention else None,
        "required_d_k": result.dimension.value,
        "required_low": result.dimension.low,
        "required_high": result.dimension.high,
        "censored": result.censored is not None,
        "side": result.censored,
        "bound": result.bound,
        "trials": result.dimension.trials,
        "predicted_d_k": predicted(family),
        "prediction": law.LAW.name if law else None,
    }  # fmt: skip


def predicted(family: Family) -> float | None:
    """The d_k at which the predicted error at n falls to the target, linear in log d_k between integers.

    None where no law covers the memory, or its error crosses the target at no d_k that is looked at.
    """
    target, ns = target_of(family.at(SMALLEST)), np.array([family.n])

    def error(d_k: int) -> float:
        found = theory.predict_error(family.at(d_k).spec, ns)
        return float("nan") if found is None else float(found[0])

    low, high = 16, LARGEST
    while low > SMALLEST and error(low) <= target:
        low //= 2
    if not (error(low) > target >= error(high)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if error(middle) > target else (low, middle)
    before, after = error(low), error(high)
    return float(low * (high / low) ** ((before - target) / (before - after)))


def _curve(session: Session, family: Family, result: DimensionResult) -> list[dict[str, Any]]:
    rows = []
    for d_k, point in result.curve:
        cell = family.at(d_k)
        law = theory.find(cell.spec)
        error = float(law.error(cell.spec, np.array([point.n]))[0]) if law else None
        rows.append(error_row(session, cell, point, error, law.LAW.name if law else None))
    return rows


def _verdicts(
    rows: Sequence[dict[str, Any]], pairs: Sequence[tuple[Family, DimensionResult]], confidence: float
) -> list[dict[str, Any]]:
    """One verdict per memory: how the required d_k grows with n, beside the prediction's slope over the same n."""
    series: dict[tuple[Any, ...], list[int]] = {}
    for index, row in enumerate(rows):
        series.setdefault(tuple(row[name] for name in _SERIES), []).append(index)
    verdicts = []
    for key, members in series.items():
        ns = [rows[index]["num_associations"] for index in members]
        if len(set(ns)) < 2:
            continue
        estimates = [pairs[index][1].dimension for index in members]
        errors = [stats.standard_error_log(estimate, confidence) for estimate in estimates]
        slope = stats.exponent(ns, [estimate.value for estimate in estimates], errors, confidence)
        expected = [rows[index]["predicted_d_k"] for index in members]
        slope_of_law = None if None in expected else stats.slope_of(ns, expected)
        law = theory.find(pairs[members[0]][0].at(64).spec)
        found = dict(zip(_SERIES, key, strict=True)) | {
            "axis": "num_associations",
            "exponent": slope.value,
            "exponent_low": slope.low,
            "exponent_high": slope.high,
            "predicted_exponent": slope_of_law,
            "law": f"inverse of {law.LAW.exponent}" if law else None,
        }
        sizes = [value for value in expected if value]
        stated = law.LAW.slope_error(min(sizes), max(sizes)) * slope_of_law**2 if law and slope_of_law else 0.0
        judged = stats.verdict(slope, slope_of_law, stated)
        verdicts.append(found | {"consistent": judged.consistent, "reason": judged.reason})
    return [{name: verdict[name] for name in VERDICT} for verdict in verdicts]
