"""Runs TLC and SPIN on models that were written by hand, and reads what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from finale.checker.export.tla import Module
from finale.checker.search.verdict import NO_DEADLOCK, Word
from finale.checker.spec.claim import Expectation
from finale.model.system import System
from tests.classics.specs import ROOT, Opinion, spec_of
from tests.export import tlc

#: A clone of github.com/tlaplus/Examples.
EXAMPLES = os.environ.get("TLA_EXAMPLES", "")

PROOFS = {
    "TLAPS": "PTL == TRUE",
    "FiniteSetTheorems": "EXTENDS FiniteSets\nFS_Singleton == TRUE\nFS_EmptySet == TRUE",
}
"""Modules that published proofs need and TLC does not have, without their theorems."""

LIVENESS = frozenset({"semaphore_lets_in", "each_philosopher_eats", "members_end"}) | {
    "termination_is_found"
}

_STORED = re.compile(r"^\s*(\d+) states, stored", re.M)
_TRANSITIONS = re.compile(r"^\s*(\d+) transitions \(= stored\+matched\)", re.M)
_STATE = re.compile(r"^State (\d+): ", re.M)
_ERRORS = re.compile(r"errors: (\d+)")


@dataclass(frozen=True)
class Said:
    """Counts by name, and for each property asked whether it holds."""

    counts: dict[str, int]
    holds: dict[str, bool]


def name_of(prop: str) -> str:
    """A property's name in TLA+ and Promela."""
    return prop.replace("-", "_")


def by_tlc(opinion: Opinion, folder: Path) -> Said:
    """What TLC says of a module of `tla/`."""
    module = opinion.tla
    shutil.copy(ROOT / "tla" / f"{module}.tla", folder)
    lines = [f"CONSTANT {name} = {value}" for name, value in opinion.constants]
    head = "\n".join([*lines, "SPECIFICATION FairSpec", "CHECK_DEADLOCK FALSE", ""])
    asked = {prop: f"{_kind(prop)} {name_of(prop)}\n" for prop in opinion.judges}
    falls = [prop for prop in asked if is_violated(spec_of(opinion.spec).expectations.get(prop))]
    hold = asked.keys() - set(falls)
    # One run for all that hold, which counts too: TLC does not name all that are violated.
    told = tlc.run(folder, module, head + "".join(asked[prop] for prop in hold))
    holds = dict.fromkeys(hold, _holds(told))
    for prop in falls:
        holds[prop] = _holds(tlc.run(folder, module, head + asked[prop]))
    return Said(counts_of(told, opinion), holds)


def is_violated(expected: Expectation | None) -> bool:
    return expected is not None and expected.verdict == Word.VIOLATED


def _kind(prop: str) -> str:
    return "PROPERTY" if name_of(prop) in LIVENESS else "INVARIANT"


def _holds(told: tlc.Told) -> bool:
    return told.is_live and not told.violated


def counts_of(told: tlc.Told, opinion: Opinion) -> dict[str, int]:
    """TLC's counts as ours: without the initial states, and with a depth that begins at 0."""
    transitions = told.generated - opinion.starts
    return {"states": told.distinct, "transitions": transitions, "depth": told.depth - 1}


def published(opinion: Opinion, folder: Path) -> Said:
    """What TLC says of a model of the TLA+ examples, run as it is."""
    file = Path(EXAMPLES) / "specifications" / opinion.published
    for each in file.parent.iterdir():
        if each.suffix in {".tla", ".cfg"}:
            shutil.copy(each, folder)
    for name, text in PROOFS.items():
        (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{text}\n====\n")
    name = opinion.configuration or f"{file.stem}.cfg"
    configuration = (folder / name).read_text(encoding="utf-8")
    told = tlc.run(folder, file.stem, configuration)
    return Said(counts_of(told, opinion), {})


def shortest(system: System, prop: str, folder: Path) -> int:
    """The steps of TLC's first counterexample to a property of an exported system."""
    module = Module(system, "Exported", [])
    names = {p.name: module.names.properties[i] for i, p in enumerate(system.properties)}
    name = {NO_DEADLOCK: "no_deadlock", **names}[prop]
    (folder / "Exported.tla").write_text(module.source, encoding="utf-8")
    lines = module.configurations()[""].splitlines()
    asked = [line for line in lines if line.split()[0] not in ("INVARIANT", "PROPERTY")]
    asked += [line for line in lines if line.split()[1:] == [name]]
    told = tlc.run(folder, "Exported", "\n".join([*asked, ""]))
    assert told.violated, f"TLC does not find {prop} violated"
    states = [int(number) for number in _STATE.findall(told.text)]
    first = states[: states.index(1, 1)] if 1 in states[1:] else states
    return len(first) - 1


def by_spin(opinion: Opinion, folder: Path) -> Said:
    """What SPIN says of a model of `promela/`: of all interleavings, with weakly fair processes."""
    file = ROOT / "promela" / f"{opinion.promela}.pml"
    macros = [f"-D{macro}" for macro in opinion.macros]
    _call(folder, "spin", "-o1", "-o2", "-o3", *macros, "-a", str(file))
    safety = ("-DSAFETY", "-DNOCLAIM", "-DNOSTUTTER")
    text = _verified(folder, safety, ("-c0",))
    # The initial states are chosen from one state more, in a step for each.
    more = (1, opinion.starts) if opinion.starts > 1 else (0, 0)
    counts = {
        "states": int(_STORED.findall(text)[0]) - more[0],
        "transitions": int(_TRANSITIONS.findall(text)[0]) - 1 - more[1],
    }
    holds = {}
    for prop in opinion.judges:
        if prop == "no-deadlock":
            holds[prop] = "invalid end state (" not in text
        else:
            claim = _verified(folder, ("-DNFAIR=3",), ("-a", "-f", "-N", name_of(prop)))
            holds[prop] = _ERRORS.findall(claim)[0] == "0"
    return Said(counts, holds)


def _verified(folder: Path, flags: tuple[str, ...], options: tuple[str, ...]) -> str:
    _call(folder, "gcc", "-O0", "-DNOREDUCE", *flags, "-w", "-o", "pan", "pan.c")
    text = _call(folder, "./pan", *options, "-m1000000", "-w20")
    assert "search was not completed" not in text, text
    return text


def _call(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout
