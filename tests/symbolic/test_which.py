"""For which settings a property holds: as each of them by itself comes to, and the weakest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from finale.checker.review.change import read_under
from finale.checker.search.bfs.search import check
from finale.checker.search.bmc.joined import joined
from finale.checker.search.bmc.search import check as check_bounded
from finale.checker.search.bmc.settings import ViolatingSettings
from finale.checker.search.limits import Limits
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import Axis, Point, Values, axis_in
from finale.checker.studies.which import PointVerdict, Which, which
from finale.model.errors import FinaleError
from finale.model.expressions import cell, equal, integer, less, negation, plus
from finale.model.language.build import build
from finale.model.system import Kind, System
from tests.agreement.loose_systems import loose, property_of, system_of, when
from tests.protocols.specs import ROOT
from tests.zoo.recycled import OFFICE

LOST = ROOT / "legacy-finish" / "natural-end-loses-records.toml"


def outcomes(file: Path, name: str, *vary: str) -> Which:
    return which(reader(file), [axis_in(each) for each in vary], name, Limits(), None)


def reader(file: Path) -> Callable[[Values], Spec]:
    known = catalogue()
    return lambda values: read_under(file, known, None, values)


def test_each_setting_comes_to_what_it_comes_to_by_itself() -> None:
    found = outcomes(LOST, "commit-completeness", "job.records=0..2", "bounds.checkpoints=1")
    for each in found.outcomes:
        values = dict(each.setting.values)
        steps = {0: None, 1: 9, 2: 11}[int(str(values["job.records"]))]
        assert each.verdict.steps == steps
    words = [each.verdict.word for each in found.outcomes]
    assert words == ["vacuous", "violated", "violated"]
    weakest = [dict(each.setting.values) for each in found.weakest]
    assert weakest == [{"job.records": 1, "bounds.checkpoints": 1}]


def test_options_of_one_protocol_share_what_they_have_in_common() -> None:
    spec = ROOT / "final-checkpoint" / "broken" / "confirms-aborted.toml"
    found = outcomes(spec, "confirms-what-was-taken", "variant=confirms-aborted,stays-blocked")
    assert [each.verdict.word for each in found.outcomes] == ["violated", "holds"]
    assert found.outcomes[0].verdict.steps == 3


def counting(to: int, by: int) -> System:
    """Counts to a number, asked whether it is ever seven."""
    x = cell(0, 0, 9, False)
    up = when(less(x, integer(to + 1 - by)), {0: plus(x, integer(by))})
    return system_of([x], [up], [property_of(Kind.ALWAYS, negation(equal(x, integer(7))))])


def test_the_solver_finds_all_that_break_and_proves_the_others() -> None:
    sizes = list(product((3, 6, 7, 9), (1, 2, 7)))
    asked = ViolatingSettings([counting(*each) for each in sizes], "claim", Limits(steps_max=20))
    asked.run()
    broken = {sizes[number]: trace.length for number, trace in asked.found.items()}
    assert broken == {(7, 1): 7, (9, 1): 7, (7, 7): 1, (9, 7): 1}
    assert asked.is_complete


def named(system: System) -> System:
    """The same with names by which its rules are told apart, as those of protocols are."""
    rules = (
        replace(rule, binding=(("number", str(number)),))
        for number, rule in enumerate(system.rules)
    )
    return replace(system, rules=tuple(rules))


@pytest.mark.parametrize("part", range(4))
def test_random_systems_joined_come_to_what_each_comes_to(part: int) -> None:
    """Systems that have nothing to do with each other, as if they were settings of one."""
    for first in range(part * 40, part * 40 + 40, 4):
        alike = [named(loose(seed, processes_max=3)) for seed in range(first, first + 4)]
        by_kind = [s for s in alike if s.properties[0].kind is alike[0].properties[0].kind]
        asked = ViolatingSettings(by_kind, "property0", Limits(steps_max=4))
        asked.run()
        for number, system in enumerate(by_kind):
            full = check_bounded(system, Limits(steps_max=4), only={"property0"})
            alone = next(each for each in full.verdicts if each.property == "property0")
            found = asked.found.get(number)
            assert (None if found is None else found.length) == alone.steps


def test_joined_systems_know_which_ids_are_given_again() -> None:
    """What waits under a name that another one gets is not asked, joined or not."""
    system = build(OFFICE.make(), OFFICE.families)
    for name in ("served-waits-again", "somebody-is-served"):
        together = joined([system, system], name).system
        verdicts = [
            next(each.word for each in check(every).verdicts if each.property == name)
            for every in (system, together)
        ]
        assert verdicts == [OFFICE.expected.get(name, "holds")] * 2


def test_a_run_of_one_system_is_shown_as_its_own() -> None:
    together = joined([counting(9, 2), counting(9, 1)], "claim")
    full = check(together.system)
    verdict = full.verdicts[0]
    assert verdict.word is Word.VIOLATED
    assert verdict.trace is not None
    own = together.own(verdict.trace)
    assert own.states == tuple((number,) for number in range(8))


def test_the_weakest_are_those_without_a_weaker_one() -> None:
    axes = (Axis("bounds.a", (1, 2)), Axis("bounds.b", (1, 2)))
    bad = Verdict("p", Word.VIOLATED)
    places = [(0, 1), (1, 0), (1, 1)]
    told = [PointVerdict(Point(axes, place), bad) for place in places]
    spec = which(reader(LOST), [], "commit-completeness", Limits(), None).spec
    found = Which(spec, "p", tuple(told))
    assert [each.setting.places for each in found.weakest] == [(0, 1), (1, 0)]


@pytest.mark.parametrize("text", ["options.x", "=1", "a..b=1", "options.x=", "search.states=1"])
def test_what_is_no_axis_is_refused(text: str) -> None:
    with pytest.raises(FinaleError, match="not a key of a spec") as caught:
        axis_in(text)
    assert caught.value.code == "bad-vary"


def test_a_range_is_refused_before_it_is_made() -> None:
    with pytest.raises(FinaleError, match="has more than 1000 values"):
        axis_in("bounds.checkpoints=0..99999999999")
    assert len(axis_in("bounds.checkpoints=1..1000").values) == 1000


def test_values_are_as_in_a_spec() -> None:
    assert axis_in("options.x=true,no,3..5").values == (True, "no", 3, 4, 5)
