"""The command line `finale`: lists the commands and turns their results into exit codes.

Commands are loaded when they are called: `finale --help` imports none of them.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import TextIO

from cyclopts import App, CycloptsError, Group

from . import VERSION
from .commands import COMMANDS, ENGINE, USUAL, CommandGroup, present
from .project import fill_in

#: Exit code of an internal error. No answer about a spec has this code.
EXIT_INTERNAL = 70
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141

#: The errors of a full disk or quota. They are caught here for the standard output only: files that
#: a command writes have their own error.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: A name that is too long, goes round in links, or leads through a folder that may not be read.
REFUSED_NAME = (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EPERM)

app = App(
    "finale",
    help="Check how a stream-processing job takes checkpoints, stops and finishes.",
    help_epilogue=f"finale help COMMAND shows examples. Exit codes: {USUAL}.",
    help_format="plaintext",
    version=f"finale {VERSION}",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
    config=(fill_in,),
)
app["--help"].group = app["--version"].group = Group("Options", sort_key=len(COMMANDS))


def _offer(group: CommandGroup, position: int) -> None:
    """Add the commands of a group. Nothing of a command is imported."""
    panel = Group(group.title, sort_key=position)
    for order, command in enumerate(group.commands):
        first, _, last = command.name.rpartition(" ")
        where = app
        if first:  # a command of the engine: two words
            if first not in app:
                app.command(App(first, help=ENGINE, help_epilogue="", group=panel, sort_key=order))
            where = app[first]
        where.command(
            f"finale.cli.{command.place}",
            name=last,
            help=command.help,
            help_epilogue=command.epilogue,
            sort_key=order,
            group=None if first else panel,
        )


for _position, _group in enumerate(COMMANDS):
    _offer(_group, _position)
# Plugins of test runners call it, and no person: so it stands in no list.
app.command("finale.cli.serve_items:serve_items", name="serve-items", show=False)

#: Python looks for garbage after so many new objects. Its own 700 cost a short command a tenth.
#: With 100 000, one collection looks at all that was built.
OBJECTS_UNCOLLECTED = 500_000
# At exit Python would collect once more, to free memory that the operating system frees anyway.
atexit.register(gc.freeze)
STANDARD_INPUT = "/dev/stdin"
#: How `Path.resolve` begins its complaint, up to Python 3.12.
LINKS_IN_A_CIRCLE = "Symlink loop from "


def terminated(_number: int, _frame: FrameType | None) -> None:
    """End the command as Ctrl-C does: what was found so far is told. CI ends commands so.

    Raises `KeyboardInterrupt` where Ctrl-C is ignored.
    """
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code."""
    is_ours = current_thread() is main_thread()
    if not is_ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return _run(arguments)
    signal.signal(signal.SIGTERM, terminated)
    try:
        return _run(arguments)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(arguments: Sequence[str] | None) -> int:
    gc.set_threshold(OBJECTS_UNCOLLECTED)
    sys.stdout = sys.stdout or _nowhere()  # a shell can close them: `>&-`
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that knows no box drawing gets question marks and not a traceback.
            stream.reconfigure(errors="replace")
    given = sys.argv[1:] if arguments is None else arguments
    if "" in given and given[0] != "__complete":
        from finale.cli.errors import empty_argument, print_error

        print_error(empty_argument(given))
        return EXIT_BAD_INPUT
    # A bare hyphen means the standard input, and no parser of flags takes it for a path.
    given = [STANDARD_INPUT if each == "-" else each for each in given]
    given, renamed = present(given)
    try:
        if renamed:
            from finale.cli.errors import tell_former

            tell_former(renamed)
        code: int | None = app(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away, as `head` does. Python would complain once more when it exits.
        _forget_output()
        return EXIT_PIPE_CLOSED
    except CycloptsError as error:
        from finale.cli.errors import print_usage_error

        print_usage_error(error)
        return EXIT_BAD_INPUT
    except (Exception, SystemExit) as error:
        from finale.cli.errors import (
            lost_folder,
            out_of_memory,
            print_if_ours,
            refused_name,
            unwritable_output,
        )
        from finale.cli.output import say

        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            _forget_output()  # rich ends the program itself
            return EXIT_PIPE_CLOSED
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            _forget_output()
            error = unwritable_output(error)
        if isinstance(error, OSError) and error.errno in REFUSED_NAME and error.filename:
            error = refused_name(str(error.filename), error.strerror or "")
        if isinstance(error, RuntimeError) and str(error).startswith(LINKS_IN_A_CIRCLE):
            error = refused_name(error.args[0][len(LINKS_IN_A_CIRCLE) :], "links in a circle")
        if isinstance(error, FileNotFoundError) and _is_folder_lost():
            error = lost_folder()
        if isinstance(error, MemoryError):
            error = out_of_memory()
        if print_if_ours(error):
            return EXIT_BAD_INPUT
        say(traceback.format_exc(), stderr=True)
        return EXIT_INTERNAL
    return code or 0


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _is_folder_lost() -> bool:
    """Whether the working folder was deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _forget_output() -> None:
    """Discard pending output, which Python would try to write again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
