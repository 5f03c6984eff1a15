"""Hunts: searches settings, the cheapest first, and leaves out what is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import urandom
from pathlib import Path
from time import perf_counter

from finale.checker.cache.code import digest, of_file
from finale.checker.hunt.journal import Journal, Searched, Violation
from finale.checker.hunt.settings import HuntSetting, spec_in
from finale.checker.hunt.signature import Signature, signature_of
from finale.checker.search.cached import of_code
from finale.checker.search.limits import INTERRUPTED, Limits
from finale.checker.search.many import WORKER_DIED, searched
from finale.checker.search.run import run
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.typed import is_list, is_table
from finale.checker.studies.effects import Effect, effect_of
from finale.model.errors import FinaleError

#: Claims that are asked on request alone because they take time, and that hold of every protocol.
FURTHER = ("alignment-can-end", "blocked-channel-resumes", "cancel-cancels")
#: So many settings are handed to the processes at once.
BATCH = 64


@dataclass(frozen=True)
class NewSignature:
    """A new signature: its effect, the cheapest setting in which it shows, and in how many."""

    signature: Signature
    effect: Effect
    steps: int
    setting: HuntSetting
    settings: int


@dataclass(frozen=True)
class Hunting:
    """How to hunt: the limits of each search, how many at once, and whom to tell."""

    catalogue: Catalogue
    journal: Journal
    limits: Limits
    jobs: int
    look: Callable[[Sequence[str], int, int], None]

    def hunt(self, plan: Sequence[HuntSetting], seconds: float | None) -> bool:
        """Search the settings that the journal does not have. Return whether the user stopped it.

        After some seconds what is being searched is given up.
        """
        end = None if seconds is None else perf_counter() + seconds
        ahead = [each for each in plan if self.key_of(each) not in self.journal.known]
        done = len(plan) - len(ahead)
        try:
            for first in range(0, len(ahead), BATCH):
                batch = ahead[first : first + BATCH]
                for each in self._batch(batch, done + first, len(plan)):
                    self.journal.keep(each)
                    if end is not None and perf_counter() > end:
                        return False
        except KeyboardInterrupt:
            return True
        return False

    def results(self, plan: Sequence[HuntSetting]) -> Iterator[tuple[HuntSetting, Searched]]:
        """Yield the settings that were searched, in their order."""
        for setting in plan:
            known = self.journal.known.get(self.key_of(setting))
            if known is not None:
                yield setting, known

    def key_of(self, setting: HuntSetting) -> str:
        """Return a key that changes with the setting, the limits, the rules, and the tool."""
        text = json.dumps(setting.table, sort_keys=True, default=str)
        most = (self.limits.states_max, self.limits.seconds_max)
        return digest(["hunt", self._of_code, text, *most]).hex()

    @cached_property
    def _of_code(self) -> bytes:
        """The digest of all code; of nothing that was searched before, if some is in no key."""
        files = sorted(Path(__file__).parent.glob("*.py"))
        return digest([of_code(self.catalogue) or urandom(16), *map(of_file, files)])

    def _batch(self, batch: Sequence[HuntSetting], done: int, of: int) -> Iterator[Searched]:
        """Search some settings at once. A setting that the protocol refuses is none."""
        by_name = {each.name: each for each in batch}
        work = searched(
            tuple(by_name),
            lambda name: self._searched(by_name[name]),
            self.jobs,
            lambda busy, count, _: self.look(busy, done + count, of),
        )
        for name, found in work:
            if isinstance(found, FinaleError) and found.code == WORKER_DIED:
                yield Searched(self.key_of(by_name[name]), name, stopped=found.message)
            elif isinstance(found, FinaleError):
                yield Searched(self.key_of(by_name[name]), name, refused=found.message)
            else:
                yield found

    def _searched(self, setting: HuntSetting) -> Searched:
        began = perf_counter()
        spec = spec_in(setting, self.journal.folder, self.catalogue)
        found = searched_spec(spec, self.limits)
        seconds = round(perf_counter() - began, 3)
        return replace(found, key=self.key_of(setting), name=setting.name, seconds=seconds)


def searched_spec(spec: Spec, limits: Limits) -> Searched:
    """Return the claims that fall in a spec, with their signatures."""
    names = {each.name for each in spec.families} & {*FURTHER, *(each.name for each in spec.asked)}
    result = run(spec, limits, only={*names, NO_DEADLOCK, WELL_FORMED})
    report = result.report
    if report.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    found: list[Violation] = []
    for verdict in report.verdicts:
        trace = verdict.counterexample
        if trace is not None:
            assert result.system is not None
            signature = signature_of(result.system, verdict)
            found.append(Violation(verdict.property, trace.length, signature))
    return Searched("", "", report.statistics.states, 0.0, report.stopped, violations=tuple(found))


def new_signatures(
    results: Sequence[tuple[HuntSetting, Searched]],
    known: Sequence[Signature],
    catalogue: Catalogue,
) -> tuple[NewSignature, ...]:
    """Return the signatures that no known one covers, the worst and shortest first.

    If one signature covers another one, both have one finding: that of the cheaper setting.
    """
    found: dict[Signature, NewSignature] = {}
    for setting, violation in _violations(results):
        signature = violation.signature
        if any(each.covers(signature) for each in known):
            continue
        same = next((e for e in found if e.covers(signature) or signature.covers(e)), None)
        if same is not None:
            found[same] = replace(found[same], settings=found[same].settings + 1)
            continue
        effect = effect_of(signature.property, catalogue.properties.get(signature.property))
        found[signature] = NewSignature(signature, effect, violation.steps, setting, 1)
    order = list(Effect)
    return tuple(sorted(found.values(), key=lambda each: (order.index(each.effect), each.steps)))


def _violations(
    results: Sequence[tuple[HuntSetting, Searched]],
) -> Iterator[tuple[HuntSetting, Violation]]:
    for setting, result in results:
        for violation in result.violations:
            yield setting, violation


def signatures_of(
    results: Sequence[tuple[HuntSetting, Searched]],
) -> tuple[Signature, ...]:
    """Return all signatures of some results, each once."""
    return tuple(dict.fromkeys(violation.signature for _, violation in _violations(results)))


def known_settings(files: Iterable[Path], protocols: Collection[str]) -> Iterator[HuntSetting]:
    """Yield the specs of some protocols that expect a violation of the rules as they are.

    A spec of a variant, or without an assumption, is about other rules. A slow spec takes long to
    search. A file that is no spec is passed over: finale check says why.
    """
    for file in files:
        try:
            table, _ = toml_in(file)
        except FinaleError:
            continue
        if "variant" in table or "without" in table or table.get("slow") is True:
            continue
        rows = table.get("expect")
        expected = rows if is_list(rows) else []
        falls = any(is_table(row) and row.get("verdict") == Word.VIOLATED for row in expected)
        if falls and table.get("protocol") in protocols:
            yield HuntSetting(str(file), table, 0.0, file)
