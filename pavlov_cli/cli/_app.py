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
    words: o.Words = None, dk: o.DK = None, dv: o.DV = None, n: o.Held = None, seed: o.Seed = None,
    out: o.Out = "results", target_error: o.TargetError = None, trials: o.Trials = None, max_trials: o.MaxTrials = None,
    half_width: o.HalfWidth = None, queries: o.Queries = None, n_max: o.NMax = None, confidence: o.Confidence = None,
    platform: o.Platform = None, device_count: o.DeviceCount = None, precision: o.Precision = None,
    dry_run: o.DryRun = False, cfg: o.Cfg = False, json: o.Json = False, quiet: o.Quiet = False,
    no_figures: o.NoFigures = False, fresh: o.Fresh = False, verbose: o.Verbose = False,
) -> int:  # fmt: skip
    """How many associations a memory holds, how that grows with d_k, and whether theory agrees.

    With --n the inverse: which d_k it needs to hold that many.

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
    run: o.Run = "latest", out: o.Out = "results", json: o.Json = False,
    form: Annotated[str | None, typer.Option("--format", metavar="NAME", help="text, md, latex or csv.")] = None,
    table: o.Table = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="A,B,C", help="Stored columns to show, in this order.")
    ] = None,
    verbose: o.Verbose = False,
) -> int:  # fmt: skip
    """A stored run's table and answer, or one table for a page, a paper or a program.

    CSV holds every digit that is stored; the other formats have four. LaTeX needs the package booktabs.
    """
    from pavlov_cli.cli._show import show_run

    return show_run(run, out, json=json, form=form, table=table, columns=columns)


@app.command("diff")
def diff(
    first: Annotated[str, typer.Argument(metavar="RUN", help="A run, as in show.")],
    second: Annotated[str, typer.Argument(metavar="RUN", help="Another run of the same study.")],
    out: o.Out = "results", json: o.Json = False, verbose: o.Verbose = False,
) -> int:  # fmt: skip
    """What two runs of a study share, and where their numbers differ by more than chance.

    Rows are matched by what identifies them. Numbers differ by more than chance where |z| > 1.96: z is the difference
    over its standard error, read back from the halves of both intervals that face each other; capacities of guaranteed
    are compared by their means. Runs of one seed share random numbers: equal numbers are then called equal, and others
    are compared as if they were independent, which is cautious. The exit code is 0 also where numbers differ.
    """
    from pavlov_cli.cli._diff import diff_runs

    return diff_runs(first, second, out, json=json)


@app.command("plot")
def plot(
    run: o.Run = "latest", out: o.Out = "results", table: o.Table = None,
    x: Annotated[str | None, typer.Option("--x", metavar="COLUMN", help="Along the horizontal axis.")] = None,
    y: Annotated[str | None, typer.Option("--y", metavar="COLUMN", help="Along the vertical axis.")] = None,
    series: Annotated[
        str | None, typer.Option("--series", metavar="COL,COL", help="What parts rows into series; all that differs.")
    ] = None,
    log_x: Annotated[bool | None, typer.Option("--log-x/--linear-x", help="Scale of the horizontal axis.")] = None,
    log_y: Annotated[bool | None, typer.Option("--log-y/--linear-y", help="Scale of the vertical axis.")] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Above the axes, as written.")] = None,
    xlabel: Annotated[str | None, typer.Option("--xlabel", metavar="TEXT", help="Below the axes.")] = None,
    ylabel: Annotated[str | None, typer.Option("--ylabel", metavar="TEXT", help="Beside the axes.")] = None,
    size: Annotated[
        str, typer.Option("--size", metavar="NAME", help="column (3.35 in wide), page (5.6) or slide (10).")
    ] = "page",
    figure: Annotated[
        str | None, typer.Option("--figure", metavar="NAME", help="One of the study's own figures alone.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", metavar="FILE", help="A .png, .svg or .pdf; else the run's folder.")
    ] = None,
    verbose: o.Verbose = False,
) -> int:  # fmt: skip
    """Draws a stored run again, without measuring.

    Without --table, --x, --y and --series: the study's own figures. With any of them: points with their intervals.
    """
    from pavlov_cli.cli._plot import plot_run
    from pavlov_cli.figures.look import Look

    look = Look(size, title, xlabel, ylabel, log_x, log_y)
    return plot_run(run, out, look, table=table, x=x, y=y, series=series, figure=figure, output=output)


@app.command("clean")
def clean(
    runs: Annotated[list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs to remove, as in show.")] = None,
    out: o.Out = "results",
    unfinished: Annotated[bool, typer.Option("--unfinished", help="Runs without tables.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All runs.")] = False,
    cache: Annotated[bool, typer.Option("--cache", help="Compiled programs; they are compiled again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be removed; remove nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    verbose: o.Verbose = False,
) -> int:  # fmt: skip
    """Removes runs below --out, after asking.

    Stored rows are reused by every run of a study, so removing one run may cost others the time to measure them again.
    A run that is being measured now counts as unfinished: look at when it last changed.
    """
    from pavlov_cli.cli._clean import clean as remove

    return remove(runs or (), out, unfinished=unfinished, everything=everything, cache=cache, dry_run=dry_run, yes=yes)


@app.command("doctor")
def doctor(out: o.Out = "results", verbose: o.Verbose = False) -> int:
    """Checks Python, packages, devices, folders, and one number against theory."""
    from pavlov_cli.cli._doctor import examine

    return examine(out)
