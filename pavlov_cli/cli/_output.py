"""What does a finished study print?"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.report.terminal import WIDTH, capacity_table, error_table, verdict_lines


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def print_outcome(outcome: Any, confidence: float) -> None:
    """Table, verdicts, notes, and last the answer and where the files are."""
    print_tables(outcome.study, outcome.rows, outcome.verdicts, confidence)
    print_notes(outcome.notes)
    work = f"{outcome.simulated} blocks measured" if outcome.simulated else "nothing to measure: all blocks were stored"
    print(f"{work}.", file=sys.stderr)
    print()
    print(_wrapped(outcome.answer))
    print(f"Files: {outcome.run_dir}")


def print_notes(notes: Sequence[str]) -> None:
    """What the reader should know, on stderr."""
    for note in notes:
        print(_wrapped(f"note: {note}"), file=sys.stderr)


def print_tables(
    study: str, rows: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]], confidence: float
) -> None:
    """The table of a study and its verdicts."""
    table = error_table if study == "error_rate" else capacity_table
    print(table(rows, confidence))
    if verdicts:
        print()
        for line in verdict_lines(verdicts).splitlines():
            print(_wrapped(line))


def print_json(outcome: Any, command: str, seed: int) -> None:
    """The one JSON object of ``--json``."""
    content = {
        "command": command,
        "run_dir": str(outcome.run_dir),
        "seed": seed,
        "rows": list(outcome.rows),
        "curve": list(outcome.curve),
        "verdicts": list(outcome.verdicts),
        "files": [str(Path(path)) for path in outcome.files],
        "complete": outcome.complete,
        "answer": outcome.answer,
    }
    print(json.dumps(content, allow_nan=False))
