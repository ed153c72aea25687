"""Which folders may be removed, and what goes with them?"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from pavlov_cli.durable import storage_error
from pavlov_cli.errors import ConfigError, DataError
from pavlov_cli.store.folders import find_run, list_runs
from pavlov_cli.store.manifest import MANIFEST, read_manifest
from pavlov_cli.store.writer import ROWS_FOLDER

_OURS = {MANIFEST, ROWS_FOLDER, "tables", "figures"}


@dataclass(frozen=True)
class Weight:
    """What a folder holds.

    Attributes:
        size_bytes: of all files, links not followed.
        changed_s: seconds since the epoch at which a file last changed.
        foreign: names at its top that pavlov did not write.
    """

    size_bytes: int
    changed_s: float
    foreign: tuple[str, ...] = ()


def removable_run(out: Path, text: str) -> Path:
    """The run that a user means, if it lies in the folder of results and is a run.

    Args:
        out: the folder of all results.
        text: ``study/name``, a name or its start, or a path to a run below ``out``.

    Returns:
        The run's folder, ``<out>/<study>/<name>``.

    Raises:
        ConfigError: the text leads out of ``out``.
        DataError: there is no such run, or the folder is not a run as pavlov writes it.
    """
    if ".." in Path(text).parts:
        raise ConfigError(f"run must not contain '..'; got '{text}'. Name a run below {out}: pavlov list runs.")
    found = find_run(out, text)
    # A path may be written in many ways, but the run must be one of those below the folder of results.
    known = {run.absolute(): run for run in list_runs(out)}
    if found.absolute() not in known:
        raise ConfigError(f"run must lie in {out}; got '{text}'. Name its folder of results with --out.")
    run = known[found.absolute()]
    check_removable(run)
    return run


def check_removable(run: Path) -> None:
    """Refuses what is not a run.

    Raises:
        DataError: the folder or its study's is a link, or it holds no manifest as pavlov writes it.
    """
    if run.is_symlink() or run.parent.is_symlink():
        raise DataError(f"{run} must be a folder and not a link to one; remove the link by hand.")
    try:
        manifest = read_manifest(run)
    except DataError as error:
        raise DataError(f"{run} is not removed, since it may not be a run: {error}") from error
    if manifest.get("study") != run.parent.name:
        raise DataError(f"{run} is not removed: its manifest must be of study '{run.parent.name}'.")


def weigh(folder: Path) -> Weight:
    """Size, age and foreign content of a folder.

    Raises:
        DataError: it cannot be read.
    """
    size, changed = 0, 0.0

    def fail(error: OSError) -> None:
        raise storage_error("look into", folder, error) from error

    for place, _, names in os.walk(folder, onerror=fail):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # a temporary file of a run in progress
                found = os.lstat(os.path.join(place, name))
                size, changed = size + found.st_size, max(changed, found.st_mtime)
    return Weight(size, changed, tuple(sorted(set(os.listdir(folder)) - _OURS)))


def remove_folder(folder: Path) -> None:
    """Removes a folder with all it holds; links in it are removed, not followed.

    Raises:
        DataError: it cannot be removed.
    """
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise storage_error("remove", folder, error) from error


def remove_run(run: Path) -> None:
    """Removes a run, and its study's folder where nothing is left in it.

    Raises:
        DataError: it is not a run, or cannot be removed.
    """
    check_removable(run)
    remove_folder(run)
    with contextlib.suppress(OSError):  # other runs are left
        run.parent.rmdir()
