"""What differs under a change is found: verdicts, rules, lines. Bad input is told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from finale.checker.page.review import review_page
from finale.checker.report.about import overrides_words, reached_words
from finale.checker.report.markdown import inline
from finale.checker.report.review import review_json, review_lines
from finale.checker.report.review_markdown import review_markdown
from finale.checker.review.change import Change
from finale.checker.review.review import Progress
from finale.checker.review.verdicts import Direction
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.overriding import Member
from finale.model.errors import FinaleError, Place
from tests.cli.running import run
from tests.review.reviewing import reviewed, said, specs_of

TWO_PHASE = specs_of("two-phase-commit")
CONNECTOR = specs_of("connector")

STOP = '''"""A protocol of two workers."""

from finale.model.rules import WEAK, Bool, Entity, Protocol, always, field, reachable, require, rule


class Worker(Entity):
    """Goes, and stops."""

    stopped = field(Bool, False)


class Stop(Protocol):
    """Workers stop by themselves."""

    key = "stop"

    def __init__(self, setting):
        super().__init__(setting)
        self.workers = (Worker("a"), Worker("b"))

    def entities(self):
        return self.workers

    def terminal(self) -> bool:
        return all(worker.stopped for worker in self.workers)

    def leads(self) -> bool:
        return self.workers[0].stopped

    @rule(fair=WEAK)
    def stop(self, worker: Worker) -> None:
        """A worker stops."""
        require(not worker.stopped, worker == self.workers[0] or self.workers[0].stopped)
        worker.stopped = True


@always(witness="stops")
def a_before_b(state: Stop) -> bool:
    """The second worker never stops alone."""
    return not state.workers[1].stopped or state.leads()


@always(witness="stops")
def trivial(state: Stop) -> bool:
    """Nothing is wrong."""
    return True


@reachable
def stops(state: Stop) -> bool:
    """Some worker stops."""
    return any(worker.stopped for worker in state.workers)


PROTOCOLS = (Stop,)
PROPERTIES = (a_before_b, trivial, stops)
'''
VARIANT = '''"""A variant."""

from finale.model.rules import WEAK, field, Bool, Bound, Range, require, rule, step, define

from .stop import Stop, Worker


class Other(Stop):
    """Stop, and something is different."""

{body}

VARIANTS = {{"other": Other}}
'''
SPEC = 'title = "Workers stop"\nprotocol = "stop"\n'


def folder_of(path: Path, body: str) -> Path:
    (path / "mine").mkdir()
    (path / "mine" / "stop.py").write_text(STOP)
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    (path / "mine" / "other.py").write_text(VARIANT.format(body=lines))
    (path / "stop.toml").write_text(SPEC)
    return path / "mine"


NEVER = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops, if the first one goes on."""
    require(not worker.stopped, not self.workers[0].stopped)
    if self.workers[0].stopped:
        worker.stopped = False
    else:
        worker.stopped = True
'''


def test_new_violations_come_first_with_a_shortest_run() -> None:
    found = reviewed(Change("two-phase-commit", "withdraws"), TWO_PHASE)
    assert [said(each) for each in found.findings] == [
        ("newly violated", "agreement", 4, 7),
        ("newly violated", "promise-is-kept", 4, 2),  # asked on request
    ]
    assert found.rules == {"choose_to_abort": (4, 4)}
    assert found.exit is Exit.FAILED
    assert not found.remarks


def test_what_one_run_breaks_is_one_finding() -> None:
    found = reviewed(Change("two-phase-commit", "withdraws"), TWO_PHASE)
    assert [[each.property for each in run] for run in found.runs] == [
        ["agreement", "promise-is-kept"]
    ]
    assert review_json(found)["runs"] == [["agreement", "promise-is-kept"]]
    (line,) = [each.plain for each in review_lines(found, 200) if "newly violated in" in each.plain]
    assert "agreement, promise-is-kept  newly violated in 4 of 4 settings · 7 steps" in line
    told = " ".join(each.plain for each in review_lines(found, 200))
    assert re.search(r"step \d+, choose_to_abort\(\w+\), is no step without the change", told), told


def test_a_comment_has_the_verdict_a_table_and_each_new_run_folded() -> None:
    found = reviewed(Change("two-phase-commit", "withdraws"), TWO_PHASE)
    comment = review_markdown([found])
    assert "**❌ A verdict is worse.**" in comment
    violated = [run for run in found.runs if run[0].direction is Direction.VIOLATED]
    assert violated
    assert comment.count("<details>") == len(violated) + len(found.new_flips)
    for same in violated:
        assert inline(", ".join(each.property for each in same)) in comment
        assert f"--property {same[0].property} --variant withdraws" in comment
    assert comment.count("````") == 2 * comment.count("<details>")
    many = review_markdown([found] * 200)
    assert 50_000 < len(many) < 65_536
    assert "does not fit into a comment" in many
    assert many.count("<details>") == many.count("</details>")


def test_a_comment_says_that_nothing_is_worse() -> None:
    found = reviewed(Change("two-phase-commit", None), TWO_PHASE)
    comment = review_markdown([found])
    assert "**✅ No verdict is worse.**" in comment
    assert "<details>" not in comment


def test_how_far_a_review_is_tells_what_fell_and_the_time_left() -> None:
    told: list[Progress] = []
    reviewed(Change("two-phase-commit", "withdraws"), TWO_PHASE, look=told.append)
    assert {each.count for each in told} == {4}
    assert set(told[-1].fallen) == {"promise-is-kept", "agreement"}
    assert told[-1].seconds_left is not None


def test_the_other_way_round_is_mended() -> None:
    bug = {"last_commit": "at-once"}
    change = Change("connector", None, tuple((f"options.{k}", v) for k, v in bug.items()))
    found = reviewed(change, CONNECTOR)
    assert ("newly violated", "delivered-once") in {said(each)[:2] for each in found.findings}
    good = Change("connector", None, (("options.last_commit", "when-delivered"),))
    found = reviewed(good, CONNECTOR)
    assert ("mended", "delivered-once") in {said(each)[:2] for each in found.findings}
    assert found.exit is Exit.AS_EXPECTED


def test_a_run_of_both_systems_is_kept_and_found_again(tmp_path: Path) -> None:
    from finale.checker.cache.store import Store

    known = catalogue(None, Store(tmp_path))
    change = Change("two-phase-commit", "withdraws")
    first, again = (reviewed(change, TWO_PHASE, known=known) for _ in range(2))
    assert [said(each) for each in first.findings] == [said(each) for each in again.findings]
    assert all(each.pair.changed.cached for each in again.tried)
    assert first.rules == again.rules


def test_several_processes_find_the_same() -> None:
    change = Change("two-phase-commit", "withdraws")
    one, two = (reviewed(change, TWO_PHASE, jobs=jobs) for jobs in (1, 2))
    assert [said(each) for each in one.findings] == [said(each) for each in two.findings]


def test_lines_that_no_run_reaches_are_told(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, NEVER))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    (method,) = found.coverage.methods
    assert (method.lines, method.unreached) == ((14, 15, 16, 18), (16,))
    assert [each.message for each in found.remarks] == ["no run reached line 16 of Other.stop"]


LATE = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """The second worker stops behind the first one."""
    require(not worker.stopped)
    if self.workers[0].stopped:
        require(self.may_follow(worker))
        worker.stopped = True
    else:
        require(worker == self.workers[0])
        worker.stopped = True

def may_follow(self, worker: Worker) -> bool:
    return worker == self.workers[1]
'''


@pytest.mark.parametrize("states_max", [1, 100])
def test_lines_of_states_that_were_not_run_are_not_called_unreached(
    states_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A helper without branches is seen line by line alone, and only some states are run so."""
    monkeypatch.setattr("finale.checker.review.lines.STATES_MAX", states_max)
    known = catalogue(folder_of(tmp_path, LATE))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    helper = next(each for each in found.coverage.methods if each.of.member.name == "may_follow")
    assert not helper.unreached
    assert bool(helper.unknown) == (states_max == 1)
    assert not [each for each in found.remarks if each.kind == "unreached"]
    told = "0 of 1 line reached, 1 unknown" if states_max == 1 else "all lines reached"
    assert reached_words(helper) == told


ASKED = """def terminal(self) -> bool:
    if self.leads():
        return self.workers[1].stopped
    return False

def leads(self) -> bool:
    if not self.workers[1].stopped:
        return self.workers[0].stopped
    if self.workers[0].stopped:
        return True
    return False
"""


def test_lines_that_only_the_end_or_a_property_runs(tmp_path: Path) -> None:
    """No rule asks them; states in which only the second worker has stopped do not exist."""
    known = catalogue(folder_of(tmp_path, ASKED))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    told = {each.of.member.name: (each.lines, each.unreached) for each in found.coverage.methods}
    assert told["terminal"] == ((12, 13, 14), ())
    assert told["leads"] == ((17, 18, 19, 20, 21), (21,))


GUARD = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(not worker.stopped, self.may_stop(worker))
    if not worker.stopped:
        for other in self.workers[2:]:
            other.stopped = False
        worker.stopped = True
        return
    worker.stopped = False
    worker.stopped = True

@define
def may_stop(self, worker: Worker) -> bool:
    if worker in self.workers:
        return True
    return worker.stopped
'''


@pytest.mark.parametrize("states_max", [1, 100])
def test_lines_behind_a_guard_and_in_a_loop_over_nothing(
    states_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search knows the outcomes of tests; a run line by line, whether a loop has items."""
    monkeypatch.setattr("finale.checker.review.lines.STATES_MAX", states_max)
    known = catalogue(folder_of(tmp_path, GUARD))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    rule, helper = found.coverage.methods
    assert rule.left == (17, 20, 21)
    assert rule.unknown == ((17,) if states_max == 1 else ())
    assert helper.left == (27,)
    assert helper.unknown == ((27,) if states_max == 1 else ())
    words = "5 of 8 lines reached"
    assert reached_words(rule) == (f"{words}, 1 unknown" if states_max == 1 else words)


LIMITED = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(not worker.stopped)
    if worker == self.workers[1]:
        worker.stopped = True
    worker.stopped = True

@rule
def stop_second(self) -> None:
    """The second worker stops, if the first one has."""
    require(self.workers[0].stopped, not self.workers[1].stopped)
    self.workers[1].stopped = True
'''


@pytest.mark.parametrize("states_max", [2, 100])
def test_lines_behind_the_limit_of_a_search_are_unknown(
    states_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that came to a limit tells neither of branches nor of rules that it did not take."""
    monkeypatch.setattr("finale.checker.review.lines.STATES_MAX", 1)
    known = catalogue(folder_of(tmp_path, LIMITED))
    found = reviewed(
        Change("stop", "other"), [tmp_path / "stop.toml"], known=known, states_max=states_max
    )
    assert [each.unreached for each in found.coverage.methods] == [(), ()]
    unknown = [(16,), (22, 23)] if states_max == 2 else [(), ()]
    assert [each.unknown for each in found.coverage.methods] == unknown


BLOCKED = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(not worker.stopped, worker == self.workers[0] or self.workers[0].stopped)
    if worker == self.workers[1]:
        self.refuse(worker)
    self.finish(worker)

@rule
def again(self) -> None:
    """Never: the guard comes last."""
    self.workers[0].stopped = True
    require(not self.workers[0].stopped)

@step
def refuse(self, worker: Worker) -> None:
    worker.stopped = False
    require(worker.stopped)

@step
def finish(self, worker: Worker) -> None:
    require(self.may_finish(worker))
    worker.stopped = True

@define
def may_finish(self, worker: Worker) -> bool:
    if worker.stopped:
        return False
    return True
'''


@pytest.mark.parametrize("states_max", [1, 100])
def test_an_attempt_that_is_blocked_reaches_no_line_of_a_rule(
    states_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step is taken or not as a whole. A helper that only reads runs for a guard, too."""
    monkeypatch.setattr("finale.checker.review.lines.STATES_MAX", states_max)
    known = catalogue(folder_of(tmp_path, BLOCKED))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    assert not found.errors
    rule, again, refuse, finish, _ = found.coverage.methods
    assert (rule.unreached, rule.unknown) == ((16,), ())
    assert again.is_dead
    assert refuse.left == refuse.lines
    assert not finish.left
    assert "no run reached Other.again" in [each.message for each in found.remarks]


DENIED = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(self.may_stop(worker))
    worker.stopped = True

@define
def may_stop(self, worker: Worker) -> bool:
    if worker.stopped:
        return False
    return worker == self.workers[0] or self.workers[0].stopped
'''


@pytest.mark.parametrize("states_max", [1, 100])
def test_a_guard_that_says_no_is_seen_line_by_line_alone(
    states_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search takes no rule with this outcome."""
    monkeypatch.setattr("finale.checker.review.lines.STATES_MAX", states_max)
    known = catalogue(folder_of(tmp_path, DENIED))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    helper = found.coverage.methods[1]
    assert (helper.unreached, helper.unknown) == ((), (20,) if states_max == 1 else ())


CALLED = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops, and goes on at once."""
    require(not worker.stopped)
    worker.stopped = True
    self.late(worker)

@rule
def late(self, worker: Worker) -> None:
    """Enabled within the other rule alone."""
    require(worker.stopped)
    worker.stopped = False
'''


def test_a_rule_that_another_one_calls_is_reached_there(tmp_path: Path) -> None:
    """No search takes it, and its lines run."""
    known = catalogue(folder_of(tmp_path, CALLED))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    assert not found.errors
    assert {reached_words(each) for each in found.coverage.methods} == {"all lines reached"}
    assert not [each for each in found.remarks if each.kind == "unreached"]


BESIDE = '''@rule
def late(self, worker: Worker) -> None:
    """Never enabled, and called by nobody."""
    require(worker == self.workers[1], worker.stopped, not self.workers[0].stopped)
    worker.stopped = False
'''


def test_a_rule_that_no_search_took_and_nobody_calls_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.checker.review.lines._interpreted", None)
    known = catalogue(folder_of(tmp_path, BESIDE))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    assert [each.message for each in found.remarks] == ["no run reached Other.late"]


NESTED = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(not worker.stopped, worker == self.workers[0] or self.workers[0].stopped)
    def halt(one):
        one.stopped = True
    def unused(one):
        one.stopped = False
    halt(worker)
    is_first = lambda one: (
        one == self.workers[0]
    )
    if is_first(worker):
        return
'''


def test_lines_of_a_function_in_a_function(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, NESTED))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    assert not found.errors
    (rule,) = found.coverage.methods
    assert (rule.unreached, rule.unknown) == ((18,), ())


def test_lines_are_unknown_if_settings_were_left_out(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, NEVER))
    (tmp_path / "two.toml").write_text(f"{SPEC}[sizes]\n")
    found = reviewed(
        Change("stop", "other"),
        [tmp_path / "stop.toml", tmp_path / "two.toml"],
        known=known,
        until=lambda _: True,
    )
    (method,) = found.coverage.methods
    assert (method.unreached, method.unknown) == ((), (16,))


def test_a_search_with_a_limit_spoils_no_later_review(tmp_path: Path) -> None:
    """With the limit nobody knows that two systems are the same, and this is not kept."""
    from finale.checker.cache.store import Store

    folder = folder_of(tmp_path, SAME)
    for states_max in (1, None):
        store = Store(tmp_path / "cache")
        found = reviewed(
            Change("stop", "other"),
            [tmp_path / "stop.toml"],
            known=catalogue(folder, store),
            plain=catalogue(None, store),
            states_max=states_max,
        )
        assert found.is_same == (states_max is None)
    assert [each.kind for each in found.remarks] == ["changes-nothing"]


SAME = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(not worker.stopped, worker == self.workers[0] or self.workers[0].stopped)
    require(self.workers[0].stopped or not self.workers[1].stopped)
    worker.stopped = True
'''


SPREAD = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(not worker.stopped, worker == self.workers[0] or self.workers[0].stopped)
    self.finish(worker)

def finish(self, worker):
    for_ever: bool
    for_ever = (
        True
    )
    assert (
        for_ever
    )
    for one in (
        worker,
    ):
        one.stopped = (
            for_ever
        )
    for one in (
        ()
    ):
        one.stopped = (
            False
        )
'''


def test_a_statement_on_several_lines_is_reached_at_any_of_them(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, SPREAD))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    assert not found.errors
    method = found.coverage.methods[1]
    assert (method.lines, method.unreached) == ((19, 22, 25, 28, 31, 34), (34,))


FAULT = '''number = field(Range(0, 1), 1)

@rule
def count(self) -> None:
    """Somebody counts too far."""
    require(self.workers[0].stopped)
    self.number += 1

@rule
def count_again(self) -> None:
    """Nobody counts further."""
    require(self.number == 0)
    self.number = 1
'''


@pytest.mark.parametrize("states_max", [1, 100])
def test_a_run_into_a_fault_reaches_lines(
    states_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search does not tell of the rules and branches on the way to a fault. The counterexample
    is run line by line, however many states there are; nobody knows of other runs."""
    monkeypatch.setattr("finale.checker.review.lines.STATES_MAX", states_max)
    known = catalogue(folder_of(tmp_path, FAULT))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    assert [each.property for each in found.findings] == ["well-formed"]
    rule, never = found.coverage.methods
    assert not rule.left
    told = (never.unreached, never.unknown)
    assert told == (((), never.lines) if states_max == 1 else (never.lines, ()))


BLOCKING = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    if self.workers[0] == worker:
        worker.stopped = True
    elif self.workers[0].stopped:
        match worker.stopped:
            case _ if not worker.stopped:
                worker.stopped = True
            case _:
                require(False)
    elif worker.stopped:
        worker.stopped = False
        require(False)
    else:
        require(False)
'''


def test_a_line_that_blocks_the_rule_is_no_line_of_a_run(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, BLOCKING))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    (rule,) = found.coverage.methods
    assert (rule.lines, rule.left) == ((14, 15, 16, 17, 18, 19, 22, 23), (22, 23))


TWICE = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    super().stop(worker)
    worker.stopped = True
'''
ANOTHER = '''class Another(Other):
    """Stop, and other lines."""

    @rule(fair=WEAK)
    def stop(self, worker: Worker) -> None:
        """A worker stops."""
        require(not worker.stopped)
        worker.stopped = True

VARIANTS = {"other": Another}
'''


def test_a_rule_that_another_class_of_the_change_overrides(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, TWICE)
    text = (folder / "other.py").read_text().partition("VARIANTS")[0]
    (folder / "other.py").write_text(text + ANOTHER)
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=catalogue(folder))
    assert not found.errors
    told = {str(each.of.member): reached_words(each) for each in found.coverage.methods}
    assert told == {"Other.stop": "0 of 2 lines reached", "Another.stop": "all lines reached"}


MAKES = "from dataclasses import make_dataclass"
OWN_BOUND = '''Bounds = make_dataclass("B", [("asks", int, 2)], bases=(Stop.Bounds,), frozen=True)
asked = field(Range(0, Bound("asks")), 0)

@rule
def ask(self) -> None:
    """Somebody asks, so many times."""
    require(self.asked < self.bounds.asks)
    self.asked += 1
'''


def test_a_bound_that_only_the_change_has(tmp_path: Path) -> None:
    """A spec of the variant sets it; the base of this spec is the same without the bound."""
    folder = folder_of(tmp_path, OWN_BOUND)
    text = (folder / "other.py").read_text()
    (folder / "other.py").write_text(text.replace("from .stop", f"{MAKES}\nfrom .stop"))
    (tmp_path / "own.toml").write_text(f'{SPEC}variant = "other"\n[bounds]\nasks = 3\n')
    known = catalogue(folder)
    found = reviewed(Change("stop", "other"), [tmp_path / "own.toml"], known=known)
    (tried,) = found.tried
    assert tried.case.changed.protocol.__name__ == "Other"
    assert not found.errors
    checked = run("check own.toml --protocols mine", tmp_path)
    assert (checked.exit, checked.stderr) == (0, "")


def test_no_line_is_called_unreached_if_no_setting_was_searched(tmp_path: Path) -> None:
    """Here a mistake in the change ends the only search."""
    body = NEVER.replace("require(", "no_such_name(", 1)
    found = reviewed(
        Change("stop", "other"),
        [tmp_path / "stop.toml"],
        known=catalogue(folder_of(tmp_path, body)),
    )
    assert found.errors
    assert not found.remarks


UNUSED = """def halt(self, worker: Worker) -> None:
    worker.stopped = True
"""
COPY = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops."""
    require(worker == self.workers[0] or self.workers[0].stopped, not worker.stopped)
    worker.stopped = True
'''


def test_a_change_that_changes_nothing_is_told(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, f"{COPY}\n{UNUSED}"))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    assert [each.kind for each in found.remarks] == ["changes-nothing", "unused-helper"]
    assert found.remarks[0].message.endswith("; try specs with other settings (--specs)")
    assert not found.findings
    assert found.is_same


REVERSED = '''@rule(fair=WEAK)
def stop(self, worker: Worker) -> None:
    """A worker stops, the first one last."""
    require(not worker.stopped, worker == self.workers[1] or self.workers[1].stopped)
    worker.stopped = True
'''


def test_a_property_on_request_is_marked(tmp_path: Path) -> None:
    """A review asks all properties; finale check leaves those out that are asked on request."""
    folder = folder_of(tmp_path, REVERSED)
    text, asked = (folder / "stop.py").read_text(), '@always(witness="stops", on_request=True)'
    text = text.replace('@always(witness="stops")', asked, 1)
    (folder / "stop.py").write_text(text)
    assert "a-before-b" not in run("check stop.toml --protocols mine", tmp_path).stdout
    known = catalogue(folder)
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    told = "asked on request (--property a-before-b)"
    lines = [line.plain for line in review_lines(found, 200)]
    (line,) = (each for each in lines if "newly violated" in each)
    assert line.endswith(f"1 of 1 settings · 1 step · {told}")
    assert told in review_page([found], "Finale")
    findings = review_json(found)["findings"]
    assert isinstance(findings, list)
    assert [each["on_request"] for each in findings] == [True]


def test_the_page_lists_the_fields_of_a_variant(tmp_path: Path) -> None:
    body = (
        OWN_BOUND.partition("\n")[2].replace('Bound("asks")', "2").replace("self.bounds.asks", "2")
    )
    known = catalogue(folder_of(tmp_path, body))
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    page = review_page([found], "Finale")
    assert ">Other.asked</td><td>new</td>" in page


def test_a_class_that_a_variant_derives_from_is_named() -> None:
    """What is overridden may be defined further up."""

    class Base:
        def one(self) -> None: ...

    class Middle(Base): ...

    class Variant(Middle):
        def one(self) -> None: ...
        def two(self) -> None: ...

    class Beside(Base):
        def one(self) -> None: ...

    members = [
        Member(k, n, Place()) for k, n in ((Variant, "one"), (Variant, "two"), (Beside, "one"))
    ]
    head = f"{Base.__qualname__.rpartition('.')[0]}."
    assert [overrides_words(each).replace(head, "") for each in members] == [
        "overrides Middle, defined in Base",
        "new",
        "overrides Base",
    ]


def test_a_review_of_the_command_line(tmp_path: Path) -> None:
    folder_of(tmp_path, REVERSED)
    ran = run("review other --protocols mine --format json", tmp_path)
    (found,) = json.loads(ran.stdout)["reviews"]
    assert ran.exit == 1 == found["exit"]
    assert not found["same"]
    assert [(each["property"], each["direction"]) for each in found["findings"]] == [
        ("a-before-b", "violated")
    ]
    assert [each["rule"] for each in found["findings"][0]["trace"]["steps"]] == ["stop"]


def test_errors_of_a_variant_are_told_once(tmp_path: Path) -> None:
    folder_of(tmp_path, COPY.replace("not worker.stopped", "worker is not worker"))
    (tmp_path / "again.toml").write_text(SPEC + "[options]\n")
    ran = run("review other --protocols mine", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.count("error[rule-uses-is]") == 1
    assert not ran.stdout


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("review", "nothing-to-review"),
        ("review withdrawn", "unknown-variant"),
        ("review withdraws --protocols nowhere", "no-such-folder"),
        (f"review withdraws --specs {CONNECTOR[0]}", "no-cases"),
        ("review withdraws --specs stop.toml", "unknown-protocol"),
        ("review --set options.gate=none", "nothing-to-review"),
        ("review --set gate --of operator-coordinator", "bad-set"),
        ("review --set options.gate=a,b --of operator-coordinator", "bad-set"),
        ("review --set bounds.failures=1 --of operator-coordinator", "bad-set"),
        ("review --set options.gat=none --of operator-coordinator", "unknown-option"),
        ("review withdraws --stability -1", "bad-limit"),
        ("check stop.toml --variant withdraws --record --protocols mine", "variant-counts"),
        ("check stop.toml --variant othre --protocols mine", "unknown-variant"),
        ("report stop.toml --variant othre --protocols mine -o r.html", "unknown-variant"),
        ("report stop.toml --set gate --protocols mine -o r.html", "bad-set"),
        ("trace stop.toml --set options.gat=1 --protocols mine", "unknown-option"),
        ("trace stop.toml --variant other --minimise --protocols mine", "nothing-to-minimise"),
    ],
)
def test_bad_input(tmp_path: Path, line: str, code: str) -> None:
    folder_of(tmp_path, COPY)
    ran = run(line, tmp_path)
    assert ran.exit == 2
    assert f"error[{code}]" in ran.stderr


def test_a_variant_of_two_protocols_needs_the_protocol(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, COPY)
    text = (folder / "other.py").read_text().replace('"other"', '"withdraws"')
    (folder / "other.py").write_text(text)
    ran = run("review withdraws --protocols mine", tmp_path)
    assert "error[ambiguous-variant]" in ran.stderr
    assert run("review withdraws --of stop --protocols mine", tmp_path).exit == 0


def test_names_of_the_user_are_escaped(tmp_path: Path) -> None:
    folder_of(tmp_path, UNUSED + COPY)
    known = catalogue(tmp_path / "mine")
    evil = tmp_path / "e\x1b[31mvil.toml"
    evil.write_text(SPEC)
    found = reviewed(Change("stop", "other"), [evil], known=known)
    assert "\x1b" not in "\n".join(line.plain for line in review_lines(found, 80))
    json.dumps(review_json(found))


def test_no_case_of_the_protocol() -> None:
    with pytest.raises(FinaleError) as caught:
        reviewed(Change("two-phase-commit", "withdraws"), CONNECTOR)
    assert caught.value.code == "no-cases"


TWO = 'title = "Two-phase commit"\nprotocol = "two-phase-commit"\n[sizes]\nmanagers = {}\n'


def test_specs_of_the_user_are_tried_first(tmp_path: Path) -> None:
    own, same = tmp_path / "four.toml", tmp_path / "three.toml"
    own.write_text(TWO.format(4), encoding="utf-8")
    same.write_text(TWO.format(3), encoding="utf-8")  # a setting that Finale has, too
    found = reviewed(Change("two-phase-commit", "withdraws"), [*TWO_PHASE, own, same])
    assert {each.case.file for each in found.tried[:2]} == {own, same}


OPTION = '''"""Workers stop, or not."""

from dataclasses import dataclass

from finale.model.rules import Bool, Protocol, always, field, reachable, require, rule


@dataclass(frozen=True)
class Options:
    careful: bool = True


class Switch(Protocol):
    """A switch."""

    key = "switch"
    Options = Options
    is_on = field(Bool, False)
    is_hot = field(Bool, False)

    def terminal(self) -> bool:
        return True

    @rule
    def turn_on(self) -> None:
        """Somebody turns it on."""
        require(not self.is_on)
        self.is_on = True
        if not self.options.careful:
            self.is_hot = True


@always(witness="turns-on")
def stays_cool(state: Switch) -> bool:
    """It stays cool."""
    return not state.is_hot


@reachable
def turns_on(state: Switch) -> bool:
    """Somebody turns it on."""
    return state.is_on


PROTOCOLS = (Switch,)
PROPERTIES = (stays_cool, turns_on)
'''


CAREFUL = '''

class Careful(Switch):
    """A switch that is turned on with care, or refused."""

    def __init__(self, setting):
        super().__init__(setting)
        if not self.options.careful:
            raise FinaleError("careless", "it is not turned on so", advice="take care")

    @rule
    def turn_on(self) -> None:
        """Somebody turns it on."""
        require(not self.is_on)
        self.is_on = True


VARIANTS = {"careful": Careful}
'''


@pytest.mark.parametrize("others", [False, True])
def test_a_setting_that_is_refused_is_no_success(others: bool, tmp_path: Path) -> None:
    """One is enough: the answer is not about all settings, so no line is called unreached."""
    text = "from finale.model.errors import FinaleError\n" + OPTION.partition("\n")[2] + CAREFUL
    (tmp_path / "switch.py").write_text(text)
    title = 'title = "It stays cool"\nprotocol = "switch"\n'
    specs = [tmp_path / "careless.toml", tmp_path / "careful.toml"][: 1 + others]
    for file in specs:
        value = str(file.stem == "careful").lower()
        file.write_text(f"{title}[options]\ncareful = {value}\n")
    found = reviewed(Change("switch", "careful"), specs, known=catalogue(tmp_path))
    assert list(found.errors) == specs[:1]
    assert found.exit is Exit.BAD_INPUT
    rule = next(each for each in found.coverage.methods if each.of.role == "rule")
    assert (rule.unreached, rule.unknown) == ((), () if others else rule.lines)
    assert not [each for each in found.remarks if each.kind == "unreached"]


def test_the_command_of_a_finding_prints_its_run(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "switch.py").write_text(OPTION)
    (tmp_path / "switch.toml").write_text('title = "It stays cool"\nprotocol = "switch"\n')
    line = "--of switch --protocols mine --set options.careful=false --stability 0"
    ran = run(f"review {line} --format json", tmp_path)
    (review,) = json.loads(ran.stdout)["reviews"]
    (finding,) = review["findings"]
    words = finding["command"].removeprefix("finale ")
    assert "--set options.careful=false" in words
    assert f"      finale {words}\n" in run(f"review {line}", tmp_path, columns=60).stdout
    told = run(words, tmp_path)
    assert told.exit == 0
    assert "stays-cool is violated: 1 step" in told.stdout
    assert "--set options.careful=false" in told.stdout.partition("reproduce: ")[2]
    assert run(words.replace("trace", "report") + " -o r.html", tmp_path).exit == 0
    assert "options.careful = false" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_limit_of_states_holds_for_all_parts(tmp_path: Path) -> None:
    change = Change("two-phase-commit", "withdraws")
    found = reviewed(change, TWO_PHASE, stability=20.0, behaviours=20.0, states_max=2)
    assert found.stability is not None
    assert found.behaviours is not None
    assert {each.value for each in found.behaviours.relations} == {"unknown"}
    assert found.stability.searched == 0


def test_larger_bounds_that_nobody_searched_are_told() -> None:
    found = reviewed(Change("connector", "producer-hangs"), CONNECTOR, stability=1e-9)
    page = review_page([found], "Finale")
    text = "\n".join(line.plain for line in review_lines(found, 300))
    for told in (page, text):
        assert "ach bound one larger: 0 of " in told
        assert "--stability SECONDS gives more time" in told
        assert "othing that holds falls" not in told  # nobody has looked


def test_of_equally_short_runs_the_one_in_fewer_states_is_shown(tmp_path: Path) -> None:
    for number, name in ((4, "a"), (2, "b"), (3, "c")):
        (tmp_path / f"{name}.toml").write_text(TWO.format(number))
    found = reviewed(Change("two-phase-commit", "withdraws"), sorted(tmp_path.glob("*.toml")))
    (finding,) = (each for each in found.findings if each.property == "promise-is-kept")
    assert {difference.trace and difference.trace.length for _, difference in finding.shown} == {2}
    assert [tried.case.file.stem for tried, _ in finding.shown] == ["b", "c", "a"]


@pytest.mark.parametrize("part", ["stability_of", "behaviours_of"])
def test_an_interrupt_of_a_later_part_keeps_the_verdicts(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"finale.checker.review.review.{part}", interrupted)
    change = Change("two-phase-commit", "withdraws")
    found = reviewed(change, TWO_PHASE, stability=0.1, behaviours=0.1)
    assert len(found.tried) == len(found.cases.found)
    assert found.findings
    assert found.exit is Exit.INTERRUPTED
    text = "\n".join(line.plain for line in review_lines(found, 200))
    assert "without all larger bounds and runs" in text
    page = review_page([found], "Finale")
    count = len(found.tried)
    assert f"tried in {count} of {count} settings" in page
    assert '<span class="badge open">interrupted</span>' in page


def test_what_is_left_out_after_the_first_violation_is_told() -> None:
    ran = run("review withdraws --first")
    assert ran.exit == 1
    assert (
        "1 setting of 1 protocol · 1 new violation of 2 properties · 3 not tried (--first)"
        in ran.stdout
    )


END = """def terminal(self) -> bool:
    return {}
"""


@pytest.mark.parametrize(
    ("end", "verdict"), [("True", "mended"), ("not (not super().terminal())", "")]
)
def test_a_change_of_the_end_is_told_beside_no_deadlock(
    end: str, verdict: str, tmp_path: Path
) -> None:
    """The endings that an observer sees are those of the protocol; no-deadlock asks the change."""
    folder = folder_of(tmp_path, END.format(end))
    text = (folder / "stop.py").read_text()
    never_last = text.replace("require(not worker.stopped,", "require(worker == self.workers[0],")
    (folder / "stop.py").write_text(never_last)
    found = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=catalogue(folder))
    assert [said(each)[:2] for each in found.findings] == [(verdict, "no-deadlock")][
        : bool(verdict)
    ]
    told = [(each.message, each.place) for each in found.remarks if each.kind == "own-end"]
    message = "Other.terminal overrides the end: no-deadlock asks the change's own end"
    place = Place(str(folder / "other.py"), 11)
    assert told == ([(message, place)] if verdict else [])


def test_a_page_that_cannot_be_written_is_refused_first(tmp_path: Path) -> None:
    folder_of(tmp_path, REVERSED)
    (tmp_path / "page").mkdir()
    ran = run("review other --protocols mine --stability 0 -o page", tmp_path)
    assert ran.exit == 2
    assert "error[unwritable]" in ran.stderr
    assert not ran.stdout
    line = "review other --protocols mine --stability 0 -o new/page.html --specs"
    assert run(f"{line} stop.toml", tmp_path).exit == 1
    assert "a-before-b" in (tmp_path / "new" / "page.html").read_text(encoding="utf-8")
    (tmp_path / "slow.toml").write_text(f"{SPEC}slow = true\n")
    assert "no-cases" in run(f"{line.replace('new/', '')} slow.toml", tmp_path).stderr
    assert not [*tmp_path.glob("*.html"), *tmp_path.glob("*.part"), *tmp_path.glob(".*.part")]
