"""What does a stored run hold, in the form that its reader needs?"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

from pavlov_cli.cli._output import print_json, print_tables
from pavlov_cli.errors import ConfigError, unknown_name
from pavlov_cli.report.cells import Cells, capacity_cells, error_cells, plain_cells, verdict_cells
from pavlov_cli.report.terminal import WIDTH, set_out
from pavlov_cli.store import StoredRun, load_run, table_text

FORMATS = ("text", "md", "latex", "csv")
_CELLS: Mapping[str, Callable[[Sequence[Mapping[str, object]], float], Cells]] = {
    "capacity": capacity_cells,
    "curve": error_cells,
    "error_rate": error_cells,
    "verdicts": verdict_cells,
}


def show_run(
    run: str, out: str, *, json: bool, form: str | None = None, table: str | None = None, columns: str | None = None
) -> int:
    """Prints a stored run as the command that made it did, or one of its tables in another form.

    Args:
        run: which, as ``find_run`` takes it.
        out: folder of all results.
        json: one JSON object instead.
        form: one of ``FORMATS``; None for text.
        table: a table of the run; None for its main one.
        columns: names parted by commas; None for those that people read, or in CSV for all.

    Raises:
        ConfigError: an unknown form, table or column, or a choice that does not go with ``json``.
        DataError: there is no such run, or it has no tables.
    """
    if form not in (None, *FORMATS):
        raise unknown_name("format", str(form), FORMATS)
    if json and any(value is not None for value in (form, table, columns)):
        raise ConfigError("--json must stand alone; got it with --format, --table or --columns. Leave one of them out.")
    stored = load_run(Path(out), run)
    if json:
        _print_object(stored)
    elif form in (None, "text") and table is None and columns is None:
        _print_run(stored)
    else:
        print(_set(stored, form or "text", table or stored.study, columns))
    return 0


def table_of(stored: StoredRun, name: str) -> Sequence[Mapping[str, object]]:
    """A table of a run by its name.

    Raises:
        ConfigError: it has none of that name.
    """
    if name not in stored.tables:
        raise unknown_name(f"table of {stored.name}", name, stored.tables)
    return stored.tables[name]


def known_columns(rows: Sequence[Mapping[str, object]], names: Sequence[str]) -> list[str]:
    """Names of columns without blanks around them.

    Raises:
        ConfigError: a name that the table does not have, or the table is empty.
    """
    if not rows:
        raise ConfigError("table must have rows to choose columns of; got an empty one. Choose another with --table.")
    plain = [name.strip() for name in names]
    for name in plain:
        if name not in rows[0]:
            raise unknown_name("column", name, rows[0])
    return list(dict.fromkeys(plain))


def _set(stored: StoredRun, form: str, table: str, columns: str | None) -> str:
    rows = table_of(stored, table)
    chosen = known_columns(rows, columns.split(",")) if columns is not None else None
    if form == "csv":
        if chosen is None:
            return (stored.run_dir / "tables" / f"{table}.csv").read_text("utf-8", "surrogateescape").rstrip("\n")
        return table_text([{name: row[name] for name in chosen} for row in rows], chosen).rstrip("\n")
    if chosen is None and table in _CELLS:
        cells = _CELLS[table](rows, stored.confidence)
    else:
        cells = plain_cells(rows, chosen or list(rows[0]) if rows else ())
    if form == "text":
        return set_out(cells)
    from pavlov_cli.report.markup import latex, markdown

    caption = f"{stored.manifest['command']} (seed {stored.manifest['seed']})"
    return markdown(cells) if form == "md" else latex(cells, caption)


def _print_run(stored: StoredRun) -> None:
    manifest = stored.manifest
    made = f"{manifest['command']}  (seed {manifest['seed']}, {manifest['device'] or 'no device used'})"
    print(textwrap.fill(made, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n")
    print_tables(stored.study, stored.rows, stored.verdicts, stored.confidence)
    print("\n" + textwrap.fill(stored.answer, WIDTH))
    print(f"Files: {stored.run_dir}")


def _print_object(stored: StoredRun) -> None:
    content = SimpleNamespace(
        run_dir=stored.run_dir, rows=stored.rows, curve=stored.curve, verdicts=stored.verdicts, files=stored.files,
        complete=True, answer=stored.answer,
    )  # fmt: skip
    print_json(content, stored.manifest["command"], stored.manifest["seed"])
