"""Tests an assumption on a real Flink: `finale reproduce --without`."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from finale.checker.report.layout import console, write
from finale.checker.report.places import shown_file
from finale.checker.report.reproduced import force_json, force_lines, forcing_lines
from finale.checker.reproduce.causes import unlike
from finale.checker.reproduce.forcing import (
    JudgedForce,
    Kept,
    check_forcible,
    judged_force,
    order_without,
)
from finale.checker.reproduce.ordering import NotTakeable, order_of
from finale.checker.reproduce.verdicts import DAMAGES, PROBES, judged
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from finale.checker.studies.first_foreign import first_foreign
from finale.checker.studies.foreign_step import (
    ForeignStep,
    completing,
    foreign_step,
    showing,
)
from finale.checker.studies.weaken import chosen_of, weaker
from finale.model.errors import FinaleError, Place
from finale.model.system import System
from finale.model.trace import Trace
from finale.reference.flink.director import OF_TASK, REQUESTS
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.hooks import HANDLED
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

    @builtins.property  # the field of that name hides the word
    def tells(self) -> bool:
        """Whether a run tells if the forbidden step happened: by itself, or by its effect."""
        step = self.step
        is_seen = any(each.number == step.number for each in self.order.steps)
        if not step.enabled:
            return is_seen or self.property in DAMAGES
        return bool(step.completes) or self.property in DAMAGES


@dataclass(frozen=True)
class Asked:
    """What a release says about an assumption: two runs, or why there are none.

    `step` is the step that the assumption forbids, and `method` what is forced in the second run.
    """

    assumption: str
    spec: str
    property: str | None
    flink: str
    method: str = ""
    step: str = ""
    runs: tuple[JudgedForce, ...] = ()
    not_takeable: str = ""

    @builtins.property  # the field of that name hides the word
    def code(self) -> Exit:
        """The exit code: 0 if the assumption is kept, by the method that it names."""
        verdicts = {each.verdict for each in self.runs} or {Kept.NOT_TAKEABLE}
        if not verdicts.isdisjoint({Kept.NOT_KEPT, Kept.NOT_BY_METHOD}):
            return Exit.FAILED
        return Exit.LIMIT if Kept.NOT_TAKEABLE in verdicts else Exit.AS_EXPECTED

    def to_json(self) -> dict[str, object]:
        """The same as a part of a JSON document."""
        about: dict[str, object] = {
            "spec": self.spec,
            "property": self.property,
            "without": self.assumption,
        }
        if self.not_takeable:
            return about | {"not_takeable": self.not_takeable, "runs": []}
        about |= {"method": self.method, "step": self.step, "flink": self.flink}
        return about | {"runs": [force_json(each) for each in self.runs]}


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
        asked = self.ask(as_text=as_text)
        if not as_text:
            say_json(document("forced") | asked.to_json())
        return asked.code

    def ask(self, *, as_text: bool) -> Asked:
        """Search, and drive Flink twice; as text, tell it as it happens.

        Raises `unknown-assumption`, `no-trace`.
        """
        assumption = chosen_of(self.claims[0], [self.assumption])[self.assumption]
        try:
            check_forcible(self.assumption, self.facts)
            weak = self._weak()
        except NotTakeable as why:
            return self.not_asked(str(why), as_text=as_text)
        find_jdk()
        page, version = console(), self.release.version
        method = self.facts.assumed[self.assumption]
        if as_text:
            steps = len(weak.order.steps)
            title, name = weak.claim.title, weak.property
            write(page, forcing_lines(title, assumption, weak.step, name, steps, version))
        done: list[JudgedForce] = []
        other = unlike(weak.claim, self.release)
        with Jvms(self.release, self.assumption) as jvms:
            for forced in (False, True):
                order = order_without(weak.order, self.assumption, weak.step, forced=forced)
                folder = prepared_folder(self.folder / ("forced" if forced else "as-it-is"))
                write_file(folder / ORDER_FILE, order.to_json())
                run = judged(
                    run_order(order, jvms, folder / "run-1"), weak.property, of_release=True
                )
                done.append(judged_force(run, weak.property, order, weak.step, method, other))
                if as_text:
                    write(page, force_lines(done[-1], page.width))
        step = f"{weak.step} with the assumption"
        return replace(
            self._asked, property=weak.property, method=method.place, step=step, runs=tuple(done)
        )

    def not_asked(self, why: str, *, as_text: bool) -> Asked:
        """Return that Flink cannot be asked, and why; as text, tell it."""
        if as_text:
            say(f"{Kept.NOT_TAKEABLE.value}: {why}")
        return replace(self._asked, not_takeable=why)

    @builtins.property  # the field of that name hides the word
    def _asked(self) -> Asked:
        spec = shown_file(self.claims[0].file)
        return Asked(self.assumption, spec, self.property, self.release.version)

    def _weak(self) -> Weak:
        """The first counterexample that Flink may take, if possible one whose run tells something.

        Raises `no-trace`, `NotTakeable`.
        """
        why: NotTakeable | None = None
        first: Weak | None = None
        for found in self._runs():
            if isinstance(found, NotTakeable):
                why = why or found
            elif found.tells:
                return found
            else:
                first = first or found
        if first is not None:
            return first
        if why is not None:
            raise why
        raise FinaleError(
            "no-trace",
            f"no property falls without {self.assumption}",
            place=Place(str(self.claims[0].file)),
            advice="choose another spec: finale weaken tells what falls without an assumption",
        )

    def _runs(self) -> Iterator[Weak | NotTakeable]:
        """The counterexamples of all claims; if there are none, runs to a forbidden step."""
        for claim in self.claims:
            yield from self._counterexamples(claim)
        if self.property is None:
            for claim in self.claims:
                yield from self._forbidden_steps(claim)

    def _forbidden_steps(self, claim: Spec) -> Iterator[Weak | NotTakeable]:
        """The shortest runs to a step that the assumption forbids, though no property falls."""
        weak, strong = weaker(claim, self.assumption), claim.system()
        own = weak.system()
        for trace in first_foreign(own, strong):
            yield from self._orders(weak, "", own, strong, trace)

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
            yield from self._orders(
                without.spec, row.property, without.system, strong.system, row.trace
            )

    def _orders(
        self, claim: Spec, name: str, own: System, strong: System, trace: Trace
    ) -> Iterator[Weak | NotTakeable]:
        """The orders of a run that has a forbidden step."""
        step = foreign_step(own, strong, trace)
        assert step is not None  # else the run would be one with the assumption, too
        runs = [(trace, step)]
        if step.enabled:
            shown = showing(own, strong, trace, step, self._shows)
            runs += [] if shown is None else [shown]
            if not name and (longer := completing(own, strong, trace, step)) is not None:
                runs.append((longer, foreign_step(own, strong, longer) or step))
        for run, told in runs:
            try:
                order = order_of(claim, own, run, self.facts)
            except NotTakeable as why:
                yield why
                continue
            yield Weak(claim, name, replace(order, probe=PROBES.get(name, "")), told)

    def _shows(self, step: str) -> bool:
        """Whether a driven run tells if a step happens, which no command is."""
        is_command = step in OF_TASK or step in REQUESTS
        return not is_command and not self.facts.steps.isdisjoint({step, step + HANDLED})


__all__ = ["Asked", "ForcedDrive"]
