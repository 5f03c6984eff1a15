"""Random protocols: rules as Python, decision trees and all searches of them mean the same."""

import gc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finale.checker.search.bfs.search import check
from finale.checker.search.interpreter.execution import PlainSystem
from finale.checker.search.interpreter.search import explore_plain
from finale.checker.search.limits import Limits
from finale.checker.search.native.breadth_first import NativeSearch
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.search import report_of
from finale.checker.search.options import DEFAULT, SearchOptions
from finale.checker.search.verdict import WELL_FORMED, Report
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.language.protocol import Protocol
from finale.model.semantics import steps
from finale.model.system import Fairness, State, System
from tests.agreement.compare import Pair
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import Written, written
from tests.agreement.test_back_ends import assert_told_alike, safety

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
#: Building and searching a protocol takes as long as it takes.
TOLERATED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
#: So many states of each protocol are searched by both back ends, and so many are counted.
STATES_SEARCHED, STATES_COUNTED = 500, 2000
#: So many states are compared rule by rule and searched in all other ways, which is slow.
STATES_COMPARED = 120
#: Garbage is collected after so many protocols: each leaves some megabytes.
COLLECTED_EVERY = 100
#: In CI, so many protocols in each part; one in so many of them is compared rule by rule.
PARTS, PROTOCOLS_A_PART, COMPARED_EVERY = 3, 60, 12
SLOW_PARTS, PROTOCOLS_A_SLOW_PART = 4, 2500


@dataclass(frozen=True)
class Seen:
    """What one random protocol had to offer: `lively` are its verdicts on liveness."""

    refused: bool = False
    compared: bool = False
    states: int = 0
    has_choice: bool = False
    has_queue: bool = False
    has_fault: bool = False
    fairness: frozenset[Fairness] = frozenset()
    lively: tuple[str, ...] = ()

    @property
    def is_rich(self) -> bool:
        return self.states >= 100 and self.has_choice and self.has_queue


def protocol_of(part: int, number: int) -> Written:
    """A sample is as varied as the generator means it to be, and the same whatever code changes."""
    return written(Pick(Random(f"{part} {number}").randrange))


@st.composite
def drawn(draw: st.DrawFn) -> Written:
    """A protocol whose every decision hypothesis makes, and can simplify: failures become small."""
    return written(Pick(lambda options: draw(st.integers(0, options - 1))))


def assert_agree(protocol: Written, compared: bool) -> Seen:
    """Check that both searches of a protocol agree; if `compared`, that all its meanings do."""
    made = protocol.make()
    try:
        system = build(made, protocol.families)
    except FinaleError as error:
        if error.code not in REFUSED:
            raise
        return Seen(refused=True)
    some = Limits(states_max=STATES_SEARCHED)
    machine = NativeMachine(system)
    search = searched_on(machine, some)
    states = search.tables.store[: search.statistics.states * search.tables.width]
    assert machine.layout.is_canonical(states)
    report = report_of(search)
    assert_told_alike(report, check(system, some))
    if compared:
        assert_all_agree(protocol, made, system, machine)
    if report.stopped:
        report = report_of(searched_on(machine, Limits(states_max=STATES_COUNTED)))
    return seen(system, report, compared)


def searched_on(
    machine: NativeMachine, limits: Limits, options: SearchOptions = DEFAULT
) -> NativeSearch:
    search = NativeSearch(machine, limits, None, options)
    search.run()
    return search


def assert_all_agree(
    protocol: Written, made: Protocol, system: System, machine: NativeMachine
) -> None:
    """Rules, trees, properties and all searches of a protocol, in its first states."""
    plain = PlainSystem(made, protocol.families)
    disagreement = next(Pair(plain, system).disagreements(STATES_COMPARED), None)
    assert disagreement is None, f"{disagreement}\n{protocol.source}"
    few = Limits(states_max=STATES_COMPARED)
    compiled, defined = check(system, few), check(system, few, compiled=False)
    assert_told_alike(compiled, defined)
    for options in (SearchOptions(), SearchOptions("compressed")):
        assert_told_alike(report_of(searched_on(machine, few, options)), compiled)
    concrete = explore_plain(plain, system, few)
    assert replace(compiled.statistics, seconds=0) == replace(concrete.statistics, seconds=0)
    assert safety(system, compiled) == safety(system, concrete)
    assert compiled.exercised == concrete.exercised
    assert compiled.stopped == concrete.stopped


def seen(system: System, report: Report, compared: bool) -> Seen:
    verdicts = {answer.property: answer.word for answer in report.verdicts}
    domains = " ".join(str(variable.domain) for variable in system.variables)
    return Seen(
        compared=compared,
        states=report.statistics.states,
        has_choice=any(chooses(system, state) for state in first_states(system)),
        has_queue="Queue" in domains or "Union" in domains,
        has_fault=verdicts[WELL_FORMED] == "violated",
        fairness=frozenset(rule.rule.fairness for rule in system.rules),
        lively=tuple(verdicts[prop.name] for prop in system.properties if prop.kind.is_liveness),
    )


def chooses(system: System, state: State) -> bool:
    return len({step.rule.rule.name for step in steps(system, state)}) > 1


def first_states(system: System) -> set[State]:
    """The initial states and those one step further."""
    after = (step.result for state in system.initial for step in steps(system, state))
    return {*system.initial, *(state for state in after if isinstance(state, tuple))}


def sampled(part: int, protocols: int) -> list[Seen]:
    """What the protocols of a part had to offer; they all agree."""
    sample: list[Seen] = []
    accepted = 0
    collecting = gc.isenabled()
    gc.disable()  # a tenth of the time would go into collecting after each
    try:
        for number in range(protocols):
            each = assert_agree(protocol_of(part, number), accepted % COMPARED_EVERY == 0)
            accepted += not each.refused
            sample.append(each)
            if number % COLLECTED_EVERY == COLLECTED_EVERY - 1:
                gc.collect()
    finally:
        if collecting:
            gc.enable()
    return sample


def assert_varied(sample: Sequence[Seen]) -> None:
    """A generator of protocols that do little would agree with anything."""
    accepted = [each for each in sample if not each.refused]
    assert len(accepted) >= 0.6 * len(sample)
    assert sum(each.is_rich for each in accepted) >= 0.4 * len(accepted)
    assert sum(each.has_fault for each in accepted) >= len(accepted) / 5
    for fairness in (Fairness.WEAK, Fairness.STRONG):
        assert sum(fairness in each.fairness for each in accepted) >= len(accepted) / 3
    lively = [word for each in accepted for word in each.lively]
    for word in ("holds", "violated"):
        assert lively.count(word) >= len(lively) / 8
    assert sum(each.compared for each in accepted) == -(-len(accepted) // COMPARED_EVERY)


@pytest.mark.parametrize("part", range(PARTS))
def test_searches_agree_on_random_protocols(part: int) -> None:
    assert_varied(sampled(part, PROTOCOLS_A_PART))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS, PARTS + SLOW_PARTS))
def test_searches_agree_on_many_more(part: int) -> None:
    assert_varied(sampled(part, PROTOCOLS_A_SLOW_PART))


@pytest.mark.slow
@settings(max_examples=1000, suppress_health_check=TOLERATED)
@given(drawn())
def test_all_meanings_agree_on_protocols_that_hypothesis_draws(protocol: Written) -> None:
    assert_agree(protocol, compared=True)
