"""Are the tables that are read the tables that were written?

A finished run's tables are listed with their checksums in ``tables/SHA256SUMS``, and its figures with the tables that
they were drawn from in ``figures/SHA256SUMS``: in the format of ``sha256sum``, so that ``sha256sum --check SHA256SUMS``
tells the same without pavlov.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from pavlov_cli.durable import storage_error, write_atomically
from pavlov_cli.errors import DataError

SEAL = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  ([^/\n]+)")
_REMEDY = "Run the command of this run again to write it anew; stored rows are kept."


def write_seal(folder: Path, paths: Sequence[Path]) -> None:
    """List files with their checksums; for a run's tables this is what makes it finished.

    Args:
        folder: where the list goes.
        paths: the files; below it, or beside it.

    Raises:
        DataError: a file cannot be read, or the list cannot be written.
    """
    if not is_sealed(folder, paths):
        write_atomically(folder / SEAL, _listing(folder, paths))


def is_sealed(folder: Path, paths: Sequence[Path]) -> bool:
    """Whether these files, and no others, are listed in a folder and are what they were when they were listed.

    Args:
        folder: where the list is.
        paths: the files.
    """
    try:
        return (folder / SEAL).read_bytes() == _listing(folder, paths)
    except (OSError, DataError):
        return False


def _listing(folder: Path, paths: Sequence[Path]) -> bytes:
    names = {os.path.relpath(path, folder): path for path in paths}
    return "".join(f"{_checksum(names[name])}  {name}\n" for name in sorted(names)).encode("ascii")


def sealed_tables(folder: Path) -> list[Path]:
    """The tables of a finished run, each as it was written.

    Args:
        folder: the run's folder of tables.

    Returns:
        Their paths, sorted; other files of the folder are none of the run's.

    Raises:
        DataError: the list is missing or damaged, or a table is missing or not what was written.
    """
    seal = Path(folder) / SEAL
    try:
        lines = seal.read_bytes().decode("ascii", "replace").splitlines()
    except OSError as error:
        raise storage_error("read", seal, error) from error
    found = [_LINE.fullmatch(line) for line in lines]
    if not found or None in found:
        raise DataError(f"{seal} is damaged: it must list tables with their checksums. {_REMEDY}")
    paths = []
    for checksum, name in (match.groups() for match in found if match):
        path = seal.parent / name
        if _checksum(path) != checksum:
            raise DataError(f"{path} is damaged or was changed: it does not match {SEAL}. {_REMEDY}")
        paths.append(path)
    return sorted(paths)


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError as error:
        raise DataError(f"{path} is missing. {_REMEDY}") from error
    except OSError as error:
        raise storage_error("read", path, error) from error
