"""Proofs without a bound: what is read off is what happens, and what is wrong is not proven."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import z3

from finale.checker.proofs.unbounded import finish, stops
from finale.checker.proofs.unbounded import proof as proofs
from finale.checker.proofs.unbounded import prove as proving
from finale.checker.proofs.unbounded.proof import Proof
from finale.checker.proofs.unbounded.prove import catalogue_of, prove_unbounded
from finale.checker.proofs.unbounded.terms import WindowTerms
from finale.checker.proofs.unbounded.window import IdWindow, RuleEffect
from finale.checker.search.limits import LimitHit, Limits, SearchProgress
from finale.checker.search.native.search import check
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from finale.model.domains import Domain, MapDomain, Option, Queue, Ref, Set, Union
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.language.entities import Entity
from finale.model.language.protocol import Protocol, Setting
from finale.model.properties.checkpoints import confirms_what_was_taken
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId, Datum
from finale.model.protocols.task.tasks import Task
from finale.model.rules import always, when
from finale.model.semantics import steps
from finale.model.system import State, System
from tests.protocols.specs import ROOT, spec_of

PAIR, FIGURE = "final-checkpoint/pair.toml", "final-checkpoint/figure.toml"
STOPS = "stop-with-savepoint/figure.toml"
DECLINES = "final-checkpoint/pair-declines-and-expiry.toml"
RESTARTS = "final-checkpoint/pair-restarts.toml"
STOPS_AND_RESTARTS = "stop-with-savepoint/pair-restarts.toml"
SOUND = (Word.HOLDS, Word.VACUOUS)
#: Nobody cancels: these rules are never taken.
OF_CANCELLING = {"cancel_task", "finish_cancelling"}
#: Of these rules the quick tests ask.
ASKED = ("complete", "deliver_abort", "trigger_checkpoint", "restore", "fail")


def spec(name: str) -> Spec:
    return spec_of(ROOT / name)


def of(name: str) -> tuple[type[Protocol], Setting]:
    return spec(name).protocol, spec(name).setting


def window_of(name: str, size: int = 4) -> IdWindow:
    known = spec(name)
    setting = replace(known.setting, observe=frozenset({"taken"}))
    return IdWindow(known.protocol, setting, size)  # type: ignore[arg-type]


@cache
def proof_of(name: str) -> Proof:
    known = catalogue_of(spec(name).protocol)
    assert known is not None
    return Proof(window_of(name), known.clauses, known.witnesses)


def steps_of(proof: Proof, *rules: str) -> Iterator[RuleEffect]:
    """Those of the rules of these names; of each the first parameters are enough."""
    for rule in rules:
        yield next(step for step in proof.window.steps if step.bound.rule.name == rule)


# --- what is proven ------------------------------------------------------------------------------


def test_clauses_hold_at_the_start_and_after_the_rules_asked() -> None:
    proof = proof_of(PAIR)
    assert proof.initiation(proof.clauses).proven
    for step in steps_of(proof, *ASKED):
        assert proof.can_be_taken(step), step
        assert proof.consecution(step, proof.clauses).proven, step


def test_clauses_are_kept_by_declines() -> None:
    proof = proof_of(DECLINES)
    for step in steps_of(proof, "fail_snapshot", "apply_decline"):
        assert proof.can_be_taken(step), step
        assert proof.consecution(step, proof.clauses).proven, step


def test_the_page_on_proofs_counts_clauses_and_goals() -> None:
    page = (ROOT.parent / "docs" / "proofs.md").read_text(encoding="utf-8")
    counts = re.findall(r"^\| `([\w-]+)/[\w-]+` \| (\d+) \| (\d+) \| [\d ]+ \| \d+ \|$", page, re.M)
    own = {"final-checkpoint": finish, "stop-with-savepoint": stops}
    assert {protocol for protocol, *_ in counts} == own.keys()
    for protocol, clauses, goals in counts:
        assert (int(clauses), int(goals)) == (len(own[protocol].CLAUSES), len(own[protocol].GOALS))


@pytest.mark.slow
@pytest.mark.parametrize("name", [PAIR, DECLINES, FIGURE, STOPS])
def test_all_goals_are_proven(name: str) -> None:
    proven = prove_unbounded(*of(name))
    assert [result.word for result in proven.results] == ["proven"] * len(proven.results)
    assert proven.set_aside == ()
    # Where one is pending at once, none is subsumed by a newer one.
    vacuous = {each.family.name for each in proven.results if each.answer.vacuous}
    assert vacuous == {"only-older-are-subsumed"}
    assert {step.partition("(")[0] for step in proven.never_taken} <= OF_CANCELLING
    assert len(proven.clauses) <= 60


@pytest.mark.parametrize(
    ("name", "tested"),
    [
        ("final-checkpoint/pair-restarts.toml", 30),
        pytest.param("stop-with-savepoint/pair-restarts.toml", 35, marks=pytest.mark.slow),
    ],
)
def test_the_search_finds_no_clause_broken(name: str, tested: int) -> None:
    known = spec(name)
    catalogue = catalogue_of(known.protocol)
    assert catalogue is not None
    setting = replace(known.setting, observe=frozenset({"taken"}))
    report = check(build(known.protocol(setting), catalogue.clauses))
    verdicts = {each.property: each for each in report.verdicts}
    broken = [f.name for f in catalogue.clauses if verdicts[f.name].word not in SOUND]
    assert broken == []
    assert sum(verdicts[f.name].word is Word.HOLDS for f in catalogue.clauses) >= tested


@pytest.mark.parametrize(
    ("variant", "rule", "clause"),
    [
        ("keeps-subsumed", "complete", "pending-is-newer-than-completed"),
        ("ends-before-closing", "close", "end-of-partition-after-close"),
        ("confirms-aborted", "deliver_abort", "released-by-a-final-one"),
        ("stays-blocked", "poll_cancel_barrier", "unblocked-without-alignment"),
        ("triggers-all", "trigger_checkpoint", "triggered-tasks-are-heads"),
    ],
)
def test_what_is_wrong_is_not_proven(variant: str, rule: str, clause: str) -> None:
    proof = proof_of(f"final-checkpoint/broken/{variant}.toml")
    wrong = [each for each in proof.clauses if each.name == clause]
    found = [
        obstacle.family
        for step in proof.window.steps
        if step.bound.rule.name == rule
        for obstacle in proof.consecution(step, wrong).obstacles
    ]
    assert clause in found


@always
def stands_somewhere(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """The newest confirmation, if there is one, is of this checkpoint, a newer, or an older one."""
    when(task.is_alive)
    return task.confirmed <= checkpoint or checkpoint < task.confirmed


def test_what_cannot_be_read_does_not_hold() -> None:
    answer = proof_of(PAIR).implied(stands_somewhere)
    assert not answer.proven
    assert answer.obstacles


def test_of_other_protocols_nothing_is_known() -> None:
    with pytest.raises(FinaleError) as error:
        prove_unbounded(*of("unaligned/pair.toml"))
    assert error.value.code == "no-clauses"


@pytest.mark.parametrize("name", ["finished", "checkpoint-ends", "agreement"])
def test_what_says_nothing_of_all_states_or_steps_is_refused(name: str) -> None:
    """What is to be reached, what holds at some time, and what is about another protocol."""
    with pytest.raises(FinaleError) as error:
        prove_unbounded(*of(PAIR), [name])
    assert error.value.code == "does-not-apply"


def test_a_question_about_more_ids_than_there_are_is_refused() -> None:
    proof = Proof(window_of(PAIR, 1), ())
    with pytest.raises(FinaleError) as error:
        proof.implied_by_step((confirms_what_was_taken,), next(steps_of(proof, "deliver_abort")))
    assert error.value.code == "window-too-small"


def test_what_the_solver_does_not_tell_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    known = catalogue_of(spec(PAIR).protocol)
    assert known is not None
    few = replace(known, clauses=known.clauses[:2])
    monkeypatch.setattr(proofs, "RESOURCES_MAX", 1)
    monkeypatch.setattr(proving, "catalogue_of", lambda _: few)
    proven = prove_unbounded(*of(PAIR), ["finish-before-close", "decided-once"])
    assert proven.clauses == ()
    assert {each.word for each in proven.set_aside} == {"unknown"}
    assert {each.word for each in proven.results} == {"unknown"}
    assert all("resource" in each.answer.why_unknown for each in proven.results)
    assert not proven.is_decided


def test_when_the_time_is_over_what_is_left_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    kind, setting = of(PAIR)
    early = prove_unbounded(kind, setting, ["decided-once"], Limits(seconds_max=0.2))
    assert early.clauses == ()
    assert [each.word for each in early.results] == ["unknown"]
    assert early.stopped.startswith("the limit of 0.2 seconds came before an answer to: ")
    assert early.results[0].answer.why_unknown == early.stopped

    told = list[str]()

    def stop_at_the_second(news: SearchProgress) -> None:
        told.append(news.before)
        if news.before.startswith("does decided-once"):
            raise LimitHit("the limit")

    names = ["finish-before-close", "decided-once", "completed-in-order"]
    monkeypatch.setattr("finale.checker.search.limits.SECONDS_BETWEEN_REPORTS", 0.0)
    late = prove_unbounded(kind, setting, names, progress=stop_at_the_second)
    assert [each.word for each in late.results] == ["proven", "unknown", "unknown"]
    assert late.stopped == (
        "the limit came before an answer to: does decided-once follow from the clauses?"
    )
    assert len(late.clauses) == 40
    assert len(dict.fromkeys(told)) >= 40  # all rules one by one


def test_an_interrupt_ends_it() -> None:
    def interrupt(_: SearchProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prove_unbounded(*of(PAIR), progress=interrupt)


# --- what was read off is what happens -----------------------------------------------------------


class Seen:
    """A window onto a system whose ids have an end: some of its ids, and what is seen of a state.

    Its source has one record, and that is the one that the window looks at.
    """

    def __init__(self, window: IdWindow, ids: tuple[int, ...]) -> None:
        self.window, self.ids = window, ids
        self.place = {number: 2 * n + 2 for n, number in enumerate(ids)}

    def cells(self, system: System, state: State) -> dict[int, int]:
        """The cells of the window, where each id is a number."""
        values = {v.name: v.domain.decode([state[i] for i in v.indices]) for v in system.variables}
        found: dict[int, int] = {}
        for variable in self.window.world.variables:
            if variable.entity in self.window.gaps:
                continue
            value = values[self._name(variable.name)]
            cells = list(self._encoded(variable.domain, value))
            found |= zip(variable.indices, cells, strict=True)
        return {i: value for i, value in found.items() if i not in self.window.gap_cells}

    def _name(self, name: str) -> str:
        owner, _, field = name.partition(".")
        number = {place: number for number, place in self.place.items()}
        if owner.startswith("cp"):
            return f"cp{number[int(owner[2:])]}.{field}"
        return name

    def _encoded(self, domain: Domain[Any], value: Any) -> Iterator[int]:
        known: Any = domain
        match domain:
            case Ref(kind=kind) if issubclass(kind, CheckpointId):
                yield value.number
            case Ref(kind=kind) if issubclass(kind, Datum):
                yield 1  # the second of three
            case Ref():
                yield [str(each) for each in known.entities].index(str(value))
            case Option():
                if isinstance(value, Entity):
                    yield 1
                    yield from self._encoded(known.element, value)
                else:
                    yield from [0] * known.width
            case Union():
                kind = next(k for k in known.kinds if k.__name__ == type(value).__name__)
                yield known.kinds.index(kind)
                own = dict(known.parts[known.kinds.index(kind)])
                for name, (_, part) in known.layout.items():
                    if name in own:
                        yield from self._encoded(part, getattr(value, name))
                    else:
                        yield from part.filler
            case Queue():
                yield len(value)
                for each in value:
                    yield from self._encoded(known.element, each)
                yield from [0] * (known.element.width * (known.slots - len(value)))
            case Set():
                members = {self._member(each) for each in value}
                yield from (int(str(each) in members) for each in known.universe)
            case MapDomain():
                for position, key in enumerate(known.entities):
                    real = next((n for n, p in self.place.items() if str(key) == f"cp{p}"), None)
                    one = value[real - 1] if real is not None else None
                    assert real is not None or key in self.window.gaps, position
                    filler = known.element.filler
                    yield from filler if one is None else self._encoded(known.element, one)
            case _:
                yield from domain.encode(value)

    def _member(self, each: object) -> str:
        number = getattr(each, "number", None) if isinstance(each, CheckpointId) else None
        if number is None:
            return str(each)
        return f"cp{self.place[number]}" if number in self.place else "beyond"


def equals(window: IdWindow, terms: dict[int, Any], cells: dict[int, int]) -> list[Any]:
    """That cells have values."""
    found: list[Any] = []
    for index, value in cells.items():
        boolean = window.cells[index].boolean
        if index in window.id_cells and not value:
            continue  # where there is no id, it does not matter which one there is
        found.append(terms[index] == (bool(value) if boolean else value))
    return found


def admits(
    proof: Proof, seen: Seen, system: System, step: RuleEffect, was: State, then: State
) -> bool:
    """Whether what was read off of a rule allows a step that is seen."""
    state = WindowTerms(proof.symbols, proof.symbols.state, name="s")
    after = state.after_step(step.writes)
    solver = z3.Solver(ctx=proof.symbols.context)
    for total, one in proof.symbols.records.values():
        solver.add(total == 1, one == 1)
    solver.add(*(a == b for a, b in zip(proof.symbols.ids, seen.ids, strict=True)))
    solver.add(*proof.symbols.facts, state.of(step.returns), *state.facts)
    solver.add(*equals(proof.window, proof.symbols.state, seen.cells(system, was)))
    solver.add(*equals(proof.window, after, seen.cells(system, then)))
    return bool(solver.check() == z3.sat)


def walks(system: System, draws: random.Random, walks: int) -> Iterator[tuple[State, Any]]:
    """States and steps from there, of random runs."""
    for _ in range(walks):
        state = draws.choice(system.initial)
        while True:
            possible = list(steps(system, state))
            if not possible:
                break
            taken = draws.choice(possible)
            assert isinstance(taken.result, tuple)
            yield state, taken
            state = taken.result


@pytest.mark.parametrize("runs", [2, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "more", "taken_too"),
    [
        (RESTARTS, {"failures": 2}, {"fail", "restore"}),
        (RESTARTS, {"declines": 1, "expiries": 1}, {"apply_decline", "poll_cancel_barrier"}),
        (STOPS_AND_RESTARTS, {"failures": 2}, {"perform_savepoint", "savepoint_failed", "restore"}),
        (STOPS_AND_RESTARTS, {"declines": 1, "failures": 0}, {"conclude_stop", "apply_decline"}),
        (STOPS_AND_RESTARTS, {"cancels": 1, "failures": 0}, OF_CANCELLING),
    ],
    ids=["fails", "declines", "stops-and-fails", "stops-and-declines", "stops-and-cancels"],
)
def test_steps_of_real_runs_are_seen_in_windows(
    name: str, more: dict[str, int], taken_too: set[str], runs: int
) -> None:
    known = spec(name)
    bounds = {**known.setting.bounds, "failures": 1, **more, "checkpoints": 4}
    setting = replace(known.setting, observe=frozenset({"taken"}), bounds=bounds)
    system = build(known.protocol(setting))
    proof = Proof(IdWindow(known.protocol, setting, 2), ())  # type: ignore[arg-type]
    by_name = {str(step): step for step in proof.window.steps}
    draws = random.Random(5)
    rules: set[str] = set()
    for was, taken in walks(system, draws, runs):
        binding = dict(taken.rule.binding)
        about = {int(binding["checkpoint"][2:])} if "checkpoint" in binding else set[int]()
        others = [n for n in range(1, 6) if n not in about]
        ids = tuple(sorted([*about, *draws.sample(others, 2 - len(about))]))
        if ids[-1] > 4:
            continue
        seen = Seen(proof.window, ids)
        shown = {
            each: value if each != "checkpoint" else f"cp{seen.place[int(value[2:])]}"
            for each, value in binding.items()
        }
        step = by_name[f"{taken.rule.rule.name}({', '.join(shown.values())})"]
        assert admits(proof, seen, system, step, was, taken.result), (step, ids)
        rules.add(step.bound.rule.name)
    assert len(rules) >= (10 if runs >= 60 else 5)
    assert runs < 60 or rules >= taken_too
