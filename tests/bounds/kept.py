"""Results that are kept, one a line: what has not changed is not searched again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from finale.checker.spec.claim import Spec
from finale.pipeline.sweep.sources import digest_of
from tests.bounds.larger import Repeated
from tests.protocols.specs import name_of

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / ".bounds_cache" / "results.ndjson"


@dataclass(frozen=True)
class Change:
    """A property whose verdict is another one with the larger bound."""

    property: str
    verdict: str
    steps: int | None
    why: str


@dataclass(frozen=True)
class Kept:
    """One spec with one larger bound. `key` says which sources the result is of."""

    spec: str
    key: str
    bound: str
    before: str
    after: str
    changes: tuple[Change, ...] = ()
    undecided: tuple[str, ...] = ()
    states: int = 0
    stopped: str = ""
    refused: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """The spec and the bound: there is one current result for each."""
        return self.spec, self.bound


def kept_of(found: Repeated, key: str) -> Kept:
    """What is kept of a result."""
    larger = found.larger
    rows = sorted(found.changed, key=lambda row: row.property)
    return Kept(
        name_of(larger.spec.file),
        key,
        larger.bound,
        larger.before,
        larger.after,
        tuple(Change(row.property, row.word, row.steps, row.why) for row in rows),
        tuple(sorted(found.undecided)),
        found.states,
        found.stopped,
        found.refused,
    )


def key_of(spec: Spec) -> str:
    """A digest of what the result of a spec depends on: its text, its rules, its properties."""
    texts = [spec.file.read_text(encoding="utf-8")]
    former = spec.resumption
    while former is not None:
        texts.append(former.first.file.read_text(encoding="utf-8"))
        former = former.first.resumption
    modules = {each.__module__ for each in spec.protocol.__mro__ if each is not object}
    asked = {f.mark.function.__module__ for f in spec.families if f.name in spec.expectations}
    said = "\0".join([*texts, _sources(frozenset(modules | asked))])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


@cache
def _sources(modules: frozenset[str]) -> str:
    return digest_of(sorted(modules), ["finale.model"], ["finale.model.protocols.registry"])


def read(file: Path = FILE) -> dict[tuple[str, str], Kept]:
    """The latest result of each spec and bound."""
    found: dict[tuple[str, str], Kept] = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        if not line.endswith("}"):
            continue  # the process was killed while it wrote
        table = json.loads(line)
        table["changes"] = tuple(Change(**each) for each in table["changes"])
        table["undecided"] = tuple(table["undecided"])
        kept = Kept(**table)
        found[kept.place] = kept
    return found


def write(kept: Kept, file: Path = FILE) -> None:
    """Append a result."""
    file.parent.mkdir(exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(asdict(kept)) + "\n")
