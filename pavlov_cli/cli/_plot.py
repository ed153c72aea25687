"""Which picture of a stored run does the user want?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pavlov_cli.cli._show import known_columns, table_of
from pavlov_cli.errors import ConfigError, DataError, unknown_name
from pavlov_cli.figures.look import FORMS, PAGE, SIZES, Look
from pavlov_cli.store import StoredRun, load_run

_AXES: Mapping[str, tuple[str, str]] = {
    "capacity": ("d_k", "capacity"),
    "curve": ("num_associations", "error_rate"),
    "error_rate": ("num_associations", "error_rate"),
    "verdicts": ("predicted_exponent", "exponent"),
}


def plot_run(
    run: str, out: str, look: Look, *, table: str | None, x: str | None, y: str | None, series: str | None,
    figure: str | None, output: str | None,
) -> int:  # fmt: skip
    """Draws a stored run's own figures again, or chosen columns of one of its tables.

    Args:
        run: which, as ``find_run`` takes it.
        out: folder of all results.
        look: size, title, labels, scales.
        table: a table of the run; None for its main one.
        x: column along the horizontal axis.
        y: column along the vertical axis.
        series: columns that part rows into series, parted by commas.
        figure: one of the study's own figures alone.
        output: a file; None for the run's folder of figures.

    Raises:
        ConfigError: an unknown size, table, column or figure, or choices that do not go together.
        DataError: there is no such run, or nothing to draw.
    """
    if look.size not in SIZES:
        raise unknown_name("size", look.size, SIZES)
    stored = load_run(Path(out), run)
    look, stem = _target(output, look)
    columns = any(value is not None for value in (table, x, y, series))
    if columns and figure:
        raise ConfigError("--figure names a figure of the study's own; leave --table, --x, --y and --series out.")
    paths = (
        _draw_columns(stored, look, stem, table or stored.study, x, y, series)
        if columns
        else _draw_own(stored, look, stem, figure)
    )
    for path in paths:
        print(path)
    return 0


def _target(output: str | None, look: Look) -> tuple[Look, Path | None]:
    """The file that was asked for, as formats and a path without suffix."""
    if output is None:
        return look, None
    path = Path(output)
    form = path.suffix[1:].lower()
    if form not in FORMS or not path.stem:
        raise ConfigError(f"output must end in .{', .'.join(FORMS)}; got '{output}'.")
    if not path.parent.is_dir():
        raise DataError(f"the folder of {output} does not exist; make it first.")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise DataError(f"output must be a file that can be written; {output} cannot. Choose another place.")
    return replace(look, forms=(form,)), path.with_suffix("")


def _draw_own(stored: StoredRun, look: Look, stem: Path | None, figure: str | None) -> list[Path]:
    from pavlov_cli.figures.own import own_figures

    if look.log_x is not None or look.log_y is not None:
        raise ConfigError("the study's own figures have fixed scales; choose columns with --x and --y to set them.")
    found = own_figures(stored.study, stored.rows, curve=stored.curve, verdicts=stored.verdicts, look=look)
    if not found:
        raise DataError(f"{stored.name} holds nothing to draw by itself; choose columns with --x and --y.")
    if figure is not None and figure not in found:
        raise unknown_name(f"figure of {stored.name}", figure, found)
    names = [figure] if figure else list(found)[:1] if stem else list(found)
    changed = replace(look, forms=FORMS) != PAGE
    return [path for name in names for path in found[name](stem or _place(stored, name, look, changed))]


def _draw_columns(
    stored: StoredRun, look: Look, stem: Path | None, table: str, x: str | None, y: str | None, series: str | None
) -> list[Path]:
    from pavlov_cli.figures.columns import draw_columns

    rows = table_of(stored, table)
    axes = _AXES.get(table, (None, None))
    if (x or axes[0]) is None or (y or axes[1]) is None:
        raise ConfigError(f"--x and --y must be given for the table {table}.")
    x, y = known_columns(rows, [str(x or axes[0])])[0], known_columns(rows, [str(y or axes[1])])[0]
    parts = known_columns(rows, series.split(",")) if series else None
    for name in (x, y):
        _check_numbers(rows, name)
    for name, logarithmic in ((x, look.log_x), (y, look.log_y)):
        if logarithmic and min((_number(row[name]) for row in rows if row[name] is not None), default=1.0) <= 0:
            raise ConfigError(f"a logarithmic axis needs numbers above 0; {name} has others. Use a linear one.")

    place = stem or _place(stored, f"{y}-{x}", look, True)
    paths = draw_columns(rows, place, x=x, y=y, series=parts, look=look)
    if not paths:
        raise DataError(f"no row of {table} has both {x} and {y}; there is nothing to draw.")
    return paths


def _place(stored: StoredRun, name: str, look: Look, changed: bool) -> Path:
    """Where a figure goes: never over the study's own, which the next run would take for its own."""
    suffix = f"-{look.size}" if changed else ""
    return stored.run_dir / "figures" / f"{name}{suffix}"


def _number(value: object) -> float:
    return float(str(value))


def _check_numbers(rows: Sequence[Mapping[str, object]], name: str) -> None:
    words = next((row[name] for row in rows if isinstance(row[name], (str, bool))), None)
    if words is not None:
        raise ConfigError(f"column {name} must hold numbers to be an axis; it holds '{words}'. Use it in --series.")
