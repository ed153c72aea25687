"""Which options do all measuring commands share, and what do they say of themselves?"""

from __future__ import annotations

from typing import Annotated

import typer

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE]...", help="Overrides, such as criterion=sign,mse or key_ensemble=rademacher."),
]
DK = Annotated[
    str | None, typer.Option("--dk", metavar="RANGE", help="Key dimensions: 64..1024, 64,96,128, 64..1024:#9.")
]
DV = Annotated[str | None, typer.Option("--dv", metavar="RANGE", help="Value dimensions; equal to d_k if left out.")]
N = Annotated[str | None, typer.Option("--n", metavar="RANGE", help="Numbers of associations.")]
Held = Annotated[
    str | None,
    typer.Option("--n", metavar="RANGE", help="Numbers of associations to be held: asks which d_k it takes."),
]
Seed = Annotated[str | None, typer.Option("--seed", metavar="INT", help="Root of all random numbers (0).")]
Out = Annotated[str, typer.Option("--out", metavar="DIR", help="Folder of all results.")]
TargetError = Annotated[
    str | None,
    typer.Option("--target-error", metavar="P", help="Error at which capacity is read, or several with commas."),
]
Trials = Annotated[str | None, typer.Option("--trials", metavar="INT", help="A fixed number of trials per point.")]
MaxTrials = Annotated[str | None, typer.Option("--max-trials", metavar="INT", help="Most trials per point (4096).")]
HalfWidth = Annotated[
    str | None, typer.Option("--half-width", metavar="P", help="Relative half-width at which measuring stops.")
]
Queries = Annotated[str | None, typer.Option("--queries", metavar="INT", help="Most items probed per trial and n.")]
NMax = Annotated[str | None, typer.Option("--n-max", metavar="INT", help="Largest number of associations looked at.")]
Confidence = Annotated[str | None, typer.Option("--confidence", metavar="P", help="Coverage of intervals (0.95).")]
Platform = Annotated[str | None, typer.Option("--platform", metavar="NAME", help="cpu, gpu or tpu; the best there is.")]
DeviceCount = Annotated[str | None, typer.Option("--device-count", metavar="INT", help="Devices to use; all of them.")]
Precision = Annotated[str | None, typer.Option("--precision", metavar="NAME", help="float32, float64 or bfloat16.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run, and what it costs; run nothing.")]
Cfg = Annotated[bool, typer.Option("--cfg", help="Print the resolved configuration; run nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]
NoFigures = Annotated[bool, typer.Option("--no-figures", help="Write tables only.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Compute anew, whatever is stored.")]
Run = Annotated[str, typer.Argument(metavar="[RUN]", help="A run's folder, name, start of its name, or 'latest'.")]
Table = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="capacity, curve, verdicts or error_rate; the study's main one."),
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Show the traceback of an error.")]
