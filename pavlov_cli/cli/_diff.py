"""How do two runs of a study compare?"""

from __future__ import annotations

import json as plain_json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pavlov_cli.cli import spoken
from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Estimate
from pavlov_cli.report.cells import Row, capacity_of, criterion_name, interval, number
from pavlov_cli.report.comparison import (
    AGREE,
    CONFIDENCE,
    DIFFER,
    EQUAL,
    THRESHOLD,
    UNKNOWN,
    Comparison,
    Pair,
    compare,
    differing_settings,
    identity,
)
from pavlov_cli.report.terminal import WIDTH, align
from pavlov_cli.series import label, telling_apart, trimmed
from pavlov_cli.store import StoredRun, load_run


def diff_runs(first: str, second: str, out: str, *, json: bool) -> int:
    """Prints what two runs share, what only one has, and where they differ by more than chance.

    Raises:
        ConfigError: they are of different studies.
        DataError: one is missing or did not finish.
    """
    runs = load_run(Path(out), first), load_run(Path(out), second)
    if runs[0].study != runs[1].study:
        raise ConfigError(
            f"runs must be of the same study; got {runs[0].name} and {runs[1].name}. See: pavlov list runs."
        )
    found = compare(
        runs[0].rows, runs[1].rows, first_confidence=runs[0].confidence, second_confidence=runs[1].confidence
    )
    settings = differing_settings(runs[0].manifest["settings"], runs[1].manifest["settings"])
    if json:
        print(plain_json.dumps(_object(runs, found, settings), allow_nan=False))
    else:
        _print(runs, found, settings)
    return 0


def _object(runs: tuple[StoredRun, StoredRun], found: Comparison, settings: dict[str, tuple[Any, Any]]) -> Any:
    return {
        "command": spoken(),
        "runs": [str(run.run_dir) for run in runs],
        "settings": {name: list(values) for name, values in settings.items()},
        "shared": [
            identity(pair.first)
            | {"first": _plain(pair.estimates[0]), "second": _plain(pair.estimates[1])}
            | {"ratio": pair.ratio, "z": pair.z, "verdict": pair.verdict}
            for pair in found.shared
        ],
        "only_first": [identity(row) for row in found.only_first],
        "only_second": [identity(row) for row in found.only_second],
        "answer": _summary(found),
    }


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "trials": estimate.trials}


def _print(runs: tuple[StoredRun, StoredRun], found: Comparison, settings: dict[str, tuple[Any, Any]]) -> None:
    for letter, run in zip("AB", runs, strict=True):
        print(_wrapped(f"{letter}  {run.name}  {run.manifest['command']}", 3))
    for name, values in settings.items():
        print(_wrapped(f"   {name}: {' in A, '.join(_brief(value) for value in values)} in B", 5))
    if found.shared:
        print(f"\n{_table(found.shared)}")
    for letter, rows in zip("AB", (found.only_first, found.only_second), strict=True):
        if rows:
            print(f"\nonly in {letter}:")
            for name in _names(rows):
                print(_wrapped(f"   {name}", 5))
    print(f"\n{_wrapped(_summary(found), 0)}")


def _wrapped(text: str, indent: int) -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False,
        drop_whitespace=True,
    )  # fmt: skip


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_brief(item) for item in value)
    if isinstance(value, dict):
        rest = " ".join(f"{name}={_brief(item)}" for name, item in value.items() if name != "name")
        return f"{value['name']}({rest})" if rest else str(value["name"])
    return "none" if value is None else str(value)


def _table(pairs: Sequence[Pair]) -> str:
    """Two lines per number, one for each run; without the columns on the right where they would not fit."""
    lines = []
    names = _names([pair.first for pair in pairs])
    for name, pair in zip(names, pairs, strict=True):
        rows = (pair.first, pair.second)
        (a, b), (low, high) = [_shown(*both) for both in zip(rows, pair.estimates, strict=True)], ("", "")
        ratio, z = ("-" if value is None else number(value, 3) for value in (pair.ratio, pair.z))
        lines += [[name, "A", *a, low, high, ""], ["", "B", *b, ratio, z, pair.verdict]]
    table = align(["row", "run", "value", "interval", "B / A", "z", "verdict"], lines, left=2)
    if max(map(len, table.splitlines())) <= WIDTH:
        return table
    # a long name stands above its numbers
    tall = []
    for above, below in zip(lines[::2], lines[1::2], strict=True):
        tall += [above[1:], below[1:]]
    numbers = align(["run", "value", "interval", "B / A", "z", "verdict"], tall).splitlines()
    text = numbers[:2]
    for index, name in enumerate(names):
        text += [_wrapped(name, 2), *numbers[2 + 2 * index : 4 + 2 * index]]
    return "\n".join(text)


def _shown(row: Row, estimate: Estimate) -> list[str]:
    value = capacity_of(row) if estimate.value is None and "censored" in row else number(estimate.value)
    return [value, interval(estimate.low, estimate.high)]


def _names(rows: Sequence[Row]) -> list[str]:
    """What tells rows apart, in words: ``mse 0.25, d_k 64, n 8``."""
    plain = trimmed(rows)
    differing = telling_apart(plain, ("criterion", "margin", "target_error", "d_k", "num_associations"))
    names = []
    for row in plain:
        parts = [criterion_name(row), f"d_k {row['d_k']}"]
        parts += [f"n {row['num_associations']}"] * (row["num_associations"] is not None)
        names.append(", ".join(part for part in (*parts, label(row, differing)) if part))
    return names


def _summary(found: Comparison) -> str:
    counted = [
        (EQUAL, "equal"),
        (AGREE, "differ by no more than chance"),
        (DIFFER, f"differ by more than chance (|z| > {THRESHOLD:.2f}; chance alone makes {1 - CONFIDENCE:.0%} so)"),
        (UNKNOWN, "cannot be compared"),
    ]
    said = [f"{found.count(verdict)} {words}" for verdict, words in counted if found.count(verdict)]
    shared = f"{len(found.shared)} numbers in both" + (f": {', '.join(said)}" if said else "")
    return f"{shared}; {len(found.only_first)} only in A, {len(found.only_second)} only in B."
