"""The command line `finale`: lists the commands and turns their results into exit codes.

Commands are loaded when they are called: `finale --help` imports none of them.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from cyclopts import App, CycloptsError

from . import VERSION

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

#: The list of commands shows the first line.
CONFORM = (
    "Compare model and engine in lock-step, or judge event logs.\n\n"
    "For a spec, or a folder of specs: checks in every reachable state that the model and the "
    "engine can take the same steps, and that each step has the same effect.\n\n"
    "For an event log of finale run: searches a run of the protocol that explains the log, and "
    "checks the properties on this run. docs/event-log.md says what that proves."
)

COMMANDS = (
    ("check", "check:check", "Check specs, and compare the verdicts with the expected ones."),
    (
        "review",
        "review:review",
        "Try a change on all settings of its protocol, and say what differs.",
    ),
    ("which", "which:which", "Find the options, bounds and jobs for which a property holds."),
    ("sweep", "sweep:sweep", "Check a spec in all cells of a matrix; skip unchanged cells."),
    (
        "weaken",
        "weaken:weaken",
        "Leave out what the rules assume, one by one, and say what falls.",
    ),
    ("hunt", "hunt:hunt", "Look for violations that no spec describes, in small settings."),
    ("diff", "diff:diff", "Tell whether two specs are the same to an observer."),
    ("trace", "trace:trace", "Print a counterexample or a witness step by step."),
    ("report", "report:report", "Write one HTML page: verdicts, diagrams, traces."),
    ("explore", "explore:explore", "Walk the states of a spec in a browser, on this machine."),
    ("simulate", "simulate:simulate", "Take random runs, or choose each step yourself."),
    ("show", "show:show", "Show the job, options, rules and properties of a spec."),
    (
        "scenario",
        "scenario:scenario",
        "Run scenarios, and compare the results with the expected ones.",
    ),
    ("conform", "conform:conform", CONFORM),
    ("validate", "validate:validate", "Check logs of real runs against the properties."),
    ("watch", "watch:watch", "Check logs of real runs while they grow."),
    ("mine", "mine:mine", "Tell which of many runs break what nearly all of them do."),
    ("blocked", "blocked:blocked", "Show what the unfinished tasks of a log wait for."),
    ("logging", "logging:logging", "Print the log levels that finale validate needs."),
    ("replay", "replay:replay", "Execute a counterexample on the engine, with real files."),
    (
        "reproduce",
        "reproduce:reproduce",
        "Drive a real Flink along a counterexample, and judge what it does.",
    ),
    ("run", "run:run", "Run a job on the engine."),
    ("stop", "requests:stop", "Stop a running job with a savepoint."),
    (
        "savepoint",
        "requests:savepoint",
        "Take a savepoint of a running job; the job continues.",
    ),
    ("cancel", "requests:cancel", "Cancel a running job at once."),
    ("prove", "prove:prove", "Prove properties for runs of any length, or for all jobs."),
    ("export", "export:export", "Export a spec to TLA+ or Promela, for TLC or SPIN."),
    ("list", "listing:listing", "List protocols, properties, options or rules."),
    ("new", "new:new", "Begin a review: write a variant, a spec, a CI file, and a page."),
    ("completion", "completion:completion", "Print a script that completes command lines."),
    ("schema", "schema:schema", "Print a JSON schema of specs, for editors."),
)

#: The meaning of exit codes, for commands that have their own.
EXITS = {
    "conform": "0 model and engine agree, and each log is accepted without a violation; 1 model "
    "and engine disagree, a log is rejected, or the run of a log violates a property or leaves one "
    "stuck; 2 bad input; 3 undecided because a limit was reached; 130 interrupted.",
    "validate": "0 each job has a ✓; 1 a property is violated, stuck or overdue, or was stuck for "
    "a while, or a log is rejected; 2 bad input; 3 a job has a ? (the log leaves "
    "a property undecided, no run was found that explains the job, or the job was not judged), or "
    "no job was found; 130 interrupted.",
    "mine": "0 the logs have a job, whether or not a run breaks a regularity; 2 bad input; 3 no "
    "job was found; 130 interrupted.",
    "blocked": "0 the log has a job, 2 bad input, 3 no job was found, 130 interrupted.",
    "explore": "130 interrupted, which is how it ends; 2 bad input.",
    "watch": "130 interrupted, which is how a watch ends; with --once 0 nothing found, 1 a finding "
    "or a rejected log; 2 bad input, or Spark failed.",
    "simulate": "0 no run violates a property, unless the spec expects it; 1 a run does; 2 bad "
    "input; 3 the time limit was reached; 130 interrupted.",
    "which": "0 each combination has a verdict, 2 bad input, 3 a verdict is unknown, 130 "
    "interrupted.",
    "diff": "0 the observer sees no difference, 1 there is a difference, 2 bad input, 3 unknown "
    "because a limit was reached, 130 interrupted.",
    "replay": "0 the engine follows the trace, 1 the engine departs from it, 2 bad input, 130 "
    "interrupted.",
    "reproduce": "0 reproduced in each run, 1 not reproduced in some run, or the log of a run is "
    "rejected, 2 bad input, 3 not taken or not seen in some run, 130 interrupted. With --orders: 0 "
    "all survived, 1 some order did damage, 2 bad input, 3 too few orders were taken, 130 "
    "interrupted.",
    "review": "0 no verdict is worse; 1 a property that held is violated or vacuous, or a "
    "reachable state is lost; 2 bad input; 3 a verdict is unknown or not asked any more, or a "
    "limit was reached; 130 interrupted.",
    "hunt": "0 no new violation in all settings, 1 a new violation was found, 2 bad input or every "
    "setting is refused, 3 no new violation and some settings are left or reached a limit, 130 "
    "interrupted (the same command continues the hunt).",
    "weaken": "0 each assumption was judged, 2 bad input, 3 a search reached a limit, 130 "
    "interrupted (the same command takes what it found from the cache).",
    "sweep": "0 each cell has a result, 2 bad input or a cell with an error, 3 a cell reached a "
    "limit, 130 interrupted (the same command continues the sweep).",
    "run": "0 finished, drained or suspended (lost records are reported), 1 a stop failed, 2 bad "
    "input or an error that ended the run (completed checkpoints remain), 130 cancelled or "
    "interrupted, 143 and 129 ended by SIGTERM and SIGHUP.",
} | dict.fromkeys(
    ("stop", "savepoint", "cancel"),
    "0 done, 1 the job could not do it, 2 no job runs there, 3 no answer in time, 130 interrupted.",
)
EXITS.update(
    dict.fromkeys(
        ("completion", "export", "list", "logging", "new", "schema", "show", "trace"),
        "0 done, 2 bad input, 130 interrupted.",
    )
)

app = App(
    "finale",
    help="Check how a stream-processing job takes checkpoints, stops and finishes.",
    help_epilogue="Exit codes: 0 as expected, 1 an expectation failed, 2 bad input, 3 a limit was "
    "reached, 130 interrupted.",
    help_format="plaintext",
    version=f"finale {VERSION}",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
for _name, _where, _help in COMMANDS:
    _codes = {"help_epilogue": f"Exit codes: {EXITS[_name]}"} if _name in EXITS else {}
    app.command(f"finale.cli.{_where}", name=_name, help=_help, **_codes)
# Plugins of test runners call it, and no person: so it stands in no list.
app.command("finale.cli.serve_items:serve_items", name="serve-items", show=False)

#: Python looks for garbage after so many new objects. Its own 700 cost a short command a tenth.
#: With 100 000, one collection looks at all that was built.
OBJECTS_UNCOLLECTED = 500_000
# At exit Python would collect once more, to free memory that the operating system frees anyway.
atexit.register(gc.freeze)
#: How `Path.resolve` begins its complaint, up to Python 3.12.
LINKS_IN_A_CIRCLE = "Symlink loop from "


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code."""
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
    try:
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
        from finale.cli.errors import print_error, print_usage_error, renamed

        former = renamed(given)
        if former is None:
            print_usage_error(error)
        else:
            print_error(former)
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
