"""Which blocks has any run of a study stored, and what could not be read?"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pavlov_cli.store._lines import LineFault, decode_line, salvage
from pavlov_cli.store.evidence import Damage, Rows, Stored
from pavlov_cli.store.merge import settle
from pavlov_cli.store.writer import ROWS_FOLDER, ROWS_SUFFIX


def read_rows(study_dir: Path) -> Rows:
    """Every stored block of every run of a study, merged.

    Reads ``<study_dir>/<run>/rows/*.jsonl``; names that start with a dot are skipped. Nothing that is wrong with a
    line, a file or a folder is fatal or costs another line: it is named in ``problems`` and its blocks are absent.

    Args:
        study_dir: the study's folder; a missing one is an empty one.

    Returns:
        The merged rows.
    """
    found: list[Stored | Damage] = []
    for run in _entries(Path(study_dir), found):
        if _is_folder(run, found):
            for path in _entries(run / ROWS_FOLDER, found):
                if path.suffix == ROWS_SUFFIX:
                    found.extend(_read_file(path))
    stored = [item for item in found if isinstance(item, Stored)]
    return settle(stored, [item for item in found if isinstance(item, Damage)])


def _entries(folder: Path, found: list[Stored | Damage]) -> list[Path]:
    try:
        return [folder / name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    except FileNotFoundError:
        return []
    except OSError as error:
        found.append(_unreadable(folder, error))
        return []


def _is_folder(path: Path, found: list[Stored | Damage]) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except FileNotFoundError:
        return False
    except OSError as error:
        found.append(_unreadable(path, error))
        return False


def _read_file(path: Path) -> Iterator[Stored | Damage]:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for ever
            yield Damage(str(path), 0, "must be a file; got a folder or a device. Move it away.")
            return
        with open(path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                yield from _read_line(str(path), number, line)
    except OSError as error:
        yield _unreadable(path, error)


def _read_line(file: str, number: int, line: bytes) -> Iterator[Stored | Damage]:
    try:
        yield Stored(file, number, decode_line(line))
    except LineFault as fault:
        yield Damage(file, number, f"{fault}; the line is ignored, its block computed again where it is needed.")
        for row in salvage(line):
            yield Stored(file, number, row)


def _unreadable(path: Path, error: OSError) -> Damage:
    return Damage(str(path), 0, f"cannot be read ({error.strerror or error}); grant access or move it away.")
