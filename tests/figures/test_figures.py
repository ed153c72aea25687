"""Equal tables give equal figures, byte by byte, and every table that holds a number can be drawn."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from table_rows import capacity_row, error_row, verdict_row

from pavlov_cli.figures.capacity import draw_capacity, series_of
from pavlov_cli.figures.error_rate import draw_error_rate

MAGIC = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def drawn(paths):
    """Suffix -> content, each of its own format."""
    found = {path.suffix: path.read_bytes() for path in paths}
    assert set(found) == set(MAGIC)
    assert all(found[suffix].startswith(magic) for suffix, magic in MAGIC.items())
    return found


def text_of(found):
    return found[".svg"].decode()


@pytest.fixture
def rows():
    return [capacity_row(criterion, d_k) for criterion in ("guaranteed", "mse") for d_k in (64, 128, 256)]


@pytest.fixture
def errors():
    return [error_row(n, rate) for n, rate in ((8, 0.0), (16, 0.01), (32, 0.1), (64, 0.3))]


def test_capacity_is_drawn_twice_with_equal_bytes(tmp_path, rows):
    verdicts = [verdict_row("mse")]
    first, second = (drawn(draw_capacity(rows, verdicts, tmp_path / name / "capacity")) for name in ("one", "two"))
    assert first == second


def test_one_dimension_is_drawn_twice_with_equal_bytes(tmp_path):
    rows = [capacity_row("guaranteed"), capacity_row("mse"), capacity_row("mse", target_error=0.5)]
    first, second = (drawn(draw_capacity(rows, [], tmp_path / name / "capacity")) for name in ("one", "two"))
    assert first == second
    assert "d_k" in text_of(first)


def test_error_rates_are_drawn_twice_with_equal_bytes(tmp_path, errors):
    first, second = (drawn(draw_error_rate(errors, tmp_path / name / "error_rate")) for name in ("one", "two"))
    assert first == second


def test_another_process_with_other_hashes_draws_the_same_bytes(tmp_path, errors):
    drawn_here = drawn(draw_error_rate(errors, tmp_path / "here" / "error_rate"))
    script = (
        "import json, sys; from pathlib import Path; from pavlov_cli.figures.error_rate import draw_error_rate;"
        "draw_error_rate(json.loads(sys.argv[1]), Path(sys.argv[2]))"
    )
    import json

    environment = os.environ | {"PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "1000000000", "TZ": "Asia/Tokyo"}
    command = [sys.executable, "-c", script, json.dumps(errors), str(tmp_path / "there" / "error_rate")]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    drawn_there = drawn([tmp_path / "there" / f"error_rate{suffix}" for suffix in MAGIC])
    assert drawn_there == drawn_here


def test_other_numbers_give_another_figure(tmp_path, rows):
    first = drawn(draw_capacity(rows, [], tmp_path / "one" / "capacity"))
    rows[0]["capacity"] *= 1.5
    rows[0]["capacity_high"] *= 1.5
    second = drawn(draw_capacity(rows, [], tmp_path / "two" / "capacity"))
    assert all(first[suffix] != second[suffix] for suffix in MAGIC)


def test_a_figure_that_would_not_change_is_not_written(tmp_path, rows):
    paths = draw_capacity(rows, [], tmp_path / "capacity")
    for path in paths:
        os.utime(path, ns=(1, 1))
    assert draw_capacity(rows, [], tmp_path / "capacity") == paths
    assert {path.stat().st_mtime_ns for path in paths} == {1}
    rows[0]["capacity"] += 1
    rows[0]["capacity_high"] += 1
    draw_capacity(rows, [], tmp_path / "capacity")
    assert 1 not in {path.stat().st_mtime_ns for path in paths}


def test_no_dates_and_no_versions_are_written(tmp_path, rows):
    import matplotlib

    for content in drawn(draw_capacity(rows, [], tmp_path / "capacity")).values():
        assert b"CreationDate" not in content
        assert b"dc:date" not in content
        assert f"Matplotlib v{matplotlib.__version__}".encode() not in content


def test_nothing_measured_draws_nothing(tmp_path):
    beyond = {
        "capacity": None,
        "capacity_low": 3.0,
        "capacity_high": None,
        "censored": True,
        "side": "above",
        "bound": 4,
    }
    assert draw_capacity([], [], tmp_path / "capacity") == []
    assert draw_capacity([capacity_row(**beyond)], [], tmp_path / "capacity") == []
    assert draw_error_rate([], tmp_path / "error_rate") == []
    assert list(tmp_path.iterdir()) == []


def test_censored_rows_are_left_out_and_the_others_drawn(tmp_path):
    beyond = {
        "capacity": None,
        "capacity_low": 3.0,
        "capacity_high": None,
        "censored": True,
        "side": "above",
        "bound": 4,
    }
    rows = [capacity_row(d_k=64), capacity_row(d_k=128), capacity_row(d_k=1024, **beyond)]
    assert "1024" not in text_of(drawn(draw_capacity(rows, [], tmp_path / "capacity")))


def test_unknown_limits_and_predictions_are_left_out(tmp_path):
    unknown = {"capacity_low": None, "capacity_high": None, "predicted_capacity": None, "leading_law": None}
    several = drawn(draw_capacity([capacity_row(d_k=d, **unknown) for d in (64, 128)], [], tmp_path / "a" / "capacity"))
    assert "predicted" not in text_of(several)
    drawn(draw_capacity([capacity_row(**unknown)], [], tmp_path / "b" / "capacity"))


def test_errors_that_were_never_seen_are_drawn_as_upper_limits(tmp_path):
    rows = [error_row(8, 0.0, predicted_error=1e-9), error_row(16, 0.0, predicted_error=1e-8)]
    drawn(draw_error_rate(rows, tmp_path / "error_rate"))


def test_errors_without_any_prediction_are_drawn(tmp_path):
    drawn(draw_error_rate([error_row(8, 0.1, predicted_error=None)], tmp_path / "error_rate"))


def test_long_labels_and_many_series_draw_without_a_warning(tmp_path):
    parameters = (
        '{"key_ensemble.path": "' + "a_very_long_name_of_a_file" * 3 + '.safetensors", "update_rule.beta": 0.125}'
    )
    rows = [
        capacity_row(
            criterion, d_k, update_rule=f"a_rule_with_a_long_name_{index}", parameters=parameters, d_v=d_k + index
        )
        for criterion in ("guaranteed", "mse")
        for index in range(5)
        for d_k in (64, 128)
    ]
    drawn(draw_capacity(rows, [], tmp_path / "several" / "capacity"))
    drawn(draw_capacity([row for row in rows if row["d_k"] == 64], [], tmp_path / "single" / "capacity"))


def test_many_dimensions_are_drawn_with_few_ticks(tmp_path):
    rows = [capacity_row(d_k=d_k) for d_k in range(16, 400, 16)]
    drawn(draw_capacity(rows, [], tmp_path / "capacity"))


def test_the_exponent_is_in_the_label_of_its_own_series(tmp_path, rows):
    text = text_of(drawn(draw_capacity(rows, [verdict_row("mse", exponent=0.4321)], tmp_path / "capacity")))
    assert text.count("0.43") == 1
    other = [verdict_row("mse", exponent=0.4321, key_ensemble="rademacher")]
    assert "0.43" not in text_of(drawn(draw_capacity(rows, other, tmp_path / "other" / "capacity")))


def test_labels_name_the_criterion_and_only_what_differs():
    rows = [capacity_row("mse", 128), capacity_row("mse", 64), capacity_row("guaranteed")]
    labels = [label for label, _ in series_of(rows)]
    assert labels == ["mse, error 0.25", "guaranteed, margin 1"]
    assert [row["d_k"] for row in series_of(rows)[0][1]] == [64, 128]
    rows = [capacity_row(), capacity_row(key_ensemble="rademacher")]
    assert [label for label, _ in series_of(rows)] == [
        "mse, error 0.25, sphere keys",
        "mse, error 0.25, rademacher keys",
    ]


@pytest.mark.parametrize("name", ["a$b$c", "$\\frac$", "50%_#&^{x}", "$", "ключ"])
def test_a_file_name_is_drawn_as_it_is_written(tmp_path, name):
    import json

    parameters = [json.dumps({"key_ensemble.path": path}) for path in (f"{name}.npy", "other.npy")]
    rows = [capacity_row(d_k=d_k, parameters=text) for text in parameters for d_k in (64, 128)]
    several = drawn(draw_capacity(rows, [], tmp_path / "several" / "capacity"))
    single = drawn(draw_capacity([row for row in rows if row["d_k"] == 64], [], tmp_path / "single" / "capacity"))
    errors = drawn(
        draw_error_rate([error_row(8, 0.1, parameters=text) for text in parameters], tmp_path / "error_rate")
    )
    for found in (several, single, errors):
        assert f"{name}.npy".replace("&", "&amp;") in text_of(found).replace(r"\$", "$")
