"""Asks a real Flink about each assumption that matters in a spec: `finale weaken --flink`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from finale.checker.report.layout import console, counted, joined, write
from finale.checker.report.weakened import weakening_json
from finale.checker.search.rows import Exit
from finale.checker.spec.claim import Spec
from finale.checker.studies.weaken import Weakening
from finale.model.errors import FinaleError
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.releases import Release

from .forced import Asked, ForcedDrive
from .output import document, say_json

#: Codes of errors about one assumption: the others are asked all the same.
OF_ONE = frozenset({"no-trace", "hook-missing", "jvm-died", "job-not-started", "call-not-lost"})


@dataclass(frozen=True)
class AskedOfFlink:
    """The assumptions of a spec without which a property falls, asked of one release.

    `claims` are the spec as the release has its protocol, the most forcible first.
    """

    claims: Sequence[Spec]
    release: Release
    facts: EngineFacts
    folder: Path

    def run(self, found: Weakening, *, as_text: bool) -> Exit:
        """Drive Flink twice for each assumption that is needed, the worst first, and tell."""
        names = [each.assumption.name for each in found.needed]
        asked: list[Asked] = []
        is_interrupted, failed = found.is_interrupted, None
        try:
            for number, name in enumerate(() if is_interrupted else names, 1):
                if as_text:
                    write(console(), ["", f"{number} of {len(names)}: {name}"])
                asked.append(self._ask(name, as_text=as_text))
        except KeyboardInterrupt:
            is_interrupted = True
        except FinaleError as error:  # what was asked so far is told all the same
            failed = error
        left = [name for name in names if name not in {each.assumption for each in asked}]
        if as_text:
            write(console(), ["", joined(_total(asked, left))])
        else:
            about = {"flink": self.release.version, "not_asked": left}
            rows = [each.to_json() for each in asked]
            say_json(document("weaken-on-flink") | weakening_json(found) | about | {"asked": rows})
        if failed is not None:
            raise failed
        if is_interrupted:
            return Exit.INTERRUPTED
        return _worst(asked, is_complete=found.is_complete)

    def _ask(self, name: str, *, as_text: bool) -> Asked:
        drive = ForcedDrive(
            self.claims, name, None, self.release, self.facts, self.folder / name
        )  # fmt: skip
        try:
            return drive.ask(as_text=as_text)
        except FinaleError as error:
            if error.code not in OF_ONE:
                raise
            return drive.not_asked(error.message, as_text=as_text)


def _total(asked: Sequence[Asked], left: Sequence[str]) -> Iterator[str]:
    """How many assumptions Flink keeps, and what became of the others."""
    yield counted(len(asked) + len(left), "assumption")
    for code, words in (
        (Exit.AS_EXPECTED, "kept, by the method that is named"),
        (Exit.FAILED, "not kept, or not by that method"),
        (Exit.LIMIT, "not takeable"),
    ):
        if number := sum(each.code is code for each in asked):
            yield f"{number} {words}"
    if left:
        yield f"interrupted, not asked: {', '.join(left)}"


def _worst(asked: Sequence[Asked], *, is_complete: bool) -> Exit:
    codes = {each.code for each in asked}
    if Exit.FAILED in codes:
        return Exit.FAILED
    return Exit.LIMIT if Exit.LIMIT in codes or not is_complete else Exit.AS_EXPECTED


__all__ = ["AskedOfFlink"]
