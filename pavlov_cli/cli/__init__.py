"""The command line: thin commands, lazy imports, errors turned into one clear line and an exit code."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from pavlov_cli.errors import DataError, PavlovError

INTERNAL_ERROR = 70
_WORDS: ContextVar[tuple[str, ...]] = ContextVar("words", default=())


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: words after the program's name; None takes those of the process.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    token = _WORDS.set(tuple(words))
    try:
        return _run(words)
    except BrokenPipeError:
        _silence_stdout()  # the reader went away
        return 0
    finally:
        _WORDS.reset(token)


def _silence_stdout() -> None:
    """What is still to be flushed goes nowhere, also at the interpreter's end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def spoken() -> str:
    """The command that runs, as one would type it: the words given to ``main``, whoever called it."""
    return f"pavlov {shlex.join(_WORDS.get())}"


def _run(words: list[str]) -> int:
    from pavlov_cli.cli._app import app

    verbose = "--verbose" in words
    try:
        code = app(words, prog_name="pavlov", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except PavlovError as error:
        return _fail(error, error.exit_code, verbose)
    except KeyboardInterrupt:
        print("interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        raise
    except SystemExit as end:  # what the parser makes of a closed pipe
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    except OSError as error:
        if error.filename is None:  # files have names: this is where the output goes, such as a full disk
            _silence_stdout()
        place = "the output" if error.filename is None else error.filename
        return _fail(error, DataError.exit_code, verbose, f"cannot use {place}: {error.strerror or error}.")
    except Exception as error:
        if hasattr(error, "format_message"):  # usage errors of the parser
            return _fail(error, 2, verbose, _with_remedy(error))
        if type(error).__name__ == "Abort":
            return 130
        kind = f"internal error: {type(error).__name__}: {error}"
        return _fail(error, INTERNAL_ERROR, verbose, f"{kind}. Run again with --verbose for the traceback.")


def _with_remedy(error: Any) -> str:
    """The parser's own words, which list names that are near; where none is, all commands or where options are told."""
    from pavlov_cli.cli._app import app

    said = str(error.format_message())
    if said.startswith("No such command") and "Did you mean" not in said:
        return f"{said} Known: {', '.join(str(command.name) for command in app.registered_commands)}."
    if said.startswith("No such option") and "ossible" not in said and "Did you mean" not in said:
        return f"{said}. See: {error.ctx.command_path} --help."
    return said


def _fail(error: Any, code: int, verbose: bool, message: str | None = None) -> int:
    """One clear message on stderr; the traceback only when asked for."""
    if verbose:
        import traceback

        traceback.print_exception(error)
    print(f"pavlov: {message or error}", file=sys.stderr)
    return code


def entry_point() -> None:
    """What the installed ``pavlov`` script calls."""
    sys.exit(main())
