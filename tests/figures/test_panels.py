"""Error curves share panels by criterion, collapse by load, and stay readable with seven criteria at once."""

from __future__ import annotations

import math

import pytest
from table_rows import TARGETS, capacity_row, error_row, verdict_row

from pavlov_cli.figures._panels import panels_of, target_of
from pavlov_cli.figures._style import series_style
from pavlov_cli.figures.collapse import draw_collapse, load
from pavlov_cli.figures.error_curves import draw_error_curves
from pavlov_cli.figures.look import FORMS, SIZES, Look
from pavlov_cli.figures.own import own_figures

CRITERIA = ("guaranteed", *TARGETS)
FAST = ("svg",)


@pytest.fixture
def seven():
    """Capacities from 5 to 20000 and the curves behind them."""
    rows, curve = [], []
    for place, criterion in enumerate(CRITERIA):
        for d_k in (64, 256, 1024):
            capacity = 5.0 * 4**place * d_k / 1024
            rows.append(capacity_row(criterion, d_k, capacity))
            target = rows[-1]["target_error"] or 0.5
            curve += [
                error_row(max(1, round(capacity * step)), min(1.0, target * step**3), criterion, d_k)
                for step in (0.5, 1.0, 2.0)
            ]
    return rows, curve


@pytest.mark.parametrize("size", SIZES)
def test_seven_criteria_fit_every_size_inside_the_figure(tmp_path, seven, size, monkeypatch):
    rows, curve = seven
    verdicts = [verdict_row(name, margin=1.0 if name == "guaranteed" else None) for name in CRITERIA]
    drawn = {}
    for module in ("capacity", "error_curves", "collapse"):
        monkeypatch.setattr(
            f"pavlov_cli.figures.{module}.save",
            lambda figure, stem, look: drawn.setdefault(stem.name, figure) and [],
        )
    for stem, draw in own_figures("capacity", rows, curve=curve, verdicts=verdicts, look=Look(size)).items():
        draw(tmp_path / stem)
    assert set(drawn) == {"capacity", "error_curves", "collapse"}
    for name, figure in drawn.items():
        figure.draw_without_rendering()
        (legend,) = figure.legends
        inside, box = figure.bbox, legend.get_window_extent()
        assert figure.get_size_inches()[0] == SIZES[size].width
        assert box.x0 >= inside.x0 - 1 and box.x1 <= inside.x1 + 1, f"{name}: the legend is clipped"
        for axes in figure.axes:
            if axes.axison:
                assert not box.overlaps(axes.get_tightbbox()), f"{name}: the legend covers an axis"
                assert axes.get_window_extent().height > 0.6 * figure.dpi


def test_every_one_of_fourteen_series_has_a_look_of_its_own():
    looks = [series_style(index) for index in range(14)]
    assert len({(look["marker"], str(look.get("mfc"))) for look in looks}) == 14
    for name in ("color", "marker", "ls"):
        assert len({str(look[name]) for look in looks[:7]}) == 7


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [("mse", 32 / 64), ("sign", 32 / 64), ("cosine", 32 / 64), ("guaranteed", 32 / 8)]
    + [(name, 32 * math.log(32) / (64 * 16)) for name in ("top1", "listwise", "codebook")],
)
def test_the_load_measures_n_in_the_capacitys_own_scale(criterion, expected):
    assert load(error_row(32, 0.1, criterion, 64, d_v=16)) == pytest.approx(expected)


def test_the_load_counts_features_where_there_are_more_than_keys():
    assert load(error_row(32, 0.1, "mse", 64, d_phi=128)) == 0.25


def test_one_dimension_does_not_collapse(tmp_path):
    curve = [error_row(n, 0.1) for n in (8, 16)]
    assert draw_collapse(curve, [], tmp_path / "collapse") == []
    assert set(own_figures("capacity", [capacity_row("sign")], curve=curve)) == {"capacity", "error_curves"}
    assert set(own_figures("capacity", [capacity_row("sign", capacity=None)], curve=curve)) == {"error_curves"}
    assert own_figures("another_study", [], curve=curve) == {}


def test_panels_are_named_by_criterion_and_memory():
    rows = [error_row(8, 0.1), error_row(8, 0.1, "mse"), error_row(8, 0.1, key_ensemble="rademacher")]
    assert list(panels_of(rows)) == ["sign, sphere keys", "mse, sphere keys", "sign, rademacher keys"]
    assert list(panels_of(rows[:2])) == ["sign", "mse"]


def test_the_target_is_that_of_the_same_memory():
    capacities = [capacity_row("sign"), capacity_row("sign", key_ensemble="rademacher", target_error=0.1)]
    assert target_of(error_row(8, 0.1), capacities) == 0.01
    assert target_of(error_row(8, 0.1, key_ensemble="rademacher"), capacities) == 0.1
    assert target_of(error_row(8, 0.1, "guaranteed"), [capacity_row("guaranteed")]) == 0.5
    assert target_of(error_row(8, 0.1, "mse"), capacities) is None


def test_rounding_is_not_drawn_as_an_error(tmp_path):
    curve = [error_row(1, 1e-14, "mse", predicted_error=0.0), error_row(8, 0.1, "mse"), error_row(64, 0.3, "mse")]
    (path,) = draw_error_curves(curve, [capacity_row()], tmp_path / "curves", look=Look(forms=FAST))
    assert "1e-" not in path.read_text()


def test_curves_are_drawn_twice_with_equal_bytes(tmp_path, seven):
    rows, curve = ([row for row in found if row["criterion"] in ("guaranteed", "top1")] for found in seven)
    for draw in (draw_error_curves, draw_collapse):
        first, second = (draw(curve, rows, tmp_path / name / "figure") for name in ("one", "two"))
        assert [path.suffix[1:] for path in first] == list(FORMS)
        assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_nothing_measured_draws_nothing(tmp_path):
    assert draw_error_curves([], [], tmp_path / "curves") == []
    assert list(tmp_path.iterdir()) == []
