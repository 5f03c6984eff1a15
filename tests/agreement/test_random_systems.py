"""Random protocols: rules as Python, decision trees and all searches of them mean the same."""

from collections.abc import Collection
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.answer import WELL_FORMED, Report
from checker.concrete.compare import Pair
from checker.concrete.execution import PlainSystem
from checker.concrete.search import explore_plain
from checker.native.search import report_of, searched
from checker.question import Limits
from checker.readable.search import check
from model.errors import FinaleError
from model.language.build import build
from model.semantics import steps
from model.system import Kind, State, System
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import Written, written

#: What `build` may refuse: the generator does not know which mistakes are certain.
REFUSED = {
    "assertion-failed",
    "index-is-no-entity",
    "index-outside",
    "nothing-read",
    "put-into-full-queue",
    "rule-does-nothing",
    "too-many-paths",
    "unsupported-operation",
    "write-outside-domain",
}
LIVENESS = (Kind.LEADS_TO, Kind.EVENTUALLY)
#: Building and searching a protocol takes as long as it takes.
TOLERATED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
#: So many states are compared rule by rule, and so many are counted.
STATES_COMPARED, STATES_COUNTED = 120, 2000


@dataclass(frozen=True)
class Seen:
    """What one random protocol had to offer."""

    refused: bool = False
    states: int = 0
    has_choice: bool = False
    has_queue: bool = False
    has_fault: bool = False

    @property
    def is_rich(self) -> bool:
        return self.states >= 100 and self.has_choice and self.has_queue


#: Each seed is a protocol: a sample is as varied as the generator means it to be.
SEEDED = st.integers(0, 2**64 - 1).map(lambda seed: written(Pick(Random(seed).randrange)))


@st.composite
def drawn(draw: st.DrawFn) -> Written:
    """A protocol whose every decision hypothesis makes, and can simplify: failures become small."""
    return written(Pick(lambda options: draw(st.integers(0, options - 1))))


def agree(protocol: Written) -> Seen:
    """Check that all meanings of a protocol agree, as far as it is looked at."""
    made = protocol.make()
    try:
        system = build(made, protocol.families)
    except FinaleError as error:
        if error.code not in REFUSED:
            raise
        return Seen(refused=True)
    plain = PlainSystem(made, protocol.families)
    disagreement = next(Pair(plain, system).disagreements(STATES_COMPARED), None)
    assert disagreement is None, f"{disagreement}\n{protocol.source}"
    few = Limits(states_max=STATES_COMPARED)
    compiled, defined = check(system, few), check(system, few, compiled=False)
    assert told(compiled) == told(defined)
    assert compiled.dead_branches == defined.dead_branches
    search = searched(system, few, None)
    states = search.tables.store[: search.statistics.states * search.tables.width]
    assert search.machine.layout.is_canonical(states)
    native = report_of(search)
    assert told(compiled) == told(native)
    assert compiled.dead_branches == native.dead_branches
    concrete = explore_plain(plain, system, few)
    liveness = {prop.name for prop in system.properties if prop.kind in LIVENESS}
    assert told(compiled, liveness) == told(concrete, liveness)
    return seen(system, check(system, Limits(states_max=STATES_COUNTED)))


def told(report: Report, but: Collection[str] = ()) -> object:
    """All that two reports on one system must have in common: counts, verdicts, traces."""
    found = report.statistics
    answers = [answer for answer in report.answers if answer.property not in but]
    counts = (found.states, found.transitions, found.depth, found.frontier, report.stopped)
    return counts, answers, report.exercised


def seen(system: System, report: Report) -> Seen:
    verdicts = {answer.property: answer.verdict.word for answer in report.answers}
    domains = " ".join(str(variable.domain) for variable in system.variables)
    return Seen(
        states=report.statistics.states,
        has_choice=any(chooses(system, state) for state in first_states(system)),
        has_queue="Queue" in domains or "Union" in domains,
        has_fault=verdicts[WELL_FORMED] == "violated",
    )


def chooses(system: System, state: State) -> bool:
    return len({step.rule.rule.name for step in steps(system, state)}) > 1


def first_states(system: System) -> set[State]:
    """The initial states and those one step further."""
    after = (step.result for state in system.initial for step in steps(system, state))
    return {*system.initial, *(state for state in after if isinstance(state, tuple))}


def test_rules_and_trees_agree_on_random_protocols() -> None:
    sample: list[Seen] = []

    @settings(
        max_examples=160,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=TOLERATED,
    )
    @given(SEEDED)
    def agreeing(protocol: Written) -> None:
        sample.append(agree(protocol))

    agreeing()
    accepted = [each for each in sample if not each.refused]
    assert len(accepted) >= 100
    assert len(accepted) >= 0.6 * len(sample)
    # A generator of protocols that do little would agree with anything.
    assert sum(each.is_rich for each in accepted) >= len(accepted) / 2
    assert sum(each.has_fault for each in accepted) >= len(accepted) / 5


@pytest.mark.slow
@settings(max_examples=3000, deadline=None, suppress_health_check=TOLERATED)
@given(drawn())
def test_rules_and_trees_agree_on_many_more(protocol: Written) -> None:
    agree(protocol)
