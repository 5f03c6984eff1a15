"""Runs of a real engine are explained by runs of the model, and runs that cannot have been are not.

What a few samples show is shown of all runs where the archives are at hand (`tests/logs/archive`).
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, GaveUp, Rejected, Undecided
from finale.checker.logs.flink.judge import RunVerdict, accept_run
from finale.checker.logs.flink.run_job import job_of
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.search.limits import Limits
from finale.model.topology import Pattern
from tests.logs.archive import archives, each_run, needs_archives, sample

ACCEPTED = (
    "bounded-01",
    "race-00",
    "concurrent-01",
    "stop-race-06",
    "defaultlayout-00",
    "multi-cancel-01",
    "stop-restore-01",
    *("H2-06", "H6-02", "H7-00", "H12-00", "H16-00", "H4-00", "H4-01"),
)
LONG = ("stop-race-06", "H16-00")
"""A witness of these takes more than ten seconds."""


def accepted(run: JobRun) -> Accepted:
    verdict = accept_run(run)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    return verdict.conforms


def changed(name: str, change: Callable[[list[RunEvent]], list[RunEvent]]) -> RunVerdict:
    """What is said of a sample whose events have been changed."""
    (run,) = sample(name)
    return accept_run(JobRun(run.job, run.name, change(list(run.events))))


def places(events: list[RunEvent], word: str) -> Iterator[int]:
    return (at for at, event in enumerate(events) if event.word == word)


# --- the job ------------------------------------------------------------------------------------


def test_lines_tell_the_job() -> None:
    (run,) = sample("bounded-01")
    found = job_of(run)
    assert found is not None
    sink = "fmt -> sink: Writer -> sink: Committer"
    assert [(edge.name, edge.pattern) for edge in found.job.edges] == [
        ("Source: src0→co", Pattern.ALL_TO_ALL),
        ("Source: src1→co", Pattern.ALL_TO_ALL),
        (f"co→{sink}", Pattern.ALL_TO_ALL),
    ]
    task = next(e.task for e in run.events if e.task is not None and e.task.vertex == "co")
    assert found.channel(replace(task, subtask=1), 1, 0) == "Source: src1.0→co.1"
    assert found.channel(task, 2, 0) is None
    assert found.channel(task, 0, 2) is None


def test_a_log_that_does_not_tell_how_vertices_are_connected_is_undecided() -> None:
    verdict = changed("bounded-01", lambda events: [
        event for event in events if event.word != "input-connected"
    ])  # fmt: skip
    assert isinstance(verdict.conforms, Undecided)
    assert "connected" in verdict.conforms.why


# --- runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=pytest.mark.slow if each in LONG else ()) for each in ACCEPTED],
)
def test_a_run_of_the_engine_is_one_of_the_model(name: str) -> None:
    for run in sample(name):
        assert accepted(run).witness


def test_a_witness_tells_which_steps_are_of_which_line() -> None:
    (run,) = sample("bounded-01")
    (moves,) = accepted(run).witness
    told = {move.line: str(move) for move in moves if move.line is not None}
    for event in run.events:
        if event.word == "completed":
            assert told[event.log_event.line].startswith("complete(")
    ends = [each for each in moves if each.rule.rule.name == "end_source"]
    assert len(ends) == 4
    assert all(each.line is None for each in ends)


def test_findings_are_those_of_the_witness() -> None:
    (run,) = sample("race-00")
    verdict = accept_run(run, judges=True)
    assert isinstance(verdict.conforms, Accepted)
    assert {finding.property for finding in verdict.findings} <= {"trigger-finds-its-task"}


@pytest.mark.parametrize(
    ("limits", "given"),
    [
        (Limits(states_max=10), GaveUp.STATES),
        (Limits(states_max=10**6, seconds_max=1e-6), GaveUp.SECONDS),
    ],
)
def test_a_search_that_may_not_go_on_is_undecided(limits: Limits, given: GaveUp) -> None:
    (run,) = sample("race-00")
    verdict = accept_run(run, limits=limits)
    assert isinstance(verdict.conforms, Undecided)
    assert verdict.conforms.given_up is given


# --- what cannot have been ----------------------------------------------------------------------


def without(word: str) -> Callable[[list[RunEvent]], list[RunEvent]]:
    """One line less, of those of a word in the middle."""

    def change(events: list[RunEvent]) -> list[RunEvent]:
        found = list(places(events, word))
        del events[found[len(found) // 2]]
        return events

    return change


def twice(word: str) -> Callable[[list[RunEvent]], list[RunEvent]]:
    def change(events: list[RunEvent]) -> list[RunEvent]:
        found = list(places(events, word))
        at = found[len(found) // 2]
        return [*events[: at + 1], *events[at:]]

    return change


def of_another(word: str) -> Callable[[list[RunEvent]], list[RunEvent]]:
    """A line of the next checkpoint instead."""

    def change(events: list[RunEvent]) -> list[RunEvent]:
        found = list(places(events, word))
        at = found[len(found) // 2]
        told = events[at].log_event
        other = {**told.fields, "checkpoint": str((told.checkpoint or 0) + 1)}
        events[at] = replace(events[at], log_event=replace(told, fields=other))
        return events

    return change


def early_completion(events: list[RunEvent]) -> list[RunEvent]:
    """A checkpoint completes before its last acknowledgement."""
    at = next(places(events, "completed"))
    last = max(place for place in places(events, "apply_acknowledgement") if place < at)
    return [*events[:last], events[at], *events[last:at], *events[at + 1 :]]


WORDS = ("triggered", "trigger-arrived", "barrier-received", "snapshot-begins",
         "apply_acknowledgement", "completed", "notified-complete")  # fmt: skip


@pytest.mark.parametrize("name", ["bounded-01", "race-00"])
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(early_completion, id="early completion"),
        *(pytest.param(twice(word), id=f"twice {word}") for word in WORDS),
        *(pytest.param(of_another(word), id=f"other {word}") for word in WORDS),
        *(pytest.param(without(word), id=f"no {word}") for word in WORDS[:-1]),
    ],
)
def test_what_cannot_have_been_is_not_explained(
    name: str, change: Callable[[list[RunEvent]], list[RunEvent]]
) -> None:
    assert not isinstance(changed(name, change).conforms, Accepted)


def test_a_task_that_was_never_told_of_its_final_checkpoint_does_not_finish() -> None:
    def untold(events: list[RunEvent]) -> list[RunEvent]:
        task = next(e.task for e in events if e.word == "operators-left")
        return [e for e in events if e.word != "notified-complete" or e.task != task]

    rejected = changed("bounded-01", untold).conforms
    assert isinstance(rejected, Rejected)
    assert rejected.event.startswith("operators-left")


# --- all ----------------------------------------------------------------------------------------

#: The runs of the archives of which no run of the model is found, and why.
UNDECIDED = {
    # a task has failed, and declines a checkpoint before the coordinator knows
    "multi-drain-01",
}
#: In how many runs there are.
RUNS = 140


@needs_archives
@pytest.mark.slow
def test_so_many_runs_are_explained() -> None:
    names: set[str] = set()
    undecided: set[str] = set()
    for name, runs, _, _ in itertools.chain.from_iterable(map(each_run, archives())):
        names.add(name)
        if not all(isinstance(accept_run(run).conforms, Accepted) for run in runs):
            undecided.add(name)
    assert undecided == UNDECIDED & names
    assert len(names) == RUNS or len(archives()) == 1
