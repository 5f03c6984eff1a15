"""`finale serve-items`: what a plugin of a test runner asks. Programs call it, and not people."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import Annotated, TextIO

from cyclopts import Parameter

from finale.checker.ci.served_items import ServedItems

from .parameters import ProtocolsFolder, SecondsLimit, StatesLimit, Strict, limits_of

#: A process that works on, although the runner has ended, is interrupted after so many seconds.
SECONDS_TO_END = 1.0


def serve_items(
    *,
    protocols: ProtocolsFolder = None,
    variant: Annotated[
        tuple[str, ...], Parameter(help="Variant to check each spec under, too; repeatable.")
    ] = (),
    strict: Strict = False,
    max_states: StatesLimit = None,
    max_seconds: SecondsLimit = None,
    processes: Annotated[
        int, Parameter(help="Number of such processes on this machine (default: 1).")
    ] = 1,
) -> int:
    """Answer questions of a test runner: one JSON line for each JSON line."""
    limits = limits_of(max_states, max_seconds, None, None, None)
    items = ServedItems(protocols, variant, strict, limits, processes)
    # Code of the user reads nothing of the questions, and writes nothing between the answers.
    with (
        os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8") as asked,
        os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as answers,
        Path(os.devnull).open("rb") as nothing,
    ):
        os.dup2(nothing.fileno(), sys.stdin.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        with redirect_stdout(sys.stderr):
            items.serve(_while_the_runner_lives(asked), answers)
    return 0


def _while_the_runner_lives(asked: TextIO) -> Iterator[str]:
    """Yield the questions, and interrupt a search that nobody waits for any more.

    The runner closes the stream when it ends, in whatever way.
    """
    questions = SimpleQueue[str | None]()
    has_ended = Event()

    def read() -> None:
        for line in asked:
            questions.put(line)
        questions.put(None)
        if not has_ended.wait(SECONDS_TO_END):
            os.kill(os.getpid(), signal.SIGINT)

    Thread(target=read, daemon=True).start()
    while (line := questions.get()) is not None:
        yield line
    has_ended.set()
