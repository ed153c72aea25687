"""What is no longer wanted, and does the user mean it?"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pavlov_cli.errors import ConfigError, DataError
from pavlov_cli.places import compiled_folders
from pavlov_cli.report.terminal import align
from pavlov_cli.store import is_finished, list_runs, read_manifest
from pavlov_cli.store.removal import Weight, check_removable, removable_run, remove_folder, remove_run, weigh

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True)
class Removal:
    """One folder that would go.

    Attributes:
        folder: where it is.
        name: as users write it.
        weight: what it holds.
        run: whether it is a run; otherwise it holds compiled programs.
    """

    folder: Path
    name: str
    weight: Weight
    run: bool


def clean(
    runs: Sequence[str], out: str, *, unfinished: bool, everything: bool, cache: bool, dry_run: bool, yes: bool
) -> int:
    """Lists what would be removed, asks, and removes it.

    Raises:
        ConfigError: nothing was named, a name leads out of the results, or nobody can be asked.
        DataError: a name is not that of a run, or a folder cannot be removed.
    """
    if not (runs or unfinished or everything or cache):
        raise ConfigError("nothing is named: give runs (pavlov list runs), --unfinished, --all or --cache.")
    chosen = _chosen(Path(out), runs, unfinished, everything)
    removals = [Removal(run, f"{run.parent.name}/{run.name}", weigh(run), True) for run in chosen]
    removals += [Removal(f, f"compiled programs {f.name}", weigh(f), False) for f in compiled_folders() if cache]
    if not removals:
        print("nothing to remove.")
        return 0
    if not (dry_run or yes or sys.stdin.isatty()):
        raise ConfigError("clean must be confirmed, and there is no terminal to ask on; add --yes, or --dry-run.")
    print(_listing(removals))
    total = _size(sum(removal.weight.size_bytes for removal in removals))
    what = f"{len(removals)} {'folder' if len(removals) == 1 else 'folders'}, {total}"
    if dry_run:
        print(f"\nWould remove {what}.")
        return 0
    if not yes and not _confirmed(what):
        print("Nothing was removed.")
        return 0
    for removal in removals:
        (remove_run if removal.run else remove_folder)(removal.folder)
    print(f"\nRemoved {what}.")
    return 0


def _chosen(out: Path, names: Sequence[str], unfinished: bool, everything: bool) -> list[Path]:
    chosen = [removable_run(out, name) for name in names]
    for run in list_runs(out) if unfinished or everything else ():
        try:
            check_removable(run)
            wanted = everything or not is_finished(run, read_manifest(run))
        except DataError as error:
            print(f"left alone: {error}", file=sys.stderr)
            continue
        chosen += [run] * wanted
    return sorted(set(chosen))


def _listing(removals: Sequence[Removal]) -> str:
    lines = []
    for removal in removals:
        foreign = removal.weight.foreign if removal.run else ()
        note = f"also holds {', '.join(foreign)}" if foreign else ""
        age = "-" if not removal.weight.changed_s else _age(time.time() - removal.weight.changed_s)
        lines.append([removal.name, note, _size(removal.weight.size_bytes), age])
    if not any(line[1] for line in lines):
        return align(["to remove", "size", "last changed"], [[line[0], *line[2:]] for line in lines])
    return align(["to remove", "", "size", "last changed"], lines, left=2)


def _size(count: int) -> str:
    amount, unit = float(count), 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.0f} {_UNITS[unit]}" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def _age(seconds: float) -> str:
    for name, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {name} ago"
    return f"{max(seconds, 0):.0f} s ago"


def _confirmed(what: str) -> bool:
    """Whether the user says yes."""
    print(f"\nRemove {what}? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
