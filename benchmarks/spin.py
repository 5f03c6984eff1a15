"""SPIN as an engine, unreduced and with exact storage: on Promela by hand, on what we export."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from finale.checker.export.promela import VECTOR_BYTES
from finale.checker.export.promela import PromelaModel as Exported

from .measuring import Failed, Ran, Sample, run
from .models import BY_HAND, Counts, Model

#: The flags of the comparison; -DNOSTUTTER changes nothing where there is no never claim.
GCC = ("gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-w")
#: -c0: a property that is violated does not end the search.
PAN = ("./pan", "-E", "-c0", "-m10000000", "-w24")

_STORED = re.compile(r"^\s*(\d+) states, stored", re.M)
_TOTAL = re.compile(r"^\s*([\d.]+)\s+total actual memory usage", re.M)
_STACK = re.compile(r"^\s*([\d.]+)\s+memory used for DFS stack", re.M)
_MATCHED = re.compile(r"^\s*(\d+) states, matched", re.M)


@dataclass(frozen=True)
class Spin:
    """SPIN on one kind of text."""

    by_hand: bool
    properties: bool

    @property
    def name(self) -> str:
        asked = ", properties" if self.properties else ""
        return f"SPIN {'by hand' if self.by_hand else 'export'}{asked}"

    def can(self, model: Model) -> bool:
        return bool(model.by_hand) or not self.by_hand

    def measure(self, model: Model, folder: Path) -> Sample:
        if not (shutil.which("spin") and shutil.which("gcc")):
            raise Failed("spin or gcc is missing: apt-get install spin gcc")
        flags: list[str] = []
        starts = 1
        if self.by_hand:
            shutil.copy(BY_HAND / model.by_hand, folder / "model.pml")
            defines = [f"-D{name}={value}" for name, value in model.defines.items()]
            translated = run(["spin", *defines, "-a", "model.pml"], folder)
        else:
            system = model.system()
            exported, starts = Exported(system, []), len(set(system.initial))
            (folder / "model.pml").write_text(exported.source, encoding="utf-8")
            if exported.vector_bytes > VECTOR_BYTES:
                flags.append(f"-DVECTORSZ={exported.vector_bytes}")
            flags.append("-DNOSTUTTER" if self.properties else "-DNOCLAIM")
            translated = run(["spin", "-o2", "-a", "model.pml"], folder)
        compiled = run([*GCC, *flags, "-o", "pan", "pan.c"], folder)
        started = self._start(folder)
        searched = run(PAN, folder)
        return Sample(
            started.seconds,
            translated.seconds + compiled.seconds,
            searched.seconds - started.seconds,
            memory_in(searched.text),
            counts_in(searched.text, starts),
        )

    def _start(self, folder: Path) -> Ran:
        """What pan does before it searches: with these flags it clears half a gigabyte."""
        below = folder / "start"
        below.mkdir()
        (below / "model.pml").write_text("active proctype nothing() { skip }\n", encoding="utf-8")
        run(["spin", "-a", "model.pml"], below)
        run([*GCC, "-o", "pan", "pan.c"], below)
        return run(PAN, below)


def counts_in(text: str, starts: int = 1) -> Counts:
    """Return what pan counted. Raises Failed if pan did not see all.

    If there are several initial states, pan has one more state, from which it chooses them.
    """
    stored, matched = _STORED.search(text), _MATCHED.search(text)
    if stored is None or matched is None or "Search not completed" in text:
        raise Failed(f"pan did not come to its end: {text[-400:]}")
    # The initial state is stored and no transition leads there; larger sums are printed rounded.
    states, transitions = int(stored[1]), int(stored[1]) + int(matched[1]) - 1
    more = starts > 1
    return Counts(states - more, transitions - more * starts, -1)


def memory_in(text: str) -> int:
    """All that pan says it has allocated, but for its stack, in bytes. Raises Failed."""
    total, stack = _TOTAL.search(text), _STACK.search(text)
    if total is None or stack is None:
        raise Failed("pan does not tell its memory")
    return round((float(total[1]) - float(stack[1])) * 2**20)
