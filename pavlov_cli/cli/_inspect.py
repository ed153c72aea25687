"""What is there: registry entries, laws, and runs that were stored?"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

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
