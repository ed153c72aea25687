"""Which commands are there?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pavlov_cli.cli import _options as o

app = typer.Typer(
    name="pavlov",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Measures how many associations attention memories hold, beside what theory predicts.",
    epilog="Start with: pavlov capacity --dk 64..256",
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"pavlov {version('pavlov-cli')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    pass


def _study(name: str, options: dict[str, Any]) -> int:
    from pavlov_cli.cli._study import run_study

    flags = {"d_k": "dk", "d_v": "dv", "num_associations": "n"}
    settings = (
        "seed", "target_error", "trials", "max_trials", "half_width", "queries", "n_max", "confidence", "platform",
        "device_count", "precision",
    )  # fmt: skip
    given = {key: options.get(flag) for key, flag in flags.items()} | {key: options.get(key) for key in settings}
    modes = {name: options[name] for name in ("out", "dry_run", "cfg", "json", "quiet", "no_figures", "fresh")}
    return run_study(name, options["words"] or [], given, modes)


@app.command("capacity")
def capacity(
    words: o.Words = None, dk: o.DK = None, dv: o.DV = None, seed: o.Seed = None, out: o.Out = "results",
    target_error: o.TargetError = None, trials: o.Trials = None, max_trials: o.MaxTrials = None,
    half_width: o.HalfWidth = None, queries: o.Queries = None, n_max: o.NMax = None, confidence: o.Confidence = None,
    platform: o.Platform = None, device_count: o.DeviceCount = None, precision: o.Precision = None,
    dry_run: o.DryRun = False, cfg: o.Cfg = False, json: o.Json = False, quiet: o.Quiet = False,
    no_figures: o.NoFigures = False, fresh: o.Fresh = False, verbose: o.Verbose = False,
) -> int:  # fmt: skip
    """How many associations a memory holds, how that grows with d_k, and whether theory agrees.

    The same command again reuses what is stored and continues what was interrupted.
    """
    return _study("capacity", locals())


@app.command("error-rate")
def error_rate(
    words: o.Words = None, dk: o.DK = None, dv: o.DV = None, n: o.N = None, seed: o.Seed = None, out: o.Out = "results",
    trials: o.Trials = None, max_trials: o.MaxTrials = None,
    half_width: o.HalfWidth = None, queries: o.Queries = None, n_max: o.NMax = None, confidence: o.Confidence = None,
    platform: o.Platform = None, device_count: o.DeviceCount = None, precision: o.Precision = None,
    dry_run: o.DryRun = False, cfg: o.Cfg = False, json: o.Json = False, quiet: o.Quiet = False,
    no_figures: o.NoFigures = False, fresh: o.Fresh = False, verbose: o.Verbose = False,
) -> int:  # fmt: skip
    """How often retrieval fails at given numbers of associations."""
    return _study("error_rate", locals())


@app.command("list")
def list_entries(
    group: Annotated[
        str | None, typer.Argument(metavar="[GROUP]", help="A group, 'theory' or 'runs'; all groups if left out.")
    ] = None,
    out: o.Out = "results",
    verbose: o.Verbose = False,
) -> int:
    """Which entries, laws and stored runs there are."""
    from pavlov_cli.cli._inspect import list_group

    return list_group(group, out)


@app.command("show")
def show(
    run: Annotated[
        str, typer.Argument(metavar="[RUN]", help="A run's folder, name, start of its name, or 'latest'.")
    ] = "latest",
    out: o.Out = "results",
    json: o.Json = False,
    verbose: o.Verbose = False,
) -> int:
    """A stored run's table and answer."""
    from pavlov_cli.cli._inspect import show_run

    return show_run(run, out, json)


@app.command("doctor")
def doctor(out: o.Out = "results", verbose: o.Verbose = False) -> int:
    """Checks Python, packages, devices, folders, and one number against theory."""
    from pavlov_cli.cli._doctor import examine

    return examine(out)
