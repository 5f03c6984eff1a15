"""Proves properties for any number of steps, within the bounds of a system, by an invariant.

Each property is asked by itself. Does every step keep it? If not, which further invariant excludes
the steps that break it? What is found for one property is used for the next, so properties that
read little come first. An invariant is reduced to what is needed, and checked anew
(`checker/search/solving/certificate.py`), before anything is claimed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Literal

from finale.checker.search.bmc.asked import DEADLOCK, sought
from finale.checker.search.limits import (
    SECONDS_BETWEEN_REPORTS,
    LimitHit,
    Limits,
    ProgressListener,
    SearchProgress,
)
from finale.checker.search.solving.certificate import Certificate, Certifier, certify_steps
from finale.checker.search.solving.cubes import Cube, within
from finale.checker.search.solving.encoding import ways_of
from finale.checker.search.solving.ic3 import BadStateReached, Ic3
from finale.checker.search.state_graph.folding import cells_read
from finale.checker.search.state_graph.questions import FAULTS, Asked, Topic
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict, Word
from finale.model.errors import FinaleError
from finale.model.expressions import FALSE, Expression, disjunction, negation
from finale.model.semantics import steps
from finale.model.system import GroundRule, State, System

from .induction import Induction

ProofMethod = Literal["auto", "induction", "spacer"]
#: Induction is tried over so many steps.
STEPS_MAX = 10
#: How a verdict is reached without a search, and the word for it.
PROVEN = "proven"
#: When the time is over, so many seconds are left to tell what stands in the way.
SECONDS_AFTER = 5.0


@dataclass(frozen=True)
class Proven:
    """Why a property holds after any number of steps: no step enters the `cubes`, or breaks it.

    Spacer finds `clauses` instead of cubes. `over` is the number of steps of an induction,
    `checked` the number of questions of the check. Properties that were `given` are proven with it.
    """

    name: str
    cubes: tuple[Cube, ...]
    clauses: tuple[Expression, ...]
    over: int
    questions: int
    checked: int
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Break:
    """A good state, perhaps unreachable, and a step from there that breaks the property.

    `excluded` is a small cube with this state that no step enters, if the state is unreachable.
    """

    state: State
    rule: GroundRule
    after: State | None
    excluded: Cube | None


@dataclass(frozen=True)
class ProofResult:
    """The verdict on one property, with the proof, or with what was tried and what prevents one.

    A property that is vacuous is proven, too.
    """

    verdict: Verdict
    proven: Proven | None = None
    tried: tuple[str, ...] = ()
    breaks: Break | None = None
    seconds: float = 0.0

    @property
    def word(self) -> str:
        """The verdict in one word: what holds is `proven`."""
        return self.verdict.word if self.proven is None else PROVEN


class Proving:
    """Proves the safety properties of a system, one after another."""

    def __init__(
        self, system: System, limits: Limits, by: ProofMethod = "auto", given: Collection[str] = ()
    ) -> None:
        self.system, self.limits, self.by, self.given = system, limits, by, frozenset(given)
        self._progress: ProgressListener | None = None
        self._began = self._told = perf_counter()
        self._until: float | None = None
        self._doing = ""
        self._left = 1
        self._conditions = dict(_conditions(system))
        self._frames: Ic3 | None = None
        self._certifier = Certifier(system, self._look)

    @property
    def _reachability(self) -> Ic3:
        if self._frames is None:
            self._frames = Ic3(self.system, self._look)
        return self._frames

    def asked(self, only: Collection[str] = ()) -> list[tuple[str, Topic]]:
        """Return the properties to prove, those that read few cells first."""
        asked = [each for each in topics_of(self.system) if self._is_asked(each[0], only)]
        self._left = len(asked)
        return sorted(asked, key=lambda each: len(cells_read([self._condition(each[1])])))

    def _is_asked(self, name: str, only: Collection[str]) -> bool:
        return name in only if only else name not in self.given

    def prove(
        self, asked: tuple[str, Topic], progress: ProgressListener | None = None
    ) -> ProofResult:
        """Return the result for one property. Raises KeyboardInterrupt."""
        name, topic = asked
        self._doing, self._progress, began = name, progress, perf_counter()
        self._share()
        try:
            result = self._prove(name, topic)
        except LimitHit as limit:
            result = self._undecided(name, topic, str(limit))
        return replace(result, seconds=perf_counter() - began)

    def _condition(self, topic: Topic) -> Expression:
        return self._conditions.get(topic, FALSE)

    def _prove(self, name: str, topic: Topic) -> ProofResult:
        bad = self._condition(topic)
        asked_before = self._reachability.questions
        proven: Proven | None = None
        itself = self._certified([negation(bad)], bad)
        if itself is not None:
            proven = Proven(name, (), (), 1, 0, itself.questions)
        elif self.given:
            proven, why = self._by_given(name, bad)
            if proven is None:
                tried = (f"{', '.join(sorted(self.given))} as given",)
                return ProofResult(Verdict(name, Word.UNKNOWN, why=why, how=PROVEN), tried=tried)
            return ProofResult(Verdict(name, Word.HOLDS, how=PROVEN), proven)
        elif self.by == "induction":
            proven = self._by_induction(name, bad)
        elif self.by == "spacer":
            proven = self._by_spacer(name, bad)
        else:
            try:
                found = self._reachability.prove(bad)
            except BadStateReached:
                return ProofResult(Verdict(name, Word.VIOLATED, how=PROVEN))
            proven = self._by_cubes(name, found, bad)
            questions = self._reachability.questions - asked_before
            proven = replace(proven, questions=questions)
        if proven is None:
            return self._undecided(name, topic, "no proof was found")
        vacuous = self._vacuous(topic)
        word = Word.VACUOUS if vacuous else Word.HOLDS
        return ProofResult(Verdict(name, word, why=vacuous, how=PROVEN), proven)

    def is_proven_by(self, topic: Topic, proven: Proven) -> bool:
        """Return whether a proof for another system with the same cells holds for this one."""
        bad = self._condition(topic)
        if proven.over > 1:
            found = certify_steps(self.system, bad, proven.over, self._look)
            return isinstance(found, Certificate)
        return self._certified(self._clauses_of(proven, bad), bad) is not None

    def core(
        self, topic: Topic, proven: Proven, assumed: Sequence[Expression]
    ) -> frozenset[int] | None:
        """Return the numbers of a few constant conditions that a proof needs; None if there is
        none.
        """
        bad = self._condition(topic)
        if proven.over > 1:
            return None
        return self._certifier.core(self._clauses_of(proven, bad), bad, assumed)

    def clauses_needed(self, topic: Topic, proven: Proven) -> int | None:
        """Return how many clauses of an invariant a part of the claim needs.

        None if they do not prove the part without the other parts.
        """
        bad = self._condition(topic)
        if self._certified([negation(bad)], bad) is not None:
            return 0
        clauses = self._clauses_of(proven, bad)
        if proven.over > 1 or self._certified(clauses, bad) is None:
            return None
        return len(self._certifier.needed(clauses, bad))

    def _clauses_of(self, proven: Proven, bad: Expression) -> list[Expression]:
        """What a proof says is kept by every step: if nothing more, that it is not bad."""
        topics = [topic for name, topic in topics_of(self.system) if name in proven.given]
        given = [negation(self._condition(topic)) for topic in topics]
        cubes = [negation(within(self.system, cube)) for cube in proven.cubes]
        return [*given, *cubes, *proven.clauses] or [negation(bad)]

    def says_nothing(self, topic: Topic) -> bool:
        """Return whether a proven property is vacuous."""
        return bool(self._vacuous(topic))

    # --- ways to prove it ------------------------------------------------------------------------

    def _by_cubes(self, name: str, cubes: Iterable[Cube], bad: Expression) -> Proven:
        kept, certificate = self._certifier.certify_cubes(cubes, bad)
        assert isinstance(certificate, Certificate), "what the frames prove is an invariant"
        return Proven(name, kept, (), 1, 0, certificate.questions)

    def _by_given(self, name: str, bad: Expression) -> tuple[Proven | None, str]:
        """By other properties, which are claimed to be kept together by every step; or why not."""
        topics = [topic for other, topic in topics_of(self.system) if other in self.given]
        clauses = [negation(self._condition(topic)) for topic in topics]
        found = self._certifier.certify(clauses, bad)
        if not isinstance(found, Certificate):
            return None, found
        return Proven(name, (), (), 1, 0, found.questions, tuple(sorted(self.given))), ""

    def _by_induction(self, name: str, bad: Expression) -> Proven | None:
        found = Induction(self.system, bad, self._look).prove(self.limits.steps_max or STEPS_MAX)
        if found is None:
            return None
        certificate = certify_steps(self.system, bad, found.steps, self._look)
        assert isinstance(certificate, Certificate), certificate
        return Proven(name, (), (), found.steps, found.questions, certificate.questions)

    def _by_spacer(self, name: str, bad: Expression) -> Proven | None:
        from .spacer import NotSpoken, Spacer

        try:
            clauses = Spacer(self.system, self._look).prove(bad)
        except NotSpoken:
            return None
        certificate = self._certified(clauses, bad) if clauses is not None else None
        if clauses is None or certificate is None:
            return None
        needed = self._certifier.needed(clauses, bad)
        return Proven(name, (), needed, 1, 1, certificate.questions)

    def _certified(self, clauses: Sequence[Expression], bad: Expression) -> Certificate | None:
        found = self._certifier.certify(clauses, bad)
        return found if isinstance(found, Certificate) else None

    def _vacuous(self, topic: Topic) -> str:
        """Why a property that is proven says nothing; nothing if it does say something."""
        asked, index = topic
        if asked is not Asked.FAILS:
            return ""
        prop = self.system.properties[index]
        if self._is_never(self._condition((Asked.WHEN, index))):
            return "its antecedent is never true"
        names = [each.name for each in self.system.properties]
        if prop.witness is not None:
            witness = self._condition((Asked.REACHED, names.index(prop.witness)))
            if self._is_never(witness):
                return f'its witness "{prop.witness}" is never reached'
        return ""

    def _is_never(self, condition: Expression) -> bool:
        try:
            self._reachability.prove(condition)
        except BadStateReached:
            return False
        return True

    # --- what is not decided ---------------------------------------------------------------------

    def _undecided(self, name: str, topic: Topic, why: str) -> ProofResult:
        bad, depth = self._condition(topic), self._frames.depth if self._frames is not None else 0
        tried = ["induction over one step"]
        if self.by == "induction":
            most = self.limits.steps_max or STEPS_MAX
            tried = [f"induction over up to {most} step{'' if most == 1 else 's'}"]
        elif self.by == "spacer":
            tried.append("Spacer")
        elif depth:
            tried.append(f"invariants for {depth} steps")
        self._until = perf_counter() + SECONDS_AFTER
        try:
            found = self._break(bad)
        except LimitHit:
            found = None
        verdict = Verdict(name, Word.UNKNOWN, why=why, how=PROVEN)
        return ProofResult(verdict, tried=tuple(tried), breaks=found)

    def _break(self, bad: Expression) -> Break | None:
        found = self._reachability.broken(bad)
        if found is None:
            return None
        state, way = found
        rule = self.system.rules[way.rule]
        after = next(each.result for each in steps(self.system, state) if each.rule is rule)
        excluded = self._reachability.excluded(state)
        return Break(state, rule, after if isinstance(after, tuple) else None, excluded)

    # --- the clock -------------------------------------------------------------------------------

    def _share(self) -> None:
        """Each property has an equal part of the time that is left."""
        if self.limits.seconds_max is not None:
            now = perf_counter()
            seconds = self.limits.seconds_max - (now - self._began)
            self._until = now + max(seconds, 0) / max(self._left, 1)
        self._left -= 1

    def _look(self) -> None:
        now = perf_counter()
        if self._until is not None and now > self._until:
            raise LimitHit(self.limits.seconds_word)
        if self._progress is not None and now - self._told >= SECONDS_BETWEEN_REPORTS:
            self._told = now
            doing = self._doing
            if self._frames is not None:
                asked, depth = self._frames.questions, self._frames.depth
                doing = f"{doing}: {asked} questions, {depth} steps deep"
            self._progress(SearchProgress(0, 0, 0, 0, now - self._began, before=doing))


def does_not_apply(name: str) -> FinaleError:
    """Return the error that there is nothing to prove of a property."""
    return FinaleError(
        "does-not-apply",
        f'there is nothing to prove of "{name}"',
        advice="only what is claimed of all states or all steps is proven; the property "
        "may be of another kind, or say nothing about this protocol",
    )


def topics_of(system: System) -> Iterator[tuple[str, Topic]]:
    """Return the claims about all states or steps of a system, by name."""
    for index, prop in enumerate(system.properties):
        if prop.kind.is_safety and not prop.not_asked:
            yield prop.name, (Asked.FAILS, index)
    yield WELL_FORMED, FAULTS
    yield NO_DEADLOCK, DEADLOCK


def _conditions(system: System) -> Iterator[tuple[Topic, Expression]]:
    """What is asked, on states and on steps together, as conditions on states."""
    found: dict[Topic, list[Expression]] = {}
    for each in sought(system, ways_of(system)):
        found.setdefault(each.subject, []).append(each.condition)
    for topic, conditions in found.items():
        yield topic, disjunction(conditions)
