"""Runs the command line in this process, as a user in some folder would."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from rich.console import Console

from finale.cli.main import app, main

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

# What differs from run to run: durations and rates. A JSON result has seconds.
_DURATION = re.compile(r"\b\d+(?:\.\d+)?(?:e[+-]\d+)? m?s\b")
_RATE = re.compile(r"\b\d+(?: \d{3})* states/s")
_SECONDS = re.compile(r'"seconds": [\d.e-]+')


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    exit: int
    stdout: str
    stderr: str


def run_apart(*words: object, folder: Path = ROOT) -> Ran:
    """Run a command in a process of its own.

    Python does not load a file anew that has changed, and what one folder of a user changed in
    Python would count for the next folder.
    """
    program = Path(sys.executable).with_name("finale")
    done = subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, check=False, cwd=folder
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def run(
    command: str,
    folder: Path = ROOT,
    *,
    columns: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ran:
    """Run a command line, without its `finale`, in a folder."""
    stdout, stderr = io.StringIO(), io.StringIO()
    # On a CI server too, output is what it is elsewhere.
    environment = {"NO_COLOR": "1", "GITHUB_ACTIONS": ""} | dict(environment or {})
    environment |= {"COLUMNS": str(columns)} if columns else {}
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, environment),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        if columns is None:
            os.environ.pop("COLUMNS", None)
        app.console = Console()  # it would keep the width of an earlier command
        code = main(shlex.split(command))
    return Ran(code, stdout.getvalue(), stderr.getvalue())


def normalised(text: str, folder: Path) -> str:
    """A text without what differs from run to run, and from machine to machine."""
    for base in (folder.resolve(), folder, ROOT):
        text = text.replace(f"{base}/", "")
    text = _RATE.sub("N states/s", _DURATION.sub("N s", text))
    return _SECONDS.sub('"seconds": N', text)
