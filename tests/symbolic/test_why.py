"""What a proof needs: what is left out as superfluous, and what the property falls without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.proofs.needed import (
    ClaimPart,
    Explaining,
    NeededGuard,
    OptionChoice,
    ProofNeeds,
    Without,
    alternatives,
    guard_text,
    sides_of,
)
from finale.checker.proofs.prove import Proving
from finale.checker.report.why import why_json, why_lines
from finale.checker.search.bfs.search import check
from finale.checker.search.limits import Limits
from finale.checker.search.run import chosen
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.model.language.guards import Guard, watching
from finale.model.protocols.finish_options import FinalCheckpointOptions
from tests.protocols.specs import FILES, name_of, spec_of

INVARIANT = ("commits-are-decided", "commit-needs-all", "known-is-said", "promise-is-kept")
#: Which of them falls where a condition is left out of a rule.
FALLS = {
    ("receive_commit", "self.decision == Decision.COMMIT"): "commits-are-decided",
    (
        "decide_commit",
        "all(manager.prepared_received for manager in self.managers)",
    ): "commit-needs-all",
    ("receive_prepared", "manager.prepared_sent"): "known-is-said",
    ("choose_to_abort", "manager.status == ManagerStatus.WORKING"): "promise-is-kept",
}
SIDES = """
def one(it):
    return it.a and not it.b

def one_of(it):
    return (
        it.a
        or it.b and it.c
    )

def twice(it):
    return (it.a and it.b) and it.c
"""


def claim(name: str) -> Spec:
    return spec_of(next(file for file in FILES if name_of(file) == name))


def two_phase(managers: int) -> Spec:
    spec = claim("two-phase-commit/three-managers.toml")
    return replace(spec, setting=replace(spec.setting, sizes={"managers": managers}))


def explained(spec: Spec, name: str, limits: Limits | None = None) -> ProofNeeds:
    proving = Proving(spec.system(chosen(spec, {name})), Limits())
    proven = proving.prove(proving.asked([name])[0]).proven
    assert proven is not None
    return Explaining(spec, limits or Limits()).explain(proven)


def guards_of(spec: Spec) -> list[Guard]:
    with watching() as watch:
        spec.system(())
    return sorted(watch.met)


# --- given ---------------------------------------------------------------------------------------


def test_the_invariant_of_ten_managers_is_kept() -> None:
    spec = two_phase(10)
    system = spec.system(chosen(spec, ["agreement", *INVARIANT]))
    proving = Proving(system, Limits(), given=INVARIANT)
    proven = proving.prove(proving.asked(["agreement"])[0]).proven
    assert proven is not None
    assert (proven.given, proven.cubes) == (tuple(sorted(INVARIANT)), ())
    assert proven.checked == 1 + len(system.rules)


@pytest.mark.parametrize("missing", INVARIANT)
def test_less_of_it_is_not_enough(missing: str) -> None:
    spec = two_phase(3)
    given = [name for name in INVARIANT if name != missing]
    proving = Proving(spec.system(chosen(spec, ["agreement", *given])), Limits(), given=given)
    found = proving.prove(proving.asked(["agreement"])[0]).verdict
    assert found.word is Word.UNKNOWN
    assert found.why.startswith(("a clause is not kept by", "the clauses do not rule out"))


@pytest.mark.parametrize(("where", "name"), FALLS.items(), ids=FALLS.values())
def test_each_part_of_it_can_fall(where: tuple[str, str], name: str) -> None:
    spec = two_phase(2)
    guard = next(each for each in guards_of(spec) if guard_text(each) == where)
    with watching(frozenset([guard])):
        report = check(spec.system(chosen(spec, {name})))
    answer = next(each for each in report.verdicts if each.property == name)
    assert answer.word is Word.VIOLATED


# --- guards --------------------------------------------------------------------------------------


def test_what_agreement_needs() -> None:
    why = explained(two_phase(2), "agreement")
    free = {guard_text(each) for each in why.free}
    assert free == {
        ("prepare", "manager.status == ManagerStatus.WORKING"),
        ("receive_prepared", "self.decision == Decision.NONE"),
    }
    needed = {guard_text(each.guard): each.without for each in why.needed}
    assert {each.word for each in needed.values()} == {"violated"}
    assert needed["receive_commit", "self.decision == Decision.COMMIT"].steps == 2
    assert needed["agreement", "one.has_committed"].steps == 1
    assert not needed.keys() & free
    assert len(needed) == 8


@pytest.mark.parametrize(
    ("name", "asked", "count"),
    [
        ("two-phase-commit/three-managers.toml", "agreement", 2),
        # Its clause is the claim itself, which has a `when` that the initial state needs.
        ("final-checkpoint/pair.toml", "end-of-partition-after-close", 49),
        pytest.param(
            "final-checkpoint/pair.toml", "waiting-tasks-are-reached", 49, marks=pytest.mark.slow
        ),
    ],
)
def test_what_is_in_no_core_is_what_can_be_left_out_one_by_one(
    name: str, asked: str, count: int
) -> None:
    spec = claim(name)
    proving = Proving(spec.system(chosen(spec, {asked})), Limits())
    proven = proving.prove(proving.asked([asked])[0]).proven
    assert proven is not None
    explaining = Explaining(spec, Limits())
    by_core = list(explaining.left_out(proven))
    assert set(by_core) == set(explaining.left_out(proven, by_core=False))
    assert len(by_core) == count


def test_where_no_core_is_known_it_is_found_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = two_phase(2)
    proving = Proving(spec.system(chosen(spec, {"agreement"})), Limits())
    proven = proving.prove(proving.asked(["agreement"])[0]).proven
    assert proven is not None
    monkeypatch.setattr(Proving, "core", lambda *_: None)
    assert len(list(Explaining(spec, Limits()).left_out(proven))) == 2


def test_what_is_said_to_fall_falls_and_what_is_said_to_be_free_is_free() -> None:
    spec = two_phase(2)
    why = explained(spec, "agreement")
    with watching(frozenset(why.free)):
        report = check(spec.system())
    assert not any(each.word is Word.VIOLATED for each in report.verdicts)
    for needed in why.needed:
        with watching(frozenset([needed.guard])):
            report = check(spec.system())
        answer = next(each for each in report.verdicts if each.property == "agreement")
        assert answer.steps == needed.without.steps


def test_nothing_is_left_out_where_nobody_asks() -> None:
    spec = two_phase(2)
    before = check(spec.system()).statistics.states
    with watching(frozenset(guards_of(spec))):
        pass
    assert check(spec.system()).statistics.states == before


def test_when_the_time_is_over_it_says_so() -> None:
    why = explained(two_phase(2), "agreement", Limits(seconds_max=0.001))
    assert why.stopped == "the limit of 0.001 seconds"
    assert (why.needed, why.options) == ((), ())


def test_a_guard_is_told_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text(
        "def leave(task):\n    require(\n        task.runs\n        and task.ends,"
        "\n        lambda: task.inputs,\n    )\n"
    )
    assert guard_text(Guard(str(file), 2, 0)) == ("leave", "task.runs and task.ends")
    assert guard_text(Guard(str(file), 2, 1)) == ("leave", "task.inputs")
    assert guard_text(Guard(str(file), 9, 0)) == ("", "?")


def test_parts_of_a_claim_rest_on_clauses() -> None:
    spec = claim("final-checkpoint/pair.toml")
    known = {
        "no-data-after-end-of-data": {
            "not channel.queue.holds(Data)": 8,
            "not channel.queue.holds(EndOfData)": 7,
        },
        "end-of-partition-after-close": {
            "writer.is_closed": 0,
            "out": 0,
            "writer.inputs_ended": 0,
        },
        "close-after-acknowledgement": {},
    }
    for name, parts in known.items():
        proving = Proving(spec.system(chosen(spec, {name})), Limits())
        proven = proving.prove(proving.asked([name])[0]).proven
        assert proven is not None
        found = Explaining(spec, Limits()).parts(proven)
        assert {guard_text(each.operand)[1]: each.clauses for each in found} == parts


def test_the_sides_of_a_claim_are_told_as_they_are_written(tmp_path: Path) -> None:
    file = tmp_path / "claims.py"
    file.write_text(SIDES)
    code = compile(SIDES, str(file), "exec")
    names: dict[str, Callable[[object], object]] = {}
    exec(code, names)
    said = {
        name: [guard_text(each)[1] for each in sides_of(names[name], either)]
        for name, either in (("one", False), ("one_of", True), ("twice", False))
    }
    assert said == {"one": ["it.a", "not it.b"], "one_of": ["it.a", "it.b and it.c"], "twice": []}


# --- options -------------------------------------------------------------------------------------


def test_the_values_of_options() -> None:
    found = dict(alternatives(FinalCheckpointOptions))
    assert found["waits_for_acknowledgement"] == (False, True)
    assert [getattr(each, "value", each) for each in found["finish_race"]] == ["abort", "retrigger"]


def test_as_json_and_as_a_page() -> None:
    first, *_, last = guards_of(two_phase(1))
    option = OptionChoice("race", "abort", "hang", Without("violated", 12))
    none = NeededGuard(first, Without("no system"))
    needed = (NeededGuard(last, Without("violated", 9)), none)
    claimed = catalogue().properties["end-of-partition-after-close"].mark.function
    parts = tuple(map(ClaimPart, sides_of(claimed, either=False), (None, 0, 2)))
    why = ProofNeeds("agreement", (first,), needed, (option,), 1.0, "the limit of 1 second", parts)
    row = why_json(why)
    assert row["free"] == [
        {
            "in": "prepare",
            "condition": "manager.status == ManagerStatus.WORKING",
            "file": "two_phase_commit.py",
            "line": first.line,
        }
    ]
    assert row["options"] == [
        {"option": "race", "is": "abort", "other": "hang", "without": "violated", "steps": 12}
    ]
    assert row["parts"] == [
        {
            "in": "end_of_partition_after_close",
            "condition": condition,
            "file": "channels.py",
            "line": parts[0].operand.lines[0],
            "clauses": clauses,
        }
        for condition, clauses in (
            ("writer.is_closed", None),
            ("out", 0),
            ("writer.inputs_ended", 2),
        )
    ]
    page = [line.plain.rstrip() for line in why_lines(why, 100)]
    assert page == [
        "    why agreement · 1 s",
        "      without one of these",
        "        it falls, 9 steps  receive_abort  self.decision == Decision.ABORT",
        "      it holds without all of these together",
        "        prepare  manager.status == ManagerStatus.WORKING",
        "      of what it claims",
        "        is kept only with the others  writer.is_closed",
        "        is kept by itself             out",
        "        rests on 2 clauses            writer.inputs_ended",
        "      1 condition more can only keep out a rule that these options have not.",
        "      with another option it falls",
        "        race = hang (12 steps)",
        "      not all was asked: the limit of 1 second",
    ]
