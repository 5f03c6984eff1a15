"""Tests an assumption on a real Flink: `finale reproduce --without`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from finale.checker.report.forced import force_json, force_lines, forcing_lines
from finale.checker.report.layout import console, write
from finale.checker.report.places import shown_file
from finale.checker.reproduce.forcing import (
    JudgedForce,
    Kept,
    check_forcible,
    judged_force,
    order_without,
)
from finale.checker.reproduce.ordering import NotTakeable, order_of
from finale.checker.reproduce.verdicts import PROBES, judged
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from finale.checker.studies.foreign_step import ForeignStep, foreign_step
from finale.checker.studies.weaken import chosen_of, weaker
from finale.model.errors import FinaleError, Place
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import ORDER_FILE, Order
from finale.reference.flink.releases import Release
from finale.reference.flink.run import prepared_folder, run_order, write_file
from finale.reference.flink.toolchain import find_jdk

from .output import document, say, say_json
from .trace import searched


@dataclass(frozen=True)
class Weak:
    """A counterexample without an assumption: the claim, the property, the order, the step."""

    claim: Spec
    property: str
    order: Order
    step: ForeignStep


@dataclass(frozen=True)
class ForcedDrive:
    """One assumption of one spec, tested on one release."""

    claims: Sequence[Spec]
    assumption: str
    property: str | None
    release: Release
    facts: EngineFacts
    folder: Path

    def run(self, *, as_text: bool) -> Exit:
        """Search, drive Flink twice, and tell what happened.

        Raises `unknown-assumption`, `no-trace`.
        """
        assumption = chosen_of(self.claims[0], [self.assumption])[self.assumption]
        try:
            check_forcible(self.assumption, self.facts)
            weak = self._weak()
        except NotTakeable as why:
            return self._not_takeable(str(why), as_text=as_text)
        find_jdk()
        page, version = console(), self.release.version
        method = self.facts.assumed[self.assumption]
        if as_text:
            steps = len(weak.order.steps)
            title, name = weak.claim.title, weak.property
            write(page, forcing_lines(title, assumption, weak.step, name, steps, version))
        done: list[JudgedForce] = []
        with Jvms(self.release, self.assumption) as jvms:
            for forced in (False, True):
                order = order_without(weak.order, self.assumption, weak.step, forced=forced)
                folder = prepared_folder(self.folder / ("forced" if forced else "as-it-is"))
                write_file(folder / ORDER_FILE, order.to_json())
                run = judged(
                    run_order(order, jvms, folder / "run-1"), weak.property, of_release=True
                )
                done.append(judged_force(run, weak.property, order, weak.step, method))
                if as_text:
                    write(page, force_lines(done[-1], page.width))
        if not as_text:
            about = {
                "spec": shown_file(weak.claim.file),
                "property": weak.property,
                "without": self.assumption,
                "method": method.place,
                "step": f"{weak.step} with the assumption",
                "flink": version,
            }
            say_json(document("forced") | about | {"runs": [force_json(each) for each in done]})
        return _code(done)

    def _weak(self) -> Weak:
        """The first counterexample that Flink may take. Raises `no-trace`, `NotTakeable`."""
        why: NotTakeable | None = None
        for claim in self.claims:
            for found in self._counterexamples(claim):
                if isinstance(found, Weak):
                    return found
                why = why or found
        if why is not None:
            raise why
        raise FinaleError(
            "no-trace",
            f"no property falls without {self.assumption}",
            place=Place(str(self.claims[0].file)),
            advice="choose another spec: finale weaken tells what falls without an assumption",
        )

    def _counterexamples(self, claim: Spec) -> Iterator[Weak | NotTakeable]:
        """The counterexamples of the properties that fall without the assumption."""
        without = searched(weaker(claim, self.assumption), self.property, "auto", ())
        strong = searched(claim, self.property, "auto", ())
        held = {row.property for row in strong.rows if row.word in (Word.HOLDS, Word.VACUOUS)}
        for row in without.rows:
            if row.trace is None or row.word is not Word.VIOLATED or row.property not in held:
                continue
            assert without.system is not None
            assert strong.system is not None
            step = foreign_step(without.system, strong.system, row.trace)
            assert step is not None  # else the property would fall with the assumption, too
            try:
                order = order_of(without.spec, without.system, row.trace, self.facts)
            except NotTakeable as why:
                yield why
                continue
            order = replace(order, probe=PROBES.get(row.property, ""))
            yield Weak(without.spec, row.property, order, step)

    def _not_takeable(self, why: str, *, as_text: bool) -> Exit:
        if as_text:
            say(f"{Kept.NOT_TAKEABLE.value}: {why}")
        else:
            spec = shown_file(self.claims[0].file)
            about = {"spec": spec, "property": self.property, "without": self.assumption}
            say_json(document("forced") | about | {"not_takeable": why, "runs": []})
        return Exit.LIMIT


def _code(done: Sequence[JudgedForce]) -> Exit:
    verdicts = {each.verdict for each in done}
    if not verdicts.isdisjoint({Kept.NOT_KEPT, Kept.NOT_BY_METHOD}):
        return Exit.FAILED
    return Exit.LIMIT if Kept.NOT_TAKEABLE in verdicts else Exit.AS_EXPECTED


__all__ = ["ForcedDrive"]
