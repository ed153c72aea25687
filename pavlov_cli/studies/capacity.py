"""How many associations does a memory hold, how does that grow with d_k, and does theory agree?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pavlov_cli import stats, theory
from pavlov_cli.config.settings import Settings
from pavlov_cli.errors import ConfigError
from pavlov_cli.plan.grid import Cell
from pavlov_cli.records import Choice
from pavlov_cli.report.columns import CAPACITY, ERROR, VERDICT
from pavlov_cli.series import MEMORY
from pavlov_cli.studies import required_dimension
from pavlov_cli.studies._adaptive import Budget, CapacityResult, capacity_request, describe
from pavlov_cli.studies._answer import capacity_answer
from pavlov_cli.studies._progress import Finished, Started, cell_name
from pavlov_cli.studies._session import Options, Outcome, Session, error_row

_SERIES = (*MEMORY, "criterion", "target_error", "margin")


def run(settings: Settings, options: Options) -> Outcome:
    """Measures every cell, fits the growth with d_k and judges it.

    Args:
        settings: axes, groups, precision.
        options: where and how.

    Returns:
        Capacity rows, error rows behind them, verdicts and the answer; where n is given, the d_k that holds it.
    """
    if settings.num_associations:
        if settings.d_k:
            raise ConfigError("--n asks which d_k is needed, --dk how many associations fit; give one of them.")
        return required_dimension.run(settings, options)
    session = Session(settings, options)
    cells = session.cells
    budget = Budget(settings.confidence, settings.half_width, settings.max_trials, settings.trials)

    def done(index: int, result: CapacityResult) -> None:
        options.progress(Finished(f"{cell_name(cells[index])}: {describe(result)}"))

    options.progress(Started(len(cells)))
    results: list[CapacityResult] = session.supply.serve([capacity_request(cell, budget) for cell in cells], done)
    pairs = list(zip(cells, results, strict=True))
    pairs.sort(key=lambda pair: _reading_order(settings, pair[0]))
    rows = [_capacity_row(session, cell, result) for cell, result in pairs]
    curve = [row for cell, result in pairs for row in _curve_rows(session, cell, result)]
    verdicts = _verdicts(session, pairs)
    answer = capacity_answer(rows, verdicts)
    return session.finish(
        {"capacity": (rows, CAPACITY), "curve": (curve, ERROR), "verdicts": (verdicts, VERDICT)},
        answer,
        [result.settled for result in results],
    )


def _reading_order(settings: Settings, cell: Cell) -> tuple[Any, ...]:
    """One block per criterion, in it one per memory, in it by d_k."""
    spec = cell.spec
    chosen = (settings.update_rule.index(spec.update_rule), settings.feature_map.index(spec.feature_map))
    width = 0 if settings.d_v is None else spec.d_v
    names = (spec.key_ensemble.name, spec.key_ensemble.parameters, spec.value_ensemble.name)
    judged = (_place(settings.criterion, spec.criterion), cell.target_error or 0)
    return (*judged, *chosen, cell.baseline, str(names), -spec.query_cosine, width, spec.d_k)


def _place(asked: Sequence[Choice], criterion: Choice) -> int:
    """Position of a criterion among those asked for; a codebook's size may have been resolved since."""
    if criterion in asked:
        return asked.index(criterion)
    return next(place for place, choice in enumerate(asked) if choice.name == criterion.name)


def _capacity_row(session: Session, cell: Cell, result: CapacityResult) -> dict[str, Any]:
    prediction = theory.predict_capacity(cell.spec, cell.target_error)
    row = session.identity_columns(cell, None)
    row |= {
        "target_error": cell.target_error,
        "margin": cell.spec.criterion.get("margin") if cell.attention else None,
        "quantile": 0.5 if cell.attention else None,
        "capacity": result.capacity.value,
        "capacity_low": result.capacity.low,
        "capacity_high": result.capacity.high,
        "censored": result.censored is not None,
        "side": result.censored,
        "bound": result.bound,
        "trials": result.capacity.trials,
        "mean_capacity": result.fit.value if cell.attention else None,
        "mean_low": result.fit.low if cell.attention else None,
        "mean_high": result.fit.high if cell.attention else None,
        "capacity_q01": result.quantiles[0] if result.quantiles else None,
        "capacity_q99": result.quantiles[1] if result.quantiles else None,
        "predicted_capacity": prediction.capacity if prediction else None,
        "leading_law": prediction.leading_law if prediction else None,
        "prediction": prediction.law.name if prediction else None,
    }
    return row


def _curve_rows(session: Session, cell: Cell, result: CapacityResult) -> list[dict[str, Any]]:
    law = theory.find(cell.spec)
    ns = np.array([point.n for point in result.curve])
    predicted = law.error(cell.spec, ns) if law and ns.size else [None] * len(ns)
    return [
        error_row(session, cell, point, None if value is None else float(value), law.LAW.name if law else None)
        for point, value in zip(result.curve, predicted, strict=True)
    ]


def _verdicts(session: Session, pairs: Sequence[tuple[Cell, CapacityResult]]) -> list[dict[str, Any]]:
    """One verdict per series of at least two d_k."""
    series: dict[tuple[Any, ...], list[tuple[Cell, CapacityResult]]] = {}
    for cell, result in pairs:
        columns = session.identity_columns(cell, None)
        columns |= {"margin": cell.spec.criterion.get("margin"), "target_error": cell.target_error}
        columns["d_v"] = None if session.settings.d_v is None else cell.spec.d_v
        series.setdefault(tuple(columns[name] for name in _SERIES), []).append((cell, result))
    verdicts = []
    for key, members in series.items():
        if len({cell.spec.d_k for cell, _ in members}) > 1:
            judged = dict(zip(_SERIES, key, strict=True)) | _verdict(members, session.settings.confidence)
            verdicts.append({name: judged[name] for name in VERDICT})
    return verdicts


def _verdict(members: Sequence[tuple[Cell, CapacityResult]], confidence: float) -> dict[str, Any]:
    """Measured and predicted slope over the same d_k: those that a law covers, or all where none is covered."""
    members = [pair for pair in members if theory.find(pair[0].spec)] or members
    d_k = [cell.spec.d_k for cell, _ in members]
    errors = [stats.standard_error_log(result.fit, confidence) for _, result in members]
    slope = stats.exponent(d_k, [result.fit.value or None for _, result in members], errors, confidence)
    predictions = [theory.predict_capacity(cell.spec, cell.target_error) for cell, _ in members]
    fitted = [p.fit_capacity for p in predictions if p and p.fit_capacity]
    law = predictions[0].law if predictions[0] else None
    predicted = stats.slope_of(d_k, fitted) if len(fitted) == len(d_k) else None
    judged = stats.verdict(slope, predicted, law.slope_error(min(d_k), max(d_k)) if law else 0.0)
    return {
        "axis": "d_k",
        "exponent": slope.value,
        "exponent_low": slope.low,
        "exponent_high": slope.high,
        "predicted_exponent": predicted,
        "law": law.exponent if law else None,
        "consistent": judged.consistent,
        "reason": judged.reason,
    }
