"""How is a study run, and a stored run read, from Python?"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavlov_cli.errors import ConfigError, unknown_name
from pavlov_cli.registry import GROUPS, PACKAGE

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Run:
    """A run as DataFrames; their columns are those of the CSV tables and of ``--json``.

    Attributes:
        rows: the study's main table.
        curve: the error rows behind capacities; without columns where the study has none.
        verdicts: what the growth says about each law; likewise.
        answer: the result in one sentence.
        manifest: command, settings, seed, versions, device.
        run_dir: the run's folder.
    """

    rows: pd.DataFrame
    curve: pd.DataFrame
    verdicts: pd.DataFrame
    answer: str
    manifest: Mapping[str, Any]
    run_dir: Path


def load(run: str | Path = "latest", out: str | Path = "results") -> Run:
    """A stored run as DataFrames.

    Args:
        run: a folder, ``study/name``, a name or the start of one, or ``latest``.
        out: folder of all results.

    Raises:
        DataError: there is no such run, or it did not finish.
    """
    from pavlov_cli.store import load_run

    stored = load_run(Path(out), str(run))
    return Run(
        _frame(stored.rows),
        _frame(stored.curve),
        _frame(stored.verdicts),
        stored.answer,
        stored.manifest,
        stored.run_dir,
    )


def run(
    study: str,
    *,
    out: str | Path = "results",
    progress: Callable[[str], None] | None = None,
    fresh: bool = False,
    figures: bool = False,
    **config: Any,
) -> Run:
    """Measures what a command of the same name would, into the same folder, and loads it.

    Args:
        study: ``capacity`` or ``error_rate``.
        out: folder of all results.
        progress: receives a line per finished number; ``print``, for instance.
        fresh: compute anew although rows are stored.
        figures: draw the study's figures too.
        **config: keys of the overrides. An axis or setting takes a number, a text as on the command line, or a list;
            a group takes a name or a list of names, or a mapping with ``name`` and parameters, each of which may be a
            list: ``d_k="64..256"``, ``criterion=["sign", "mse"]``, ``criterion={"name": "guaranteed", "margin": [0.5,
            1]}``, ``key_ensemble={"name": "file", "path": "keys.npy"}``.

    Returns:
        The run. ``manifest["command"]`` is the command that does the same in a shell.

    Raises:
        ConfigError: an unknown study, key or value.
        DataError: a file is missing or damaged.
    """
    name = study.replace("-", "_")
    if name not in studies():
        raise unknown_name("study", study, studies())
    from pavlov_cli.config.compose import compose_settings
    from pavlov_cli.studies._progress import ignore
    from pavlov_cli.studies._session import Options

    words = override_words(config)
    command = ["pavlov", name.replace("_", "-"), *words]
    options = Options(
        out=Path(out),
        command=shlex.join([*command, "--out", str(out)] if str(out) != "results" else command),
        fresh=fresh,
        figures=figures,
        progress=_lines(progress) if progress else ignore,
    )
    outcome = import_module(f"pavlov_cli.studies.{name}").run(compose_settings(name, words, {}), options)
    return load(outcome.run_dir)


def studies() -> tuple[str, ...]:
    """Names of every study."""
    return tuple(sorted(path.stem for path in (PACKAGE / "studies").glob("[!_]*.py")))


def override_words(config: Mapping[str, Any]) -> list[str]:
    """Keys and values as the words of a command.

    Args:
        config: as ``run`` takes it.

    Raises:
        ConfigError: a mapping for what is not a group, or one without a name.

    >>> override_words({"d_k": [64, 128], "criterion": {"name": "guaranteed", "margin": 0.5}})
    ['d_k=64,128', 'criterion=guaranteed', 'criterion.margin=0.5']
    """
    words = []
    for key, value in config.items():
        if not isinstance(value, Mapping):
            words.append(f"{key}={_text(value)}")
            continue
        if key not in GROUPS or "name" not in value:
            raise ConfigError(f"{key} must be a group with a 'name' to take a mapping; got {dict(value)}.")
        words.append(f"{key}={_text(value['name'])}")
        words += [f"{key}.{parameter}={_text(item)}" for parameter, item in value.items() if parameter != "name"]
    return words


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (str, Path)):
        return str(value)
    if isinstance(value, Sequence) or hasattr(value, "tolist"):  # an array, too
        items = value.tolist() if hasattr(value, "tolist") else value
        return ",".join(map(_text, items)) if isinstance(items, Sequence) else _text(items)
    return repr(value)


def _lines(say: Callable[[str], None]) -> Callable[[Any], None]:
    from pavlov_cli.studies._progress import Finished

    def receive(event: Any) -> None:
        if isinstance(event, Finished):
            say(event.text)

    return receive


def _frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a DataFrame; a column without any value is one of missing numbers."""
    import pandas as pd

    frame = pd.DataFrame.from_records([dict(row) for row in rows])
    empty = [name for name in frame.columns if frame[name].isna().all()]
    return frame.astype(dict.fromkeys(empty, "float64"))
