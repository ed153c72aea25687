"""How does content reach the disk whole or not at all, and what is said when it cannot?"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from pavlov_cli.errors import DataError

_REMEDIES = {
    errno.ENOSPC: "free some space there or choose another folder with --out",
    errno.EDQUOT: "free some space in your quota or choose another folder with --out",
    errno.EACCES: "grant access to it or choose another folder with --out",
    errno.EPERM: "grant access to it or choose another folder with --out",
    errno.EROFS: "choose a folder on a writable file system with --out",
    errno.ENOTDIR: "move the file that is in its place or choose another folder with --out",
    errno.EEXIST: "move the file that is in its place or choose another folder with --out",
    errno.EIO: "check the disk or choose a folder on another one with --out",
    errno.ELOOP: "remove the symbolic link that leads back to itself",
    errno.ENAMETOOLONG: "choose a folder with a shorter path with --out",
}
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF})  # file systems without fsync of a folder


def storage_error(action: str, path: Path, error: OSError) -> DataError:
    """The error for an operation that the operating system refused, with what to do about it.

    Args:
        action: what was tried, such as ``"write rows to"``.
        path: the file or folder.
        error: what the operating system answered.

    Returns:
        The error, to be raised by the caller.
    """
    remedy = _REMEDIES.get(error.errno or 0, "choose another folder with --out")
    return DataError(f"cannot {action} {path}: {error.strerror or error}; {remedy}.")


def make_folder(path: Path) -> Path:
    """The folder at ``path``, created with its parents where missing, and known to be writable.

    Args:
        path: the folder.

    Returns:
        ``path``.

    Raises:
        DataError: a file is in its place or in that of a parent, or it cannot be created or written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise storage_error("create files in", path, error) from error
    return path


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable; nothing happens on a file system that has no such operation.

    Args:
        path: the folder.

    Raises:
        OSError: the file system failed to.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write every byte, however few the system takes at a time.

    Args:
        handle: an open file descriptor.
        data: what to write.

    Raises:
        OSError: a write failed or made no progress.
    """
    rest = memoryview(data)
    while rest:
        written = os.write(handle, rest)
        if written <= 0:
            raise OSError(errno.EIO, "the file takes no more bytes")
        rest = rest[written:]


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file so that every reader, at any moment and after a crash, sees the old or the new content whole.

    Args:
        path: the file; its folder is created where missing.
        data: the new content.

    Raises:
        DataError: it could not be written; the old content is untouched and no temporary file is left.
    """
    make_folder(path.parent)
    temporary = path.parent / f".{path.name}.{secrets.token_hex(8)}.tmp"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
        sync_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):  # the first failure is the one to report
            temporary.unlink()
        if isinstance(error, OSError):
            raise storage_error("write", path, error) from error
        raise
