"""`finale`: names the commands, and turns whatever ends them into an exit code.

Commands are loaded when they are called: `finale --help` imports none of them.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence

from cyclopts import App, CycloptsError

VERSION = "0.1.0"

#: Of an exception that is our own mistake: none of the codes that say something about a spec.
EXIT_INTERNAL = 70
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141

#: What a full disk, or a full quota, says. Files that a command is told to write have an error of
#: their own: here it is the output.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

#: The first line stands in the list of commands.
CONFORM = (
    "Compare model and engine in lock-step, or judge event logs.\n\n"
    "Of a spec, or of all in a folder: whether over all that it can reach the same steps can be "
    "taken in the model and in the engine, and lead to what looks the same.\n\n"
    "Of an event log, as finale run writes it: whether some run of its protocol explains it, and "
    "which properties that run violates. docs/event-log.md says what that proves."
)

COMMANDS = (
    ("check", "cli.check:check", "Check specs, and compare with what they expect."),
    ("which", "cli.which:which", "Tell for which options, bounds and jobs a property holds."),
    ("sweep", "cli.sweep:sweep", "Check a spec in all cells of a matrix, again only what changed."),
    ("trace", "cli.trace:trace", "Tell a counterexample or witness step by step."),
    ("show", "cli.show:show", "Show what a spec is about: its job, options, rules, properties."),
    ("scenario", "cli.scenario:scenario", "Run scenarios, and compare what is seen."),
    ("conform", "cli.conform:conform", CONFORM),
    ("validate", "cli.validate:validate", "Tell what logs of real runs show."),
    ("watch", "cli.watch:watch", "Tell what logs show while they grow."),
    ("why", "cli.why:why", "Tell what the tasks of a log that have not ended wait for."),
    ("logging", "cli.logging:logging", "Print what makes the logs of an engine decidable."),
    ("replay", "cli.replay:replay", "Let the engine go through a counterexample, in real files."),
    ("run", "cli.run:run", "Run a job on the engine."),
    ("stop", "cli.requests:stop", "Stop a running job with a savepoint."),
    ("savepoint", "cli.requests:savepoint", "Take a savepoint of a running job, which goes on."),
    ("cancel", "cli.requests:cancel", "End a run at once."),
    (
        "explore",
        "cli.explore:explore",
        "Search a spec in process, and on Spark when it outgrows that.",
    ),
    ("prove", "cli.prove:prove", "Prove what holds after any number of steps, or for all jobs."),
    ("export", "cli.export:export", "Write a spec's system in TLA+ or Promela, for TLC or SPIN."),
    ("list", "cli.listing:listing", "List protocols, properties, options or rules."),
)

#: What exit codes mean where they mean something of their own.
EXITS = {
    "conform": "0 model and engine agree, logs are accepted and show nothing that must not be; 1 "
    "they disagree, or a log is rejected or its run violates a property or leaves one stuck; 2 bad "
    "input; 3 undecided: a limit was hit; 130 interrupted.",
    "validate": "0 each job has a ✓, 1 a property is violated or stuck, or a log is rejected; 2 "
    "bad input; 3 a job has a ?: the lines leave a property undecided, no run was found that "
    "explains the job, the job was not judged, or no job was found; 130 interrupted.",
    "why": "0 it is told, 2 bad input, 3 no job was found, 130 interrupted.",
    "watch": "130 interrupted, as a watch is ended; with --once 0 nothing that must not be, 1 a "
    "property is violated or stuck; 2 bad input, or Spark has given up.",
    "replay": "0 the engine goes along the trace, 1 it does not, 2 bad input, 130 interrupted.",
    "sweep": "0 all cells are known, 2 bad input or a cell with an error, 3 a cell hit a limit, "
    "130 interrupted: the same command goes on.",
    "run": "0 finished, drained or suspended (what its protocol loses is told), 1 a stop failed, "
    "2 bad input or something that ended the run (what it had secured stands), 130 cancelled or "
    "interrupted, 143 and 129 ended by SIGTERM and SIGHUP.",
} | dict.fromkeys(
    ("stop", "savepoint", "cancel"),
    "0 done, 1 the job could not, 2 nothing runs there, 3 no answer in time, 130 interrupted.",
)

app = App(
    "finale",
    help="Check how a stream-processing job takes checkpoints, stops and finishes.",
    help_epilogue="Exit codes: 0 as expected, 1 an expectation failed, 2 bad input, 3 a limit was "
    "hit, 130 interrupted.",
    help_format="plaintext",
    version=f"finale {VERSION}",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
for _name, _where, _help in COMMANDS:
    _codes = {"help_epilogue": f"Exit codes: {EXITS[_name]}"} if _name in EXITS else {}
    app.command(_where, name=_name, help=_help, **_codes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that knows no box drawing gets question marks and not a traceback.
            stream.reconfigure(errors="replace")
    try:
        code: int | None = app(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away, as `head` does. Python would complain once more when it exits.
        _forget_output()
        return EXIT_PIPE_CLOSED
    except CycloptsError as error:
        from cli.errors import print_usage_error

        print_usage_error(error)
        return EXIT_BAD_INPUT
    except Exception as error:
        from cli.errors import out_of_memory, print_if_ours, unwritable_output
        from cli.output import say

        if isinstance(error, OSError) and error.errno in DISK_FULL:
            _forget_output()
            error = unwritable_output(error)
        if isinstance(error, MemoryError):
            error = out_of_memory()
        if print_if_ours(error):
            return EXIT_BAD_INPUT
        say(traceback.format_exc(), stderr=True)
        return EXIT_INTERNAL
    return code or 0


def _forget_output() -> None:
    """What could not be written would be written once more when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
