"""`finale serve-items`: what a plugin of a test runner asks. Programs call it, and not people."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from typing import Annotated

from cyclopts import Parameter

from finale.checker.ci.served_items import ServedItems

from .parameters import ProtocolsFolder, SecondsLimit, StatesLimit, Strict, limits_of


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
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as answers:
        # What code of the user prints goes to stderr: the runner reads the answers from stdout.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        with redirect_stdout(sys.stderr):
            items.serve(sys.stdin, answers)
    return 0
