"""Any two columns of numbers can be drawn, with the intervals that the table holds for them."""

from __future__ import annotations

import pytest
from table_rows import capacity_row

from pavlov_cli.figures.columns import draw_columns, limits_of
from pavlov_cli.figures.look import Look
from pavlov_cli.report.columns import CAPACITY, ERROR, VERDICT

SVG = Look(forms=("svg",))


@pytest.mark.parametrize(
    ("columns", "y", "limits"),
    [
        (CAPACITY, "capacity", ("capacity_low", "capacity_high")),
        (CAPACITY, "mean_capacity", ("mean_low", "mean_high")),
        (CAPACITY, "capacity_q99", None),
        (CAPACITY, "leading_law", None),
        (ERROR, "error_rate", ("error_low", "error_high")),
        (ERROR, "predicted_error", None),
        (VERDICT, "exponent", ("exponent_low", "exponent_high")),
    ],
)
def test_an_interval_is_found_by_the_name_of_its_column(columns, y, limits):
    assert limits_of(y, columns) == limits


def test_series_are_named_by_what_differs(tmp_path):
    rows = [capacity_row(name, d_k) for name in ("mse", "sign") for d_k in (64, 128)]
    (path,) = draw_columns(rows, tmp_path / "a", x="d_k", y="capacity", look=SVG)
    text = path.read_text()
    assert ">mse<" in text and ">sign<" in text
    assert "target_error" not in text
    (path,) = draw_columns(rows[:2], tmp_path / "b", x="d_k", y="capacity", look=SVG)
    assert ">mse<" not in path.read_text()


def test_series_can_be_chosen(tmp_path):
    rows = [capacity_row(name, d_k) for name in ("mse", "sign") for d_k in (64, 128)]
    (path,) = draw_columns(rows, tmp_path / "a", x="target_error", y="capacity", series=["d_k"], look=SVG)
    assert ">d_k 64<" in path.read_text()


def test_labels_are_taken_literally(tmp_path):
    look = Look(title="$a_b$", xlabel="50% of $x", ylabel="y_1", forms=("svg",))
    rows = [capacity_row(d_k=d_k) for d_k in (64, 128)]
    (path,) = draw_columns(rows, tmp_path / "a", x="d_k", y="capacity", look=look)
    text = path.read_text().replace(r"\$", "$")
    for label in ("$a_b$", "50% of $x", "y_1"):
        assert f">{label}<" in text


def test_rows_without_a_number_are_left_out(tmp_path):
    rows = [capacity_row(d_k=64), capacity_row(d_k=4096, capacity=None)]
    (path,) = draw_columns(rows, tmp_path / "a", x="d_k", y="capacity", look=SVG)
    assert "4096" not in path.read_text()
    assert draw_columns(rows[1:], tmp_path / "b", x="d_k", y="capacity", look=SVG) == []


def test_zero_keeps_an_axis_linear(tmp_path):
    rows = [capacity_row(d_k=d_k, value=float(value)) for d_k, value in ((64, 0), (128, 100))]
    draw_columns(rows, tmp_path / "a", x="d_k", y="capacity", look=SVG)
