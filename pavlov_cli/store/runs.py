"""What does a finished run hold?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pavlov_cli.errors import DataError
from pavlov_cli.records import Scalar
from pavlov_cli.store.folders import find_run
from pavlov_cli.store.manifest import read_manifest
from pavlov_cli.store.seal import SEAL, sealed_tables
from pavlov_cli.store.tables import read_table

Rows = Sequence[Mapping[str, Scalar]]


@dataclass(frozen=True)
class StoredRun:
    """Manifest and tables of a run.

    Attributes:
        run_dir: its folder.
        manifest: command, settings, seed, versions.
        tables: file stem -> rows, without the answer.
        answer: the result in one sentence.
        confidence: coverage of its intervals.
    """

    run_dir: Path
    manifest: Mapping[str, Any]
    tables: Mapping[str, Rows]
    answer: str
    confidence: float

    @property
    def study(self) -> str:
        """Id of its study, with underscores."""
        return str(self.manifest["study"])

    @property
    def name(self) -> str:
        """``study/name``, as users write it."""
        return f"{self.run_dir.resolve().parent.name}/{self.run_dir.resolve().name}"

    @property
    def rows(self) -> Rows:
        """Rows of the study's main table."""
        return self.tables[self.study]

    @property
    def curve(self) -> Rows:
        """Error rows behind capacities; none in other studies."""
        return self.tables.get("curve", ())

    @property
    def verdicts(self) -> Rows:
        """Verdicts; none in studies that judge nothing."""
        return self.tables.get("verdicts", ())

    @property
    def files(self) -> list[Path]:
        """Tables and figures."""
        tables = [self.run_dir / "tables" / f"{stem}.csv" for stem in (*self.tables, "answer")]
        return sorted(tables) + sorted((self.run_dir / "figures").glob("*.*"))


def load_run(out: Path, text: str) -> StoredRun:
    """The run that a user means, with its tables.

    Args:
        out: the folder of all results.
        text: as ``find_run`` takes it.

    Raises:
        DataError: there is no such run, it did not finish, or a file of it is damaged.
    """
    folder = find_run(out, text)
    manifest = read_manifest(folder)
    tables = folder / "tables"
    if not is_finished(folder, manifest):
        raise DataError(f"{folder} has no tables yet: the run did not finish. Run again: {manifest['command']}")
    found = {path.stem: read_table(path) for path in sealed_tables(tables)}
    (said,) = found.pop("answer")
    return StoredRun(folder, manifest, found, str(said["answer"]), float(str(said["confidence"])))


def is_finished(run_dir: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether a run has written its tables and, last of all, their checksums."""
    tables = run_dir / "tables"
    return all((tables / name).is_file() for name in (f"{manifest['study']}.csv", "answer.csv", SEAL))
