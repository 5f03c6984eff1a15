"""Runs SPIN on an exported model, and reads what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from finale.checker.export.promela import VECTOR_BYTES, PromelaModel

#: Unoptimised: to compile takes longer here than to search.
FLAGS = ("-O0", "-DSAFETY", "-DNOREDUCE", "-DNOSTUTTER", "-DMEMLIM=8000")
IS_HERE = shutil.which("spin") is not None and shutil.which("gcc") is not None

_STORED = re.compile(r"^\s*(\d+) states, stored", re.M)
_TRANSITIONS = re.compile(r"^\s*(\d+) transitions \(= stored\+matched\)", re.M)
_VIOLATED = re.compile(r"assertion violated \((\d+)==0\)")


@dataclass(frozen=True)
class Told:
    """What SPIN printed: its counts, and the names of what is violated."""

    text: str
    stored: int
    transitions: int
    violated: frozenset[str]


def run(model: PromelaModel, folder: Path, *flags: str) -> Told:
    """Verify a model in a folder; it does not stop at a violation."""
    (folder / "model.pml").write_text(model.source, encoding="utf-8")
    size = [f"-DVECTORSZ={model.vector_bytes}"] if model.vector_bytes > VECTOR_BYTES else []
    _call(folder, "spin", "-o2", "-DREACHABLE", "-a", "model.pml")
    _call(folder, "gcc", *FLAGS, *size, *flags, "-w", "-o", "pan", "pan.c")
    text = _call(folder, "./pan", "-E", "-c0", "-m1000000", "-w20")
    assert "search was not completed" not in text, text
    numbers = {int(number) for number in _VIOLATED.findall(text)}
    return Told(
        text,
        int(_STORED.findall(text)[0]),
        int(_TRANSITIONS.findall(text)[0]),
        frozenset(model.properties[number - 1] for number in numbers),
    )


def _call(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout
