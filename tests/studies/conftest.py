"""Cells whose trial values are made up, and a driver that hands them to a request."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from memory_specs import make_spec

from pavlov_cli.plan.grid import Cell
from pavlov_cli.records import TrialValues


@pytest.fixture
def make_cell() -> Callable[..., Cell]:
    """A cell of one Hebbian head."""

    def make(criterion="mse", *, n_max=1000, target=0.25, d_k=16, d_v=None, margin=1.0, keys="sphere") -> Cell:
        attention = criterion == "guaranteed"
        spec = make_spec(criterion, d_k=d_k, d_v=d_v, margin=margin, keys=keys)
        counted = criterion != "mse"
        units = spec.d_v if criterion == "sign" else 1
        return Cell(spec, None if attention else target, n_max, attention, counted, units)

    return make


@pytest.fixture
def drive() -> Callable:
    """Runs a request to its end on ``value(n, trial)``; returns the result and every need it stated."""

    def run(request, value, *, denominator=1):
        needs, need = [], next(request)
        while True:
            needs.append(need)
            supplied = {
                n: TrialValues(tuple(value(n, trial) for trial in range(4 * need.blocks)), denominator, 1)
                for n in need.ns
            }
            try:
                need = request.send(supplied)
            except StopIteration as end:
                return end.value, needs

    return run
