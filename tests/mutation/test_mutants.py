"""Mutants are what they claim to be, and conformance finds mistakes of each kind."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutation.bench import Bench, Verdict
from tests.mutation.bugs import bugs
from tests.mutation.depends import modules_of
from tests.mutation.kept import Kept
from tests.mutation.mutants import ROOT, Mutant, all_mutants, drawn, mutants_of
from tests.mutation.runs import RUN
from tests.mutation.specs import CUT, LARGER, SMALL, file_of

SOURCE = b'''
class A:
    def f(self, x):
        """Not this: 1."""
        assert x > 0
        self.a.add(x)
        self.b = 1
        yield x > 2 and not self.done
        if x is None:
            return
        for each in (e for e in self.all if any(e)):
            self.phase = Phase.RUNNING
'''


ADDS, SETS = "self.a.add(x)", "self.b = 1"


def test_each_operator_finds_its_places() -> None:
    found = {(m.operator, m.before, m.after) for m in mutants_of("a.py", SOURCE)}
    assert found >= {
        ("drop-statement", "self.a.add(x)", "pass"),
        ("drop-statement", "return", "pass"),
        (
            "swap-statements",
            "self.a.add(x)\n        self.b = 1",
            "self.b = 1\n        self.a.add(x)",
        ),
        ("add-discard", "self.a.add", "(self.a.discard)"),
        ("constant", "1", "(2)"),
        ("constant", "2", "(1)"),
        ("compare", "x > 2", "(x >= 2)"),
        ("and-or", "x > 2 and not self.done", "(x > 2 or not self.done)"),
        ("drop-conjunct", "x > 2 and not self.done", "(x > 2)"),
        ("drop-not", "not self.done", "(self.done)"),
        ("negate", "x is None", "(not x is None)"),
        ("any-all", "any", "(all)"),
        ("drop-filter", "any(e)", "(True)"),
        ("member", "Phase.RUNNING", "(Phase.CLOSED)"),
    }
    assert not any("x > 0" in before or "Not this" in before for _, before, _ in found)
    assert {m.function for m in mutants_of("a.py", SOURCE)} == {"A.f"}


def test_mutants_are_python_differ_and_have_names_of_their_own() -> None:
    everyone = all_mutants()
    assert len(everyone) > 1_000
    assert len({mutant.id for mutant in everyone}) == len(everyone)
    for mutant in drawn(40):
        source = (ROOT / mutant.file).read_bytes()
        changed = mutant.applied(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))


def test_the_same_seed_draws_the_same() -> None:
    assert drawn(50) == drawn(50)
    assert drawn(50) != drawn(50, seed=1)


def test_who_is_drawn_stays_so_where_others_come() -> None:
    few = {mutant.id for mutant in drawn(50)}
    assert few < {mutant.id for mutant in drawn(60)}


PAIR = "final-checkpoint/pair"


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench([PAIR], lambda line: None)


def mutant(file: str, before: str, after: str) -> Mutant:
    source = (ROOT / file).read_text()
    (found,) = (
        m
        for m in mutants_of(file, source.encode())
        if m.before == before and m.after == after and m.function.endswith(".quiesce")
    )
    return found


FINAL = "reference/protocols/final_checkpoint.py"
GUARD = "task.phase is Phase.FINISHING and self.may_close(task)"


def test_what_differs_is_killed(bench: Bench) -> None:
    verdict = bench.judge(mutant(FINAL, GUARD, "(task.phase is Phase.FINISHING)"))
    assert (verdict.kind, verdict.spec) == ("differs", PAIR)
    assert "only the engine can take quiesce(S)" in verdict.said


def test_the_engine_itself_survives_and_what_raises_is_told(bench: Bench) -> None:
    source = (ROOT / FINAL).read_bytes()
    start = source.index(GUARD.encode())
    line = source[:start].count(b"\n") + 1
    same = Mutant(FINAL, "FinalCheckpoint.quiesce", line, "none", start, start, "", "")
    assert bench.judge(same).kind == "survives"
    raises = replace(same, after="nobody and ")
    verdict = bench.judge(raises)
    assert verdict.kind == "crash"
    assert "nobody" in verdict.said


def test_a_random_run_tells_what_no_spec_uses() -> None:
    """A coordinator that runs long forgets; in lock-step it does not."""
    path = "reference/coordinator.py"
    changed = mutants_of(path, (ROOT / path).read_bytes())
    wrong = next(m for m in changed if m.after == "(number not in kept)")
    bench = Bench([PAIR, f"{RUN}0"], lambda line: None)
    assert [each.name for each in bench.concerned(wrong)] == [f"{RUN}0"]
    assert bench.judge(wrong).kind == "differs"
    # The run goes over a process that ends: what begins anew must be of the mutant, too.
    assert bench.judge(replace(wrong, after=wrong.before)).kind == "survives"


def test_a_verdict_holds_as_long_as_what_told_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = drawn(2)
    digests = {"a": "1", "b": "2", "c": "3"}
    monkeypatch.setattr("tests.mutation.kept.about", digests.get)
    kept = Kept(digests, tmp_path / "new" / "verdicts")
    kept.add(one, Verdict("differs", "b", "x"), ["b"])
    kept.add(other, Verdict("survives"), ["a", "b"])
    digests["a"] = "4"
    kept = Kept(digests, kept.file)
    assert kept.verdict(one) == Verdict("differs", "b", "x")
    assert (kept.left(one, digests), kept.left(other, digests)) == (set(), {"a", "c"})
    digests["b"] = "5"
    kept = Kept(digests, kept.file)
    assert kept.verdict(one).kind == "survives"
    assert kept.left(one, digests) == set(digests)


def test_a_trial_depends_on_its_protocol_alone() -> None:
    of_final, of_stops = map(modules_of, (PAIR, "stop-with-savepoint/pair"))
    assert {
        "finale.reference.coordinator",
        "finale.model.protocols.final_checkpoint",
    } <= of_final & of_stops
    assert {
        "finale.reference.stopping",
        "finale.model.protocols.stop_with_savepoint",
    } <= of_stops - of_final
    assert "tests.engine_runs.microsteps" in modules_of(f"{CUT}{PAIR}") - of_final


def test_bugs_of_the_past_are_in_places_that_stand() -> None:
    assert len(bugs()) >= 20
    assert len({bug.id for bug in bugs()}) == len(bugs())


def test_every_spec_stands() -> None:
    assert all(file_of(name).is_file() for name in (*SMALL, *LARGER))
