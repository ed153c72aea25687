"""How are rows appended so that neither a crash nor another process can damage what is already stored?"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from pavlov_cli.durable import make_folder, storage_error, sync_folder, write_all
from pavlov_cli.errors import DataError
from pavlov_cli.records import Row
from pavlov_cli.store._lines import encode_row

ROWS_FOLDER = "rows"
ROWS_SUFFIX = ".jsonl"


class RowWriter:
    """Appends rows to a file of its own in ``<run>/rows``; any number of writers share a run without locks.

    The file is created at the first append under a random name that no other writer can hold. After any failure inside
    an append the file is left as it is, for ever, and the next append starts a new one: a torn line never runs into a
    later row. The same holds in a forked child. Not for use by several threads at once.

    Args:
        run_dir: the run's folder; created at the first append.
    """

    def __init__(self, run_dir: Path):
        self._folder = Path(run_dir) / ROWS_FOLDER
        self._path: Path | None = None
        self._handle: int | None = None
        self._links = 0  # hard links of the open file when it was created
        self._owner = 0  # process that opened it
        self._closed = False

    @property
    def path(self) -> Path | None:
        """The file now written to; None before the first append and after a failed one."""
        return self._path

    def append(self, rows: Iterable[Row]) -> None:
        """Store a batch of rows durably: when this returns, they survive a kill and a power cut.

        Args:
            rows: the blocks of one batch; an empty batch does nothing.

        Raises:
            DataError: a row cannot be stored (nothing is written then), or the file system refused; rows stored before
                stay valid, those of this batch may or may not be stored.
            ValueError: the writer is closed.
        """
        if self._closed:
            raise ValueError(f"writer must be open; got a closed one for {self._folder}. Create a new RowWriter.")
        data = b"".join([encode_row(row) for row in rows])
        if not data:
            return
        try:
            handle = self._open()
            write_all(handle, data)
            os.fsync(handle)
            vanished = os.fstat(handle).st_nlink < min(self._links, 1)
        except BaseException as error:
            path = self._path or self._folder
            self._release()
            if isinstance(error, OSError):
                raise storage_error("write rows to", path, error) from error
            raise
        if vanished:
            path = self._path or self._folder
            self._release()
            raise DataError(f"{path} was deleted while rows were written to it; run the same command again.")

    def close(self) -> None:
        """End writing; a second call does nothing. All appended rows are durable already."""
        self._closed = True
        self._release()

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> int:
        if self._handle is not None and self._owner == os.getpid():
            return self._handle
        self._release()
        make_folder(self._folder)
        path = self._folder / f"{secrets.token_hex(8)}{ROWS_SUFFIX}"
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
        self._path, self._owner = path, os.getpid()
        self._links = os.fstat(self._handle).st_nlink
        sync_folder(self._folder)
        sync_folder(self._folder.parent)
        return self._handle

    def _release(self) -> None:
        handle, self._handle, self._path = self._handle, None, None
        if handle is None:
            return
        try:
            os.close(handle)
        except OSError:  # every stored row was synced before; a failed append is reported by its own error
            return
