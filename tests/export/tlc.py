"""Runs TLC on an exported module, and reads what it says."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp

from benchmarks.tlc import JAR, without_deadlock
from finale.checker.export.tla import Module

_COUNTS = re.compile(r"^(\d+) states generated, (\d+) distinct states found, \d+ states left", re.M)
_DEPTH = re.compile(r"depth of the complete state graph search is (\d+)")
_VIOLATED = re.compile(r"(?:Invariant|Action property|Temporal property) (\w+) (?:is|was) violated")
#: The first compiler only: the second takes longer than it saves in so short a run.
JAVA = ("java", "-Xss64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
# Liveness properties are told together; each is asked in a run of its own.
_LIVENESS = "Temporal propert(?:ies were|y .* was) violated"


@dataclass(frozen=True)
class Told:
    """What TLC printed: its counts, and the names of what is violated."""

    text: str
    generated: int
    distinct: int
    depth: int
    violated: frozenset[str]
    is_live: bool


def run(folder: Path, module: str, configuration: str) -> Told:
    """Run TLC on a module in a folder, with one worker; it does not stop at a violation."""
    (folder / f"{module}.cfg").write_text(without_deadlock(configuration), encoding="utf-8")
    # TLC names what it writes by the second, and unpacks its own modules where temporary files go:
    # two runs at once have folders of their own.
    own = mkdtemp(dir=folder)
    command = [*JAVA, f"-Djava.io.tmpdir={own}", "-cp", JAR]
    command += ["tlc2.TLC", "-workers", "1", "-continue", "-deadlock", "-metadir", own, module]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    counts, depth = _COUNTS.findall(done.stdout), _DEPTH.findall(done.stdout)
    assert counts, done.stdout[-6000:] + done.stderr[-3000:]
    generated, distinct = map(int, counts[-1])
    return Told(
        done.stdout,
        generated,
        distinct,
        int(depth[-1]) if depth else 0,
        frozenset(_VIOLATED.findall(done.stdout)),
        not re.search(_LIVENESS, done.stdout),
    )


def safety(module: Module, folder: Path) -> Told:
    """The counts, and all safety properties, those that are to be reached too.

    Of several that a state violates TLC names one: it is asked again without those named.
    """
    (folder / f"{module.name}.tla").write_text(module.source, encoding="utf-8")
    asked = module.configurations()[""] + "".join(f"INVARIANT {n}\n" for n in module.reachable)
    told = again = run(folder, module.name, asked)
    while again.violated:
        lines = asked.splitlines(keepends=True)
        asked = "".join(line for line in lines if line.split()[1] not in told.violated)
        again = run(folder, module.name, asked)
        told = replace(told, violated=told.violated | again.violated)
    return told


def holds(module: Module, folder: Path, names: Iterable[str], specification: str) -> bool:
    """Whether liveness properties all hold of all fair runs."""
    lines = [f"SPECIFICATION {specification}", *(f"PROPERTY {name}" for name in names), ""]
    return run(folder, module.name, "\n".join(lines)).is_live
