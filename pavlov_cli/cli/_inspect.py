"""What is there: registry entries, laws, and runs that were stored?"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from pavlov_cli.cli._output import print_tables
from pavlov_cli.errors import DataError, unknown_name
from pavlov_cli.registry import GROUPS
from pavlov_cli.report.terminal import WIDTH, align


def list_group(group: str | None, out: str) -> int:
    """Prints the entries of a group, the laws, the stored runs, or every group.

    Raises:
        ConfigError: no such group.
    """
    known = {**dict.fromkeys(GROUPS, _list_entries), "theory": _list_laws, "runs": _list_runs}
    if group is not None and group.replace("-", "_") not in known:
        raise unknown_name("group", group, known)
    chosen = [group.replace("-", "_")] if group else list(GROUPS)
    for position, name in enumerate(chosen):
        if len(chosen) > 1:
            print(("\n" if position else "") + f"{name}")
        known[name](name, out)
    if group is None:
        print("\nMore: pavlov list GROUP, pavlov list theory, pavlov list runs")
    return 0


def _entry(name: str, text: str, indent: int) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=name.ljust(indent), subsequent_indent=" " * indent)


def _list_entries(group: str, out: str) -> None:
    from pavlov_cli.config.sheets import entries, read_sheet

    indent = max(map(len, entries(group))) + 4
    for name in entries(group):
        sheet = read_sheet(group, name)
        print(_entry(f"  {name}", f"{sheet.about['summary']} [{sheet.about['source']}]", indent))
        for parameter, rule in sheet.about["parameters"].items():
            default = sheet.defaults.get(parameter)
            shown = "" if default is None else f" (default {default})"
            print(_entry(" " * indent + f"{group}.{parameter}: ", f"{rule['help']}{shown}", indent + 2))


def _list_laws(group: str, out: str) -> None:
    from pavlov_cli.theory import laws

    for name, module in laws().items():
        law: Any = module.LAW
        print(name)
        for title, text in (
            ("holds for", law.validity),
            ("error", law.stated_error),
            ("capacity", f"{law.leading_law} for large d_k, growing as {law.exponent}"),
            ("source", law.source),
        ):
            print(_entry(f"  {title}", text, 13))


def _list_runs(group: str, out: str) -> None:
    from pavlov_cli.store import list_runs, read_manifest

    lines = []
    for run in list_runs(Path(out)):
        try:
            command = read_manifest(run)["command"]
        except DataError as error:
            command = f"({error})"
        lines.append([f"{run.parent.name}/{run.name}", textwrap.shorten(command, WIDTH - 30)])
    print(align(["run", "command"], lines, left=2) if lines else f"no runs in '{out}'.")


def show_run(run: str, out: str, json: bool) -> int:
    """Prints a stored run as the command that made it did.

    Raises:
        DataError: there is no such run, or it has no tables.
    """
    from pavlov_cli.store import find_run, read_manifest, read_table

    folder = find_run(Path(out), run)
    manifest = read_manifest(folder)
    study = manifest["study"]
    tables = folder / "tables"
    if not (tables / f"{study}.csv").is_file():
        raise DataError(f"{folder} has no tables yet: the run did not finish. Run again: {manifest['command']}")
    rows = read_table(tables / f"{study}.csv")
    verdicts = read_table(tables / "verdicts.csv") if (tables / "verdicts.csv").is_file() else []
    said = read_table(tables / "answer.csv")[0]
    if json:
        from types import SimpleNamespace

        from pavlov_cli.cli._output import print_json

        curve = read_table(tables / "curve.csv") if (tables / "curve.csv").is_file() else []
        files = sorted(tables.glob("*.csv")) + sorted((folder / "figures").glob("*"))
        content = SimpleNamespace(
            run_dir=folder, rows=rows, curve=curve, verdicts=verdicts, files=files, complete=True, answer=said["answer"]
        )
        print_json(content, manifest["command"], manifest["seed"])
        return 0
    made = f"{manifest['command']}  (seed {manifest['seed']}, {manifest['device'] or 'no device used'})"
    print(textwrap.fill(made, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n")
    print_tables(study, rows, verdicts, float(str(said["confidence"])))
    print("\n" + textwrap.fill(str(said["answer"]), WIDTH))
    print(f"Files: {folder}")
    return 0
