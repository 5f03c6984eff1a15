"""What is measured of an engine on a model, and how a command is measured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .models import Counts, Model

CHILD = Path(__file__).parent / "child.py"


class Failed(Exception):
    """An engine did not do what it was to do: the argument says what."""


@dataclass(frozen=True)
class Sample:
    """One round: CPU seconds before, for compiling, and for the search; memory; the counts.

    `bytes` is the peak of resident memory that the search added. Where an engine cannot tell a
    depth that is comparable, `counts.depth` is -1.
    """

    startup: float
    compiling: float
    searching: float
    bytes: int
    counts: Counts


class Engine(Protocol):
    """Something that searches models."""

    @property
    def name(self) -> str:
        """What it is, and what it is asked beside counting."""
        ...

    def can(self, model: Model) -> bool:
        """Whether it has the model."""
        ...

    def measure(self, model: Model, folder: Path) -> Sample:
        """One round, in an empty folder. Raises Failed."""
        ...


@dataclass(frozen=True)
class Ran:
    """A command that has run: CPU seconds, peak of resident memory, what it printed."""

    seconds: float
    bytes: int
    text: str


def run(command: Sequence[str], folder: Path) -> Ran:
    """Run a command in a folder. Raises Failed where it does not exit with 0."""
    line = [sys.executable, "-S", "-E", str(CHILD), *command]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["it printed nothing"]
        raise Failed(f"{command[0]}: {lines[-1]}")
    told = json.loads(done.stdout)
    if told["exit"] != 0:
        raise Failed(f"{' '.join(command)} exits with {told['exit']}: {told['text'][-400:]}")
    return Ran(told["seconds"], told["bytes"], told["text"])


def checked(sample: Sample, model: Model) -> Sample:
    """The sample, if its counts are the known ones. Raises Failed."""
    found, wanted = sample.counts, model.counts
    depth = wanted.depth if found.depth < 0 else found.depth
    if (found.states, found.transitions, depth) != (
        wanted.states,
        wanted.transitions,
        wanted.depth,
    ):
        raise Failed(f"it counts {found}, and there are {wanted}")
    return sample
