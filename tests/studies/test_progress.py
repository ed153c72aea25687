"""The estimate in flight is a look at the values so far."""

from __future__ import annotations

import pytest

from pavlov_cli.records import TrialValues
from pavlov_cli.studies._progress import cell_name, in_flight


def test_a_cell_is_named_by_what_a_reader_looks_for(make_cell):
    assert cell_name(make_cell("mse", d_k=64)) == "d_k=64 sphere mse"


def test_a_crossing_is_interpolated_in_log_n(make_cell):
    curve = {4: TrialValues((0.2, 0.2), 1, 4), 16: TrialValues((0.3, 0.3), 1, 16)}
    assert in_flight(make_cell("mse", target=0.25), curve) == "d_k=16 sphere mse: 8 so far (2 trials)"


@pytest.mark.parametrize("rates", [(0.1, 0.2), (0.3, 0.4)])
def test_without_a_crossing_the_last_error_is_told(make_cell, rates):
    curve = {n: TrialValues((rate,), 1, n) for n, rate in zip((4, 16), rates, strict=True)}
    assert in_flight(make_cell("mse", target=0.25), curve).endswith(f": error {rates[1]} at n=16 so far (1 trials)")


def test_guaranteed_tells_the_median_held(make_cell):
    assert ": 7 so far (3 trials)" in in_flight(make_cell("guaranteed"), {64: TrialValues((6, 7, 9), 1, 0)})
