"""Proves the properties of a protocol for runs of any length, from its clauses.

Clauses are written by hand, as properties are (`finish.py` and `stops.py`). A clause that some step
does not keep, or that rests on such a clause, is set aside with the place where it fails. The
remaining clauses are an inductive invariant, and the properties are asked of it. Nothing lists
states.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter

from finale.checker.proofs.prove import does_not_apply
from finale.checker.proofs.unbounded import finish, stops
from finale.checker.proofs.unbounded.proof import Obstacle, Proof, ProofAnswer
from finale.checker.proofs.unbounded.tried import refuse_refuted
from finale.checker.proofs.unbounded.window import IdWindow
from finale.checker.search.limits import (
    LimitHit,
    Limits,
    ProgressListener,
    SearchClock,
    SearchProgress,
)
from finale.model.errors import FinaleError
from finale.model.language.layout import is_foreign
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol, Setting
from finale.model.properties.registry import PROPERTIES
from finale.model.protocols.coordinator.coordinator import JobProtocol


@dataclass(frozen=True)
class ClauseCatalogue:
    """The clauses of a protocol, and the names of the properties that they should imply.

    A property that claims some checkpoint exists is proven by a witness: `witnesses` has the name
    of the task's field that holds the checkpoint.
    """

    clauses: tuple[Family, ...]
    goals: tuple[str, ...]
    witnesses: Mapping[str, str] = field(default_factory=dict[str, str])


_CATALOGUES = {
    "final-checkpoint": ClauseCatalogue(finish.CLAUSES, finish.GOALS, finish.WITNESSES),
    "stop-with-savepoint": ClauseCatalogue(stops.CLAUSES, stops.GOALS, stops.WITNESSES),
}


def catalogue_of(kind: type[Protocol]) -> ClauseCatalogue | None:
    """Return the clauses of a protocol, or of the protocol that it is a variant of."""
    return _CATALOGUES.get(kind.key)


#: So many ids are in a window: two of a clause, the parameter of a rule, and one that it names.
IDS = 4
#: A window grows for rules with so many ids as parameters. More would take too long.
IDS_OF_RULE_MAX = 2
_Ask = Callable[[Sequence[Family]], ProofAnswer]
NO_LIMITS = Limits()


@dataclass(frozen=True)
class ClauseResult:
    """The result for a property or clause: proven, or where it fails, or why it is unknown."""

    family: Family
    answer: ProofAnswer
    seconds: float

    @property
    def word(self) -> str:
        """The verdict in one word."""
        if self.answer.proven:
            return "proven"
        return "resists" if self.answer.obstacles else "unknown"


@dataclass(frozen=True)
class UnboundedProof:
    """An inductive invariant, clause by clause, the clauses set aside, and what follows.

    If it is unknown whether the clauses are kept, `stopped` says why. Then there are no clauses,
    and nothing is proven. It also says why what is proven was not tried in random runs to the end.
    """

    window: IdWindow
    clauses: tuple[Family, ...]
    set_aside: tuple[ClauseResult, ...]
    results: tuple[ClauseResult, ...]
    never_taken: tuple[str, ...]
    """Rules that no state can take in which the clauses hold: it should be none."""
    asked: int
    seconds: float
    stopped: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether all properties asked for are proven."""
        return all(each.answer.proven for each in self.results)


def prove_unbounded(
    kind: type[Protocol],
    setting: Setting,
    names: Collection[str] = (),
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
) -> UnboundedProof:
    """Return what is proven of a protocol on a job, without bounds on ids, records and failures.

    Without `names`, the properties of the protocol's catalogue are asked. When the time is over,
    the other properties are unknown. What is proven of a user's rules is tried in random runs.
    Raises `no-clauses`, `does-not-apply`, `window-too-small` and `proof-refuted`.
    """
    catalogue = catalogue_of(kind)
    if catalogue is None or setting.job is None or not issubclass(kind, JobProtocol):
        raise no_clauses(kind.key)
    goals = _goals(kind, catalogue, names)
    needed = {f.needs for f in (*catalogue.clauses, *goals) if f.needs is not None}
    clock = _Looking(limits, progress)
    window = _window(kind, replace(setting, observe=frozenset(needed)), clock)
    proof = _Proving(window, catalogue, clock).prove(goals)
    proven = [each.family for each in proof.results if each.answer.proven]
    if proven and is_foreign({type(entity) for entity in window.world.entities}):
        clock.doing = "does a random run violate what is proven?"
        try:
            refuse_refuted(kind, setting, proven, clock.look)
        except LimitHit as limit:
            return replace(proof, stopped=f"{limit} came before an answer to: {clock.doing}")
    return proof


def _window(kind: type[JobProtocol], setting: Setting, clock: _Looking) -> IdWindow:
    """A window with room for a clause and for all ids that a rule has as parameters.

    In a smaller one such a rule could not be taken with different ids. Raises `window-too-small`.
    """
    window = IdWindow(kind, setting, IDS, clock.look)
    for rule, count in window.ids_of_rules.items():
        if count > IDS_OF_RULE_MAX:
            raise FinaleError(
                "window-too-small",
                f"the rule {rule} is about {count} ids at once, and a proof takes rules about "
                f"{IDS_OF_RULE_MAX} at most",
                advice="let the rule name fewer checkpoints",
            )
    more = max(window.ids_of_rules.values(), default=1) - 1
    return window if more <= 0 else IdWindow(kind, setting, IDS + more, clock.look)


def _goals(
    kind: type[Protocol], catalogue: ClauseCatalogue, names: Collection[str]
) -> tuple[Family, ...]:
    known = {family.name: family for family in PROPERTIES}
    goals = tuple(known[name] for name in tuple(names) or catalogue.goals)
    for family in goals:
        claims = family.kind.is_safety
        if not claims or family.view not in kind.__mro__:
            raise does_not_apply(family.name)
    return goals


class _Looking:
    """Reports which question is asked, and ends the proof when its time is over."""

    def __init__(self, limits: Limits, progress: ProgressListener | None) -> None:
        self._clock = SearchClock(limits, progress)
        self.doing = "what do the rules do, of ids without end?"

    @property
    def seconds(self) -> float:
        return self._clock.seconds

    def look(self) -> None:
        """Raises LimitHit."""
        self._clock.look(lambda seconds: SearchProgress(0, 0, 0, 0, seconds, before=self.doing))


class _Proving:
    """Asks first which clauses prove each other, then what follows from them."""

    def __init__(self, window: IdWindow, catalogue: ClauseCatalogue, clock: _Looking) -> None:
        self._window, self._catalogue, self._clock = window, catalogue, clock
        #: Under no clauses, until it is known which are kept.
        self._proof = self._of(())
        self._aside: list[ClauseResult] = []
        self._asked = 0

    def prove(self, goals: Sequence[Family]) -> UnboundedProof:
        """The clauses that are kept, and what follows; what there is no time for is unknown."""
        stopped, results, never = "", list[ClauseResult](), list[str]()
        try:
            self._keep()
            for family in goals:
                results.append(self._result(family))
            never.extend(self._never_taken())
        except LimitHit as limit:
            stopped = f"{limit} came before an answer to: {self._clock.doing}"
        left = ProofAnswer(False, (), stopped)
        results += [ClauseResult(family, left, 0.0) for family in goals[len(results) :]]
        return UnboundedProof(
            self._window,
            self._proof.clauses,
            tuple(self._aside),
            tuple(results),
            tuple(never),
            self._asked + self._proof.asked,
            self._clock.seconds,
            stopped,
        )

    def _of(self, clauses: Sequence[Family]) -> Proof:
        return Proof(self._window, clauses, self._catalogue.witnesses, self._clock.look)

    # --- the clauses -----------------------------------------------------------------------------

    def _keep(self) -> None:
        """Set aside the clauses that are not kept, until the others prove each other.

        One of which it is not known whether it is kept is set aside as well.
        """
        kept = self._catalogue.clauses
        while True:
            began, proof = perf_counter(), self._of(kept)
            failed = self._failed(proof)
            if not failed:
                self._proof = proof
                return
            self._asked += proof.asked
            seconds = perf_counter() - began
            self._aside += [
                ClauseResult(f, failed[f.name], seconds) for f in kept if f.name in failed
            ]
            kept = tuple(family for family in kept if family.name not in failed)

    def _failed(self, proof: Proof) -> dict[str, ProofAnswer]:
        """The clauses that do not hold at the start, or not after some step, and where."""
        failed: dict[str, ProofAnswer] = {}
        self._clock.doing = "do the clauses hold at the start?"
        self._sort(proof.clauses, proof.initiation, failed)
        for number, step in enumerate(self._window.steps):
            rule = f"rule {number + 1} of {len(self._window.steps)}, {step}"
            self._clock.doing = f"are the clauses kept by {rule}?"
            self._sort(proof.clauses, partial(proof.consecution, step), failed)
        return failed

    def _sort(self, families: Sequence[Family], ask: _Ask, failed: dict[str, ProofAnswer]) -> None:
        """Ask of all at once, and of each where that was too much."""
        answer = ask(families)
        for obstacle in answer.obstacles:
            failed.setdefault(obstacle.family, ProofAnswer(False, (obstacle,)))
        if not answer.why_unknown:
            return
        for family in families:
            alone = ask((family,))
            if not alone.proven:
                failed.setdefault(family.name, alone)

    # --- what follows ----------------------------------------------------------------------------

    def _result(self, family: Family) -> ClauseResult:
        began, self._clock.doing = perf_counter(), f"does {family.name} follow from the clauses?"
        return ClauseResult(family, self._answer(family), perf_counter() - began)

    def _answer(self, family: Family) -> ProofAnswer:
        if not family.kind.is_of_steps:
            answer = self._proof.implied(family)
            return replace(answer, vacuous=answer.proven and not self._proof.says_something(family))
        for step in self._window.steps:
            answer = self._proof.implied_by_step((family,), step)
            if not answer.proven:
                return answer
        return ProofAnswer(True, vacuous=not self._proof.says_something(family))

    def _never_taken(self) -> Iterator[str]:
        for step in self._window.steps:
            self._clock.doing = f"do the clauses leave a state in which {step} can be taken?"
            if not self._proof.can_be_taken(step):
                yield str(step)


def no_clauses(protocol: str) -> FinaleError:
    """Return the error that a protocol has no clauses."""
    return FinaleError(
        "no-clauses",
        f'of "{protocol}" no clauses are known that hold in runs of any length',
        advice="ask it of final-checkpoint or stop-with-savepoint, or of a variant of these",
    )


__all__ = ["ClauseResult", "Obstacle", "UnboundedProof", "no_clauses", "prove_unbounded"]
