"""Verdicts that still hold: what has not changed is not judged again.

Each trial that a mutant has met is known by what its outcome depends on: that it tells the mutant
from the engine, or does not. A trial that does not use what is changed tells nothing, either.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.mutation.bench import Verdict
from tests.mutation.depends import about
from tests.mutation.mutants import ROOT, Mutant

FILE = ROOT / ".mutants_cache" / "verdicts.ndjson"


class Kept:
    """A file of verdicts, one a line."""

    def __init__(
        self, names: Iterable[str], file: Path = FILE, known: Mapping[str, str] | None = None
    ) -> None:
        self.file = file
        self.known = {name: about(name) for name in names} if known is None else dict(known)
        """What the outcomes of all trials that there are depend on now."""
        self.told: dict[str, Verdict] = {}
        self.passed: dict[str, set[str]] = defaultdict(set)
        """By mutants, the trials that do not tell it from the engine."""
        for line in file.read_text().splitlines() if file.exists() else ():
            self._read(**json.loads(line))

    def _read(self, mutant: str, met: dict[str, str], verdict: dict[str, Any]) -> None:
        hold = {name for name, of_old in met.items() if self.known.get(name) == of_old}
        if verdict["kind"] == "survives":
            self.passed[mutant] |= hold
        elif hold:
            self.told[mutant] = Verdict(**verdict)

    def add(self, mutant: Mutant, verdict: Verdict, met: Sequence[str]) -> None:
        """`met`: the trial that told it; or all that did not."""
        if verdict.kind == "survives":
            self.passed[mutant.id].update(met)
        else:
            self.told[mutant.id] = verdict
        self.file.parent.mkdir(exist_ok=True)
        of_each = {name: self.known[name] for name in met}
        with self.file.open("a") as file:
            line = {"mutant": mutant.id, "met": of_each, "verdict": asdict(verdict)}
            file.write(json.dumps(line) + "\n")

    def left(self, mutant: Mutant, names: Iterable[str]) -> set[str]:
        """The trials that it has still to meet: none where one has told it."""
        return set() if mutant.id in self.told else {*names} - self.passed[mutant.id]

    def verdict(self, mutant: Mutant) -> Verdict:
        return self.told.get(mutant.id, Verdict("survives"))
