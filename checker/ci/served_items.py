"""Answers a test runner that asks for specs as test items: one JSON line for each JSON line.

The runner is another process (`pytest-finale`), so that no module of Finale is loaded beside the
modules of the project under test. Its questions, and the answers:

    {"collect": FILE}               -> {"items": [{"name", "title", "slow"}, …]}
    {"check": FILE, "item": NAME}   -> {"failures": [TEXT, …], "states", "transitions"}

A mistake in the input is `{"error": TEXT}`. An item passes if it has no failures. A spec has one
item, and one more for each of the chosen variants that its protocol has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TextIO

from finale.checker.cache.store import users_store
from finale.checker.review.change import read_under
from finale.checker.search.limits import Limits
from finale.checker.search.options import SearchOptions
from finale.checker.search.rows import strictly
from finale.checker.search.run import run
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError, nearest

from .findings import Annotation, finding_of

#: The name of the item of a spec as it is written.
PLAIN = "check"
FORMAT = "finale-test-items/1"


@dataclass
class ServedItems:
    """The specs of a project as test items.

    `processes` is the number of processes that search on this machine at the same time.
    """

    protocols: Path | None = None
    variants: tuple[str, ...] = ()
    strict: bool = False
    limits: Limits = field(default_factory=Limits)
    processes: int = 1

    def serve(self, questions: Iterable[str], answers: TextIO) -> None:
        """Answer until there is no further question."""
        print(json.dumps({"format": FORMAT}), file=answers, flush=True)
        for line in questions:
            try:
                answer = self._answer(json.loads(line))
            except FinaleError as error:
                answer = {"error": str(error)}
            print(json.dumps(answer), file=answers, flush=True)

    def _answer(self, question: Mapping[str, str]) -> dict[str, object]:
        if "collect" in question:
            items = self._items(Path(question["collect"])).items()
            return {
                "items": [
                    {"name": name, "title": spec.title, "slow": spec.slow} for name, spec in items
                ]
            }
        return self._checked(self._items(Path(question["check"]))[question["item"]])

    def _items(self, file: Path) -> dict[str, Spec]:
        """The specs of a file by the names of its items. Raises coded errors."""
        spec = read_under(file, self._catalogue)
        items = {PLAIN: spec}
        own = self._catalogue.variants_of(spec.protocol.key)
        for name in self.variants:
            if name in own and name != spec.variant:
                items[f"{PLAIN}[{name}]"] = read_under(file, self._catalogue, name)
        return items

    @cached_property
    def _catalogue(self) -> Catalogue:
        """All protocols, variants and properties. Raises coded errors."""
        found = catalogue(self.protocols, users_store(), compares=True)
        known = sorted({name for _, name in found.variants})
        for name in self.variants:
            if name not in known:
                raise FinaleError(
                    "unknown-variant",
                    f'no protocol has a variant "{name}"',
                    advice=nearest(name, known, "Variants of your own are in finale_protocols"),
                )
        return found

    def _checked(self, spec: Spec) -> dict[str, object]:
        result = run(spec, self.limits, options=SearchOptions(searches=self.processes))
        if self.strict:
            result = strictly(result)
        found = [finding_of(result, row) for row in result.rows]
        return {
            "failures": list(_failures(found)),
            "states": result.report.statistics.states,
            "transitions": result.report.statistics.transitions,
        }


def _failures(found: list[Annotation | None]) -> Iterator[str]:
    """The texts of the findings that are failures, and not only warnings."""
    for each in found:
        if each is None:
            continue
        assert each.told is not None
        if not each.told.row.ok or each.told.row.word is Word.UNKNOWN:
            lines = each.told.lines_and_command
            where = f"{each.place.file}:{each.place.line}"
            yield "\n".join([f"{where}: {each.sentence}", *([""] if lines else []), *lines])
