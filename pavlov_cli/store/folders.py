"""Where does a run live, and which run does a user mean?

A run's folder is ``<out>/<study>/<name>``; its name is a hash of what defines the run, so the same command lands in the
same folder and resumes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pavlov_cli.durable import storage_error
from pavlov_cli.errors import ConfigError, DataError
from pavlov_cli.records import digest
from pavlov_cli.store.manifest import MANIFEST
from pavlov_cli.store.writer import ROWS_FOLDER

_NAME_LENGTH = 12  # 48 bits: a clash among a million runs of one study has probability 0.002
_LISTED = 10
_NOT_PLAIN = re.compile(r"[/\\\x00-\x1f\x7f]|\.\.|^\.|^\s|\s$")


def plain_name(kind: str, name: str) -> str:
    """The name, if it can be the name of a folder and nothing else.

    Args:
        kind: what it names, in the user's words.
        name: the name.

    Returns:
        ``name``.

    Raises:
        ConfigError: it is empty or too long, has a separator, a control character or "..", starts with a dot or has
            blanks at an end.
    """
    if not name or len(name.encode("utf-8", "surrogateescape")) > 200 or _NOT_PLAIN.search(name):
        raise ConfigError(
            f"{kind} must be a plain name without separators, '..' or a leading dot; got {name!r}. "
            "Use letters, digits, '-' and '_', at most 200."
        )
    return name


def run_name(identity: Mapping[str, Any]) -> str:
    """The name of a run: 12 hexadecimal digits that depend on all of its identity and on nothing else.

    Args:
        identity: what defines the run; without budget, precision target, launcher, devices and figures, so that a
            larger budget lands in the same folder.

    Returns:
        The first digits of the SHA-256 of the identity.
    """
    return digest(dict(identity))[:_NAME_LENGTH]


def run_dir(out: Path, study: str, identity: Mapping[str, Any]) -> Path:
    """The folder of a run; nothing is created.

    Args:
        out: the folder of all results.
        study: the study's id.
        identity: what defines the run.

    Returns:
        ``<out>/<study>/<run name>``.

    Raises:
        ConfigError: the study is not a plain name.
    """
    return Path(out) / plain_name("study", study) / run_name(identity)


def list_runs(out: Path) -> list[Path]:
    """Every run under a folder of results, sorted by study and name.

    Args:
        out: the folder; a missing one is an empty one.

    Returns:
        Folders ``<out>/<study>/<name>`` that hold a manifest or rows; names that start with a dot are skipped.

    Raises:
        DataError: a folder cannot be read.
    """
    return [run for study in _folders(Path(out)) for run in _folders(study) if _is_run(run)]


def find_run(out: Path, text: str) -> Path:
    """The run that a user means.

    Args:
        out: the folder of all results.
        text: a path; ``study/name``; a name; the start of a name that no other run shares; or ``latest``, the run whose
            manifest was written last.

    Returns:
        The run's folder.

    Raises:
        DataError: there is no such run, or several; the candidates are listed.
    """
    path = Path(text)
    path = path.parent if path.name == MANIFEST else path
    if text and _is_run(path):
        return path
    runs = list_runs(out)
    if text == "latest":
        stamped = [(stamp, run) for run in runs if (stamp := _stamp(run)) is not None]
        if stamped:
            return max(stamped)[1]
    study, _, name = text.strip("/").rpartition("/")
    matches = [run for run in runs if name and run.name.startswith(name) and study in ("", run.parent.name)]
    exact = [run for run in matches if run.name == name]
    found = exact or matches
    if len(found) == 1:
        return found[0]
    raise _not_found(out, text, found, runs)


def _not_found(out: Path, text: str, found: list[Path], runs: list[Path]) -> DataError:
    candidates = found or runs
    shown = ", ".join(f"{run.parent.name}/{run.name}" for run in candidates[:_LISTED])
    rest = f" and {len(candidates) - _LISTED} more" if len(candidates) > _LISTED else ""
    rule = "run must be a path, study/name, the unique start of a name, or 'latest'"
    if found:
        return DataError(f"{rule}; got '{text}', which fits {len(found)} runs: {shown}{rest}. Give more of it.")
    if runs:
        return DataError(f"{rule}; got '{text}', which fits none under {out}. Known: {shown}{rest}.")
    return DataError(f"{rule}; got '{text}', and there are no runs under {out}. Give the right folder with --out.")


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(entry for entry in path.iterdir() if not entry.name.startswith(".") and entry.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise storage_error("list the runs in", path, error) from error


def _is_run(path: Path) -> bool:
    try:
        return (path / MANIFEST).is_file() or (path / ROWS_FOLDER).is_dir()
    except (OSError, ValueError):  # no access, or a text that can be no path
        return False


def _stamp(run: Path) -> int | None:
    try:
        return (run / MANIFEST).stat().st_mtime_ns
    except OSError:
        return None
