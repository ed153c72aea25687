"""Appended rows survive kills, full disks and other writers."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pavlov_cli.errors import DataError
from pavlov_cli.records import Row
from pavlov_cli.store import RowWriter, read_rows

MakeRow = Callable[..., Row]
ROOT = Path(__file__).resolve().parents[2]


def files(study: Path) -> list[Path]:
    return sorted(study.glob("*/rows/*"))


def test_nothing_is_created_before_the_first_row(tmp_path: Path, make_row: MakeRow) -> None:
    with RowWriter(tmp_path / "run") as writer:
        writer.append([])
        assert list(tmp_path.iterdir()) == []
        writer.append([make_row()])
    assert len(files(tmp_path)) == 1


def test_a_batch_is_synced_once_and_so_are_the_new_folders(
    tmp_path: Path, make_row: MakeRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append(os.path.realpath(f"/proc/self/fd/{handle}"))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with RowWriter(tmp_path / "run") as writer:
        writer.append(make_row(block) for block in range(5))
        path = writer.path
        assert path is not None
        assert synced == [str(path.parent), str(path.parent.parent), str(path)]
        writer.append([make_row(5)])
        assert synced[3:] == [str(path)]
    assert len(read_rows(tmp_path).blocks) == 6


def test_two_writers_at_once_have_files_of_their_own(tmp_path: Path, make_row: MakeRow) -> None:
    with RowWriter(tmp_path / "run") as first, RowWriter(tmp_path / "run") as second:
        for block in range(0, 20, 2):
            first.append([make_row(block)])
            second.append([make_row(block + 1)])
        assert first.path != second.path
    rows = read_rows(tmp_path)
    assert [block for _, block in rows.blocks] == list(range(20))
    assert rows.problems == ()


# jax, where an earlier test has loaded it, warns of any fork; this child only writes a file and leaves.
@pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")
def test_a_forked_child_gets_a_file_of_its_own(tmp_path: Path, make_row: MakeRow) -> None:
    with RowWriter(tmp_path / "run") as writer:
        writer.append([make_row(0)])
        child = os.fork()
        if child == 0:
            writer.append([make_row(1)])
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        writer.append([make_row(2)])
    assert len(files(tmp_path)) == 2
    assert len(read_rows(tmp_path).blocks) == 3


def test_short_writes_are_completed(tmp_path: Path, make_row: MakeRow, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data)[:7]))
    with RowWriter(tmp_path / "run") as writer:
        writer.append([make_row(0), make_row(1)])
    monkeypatch.undo()
    rows = read_rows(tmp_path)
    assert len(rows.blocks) == 2 and rows.problems == ()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("room", [0, 1, 100, 250])
def test_a_failed_write_keeps_earlier_rows_and_never_glues(
    tmp_path: Path, make_row: MakeRow, monkeypatch: pytest.MonkeyPatch, code: int, room: int
) -> None:
    with RowWriter(tmp_path / "run") as writer:
        writer.append([make_row(0)])
        real, left = os.write, room

        def write(handle: int, data: bytes) -> int:
            nonlocal left
            if left == 0:
                raise OSError(code, os.strerror(code))
            written = real(handle, bytes(data)[:left])
            left -= written
            return written

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(DataError, match=rf"cannot write rows to .*{os.strerror(code)}; .*--out"):
            writer.append([make_row(1), make_row(2)])
        monkeypatch.undo()
        writer.append([make_row(1), make_row(2)])
    rows = read_rows(tmp_path)
    assert [block for _, block in rows.blocks] == [0, 1, 2]
    assert len(rows.problems) <= 1
    assert len(files(tmp_path)) == 2


def test_a_write_without_progress_ends_with_an_error(
    tmp_path: Path, make_row: MakeRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", lambda handle, data: 0)
    with pytest.raises(DataError, match="takes no more bytes"):
        RowWriter(tmp_path / "run").append([make_row()])


def test_a_failed_sync_is_an_error(tmp_path: Path, make_row: MakeRow, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RowWriter(tmp_path / "run")
    writer.append([make_row(0)])

    def fsync(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(DataError, match="Input/output error; check the disk"):
        writer.append([make_row(1)])
    assert writer.path is None


def test_an_interrupt_inside_a_write_does_not_glue(
    tmp_path: Path, make_row: MakeRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    writer = RowWriter(tmp_path / "run")

    def write(handle: int, data: bytes) -> int:
        real(handle, bytes(data)[:20])
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(KeyboardInterrupt):
        writer.append([make_row(0)])
    monkeypatch.undo()
    writer.append([make_row(0)])
    assert len(files(tmp_path)) == 2
    assert "torn" in read_rows(tmp_path).problems[0]


def test_a_row_that_cannot_be_stored_writes_nothing(tmp_path: Path, make_row: MakeRow) -> None:
    with pytest.raises(DataError, match="finite"):
        RowWriter(tmp_path / "run").append([make_row(0), make_row(1, float("inf"))])
    assert list(tmp_path.iterdir()) == []


def test_a_file_deleted_under_the_writer_is_noticed(tmp_path: Path, make_row: MakeRow) -> None:
    with RowWriter(tmp_path / "run") as writer:
        writer.append([make_row(0)])
        files(tmp_path)[0].unlink()
        with pytest.raises(DataError, match="was deleted while"):
            writer.append([make_row(1)])
        writer.append([make_row(1)])
    assert len(read_rows(tmp_path).blocks) == 1


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path, make_row: MakeRow) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(DataError, match=r"cannot create files in .*run/rows: Not a directory; move the file"):
        RowWriter(tmp_path / "run").append([make_row()])


def test_a_closed_writer_takes_no_rows(tmp_path: Path, make_row: MakeRow) -> None:
    writer = RowWriter(tmp_path / "run")
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="writer must be open"):
        writer.append([make_row()])


BATCH = 3
CHILD = """
    import os, sys
    from pathlib import Path
    from pavlov_cli.records import Row, TrialValues
    from pavlov_cli.store import RowWriter

    run, start, piece = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    real = os.write
    if piece:
        os.write = lambda handle, data: real(handle, bytes(data)[:piece])
    with RowWriter(run) as writer:
        for first in range(start, start + 100_000, 3):
            writer.append(Row("p", block, TrialValues((block, 1, 2, 3))) for block in range(first, first + 3))
            real(1, b"%d\\n" % first)
"""


def test_a_killed_writer_loses_at_most_the_batch_in_flight(tmp_path: Path) -> None:
    chance = random.Random(7)
    acknowledged: set[int] = set()
    for kill in range(20):
        start = kill * 1_000_000
        command = [sys.executable, "-c", textwrap.dedent(CHILD), str(tmp_path / "run"), str(start), str(5 * (kill % 2))]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
        assert child.stdout is not None
        said = child.stdout.readline()
        time.sleep(chance.uniform(0, 0.02))
        child.send_signal(signal.SIGKILL)
        said += child.stdout.read()
        child.wait()
        child.stdout.close()
        firsts = [int(line) for line in said.split(b"\n")[:-1]]
        acknowledged |= {first + offset for first in firsts for offset in range(BATCH)}
        stored = {block for _, block in read_rows(tmp_path).blocks}
        assert acknowledged <= stored
        in_flight = set(range(firsts[-1] + BATCH, firsts[-1] + 2 * BATCH))
        assert {block for block in stored if block >= start} - acknowledged <= in_flight
        acknowledged |= stored
    rows = read_rows(tmp_path)
    assert all(row.trial_values.values == (block, 1, 2, 3) for (_, block), row in rows.blocks.items())
    assert len(rows.problems) <= 20 and all("torn" in problem for problem in rows.problems)
