"""Which row stands for a block when several files, processes or machines have stored it?

The answer is a pure function of the set of stored lines, and merging is the union of such sets: it does not depend on
order or grouping, and merging a thing with itself changes nothing. For each (point, block):

1. Within one environment the lines vote. A writer's file name is random, so a copy of a run folder carries the same
   names and adds no votes; a writer that stored a block twice has computed it twice and votes twice.
2. One value only: it stands (identical duplicates collapse).
3. Several values: the one with at least two votes and more than any other stands, the others are outvoted. Where there
   is none, all are set aside, the block is absent and gets computed again; that fresh row is the deciding vote.
4. Between environments that each have a value, equal values collapse; of different ones the row with the smaller digest
   stands. A value set aside in one environment does not hide a good one from another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import PurePath
from types import MappingProxyType

from pavlov_cli.records import Row, digest
from pavlov_cli.store.evidence import BlockKey, Conflict, ConflictKind, Damage, Rows, Stored


def merge(first: Rows, second: Rows) -> Rows:
    """All that either holds, settled anew; commutative, associative and idempotent.

    Args:
        first: merged rows.
        second: merged rows.

    Returns:
        The merge of everything that was read for either.
    """
    return settle(first.stored | second.stored, first.damage | second.damage)


def settle(stored: Iterable[Stored], damage: Iterable[Damage] = ()) -> Rows:
    """The row that stands for each block, by the rules at the top of this module.

    Args:
        stored: valid lines, in any order.
        damage: what could not be read, in any order.

    Returns:
        The merged rows.
    """
    lines, faults = frozenset(stored), frozenset(damage)
    groups: dict[BlockKey, list[Stored]] = defaultdict(list)
    for line in lines:
        groups[line.row.point_id, line.row.block].append(line)
    blocks: dict[BlockKey, Row] = {}
    conflicts: list[Conflict] = []
    for key in sorted(groups):
        row, found = _settle_block(key, groups[key])
        conflicts.extend(found)
        if row is not None:
            blocks[key] = row
    aside = [conflict.message for conflict in conflicts if conflict.kind == "set_aside"]
    problems = (*(str(fault) for fault in sorted(faults)), *aside)
    return Rows(MappingProxyType(blocks), problems, tuple(conflicts), lines, faults)


def _settle_block(key: BlockKey, lines: list[Stored]) -> tuple[Row | None, list[Conflict]]:
    if len(lines) == 1:
        return lines[0].row, []
    by_environment: dict[str, list[Stored]] = defaultdict(list)
    for line in lines:
        by_environment[line.row.environment].append(line)
    conflicts: list[Conflict] = []
    standing: dict[str, list[Stored]] = defaultdict(list)  # value -> lines that hold it
    for environment in sorted(by_environment):
        candidates = by_environment[environment]
        value, conflict = _vote(key, candidates)
        conflicts.extend([conflict] if conflict else [])
        if value is not None:
            standing[value].extend(line for line in candidates if _value(line.row) == value)
    rows = [line for group in standing.values() for line in group]
    if not rows:
        return None, conflicts
    winner = min(rows, key=lambda line: (digest(asdict(line.row)), line.file, line.line))
    if len(standing) > 1:
        text = f"environments differ; the value in {winner.place} stands, it has the smallest digest"
        conflicts.append(_conflict(key, "environments", rows, text))
    return winner.row, conflicts


def _vote(key: BlockKey, lines: list[Stored]) -> tuple[str | None, Conflict | None]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)  # value -> lines per file
    for line in lines:
        counts[_value(line.row)][line.file] += 1
    if len(counts) == 1:
        return next(iter(counts)), None
    votes = {value: _votes(files) for value, files in counts.items()}
    most = max(votes.values())
    leaders = [value for value, count in votes.items() if count == most]
    if most >= 2 and len(leaders) == 1:
        text = f"different values from one environment; {most} of {sum(votes.values())} agree and stand"
        return leaders[0], _conflict(key, "outvoted", lines, text)
    text = "different values from one environment; all set aside, the block is computed again"
    return None, _conflict(key, "set_aside", lines, text)


def _votes(files: Counter[str]) -> int:
    by_writer: dict[str, int] = {}
    for file, count in files.items():  # copies of one writer's file: the fullest copy counts
        writer = PurePath(file).stem
        by_writer[writer] = max(count, by_writer.get(writer, 0))
    return sum(by_writer.values())


def _value(row: Row) -> str:
    return digest(asdict(row.trial_values))  # unlike ==, tells 1 from 1.0 and 0.0 from -0.0


def _conflict(key: BlockKey, kind: ConflictKind, lines: list[Stored], text: str) -> Conflict:
    ordered = sorted(lines, key=lambda line: (line.file, line.line))
    places = ", ".join(dict.fromkeys(line.place for line in ordered))
    message = f"block {key[1]} of point {key[0][:12]}: {text} ({places})."
    return Conflict(key[0], key[1], kind, tuple(sorted({line.file for line in lines})), message)
