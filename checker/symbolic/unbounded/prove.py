"""A protocol's clauses, and the properties that follow from them, for runs of any length.

Clauses are written by hand, in `finish.py` and its siblings, as properties are. Those that are not
kept by every step, or rest on others that are not, are set aside, with where they fail; what is
left is an inductive invariant, and the properties are asked of it. Nothing lists states.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from model.errors import FinaleError
from model.language.properties import Family
from model.language.protocol import Protocol, Setting
from model.properties.registry import PROPERTIES
from model.protocols.parts.layout import JobProtocol
from model.system import Kind

from .clauses import Catalogue, catalogue_of
from .proof import Answer, Obstacle, Proof
from .window import Window

#: So many ids are in a window: two of a clause, the parameter of a rule, and one that it names.
IDS = 4
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Result:
    """What came of a property or clause: proven, or where it fails, or why it is not known."""

    family: Family
    answer: Answer
    seconds: float

    @property
    def verdict(self) -> str:
        """In one word."""
        if self.answer.proven:
            return "proven"
        return "resists" if self.answer.obstacles else "unknown"


@dataclass(frozen=True)
class Proven:
    """An inductive invariant, clause by clause, what is set aside, and what follows from it."""

    window: Window
    clauses: tuple[Family, ...]
    set_aside: tuple[Result, ...]
    results: tuple[Result, ...]
    never_taken: tuple[str, ...]
    """Rules that no state can take in which the clauses hold: it should be none."""
    asked: int
    seconds: float


def prove_unbounded(
    kind: type[Protocol],
    setting: Setting,
    names: Collection[str] = (),
    look: Callable[[], None] = lambda: None,
    tell: Tell = lambda _: None,
) -> Proven:
    """What can be proven of a protocol on a job with no bound on ids, records and failures.

    Without `names` all properties are asked of which the protocol's catalogue says so. `look` is
    called before each question, and may raise; `tell` hears what is being done.
    """
    started = perf_counter()
    catalogue = catalogue_of(kind)
    if catalogue is None or setting.job is None or not issubclass(kind, JobProtocol):
        raise no_clauses(kind.key)
    goals = _goals(catalogue, names)
    needed = {f.needs for f in (*catalogue.clauses, *goals) if f.needs is not None}
    window = Window(kind, replace(setting, observe=frozenset(needed)), IDS)
    kept, aside, asked = _kept(window, catalogue, look, tell)
    proof = Proof(window, kept, catalogue.witnesses, look)
    results = tuple(_results(proof, goals, tell))
    never = tuple(str(step) for step in window.steps if not proof.can_be_taken(step))
    return Proven(
        window,
        proof.clauses,
        tuple(aside),
        results,
        never,
        asked + proof.asked,
        perf_counter() - started,
    )


def _goals(catalogue: Catalogue, names: Collection[str]) -> tuple[Family, ...]:
    wanted = tuple(names) or catalogue.goals
    known = {family.name: family for family in PROPERTIES}
    return tuple(known[name] for name in wanted)


def _kept(
    window: Window, catalogue: Catalogue, look: Callable[[], None], tell: Tell
) -> tuple[tuple[Family, ...], list[Result], int]:
    """The clauses that prove each other; those that are not among them, and where they fail."""
    kept, aside, asked = catalogue.clauses, list[Result](), 0
    while True:
        started = perf_counter()
        proof = Proof(window, kept, catalogue.witnesses, look)
        failed: dict[str, Answer] = {}
        for answer in _inductive(proof, tell):
            if answer.why_unknown:
                raise gave_up(answer.why_unknown)
            for obstacle in answer.obstacles:
                failed.setdefault(obstacle.family, Answer(False, (obstacle,)))
        asked += proof.asked
        if not failed:
            return kept, aside, asked
        seconds = perf_counter() - started
        aside += [Result(f, failed[f.name], seconds) for f in kept if f.name in failed]
        kept = tuple(family for family in kept if family.name not in failed)


def _inductive(proof: Proof, tell: Tell) -> Iterator[Answer]:
    tell("the clauses at the start")
    yield proof.initiation()
    for number, step in enumerate(proof.window.steps):
        tell(f"the clauses after rule {number + 1} of {len(proof.window.steps)}: {step}")
        yield proof.consecution(step)


def _results(proof: Proof, goals: Sequence[Family], tell: Tell) -> Iterator[Result]:
    for family in goals:
        started = perf_counter()
        tell(family.name)
        yield Result(family, _answer(proof, family), perf_counter() - started)


def _answer(proof: Proof, family: Family) -> Answer:
    if family.kind is not Kind.ON_STEP:
        return proof.implied(family)
    for step in proof.window.steps:
        answer = proof.implied_by_step((family,), step)
        if not answer.proven:
            return answer
    return Answer(True)


def gave_up(why: str) -> FinaleError:
    """Whether the clauses are kept is not known."""
    return FinaleError(
        "solver-gave-up",
        f"whether the clauses are kept is not known: {why}",
        advice="ask it of a smaller job",
    )


def no_clauses(protocol: str) -> FinaleError:
    """There is nothing to prove anything from."""
    return FinaleError(
        "no-clauses",
        f'of "{protocol}" no clauses are known that hold in runs of any length',
        advice="ask it of final-checkpoint or stop-with-savepoint, or of a variant of these",
    )


__all__ = ["Obstacle", "Proven", "Result", "no_clauses", "prove_unbounded"]
