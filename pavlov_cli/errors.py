"""Which failures does pavlov know, and which exit code does each one carry?

Every error raised on purpose is a ``PavlovError``: its text is one or two sentences that say what is wrong, where,
which values are legal and what to do. The command line prints the text alone; a traceback appears only with
``--verbose``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PavlovError(Exception):
    """Base of all deliberate errors; ``exit_code`` is what the process ends with."""

    exit_code = 70


class ConfigError(PavlovError):
    """A command, option, override or configuration value that cannot be used (exit code 2)."""

    exit_code = 2


class DataError(PavlovError):
    """A file that is missing, damaged or does not fit what was asked (exit code 3)."""

    exit_code = 3


class IncompleteError(PavlovError):
    """Work that ended before its precision was reached (exit code 4)."""

    exit_code = 4


class InterruptedRun(PavlovError):
    """The run was stopped by a signal after saving; ``exit_code`` is 128 + signal number."""

    def __init__(self, message: str, *, signal_number: int = 2):
        super().__init__(message)
        self.exit_code = 128 + signal_number


def unknown_name(kind: str, name: str, known: Iterable[str]) -> ConfigError:
    """The error for a name that is not in a closed set, with the nearest known names.

    Args:
        kind: what the name stands for, in the user's words, such as ``"update rule"``.
        name: the name that was given.
        known: every legal name.

    Returns:
        The error, to be raised by the caller.
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return ConfigError(f"unknown {kind} '{name}'.{hint} Known: {', '.join(names)}.")
