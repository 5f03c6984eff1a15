"""Mutants: a file of the engine with one place changed, drawn by seed from all that there are."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.mutation.operators import changes

ROOT = Path(__file__).parent.parent.parent
#: The same folders as Python loads them: links.
HOME = ROOT / "python" / "finale"
SEED = 147

#: What says how the engine behaves: protocols and all that they are made of.
FILES = (
    "reference/protocols/*.py",
    *(
        f"reference/{name}.py"
        for name in (
            "asking",
            "channel",
            "coordinator",
            "failing",
            "gate",
            "network",
            "overtaking",
            "running",
            "stopping",
            "task",
            "operators/sinks",
        )
    ),
)

#: What is said of an engine, to be compared or called by name, and does nothing.
SAID = frozenset({"seen", "names", "thing"})

#: What conformance cannot reach, by why. It has tests of its own.
ASIDE = {
    "the model has no watermarks between records": (
        "Running.pass_time",
        "Task.watermark_of_inputs",
    ),
    "the model has no other parallelism on a restart": ("TransactionalSink.share",),
    "only a run of one's own asks for it, before it starts": (
        "EndingSources.stops_with_savepoint",
        "Stopping.stops_with_savepoint",
        "TransactionalSink.ahead_of",
    ),
    "the model has no records that cannot be used": ("SideFile.", "_line"),
}
LEFT_OUT = tuple(name for names in ASIDE.values() for name in names)


@dataclass(frozen=True)
class Mutant:
    """One place of one file, and what is there instead."""

    file: str
    function: str
    line: int
    operator: str
    start: int
    end: int
    before: str
    after: str
    in_function: bool = True
    ordinal: int = 0
    """Which of those that look alike in one function."""

    @property
    def id(self) -> str:
        """The same as long as its function has the same text there."""
        parts = self.file, self.function, self.operator, self.before, self.after, self.ordinal
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:10]

    @property
    def lines(self) -> range:
        return range(self.line, self.line + self.before.count("\n") + 1)

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def files() -> list[str]:
    """The files that are changed, by their paths from the root."""
    found = {path for pattern in FILES for path in ROOT.glob(pattern)}
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def mutants_of(file: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of one file."""
    alike: Counter[Mutant] = Counter()
    for each in changes(source):
        function = each.function
        if function.rsplit(".", 1)[-1] in SAID or function.startswith(LEFT_OUT):
            continue
        before = source[each.start : each.end].decode()
        mutant = Mutant(
            file=file,
            function=function,
            line=each.line,
            operator=each.operator,
            start=each.start,
            end=each.end,
            before=before,
            after=each.after,
            in_function=each.in_function,
        )
        key = replace(mutant, line=0, start=0, end=0)
        yield replace(mutant, ordinal=alike[key])
        alike[key] += 1


def all_mutants() -> list[Mutant]:
    return [m for file in files() for m in mutants_of(file, (ROOT / file).read_bytes())]


def drawn(count: int, seed: int = SEED) -> list[Mutant]:
    """So many of all mutants; the same ones each time.

    Which ones, each decides for itself: where the engine changes, the others stay drawn.
    """

    def rank(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed} {mutant.id}".encode()).hexdigest()

    chosen = sorted(all_mutants(), key=rank)[:count]
    return sorted(chosen, key=lambda m: (m.file, m.line, m.start, m.operator, m.after))
