"""What was read from a study's files, and what does merging it come to?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pavlov_cli.records import Row

BlockKey = tuple[str, int]
ConflictKind = Literal["set_aside", "outvoted", "environments"]


@dataclass(frozen=True)
class Stored:
    """A valid row and where it was read.

    Attributes:
        file: path of the file; its stem identifies the writer.
        line: line number, from 1.
        row: the row.
    """

    file: str
    line: int
    row: Row

    @property
    def place(self) -> str:
        """File and line in words."""
        return f"{self.file} line {self.line}"


@dataclass(frozen=True, order=True)
class Damage:
    """A line or file that could not be read.

    Attributes:
        file: path of the file or folder.
        line: line number, from 1; 0 for the whole file.
        reason: what is wrong with it.
    """

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{f' line {self.line}' if self.line else ''}: {self.reason}"


@dataclass(frozen=True)
class Conflict:
    """Different values that were stored for one block.

    Attributes:
        point_id: the point.
        block: the block.
        kind: ``set_aside`` (no value stands), ``outvoted`` (a majority stands) or ``environments`` (the smaller digest
            stands).
        files: every file involved, sorted.
        message: one sentence for the user.
    """

    point_id: str
    block: int
    kind: ConflictKind
    files: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Rows:
    """What a study's files hold after merging.

    Attributes:
        blocks: the row that stands for each (point id, block), in sorted order; a block set aside is absent.
        problems: what was lost and gets computed again: damaged lines, unreadable files, blocks set aside.
        conflicts: every block with different values, also those that are settled.
        stored: all valid lines, the whole input of the merge.
        damage: all lines and files that could not be read.
    """

    blocks: Mapping[BlockKey, Row]
    problems: tuple[str, ...]
    conflicts: tuple[Conflict, ...]
    stored: frozenset[Stored] = field(default=frozenset(), repr=False)
    damage: frozenset[Damage] = field(default=frozenset(), repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """Conflicts that are settled, in words."""
        return tuple(conflict.message for conflict in self.conflicts if conflict.kind != "set_aside")
