"""How does a command run a study: settings, signals, progress, output?"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from pavlov_cli.cli import spoken
from pavlov_cli.cli._output import print_json, print_notes, print_outcome
from pavlov_cli.errors import InterruptedRun


class _Interrupts:
    """Remembers the first signal; the next one ends the process at once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.received: int | None = None
        self._say = say

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.received = number
        signal.signal(number, signal.SIG_DFL)
        self._say("saving; once more to stop at once.")

    def check(self) -> None:
        """Raises once a signal came."""
        if self.received is not None:
            raise InterruptedRun(
                "interrupted; what was measured is saved. The same command continues.", signal_number=self.received
            )

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Handlers for SIGINT and SIGTERM, restored afterwards."""
        earlier = {number: signal.signal(number, self) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)


def run_study(study: str, words: Sequence[str], flags: Mapping[str, Any], modes: Mapping[str, Any]) -> int:
    """Runs a study and prints what came out.

    Args:
        study: name with underscores.
        words: overrides.
        flags: setting -> text of an option, None where not used.
        modes: out, dry_run, cfg, json, quiet, no_figures, fresh.

    Returns:
        The exit code.
    """
    from pavlov_cli.config.compose import compose_settings

    settings = compose_settings(study, words, flags)
    if modes["cfg"]:
        return _print_config(settings)
    if modes["dry_run"]:
        return _print_plan(settings)
    from pavlov_cli.cli._progress import display
    from pavlov_cli.studies._session import Options

    shown = display(modes["quiet"])
    interrupts = _Interrupts(shown.note)
    with interrupts.installed(), closing(shown):
        options = Options(
            out=Path(modes["out"]),
            command=spoken(),
            fresh=modes["fresh"],
            figures=not modes["no_figures"],
            progress=shown,
            check=interrupts.check,
        )
        outcome = import_module(f"pavlov_cli.studies.{study}").run(settings, options)
    if modes["json"]:
        print_notes(outcome.notes)
        print_json(outcome, options.command, settings.seed)
    else:
        print_outcome(outcome, settings.confidence)
    return 0 if outcome.complete else 4


def _print_config(settings: Any) -> int:
    import yaml

    from pavlov_cli.studies._session import plain_settings

    print(yaml.safe_dump(plain_settings(settings), sort_keys=False), end="")
    return 0


def _print_plan(settings: Any) -> int:
    from pavlov_cli.config.sheets import read_sheet
    from pavlov_cli.plan.cost import estimate, memory_of_this_machine, refuse_unfit
    from pavlov_cli.plan.grid import build_cells, first_cells

    inverse = settings.study == "capacity" and settings.num_associations
    cells = first_cells(settings, read_sheet) if inverse else build_cells(settings, read_sheet)
    refuse_unfit(cells, memory_of_this_machine())
    print(estimate(cells, settings.num_associations).text())
    return 0
