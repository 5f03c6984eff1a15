"""A proof that there is no run: of parts whose environment is free, and of logs that cannot be."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import cast

import pytest

from finale.checker.cache.parts import CachedParts
from finale.checker.cache.store import Store
from finale.checker.logs.event_log.acceptance import Rejected, Undecided
from finale.checker.logs.flink import flink_projections, kept_steps
from finale.checker.logs.flink.always_logged import always_shown
from finale.checker.logs.flink.flink_projections import (
    DIES,
    PARTS,
    ProofSetting,
    projection_of,
    restores,
    system_of,
)
from finale.checker.logs.flink.judge import accept_run
from finale.checker.logs.flink.observations import observations_of
from finale.checker.logs.flink.possible_values import PossibleValues
from finale.checker.logs.flink.projected_updates import cases_of
from finale.checker.logs.flink.projection import CellFeature, Projection
from finale.checker.logs.flink.run_job import job_of
from finale.checker.logs.lines import CAUSES, Observed
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.search.interpreter.execution import PlainSystem, TakenStep
from finale.model.expressions import (
    TRUE,
    Constant,
    Expression,
    cell,
    choose,
    conjunction,
    equal,
    integer,
    less,
    negation,
    plus,
)
from finale.model.language.build import build, world_of
from finale.model.language.plain import Values
from finale.model.language.protocol import Setting
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.requests import JobStatus
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import TaskStatus
from finale.model.semantics import steps
from finale.model.system import Fault, GroundRule, State, System
from finale.model.topology import Edge, Job, OperatorKind, Vertex
from tests.conformance.rejecting import reject_run
from tests.conformance.test_flink import early_completion, twice, without
from tests.logs.archive import archives, each_run, needs_archives, sample

#: Of a job that nobody stops and in which nothing fails.
CALM = ProofSetting(
    "stop-with-savepoint",
    (("checkpoints_after_finish", True), ("final_trigger", True)),
    (("failures", 0), ("stops", 0), ("declines", 1), ("expiries", 1)),
)
#: Of a job with all that may happen.
STORMY = ProofSetting(
    "stop-with-savepoint",
    (("checkpoints_after_finish", True), ("final_trigger", True)),
    tuple(
        (bound, 1)
        for bound in ("failures", "crashes", "stops", "savepoints", "cancels", "declines",
                      "expiries", "manual", "lost_confirmations", "time_outs")
    ),
)  # fmt: skip
OVERTAKING = replace(STORMY, protocol="unaligned-stops", options=())
FIRST, SECOND = cell(0, 0, 3, False), cell(1, 0, 1, True)


def test_a_kept_system_is_the_one_that_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if rules of the same protocol have been kept that does not hide its records."""
    built = system_of(CALM)
    monkeypatch.setattr(flink_projections, "users_store", lambda: Store(tmp_path))
    with closing(Store(tmp_path)) as store:
        parts = CachedParts(store)
        build(StopWithSavepoint(built.protocol.setting), parts=parts)
        parts.end()
    of_others = texts_in(tmp_path)
    for _ in range(2):  # some of it is read, and then all
        read = system_of.__wrapped__(CALM)
        assert texts_in(tmp_path) > of_others
        trees = [[rule.tree for rule in each.system.rules] for each in (read, built)]
        assert trees[0] == trees[1]
        assert read.reachable == built.reachable


def texts_in(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "finale.sqlite")) as file:
        (count,) = file.execute("SELECT count(*) FROM kept").fetchone()
    return int(count)


@pytest.mark.parametrize(("name", "task"), [("notice", "A"), ("life", "C"), ("restart", "A")])
def test_kept_steps_are_those_of_the_projection(
    name: str, task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time they are read, and nothing is worked out."""
    monkeypatch.setattr(kept_steps, "users_store", lambda: Store(tmp_path))
    part = projection_of(CALM, name, task)
    expected = {
        values: {(labels, after) for labels, after, _ in part.onward(values)}
        for values in reached(part)
    }
    for _ in range(2):
        steps = kept_steps.ProjectionSteps(CALM, name, task)
        assert steps.start == part.start
        assert {values: {*steps.onward(values)} for values in expected} == expected
        restored = {
            values: 1 in (PossibleValues(part.known(values)).of(restores(CALM)) or (1,))
            for values in expected
        }
        assert {values: steps.may_be_restored(values) for values in expected} == restored
        steps.keep()
        monkeypatch.setattr(kept_steps, "projection_of", None)
        monkeypatch.setattr(kept_steps, "restores", None)


# --- what expressions may be ----------------------------------------------------------------------


def of(known: PossibleValues, node: Expression) -> set[int]:
    return set(known.of(node) or ())


def test_of_what_is_not_known_an_expression_may_be_anything() -> None:
    nothing = PossibleValues({})
    assert of(nothing, FIRST) == {0, 1, 2, 3}
    assert of(nothing, plus(FIRST, integer(2))) == {2, 3, 4, 5}
    assert of(nothing, equal(FIRST, integer(1))) == {0, 1}
    assert of(nothing, choose(SECOND, integer(7), FIRST)) == {0, 1, 2, 3, 7}


def test_what_is_known_decides_as_far_as_it_goes() -> None:
    known = PossibleValues({0: frozenset((0, 1))})
    assert of(known, less(FIRST, integer(2))) == {1}
    assert of(known, equal(FIRST, integer(3))) == {0}
    assert of(known, conjunction([SECOND, equal(FIRST, integer(3))])) == {0}
    assert of(known, negation(conjunction([SECOND, less(FIRST, integer(2))]))) == {0, 1}


def test_what_an_update_writes_together_goes_together() -> None:
    written = (choose(SECOND, FIRST, integer(3)), choose(SECOND, integer(1), integer(2)))
    values = {0: frozenset((0, 1)), 1: frozenset((0, 1))}
    free = cases_of((TRUE, *written), frozenset(), values, way_max=100)
    assert free is not None
    assert {tuple(part.value for part in case if isinstance(part, Constant)) for case in free} == {
        (1, 0, 1), (1, 1, 1), (1, 3, 2)
    }  # fmt: skip
    own = cases_of((TRUE, *written), frozenset((0,)), values, way_max=100)
    assert own is not None
    assert {*own} == {(TRUE, FIRST, integer(1)), (TRUE, integer(3), integer(2))}
    only = cases_of((negation(SECOND), *written), frozenset((0,)), values, way_max=100)
    assert only == [(TRUE, integer(3), integer(2))]
    assert cases_of((TRUE, *written), frozenset(), values, way_max=2) is None


def test_a_cell_has_the_values_that_some_rule_may_write() -> None:
    built = system_of(replace(CALM, bounds=(("stops", 1), ("cancels", 0))))
    statuses = {
        name: built.reachable[next(v.offset for v in built.system.variables if v.name == name)]
        for name in ("job_status", "A.status")
    }
    canceled = {[*JobStatus].index(each) for each in (JobStatus.CANCELLING, JobStatus.CANCELED)}
    assert not statuses["job_status"] & canceled
    assert [*TaskStatus].index(TaskStatus.CLOSED) in statuses["A.status"]


# --- parts ----------------------------------------------------------------------------------------


def reached(part: Projection) -> set[tuple[int, ...]]:
    found = set(part.start)
    todo = list(found)
    while todo:
        for _, after, _ in part.onward(todo.pop()):
            if after not in found:
                found.add(after)
                todo.append(after)
    return found


def test_nobody_is_told_of_a_completion_before_it() -> None:
    part, names = projection_of(CALM, "notice", "A"), PARTS["notice"].names
    for values in reached(part):
        has = dict(zip(names, values, strict=True))
        for labels, _, _ in part.onward(values):
            if Observed.CONFIRMED in labels:
                assert has["checkpoint"] >= 2, "it is neither unused nor pending"


def test_a_task_acknowledges_what_it_has_begun() -> None:
    for task in ("A", "C"):
        part = projection_of(CALM, "acknowledgement", task)
        names = PARTS["acknowledgement"].names
        for values in reached(part):
            has = dict(zip(names, values, strict=True))
            shown = {label for labels, _, _ in part.onward(values) for label in labels}
            assert has["taken"] or Observed.ACKNOWLEDGED not in shown
            assert not (has["awaited"] and Observed.COMPLETED in shown)


def test_a_task_that_is_not_told_of_a_completion_does_not_leave() -> None:
    part, names = projection_of(CALM, "life", "A"), PARTS["life"].names
    found = {
        values[names.index("released")]
        for values in reached(part)
        for labels, _, _ in part.onward(values)
        if Observed.LEFT in labels
    }
    assert found == {1}


def test_nobody_dies_where_nothing_fails() -> None:
    part = projection_of(CALM, "life", "C")
    assert not any(
        DIES in labels for values in reached(part) for labels, _, _ in part.onward(values)
    )


def explored(stops: int) -> Iterator[tuple[StopWithSavepoint, Values]]:
    """All states of a source and a task behind it, with two checkpoints."""
    kind = type("Bare", (StopWithSavepoint,), {"hides_records": True})
    job = Job(
        (Vertex.source("A", records=0), Vertex("C", OperatorKind.PASS_THROUGH)), (Edge("A", "C"),)
    )
    bounds = {"checkpoints": 2, "channel": 4, "stops": stops, "declines": 1 - stops}
    protocol = kind(Setting(job, {}, {}, bounds, frozenset({"taken"})))
    world_of(protocol, protocol.keeps())
    system = PlainSystem(protocol)
    todo = list(system.initial())
    seen = set(todo)
    while todo:
        values = todo.pop()
        yield protocol, values
        for rule in system.rules:
            after = system.take(rule, values)
            if isinstance(after, TakenStep) and after.values not in seen:
                seen.add(after.values)
                todo.append(after.values)
    assert len(seen) > 1000


@pytest.mark.parametrize("stops", [0, 1])
def test_who_has_taken_its_newest_checkpoint_waits_for_no_barriers(stops: int) -> None:
    for protocol, values in explored(stops):
        for task in protocol.tasks:
            newest = values[task.variables["newest"].position]
            taken = newest in cast("frozenset[object]", values[task.variables["taken"].position])
            assert not (taken and values[task.gate.variables["aligning"].position])


def test_what_ends_an_input_comes_behind_the_barriers_that_were_put_there() -> None:
    """Whose barrier is there has been read, or is past: the newest one is as new."""
    ended = 0
    for protocol, values in explored(0):
        (channel,), (writer, reader) = protocol.channels, protocol.tasks
        if values[channel.variables["ended"].position]:
            newest = values[reader.variables["newest"].position]
            put = cast("frozenset[Checkpoint]", values[writer.variables["taken"].position])
            assert not put or cast(Checkpoint, newest).number >= max(each.number for each in put)
            ended += bool(put)
    assert ended > 100


def test_a_part_has_the_classes_that_are_told_apart() -> None:
    system = projection_of(CALM, "life", "A").system
    number = next(v.offset for v in system.variables if v.name == "A.status")
    others = CellFeature((number,), ((frozenset((1,)),), (frozenset((0, 2, 3, 4, 5)),)))
    part = Projection(system, {}, [others], lambda *_: frozenset(), lambda _: True)
    assert part.start == {(0,)}
    assert {after for _, after, _ in part.onward((0,))} == {(1,)}


@pytest.mark.parametrize(
    ("given", "each"),
    [
        (CALM, 60),
        pytest.param(STORMY, 12, marks=pytest.mark.slow),
        pytest.param(OVERTAKING, 10, marks=pytest.mark.slow),
    ],
    ids=["calm", "stormy", "unaligned"],
)
def test_a_projection_takes_each_step_of_the_whole_system(given: ProofSetting, each: int) -> None:
    """Of states that runs come to, and of others: a projection knows nothing of the other cells."""
    system, reachable = system_of(given).system, system_of(given).reachable
    parts = [projection_of(given, name, task) for name in PARTS for task in ("A", "C")]
    chance, seen = Random(each), Counter[Projection]()
    states = [*system.initial]
    while len(states) < each * 8:
        share = chance.choice((0, 0.02, 0.1, 0.5))
        before = tuple(
            chance.choice([*reachable[n]]) if n in reachable and chance.random() < share else value
            for n, value in enumerate(chance.choice(states))
        )
        for rule, after in _steps(system, before):
            assert all(value in reachable.get(n, (value,)) for n, value in enumerate(after))
            states += [after] if chance.random() < 0.2 else []
            for part in parts:
                seen[part] += _is_taken(part, rule, before, after)
    assert min(seen.values()) > 2
    assert sum(seen.values()) > 300


def _steps(system: System, state: State) -> Iterator[tuple[GroundRule, State]]:
    """The steps from a state of any values, without those to values that a cell cannot have."""
    for step in steps(system, state):
        if not isinstance(step.result, Fault):
            domains = zip(step.result, system.cells, strict=True)
            if all(cell.low <= value <= cell.high for value, cell in domains):
                yield step.rule, step.result


def _is_taken(part: Projection, rule: GroundRule, before: State, after: State) -> bool:
    """Whether a step is seen in the projection, which must have it then."""
    old, new = part.classes_of(before), part.classes_of(after)
    if len(old) != 1 or len(new) != 1:
        return False  # in no class: the whole system comes to no such state
    (first,), (then,) = old, new
    labels = part.labels(rule, first, then)
    if (first == then and not labels) or not part.is_possible(then):
        return False
    assert (labels, then) in {(shown, values) for shown, values, _ in part.onward(first)}
    return True


# --- logs -----------------------------------------------------------------------------------------


def test_an_edge_is_one_of_different_clocks_or_of_one() -> None:
    assert len(set(CAUSES)) == len(CAUSES)
    assert all(first is not then and (then, first) not in CAUSES for first, then in CAUSES)


@pytest.mark.parametrize("name", ["bounded-01", "race-00", "concurrent-01", "multi-cancel-01"])
def test_a_run_of_the_engine_is_not_rejected(name: str) -> None:
    assert all(reject_run(run) is None for run in sample(name))


def test_a_rejection_tells_the_states_and_the_guard() -> None:
    (run,) = sample("bounded-01")
    early = JobRun(run.job, run.name, early_completion(list(run.events)))
    rejected = reject_run(early)
    assert rejected is not None
    done = next(event.log_event.line for event in run.events if event.word == "completed")
    assert (rejected.line, rejected.event) == (done, "completed(1)")
    assert rejected.states == len(rejected.refusals) or rejected.states > 3
    for refusal in rejected.refusals:
        source = "require(checkpoint.is_pending, self.is_fully_acknowledged(checkpoint))"
        assert refusal.source == source
        assert "its acknowledgement is awaited" in refusal.why


@pytest.mark.parametrize(
    ("word", "told"),
    [("triggered", "triggered once"), ("snapshot-begins", "takes a checkpoint once")],
)
def test_what_is_once_and_has_no_one_guard_is_told_so(word: str, told: str) -> None:
    (run,) = sample("bounded-01")
    rejected = reject_run(JobRun(run.job, run.name, twice(word)(list(run.events))))
    assert rejected is not None
    assert told in rejected.refusals[0].why


def test_where_something_is_missing_nothing_is_rejected() -> None:
    (run,) = sample("bounded-01")
    gap = JobRun(run.job, run.name, without("completed")(list(run.events)))
    assert isinstance(accept_run(gap).conforms, Rejected)
    assert isinstance(accept_run(gap, whole=False).conforms, Undecided)


@pytest.mark.parametrize(
    "name",
    [
        *("bounded-01", "race-00", "H2-06", "H2-08", "H12-01"),
        pytest.param("H12-00", marks=pytest.mark.slow),
    ],
)
def test_the_log_of_a_job_manager_alone_is_not_rejected(name: str) -> None:
    """It tells of new attempts, and not that they begin."""
    for run in sample(name):
        own = [each for each in run.events if each.log_event.clock.startswith("jm.")]
        assert reject_run(JobRun(run.job, run.name, own)) is None


def test_an_attempt_that_was_never_started_acknowledges_nothing() -> None:
    """What is told of it by the coordinator alone does not stand for the lines of its process."""
    (run,) = sample("H2-06")
    events = list(run.events)
    at = next(n for n, each in enumerate(events) if each.word == "apply_acknowledgement")
    task = events[at].task
    assert task is not None
    events[at] = replace(events[at], task=replace(task, attempt=7))
    rejected = reject_run(JobRun(run.job, run.name, events))
    assert rejected is not None
    assert rejected.line == events[at].log_event.line


def test_whose_process_tells_nothing_leaves_no_lines_of_its_own() -> None:
    (run,) = sample("bounded-01")
    own = [each for each in run.events if each.log_event.clock.startswith("jm.")]
    first = next(each for each in run.events if each.word == "task-switched")
    log = JobRun(run.job, run.name, [*own, first])
    job = job_of(log)
    assert job is not None
    assert first.task is not None
    shown = always_shown(log, job, observations_of(log, job))
    assert {name for name, each in shown.items() if Observed.RUNS in each} == {job.task(first.task)}


def test_lines_of_a_log_of_its_own_need_not_be_before_those_of_others() -> None:
    (run,) = sample("bounded-01")
    begun = next(e for e in run.events if e.word == "snapshot-begins")
    elsewhere = [
        replace(event, log_event=replace(event.log_event, log=1))
        if event.log_event.clock.startswith("t")
        else event
        for event in run.events
    ]
    moved = [each for each in elsewhere if each.log_event is not begun.log_event]
    assert reject_run(JobRun(run.job, run.name, elsewhere)) is None
    late = next(each for each in elsewhere if each.log_event.line == begun.log_event.line)
    behind = [*(e for e in moved if e is not late), late]
    rejected = reject_run(JobRun(run.job, run.name, behind))
    assert rejected is None or rejected.line >= begun.log_event.line


def test_what_stands_behind_a_contradiction_still_explains_what_stands_before_it() -> None:
    """A task may write late, in a log of its own, what the coordinator has had from it already."""
    (run,) = sample("bounded-01")
    events = [
        replace(event, log_event=replace(event.log_event, log=1))
        if event.log_event.clock.startswith("t")
        else event
        for event in run.events
    ]
    triggered = next(event for event in events if event.word == "triggered")
    begun = next(event for event in events if event.word == "snapshot-begins")
    acknowledged = max(n for n, e in enumerate(events) if e.word == "apply_acknowledgement"
                       and e.task == begun.task)  # fmt: skip
    after = events[acknowledged].log_event.line + 1
    again = replace(triggered, log_event=replace(triggered.log_event, line=after))
    before, behind = events[: acknowledged + 1], events[acknowledged + 1 :]
    late = [*(event for event in before if event is not begun), again, begun, *behind]
    assert reject_run(JobRun(run.job, run.name, [e for e in late if e is not again])) is None
    rejected = reject_run(JobRun(run.job, run.name, late))
    assert rejected is not None
    assert (rejected.line, rejected.event) == (after, "triggered(1)")


@needs_archives
@pytest.mark.slow
def test_no_real_run_is_rejected() -> None:
    for path in archives():
        for name, runs, _, _ in each_run(path):
            for run in runs:
                rejected = reject_run(run)
                assert rejected is None, f"{name}: {rejected}"
