"""Keeps what became of mutants: what has not changed is not judged again.

A kill holds as long as the changed file and the spec that told it are the same. That a mutant
survives holds as long as the whole model is the same: then it meets only the specs that are new or
have changed since. A kill by time holds as long as the model and all specs are the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.judge import Outcome
from tests.mutation.rules.trials import CACHE, SPECS, sources

FILE = CACHE / "verdicts.ndjson"
#: What an outcome counts of the specs that a mutant met.
COUNTS = ("same", "searched", "left")


class Kept:
    """A file of outcomes, one a line; the last one of a mutant counts."""

    def __init__(self, file: Path = FILE) -> None:
        self.file = file
        self.lines: dict[str, tuple[str, Outcome]] = {}
        self.met: dict[str, str] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            told = json.loads(line)
            self.lines[told["mutant"]] = told["key"], Outcome(**told["outcome"])
            self.met[told["mutant"]] = told.get("met", "")

    def add(self, mutant: Mutant, outcome: Outcome) -> None:
        """Keep an outcome."""
        key = key_of(mutant, outcome)
        met = _met() if outcome.kind == "survives" else ""
        self.lines[mutant.id], self.met[mutant.id] = (key, outcome), met
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            line = {"mutant": mutant.id, "key": key, "outcome": asdict(outcome), "met": met}
            file.write(json.dumps(line) + "\n")

    def outcome(self, mutant: Mutant) -> Outcome | None:
        """What is known of a mutant and still holds."""
        outcome = self._held(mutant)
        return None if outcome is not None and self.unmet(mutant) else outcome

    def _held(self, mutant: Mutant) -> Outcome | None:
        key, outcome = self.lines.get(mutant.id, ("", None))
        return outcome if outcome is not None and key == key_of(mutant, outcome) else None

    def unmet(self, mutant: Mutant) -> frozenset[str]:
        """The specs that a survivor has not met as they are. All, if it is to be judged anew."""
        outcome, now = self._held(mutant), _specs()
        if outcome is None:
            return frozenset(now)
        if outcome.kind != "survives":
            return frozenset()
        file = CACHE / f"specs-{self.met[mutant.id]}.json"
        before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return frozenset(name for name, digest in now.items() if before.get(name) != digest)

    def joined(self, mutant: Mutant, outcome: Outcome) -> Outcome:
        """An outcome on unmet specs, together with what was known of the others."""
        before = self._held(mutant)
        if before is None or outcome.kind != "survives":
            return outcome
        counts = {name: getattr(before, name) + getattr(outcome, name) for name in COUNTS}
        return replace(outcome, **counts)


def key_of(mutant: Mutant, outcome: Outcome) -> str:
    """What an outcome depends on."""
    if outcome.kind == "survives":
        return _hash(sources().encode())
    if outcome.kind == "hang":
        return _hash((sources() + _met()).encode())
    spec = SPECS / f"{outcome.spec}.toml"
    told = spec.read_bytes() if outcome.spec and spec.exists() else b""
    return _hash((ROOT / mutant.file).read_bytes() + told)


@cache
def _specs() -> dict[str, str]:
    """The specs as they are, each with a digest."""
    files = sorted(SPECS.rglob("*.toml"))
    return {
        file.relative_to(SPECS).with_suffix("").as_posix(): _hash(file.read_bytes())
        for file in files
    }


@cache
def _met() -> str:
    """The name of the file that says which specs there are."""
    text = json.dumps(_specs(), indent=0)
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / f"specs-{_hash(text.encode())}.json").write_text(text, encoding="utf-8")
    return _hash(text.encode())


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
