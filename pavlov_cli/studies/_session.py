"""What surrounds every study: the run's folder, its manifest, the supply of trial values, tables and figures."""

from __future__ import annotations

import os
import platform as host
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Any

from pavlov_cli.config.settings import BUDGET, Settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.engine.version import KERNEL_VERSION
from pavlov_cli.errors import DataError
from pavlov_cli.figures.look import FORMS
from pavlov_cli.figures.own import Draw, own_figures
from pavlov_cli.plan.cost import memory_of_this_machine, refuse_unfit
from pavlov_cli.plan.grid import ATTENTION_N_MAX, Cell, build_cells
from pavlov_cli.records import Choice
from pavlov_cli.registry import GROUPS, PACKAGE
from pavlov_cli.store import is_sealed, make_folder, read_manifest, run_dir, write_manifest, write_seal, write_table
from pavlov_cli.studies._progress import Advanced, Progress, ignore, in_flight
from pavlov_cli.studies._supply import Supply

_ANSWER = ("answer", "confidence")
_VERSIONS = ("jax", "jaxlib", "numpy", "scipy", "hydra-core", "matplotlib")


@dataclass(frozen=True)
class Options:
    """How a run is carried out; nothing here changes a number.

    Attributes:
        out: folder of all results.
        command: the command line, for the manifest.
        fresh: compute anew although rows are stored.
        figures: draw figures.
        progress: receives what happens, as it happens.
        check: called between device calls; raises to stop.
        batch_limit: most trials per device call and device.
    """

    out: Path = Path("results")
    command: str = ""
    fresh: bool = False
    figures: bool = True
    progress: Progress = ignore
    check: Callable[[], None] = lambda: None
    batch_limit: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What a study leaves behind.

    Attributes:
        study: id, with underscores.
        run_dir: its folder.
        rows: rows of ``tables/<study>.csv``.
        curve: error rows of a capacity study.
        verdicts: one per series.
        answer: the result in one sentence.
        files: tables and figures.
        complete: whether every block that was asked for was measured.
        notes: what the reader should know, such as damaged rows that were computed again.
        simulated: rows computed by this run; 0 where all were stored.
    """

    study: str
    run_dir: Path
    rows: Sequence[Mapping[str, Any]]
    curve: Sequence[Mapping[str, Any]]
    verdicts: Sequence[Mapping[str, Any]]
    answer: str
    files: Sequence[Path]
    complete: bool = True
    notes: tuple[str, ...] = field(default=())
    simulated: int = 0


def detect_platform(asked: str | None) -> str:
    """The platform that jax will compute on, told without importing jax where no accelerator plugin is installed."""
    if asked:
        return asked
    named = os.environ.get("JAX_PLATFORMS", "").split(",")[0]
    if named:
        return "gpu" if named in ("cuda", "rocm") else named
    if util.find_spec("jax_plugins") is None and util.find_spec("libtpu") is None:
        return "cpu"
    from pavlov_cli.engine.devices import open_devices

    return open_devices().platform


def plain_settings(settings: Settings) -> dict[str, Any]:
    """Settings as JSON: choices become ``{"name": ..., parameter: ...}``."""

    def plain(value: Any) -> Any:
        if isinstance(value, Choice):
            return {"name": value.name, **dict(value.parameters)}
        return [plain(item) for item in value] if isinstance(value, tuple) else value

    return {name: plain(getattr(settings, name)) for name in settings.__dataclass_fields__}


class Session:
    """One run of a study.

    Args:
        settings: what to measure.
        options: how to carry it out.
        cells: what is measured; None for those of the settings' grid.
    """

    def __init__(self, settings: Settings, options: Options, *, cells: tuple[Cell, ...] | None = None):
        self.settings, self.options = settings, options
        self.cells = build_cells(settings, read_sheet) if cells is None else cells
        refuse_unfit(self.cells, memory_of_this_machine())
        self.platform = detect_platform(settings.platform)
        self.run_dir = run_dir(options.out, settings.study, self._identity())
        devices = self._open_devices() if self.platform != "cpu" else None  # an absent platform leaves no run behind
        make_folder(self.run_dir)
        self.supply = Supply(
            self.run_dir,
            lambda: devices or self._open_devices(),
            self.platform,
            fresh=options.fresh,
            check=options.check,
            batch_limit=options.batch_limit,
            advanced=lambda cell, trials, curve: options.progress(Advanced(trials, lambda: in_flight(cell, curve()))),
        )
        self._keep_manifest(device=devices.description if devices else None)

    def _open_devices(self) -> Any:
        from pavlov_cli.engine.devices import open_devices

        devices = open_devices(self.settings.platform, self.settings.device_count, self.settings.precision)
        if devices.platform != self.platform:
            raise DataError(f"jax computes on {devices.platform}, not {self.platform}; name one with --platform.")
        if self.run_dir.is_dir():
            self._keep_manifest(device=devices.description)
        return devices

    def _identity(self) -> dict[str, Any]:
        """What names the folder: everything that defines the numbers, without budget, devices or where a file lies."""
        plain = {name: value for name, value in plain_settings(self.settings).items() if name not in BUDGET}
        plain["platform"] = self.platform
        sources = sorted({d for c in self.cells for d in (c.spec.data_digest, c.spec.value_digest) if d})
        for group in ("key_ensemble", "value_ensemble"):
            # a file is known by its content, wherever it lies
            plain[group] = [{"name": "file"} if entry["name"] == "file" else entry for entry in plain[group]]
        return {"settings": plain, "data": sources, "kernel_version": KERNEL_VERSION}

    def _keep_manifest(self, device: str | None) -> None:
        try:
            earlier = read_manifest(self.run_dir)
        except DataError:
            earlier = {}
        content = {
            "study": self.settings.study,
            "command": self.options.command,
            "settings": plain_settings(self.settings),
            "seed": self.settings.seed,
            "platform": self.platform,
            "device": device or earlier.get("device"),
            "kernel_version": KERNEL_VERSION,
            "versions": _versions(),
            "source": _source(),
        }
        if {name: earlier.get(name) for name in content} != content:
            write_manifest(self.run_dir, content)

    def _notes(self, settled: Sequence[bool]) -> tuple[str, ...]:
        """What a reader should know about the data."""
        sources = {v.name: v for cell in self.cells for v in (cell.vectors, cell.value_vectors) if v}
        repeated = [
            f"{name}: {vectors.repeated} of {vectors.count} rows repeat an earlier one."
            for name, vectors in sources.items()
            if vectors.repeated
        ]
        margins = {cell.spec.criterion.get("margin", 1.0) for cell in self.cells}
        loose = ["A margin above 1 promises nothing: signs may flip before it fails."] if max(margins) > 1 else []
        short = len(settled) - sum(settled)
        half_width = f"{100 * self.settings.half_width:g}%"
        unmet = [f"{short} of {len(settled)} numbers reached --max-trials before a half-width of {half_width}."] * (
            short > 0
        )
        capped = (self.settings.n_max or 0) > ATTENTION_N_MAX and any(cell.attention for cell in self.cells)
        limit = [f"guaranteed looks at n up to {ATTENTION_N_MAX}, whatever --n-max says."] * capped
        return (*repeated, *loose, *unmet, *limit, *self.supply.problems, *self.supply.notes)

    def finish(
        self,
        tables: Mapping[str, tuple[Sequence[Mapping[str, Any]], Sequence[str]]],
        answer: str,
        settled: Sequence[bool],
    ) -> Outcome:
        """Writes tables, answer and figures; what is there and right is left alone.

        Args:
            tables: file stem -> (rows, columns); the study's main table under its id, first.
            answer: the result in one sentence.
            settled: for every number asked for, whether it reached the precision asked for.

        Returns:
            What the study leaves behind.
        """
        self.supply.close()
        folder = make_folder(self.run_dir / "tables")
        said = [{"answer": answer, "confidence": self.settings.confidence}]
        contents = {**tables, "answer": (said, _ANSWER)}
        paths = [folder / f"{stem}.csv" for stem in contents]
        for path, content in zip(paths, contents.values(), strict=True):
            write_table(path, *content)
        write_seal(folder, paths)
        rows, curve, verdicts = (tables.get(stem, ((), ()))[0] for stem in (self.settings.study, "curve", "verdicts"))
        figures = own_figures(self.settings.study, rows, curve=curve, verdicts=verdicts)
        drawn = self._draw(figures, paths[:-1]) if self.options.figures and figures else []
        return Outcome(
            study=self.settings.study,
            run_dir=self.run_dir,
            rows=rows,
            curve=curve,
            verdicts=verdicts,
            answer=answer,
            files=[*paths[:-1], *drawn],
            notes=self._notes(settled),
            simulated=self.supply.simulated,
        )

    def _draw(self, figures: Mapping[str, Draw], tables: Sequence[Path]) -> list[Path]:
        """The study's own figures, drawn unless they are there as they were drawn from these very tables."""
        folder = self.run_dir / "figures"
        known = [folder / f"{name}.{form}" for name in figures for form in FORMS]
        if not is_sealed(folder, [*known, *tables]):
            known = [path for name, draw in figures.items() for path in draw(folder / name)]
            write_seal(folder, [*known, *tables])
        return known

    def identity_columns(self, cell: Cell, n: int | None) -> dict[str, Any]:
        """The identifying columns of a row."""
        spec = cell.spec
        return {
            "study": self.settings.study,
            "d_k": spec.d_k,
            "d_v": spec.d_v,
            "d_phi": spec.d_phi,
            "num_associations": n,
            "depth": spec.depth,
            "width": spec.width,
            "num_heads": spec.num_heads,
            **{group: getattr(spec, group).name for group in GROUPS if group != "criterion"},
            "parameters": _non_defaults(cell),
            "criterion": spec.criterion.name,
        }


def error_row(session: Session, cell: Cell, point: Any, predicted: float | None, law: str | None) -> dict[str, Any]:
    """The row of one measured error rate."""
    return session.identity_columns(cell, point.n) | {
        "error_rate": point.estimate.value,
        "error_low": point.estimate.low,
        "error_high": point.estimate.high,
        "trials": point.estimate.trials,
        "queries": point.queries,
        "predicted_error": predicted,
        "prediction": law,
    }


def _non_defaults(cell: Cell) -> str:
    """Sorted JSON of every parameter that is not at its default; a file is named by its own name, not its folder."""
    import json

    found = {}
    for group in GROUPS:
        choice: Choice = getattr(cell.spec, group)
        defaults = read_sheet(group, choice.name).defaults
        for name, value in choice.parameters:
            if value != defaults.get(name):
                found[f"{group}.{name}"] = Path(str(value)).name if name == "path" else value
    if cell.spec.query_cosine != 1:
        found["query.cosine"] = cell.spec.query_cosine
    return json.dumps(found, sort_keys=True)


def _versions() -> dict[str, str]:
    known = {"python": host.python_version(), "pavlov-cli": metadata.version("pavlov-cli")}
    return known | {name: metadata.version(name) for name in _VERSIONS}


def _source() -> dict[str, Any]:
    """Commit and dirty flag of the checkout that runs; empty for an installed package."""
    checkout = PACKAGE.parent
    if not (checkout / ".git").exists():
        return {}

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(checkout), *words], capture_output=True, text=True, timeout=10, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain"))}
