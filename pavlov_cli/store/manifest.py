"""What was run: command, configuration, versions and seed, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pavlov_cli.durable import storage_error, write_atomically
from pavlov_cli.errors import DataError
from pavlov_cli.records import digest

MANIFEST = "manifest.json"
SCHEMA = 1
_REMEDY = "Run the command of this run again to write it anew; stored rows are kept."


def write_manifest(run_dir: Path, content: dict[str, Any]) -> Path:
    """Write a run's manifest atomically, with the schema number and a checksum of the content.

    Args:
        run_dir: the run's folder; created where missing.
        content: anything JSON can hold, with finite numbers; ``schema`` and ``checksum`` are set here.

    Returns:
        The manifest's path.

    Raises:
        DataError: it cannot be written; an earlier manifest is untouched.
        ValueError: the content is not JSON.
    """
    try:
        plain = json.loads(json.dumps(content, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(f"manifest must hold texts, finite numbers, lists and mappings; got {error}.") from error
    plain["schema"] = SCHEMA
    plain.pop("checksum", None)
    plain["checksum"] = digest(plain)
    path = Path(run_dir) / MANIFEST
    write_atomically(path, (json.dumps(plain, indent=2, sort_keys=True, allow_nan=False) + "\n").encode("ascii"))
    return path


def read_manifest(run_dir: Path) -> dict[str, Any]:
    """The content of a run's manifest, as JSON keeps it, with its ``schema``.

    Args:
        run_dir: the run's folder.

    Returns:
        The content that was written, and ``schema``.

    Raises:
        DataError: the manifest is missing, damaged or of another schema.
    """
    path = Path(run_dir) / MANIFEST
    try:
        plain = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise DataError(f"{path} is missing: {run_dir} must be the folder of a run. {_REMEDY}") from error
    except OSError as error:
        raise storage_error("read", path, error) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is damaged: it must be JSON; got {error}. {_REMEDY}") from error
    if not isinstance(plain, dict):
        raise DataError(f"{path} is damaged: it must be a JSON object; got {type(plain).__name__}. {_REMEDY}")
    if plain.get("schema") != SCHEMA:
        raise DataError(
            f"{path}: schema must be {SCHEMA}; got {plain.get('schema')!r}. "
            f"Read it with the version of pavlov that wrote it, or run its command again."
        )
    checksum = plain.pop("checksum", None)
    if checksum != digest(_finite(plain, path)):
        raise DataError(f"{path} is damaged: its content does not match its checksum. {_REMEDY}")
    return plain


def _finite(plain: dict[str, Any], path: Path) -> dict[str, Any]:
    try:
        json.dumps(plain, allow_nan=False)
    except ValueError as error:
        raise DataError(f"{path} is damaged: its numbers must be finite. {_REMEDY}") from error
    return plain
