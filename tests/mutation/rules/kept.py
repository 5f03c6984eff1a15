"""Keeps what became of mutants: what has not changed is not judged again.

A kill holds as long as the changed file and the spec that told it are the same. That a mutant
survives holds as long as the whole model and all specs are the same, and so does a kill by time.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.judge import Outcome
from tests.mutation.rules.trials import CACHE, SPECS, sources

FILE = CACHE / "verdicts.ndjson"


class Kept:
    """A file of outcomes, one a line; the last one of a mutant counts."""

    def __init__(self, file: Path = FILE) -> None:
        self.file = file
        self.lines: dict[str, tuple[str, Outcome]] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            told = json.loads(line)
            self.lines[told["mutant"]] = told["key"], Outcome(**told["outcome"])

    def add(self, mutant: Mutant, outcome: Outcome) -> None:
        """Keep an outcome."""
        key = key_of(mutant, outcome)
        self.lines[mutant.id] = key, outcome
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            line = {"mutant": mutant.id, "key": key, "outcome": asdict(outcome)}
            file.write(json.dumps(line) + "\n")

    def outcome(self, mutant: Mutant) -> Outcome | None:
        """What is known of a mutant and still holds."""
        key, outcome = self.lines.get(mutant.id, ("", None))
        return outcome if outcome is not None and key == key_of(mutant, outcome) else None


def key_of(mutant: Mutant, outcome: Outcome) -> str:
    """What an outcome depends on."""
    if outcome.kind in ("survives", "hang"):
        return _all()
    spec = SPECS / f"{outcome.spec}.toml"
    told = spec.read_bytes() if outcome.spec and spec.exists() else b""
    return _hash((ROOT / mutant.file).read_bytes() + told)


@cache
def _all() -> str:
    specs = b"".join(file.read_bytes() for file in sorted(SPECS.rglob("*.toml")))
    return _hash(sources().encode() + specs)


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
