"""Logs of the engine are accepted, with a witness; damaged ones rejected where they are wrong."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from finale.checker.logs.event_log.acceptance import (
    ALL_STEPS,
    Accepted,
    Coverage,
    EventLogVerdict,
    Rejected,
    Visibility,
    accept,
    replay,
)
from finale.checker.logs.event_log.reading import read_log
from finale.checker.logs.event_log.section_system import SectionSystem
from finale.checker.logs.findings import Severity
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError
from finale.model.events import Clock
from finale.model.topology import Job
from finale.reference.broken import BROKEN
from finale.reference.engine import Engine
from finale.reference.formats.files import MemoryFiles
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES
from finale.reference.settings import EngineSettings, Faults
from tests.conformance.logs import CHAIN, PAIR, changed, engine_of, log_of, without

KNOWN = catalogue()
FAULTS = Faults(checkpoints=9, failures=2, lost_confirmations=1, declines=1, expiries=1)

Events = list[dict[str, Any]]


def judged(lines: list[str], *hidden: str, **more: Any) -> EventLogVerdict:
    profile = dict.fromkeys(hidden, Visibility.NEVER)
    return accept(read_log(lines), profile=profile, known=KNOWN, **more)


def chain(seed: int = 1) -> list[str]:
    return log_of(engine_of(CHAIN, faults=FAULTS), CHAIN, seed)


def rejected_at(lines: list[str], line: int, slack: int = 0) -> Rejected:
    outcome = judged(lines, judges=False).conforms
    assert isinstance(outcome, Rejected), outcome
    assert line <= outcome.line <= line + slack
    return outcome


def place_of(lines: list[str], name: str, nth: int = 0, **about: Any) -> int:
    """The position among the lines of the n-th event of a name."""
    events = list(map(json.loads, lines))
    found = [i for i, e in enumerate(events) if e["event"] == name and about.items() <= e.items()]
    return found[nth]


# --- what the engine has done ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("protocol", ENGINES)
def test_a_run_of_the_engine_is_accepted(protocol: str, seed: int) -> None:
    lines = log_of(engine_of(CHAIN, protocol, FAULTS), CHAIN, seed)
    verdict = judged(lines, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict
    assert verdict.coverage is Coverage.COMPLETE
    assert len(verdict.conforms.witness[0]) == len(lines) - 2
    assert verdict.conforms.unseen == 0


def test_ids_without_end_are_a_few_given_again() -> None:
    faults = Faults(checkpoints=60, expiries=50)
    table = PAIR | {"S": {"records": 1, "bounded": False}}
    lines = log_of(engine_of(table, faults=faults), table, 3, 1_000)
    assert sum('"trigger_checkpoint"' in line for line in lines) == 60
    verdict = judged(lines, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict
    last = verdict.conforms.witness[0][-1].after
    assert len(last.ids) == 16
    assert last.ids[-1] == 60
    forged = place_of(lines, "complete", -1)
    lines[forged] = lines[forged].replace('"checkpoint":', '"checkpoint":1')
    rejected_at(lines, forged + 1)


def test_two_checkpoints_at_once() -> None:
    engine = engine_of(CHAIN, faults=FAULTS, options={"concurrent": 2})
    verdict = judged(log_of(engine, CHAIN, 5), judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict


def test_lines_need_only_be_in_order_on_each_clock() -> None:
    start, *events, end = map(json.loads, chain())
    clocks = sorted({event["clock"] for event in events})
    mixed = random.Random(4)
    left = {clock: [e for e in events if e["clock"] == clock] for clock in clocks}
    # Now one clock is a little ahead, now another.
    turns: Events = []
    for size in range(0, len(events), 6):
        some = sorted(events[size : size + 6], key=lambda e: e["clock"])
        turns += some if mixed.random() < 0.5 else events[size : size + 6]
    assert [e for clock in clocks for e in left[clock]] != turns
    lines = list(map(json.dumps, [start | {"order": "clocks"}, *turns, end]))
    verdict = judged(lines, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict
    assert isinstance(
        judged(list(map(json.dumps, [start, *turns, end])), judges=False).conforms, Rejected
    )


# --- steps that nobody has seen -------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ("apply_acknowledgement",),
        ("trigger_checkpoint", "deliver_trigger"),
        ("run_trigger", "expire"),
        ("poll_end_of_data", "quiesce", "learn_finished"),
        ("fail", "restore"),
        ("deliver_abort", "lose_confirmation"),
    ],
)
def test_what_is_not_seen_is_filled_in(names: tuple[str, ...]) -> None:
    lines = chain(2)
    assert any(f'"{name}"' in line for name in names for line in lines)
    verdict = judged(without(lines, names), *names, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict
    filled = {m.rule.rule.name for moves in verdict.conforms.witness for m in moves if not m.line}
    assert filled
    assert filled <= set(names)


def test_what_can_be_seen_and_is_not_there_is_evidence() -> None:
    lines = without(chain(), ["complete"])
    assert isinstance(judged(lines, judges=False).conforms, Rejected)
    assert isinstance(judged(lines, "expire", judges=False).conforms, Rejected)


def test_a_log_may_be_longer_than_the_search_is_patient() -> None:
    assert isinstance(judged(chain(), limits=Limits(states_max=4), judges=False).conforms, Accepted)


def test_a_line_that_shows_to_be_missing_is_a_gap() -> None:
    lines = chain()
    at = place_of(lines, "complete")
    verdict = judged(lines[:at] + lines[at + 1 :], judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict
    assert verdict.coverage is Coverage.GAP


def test_a_log_without_its_end_is_truncated() -> None:
    verdict = judged(chain()[:40], judges=False)
    assert isinstance(verdict.conforms, Accepted)
    assert verdict.coverage is Coverage.TRUNCATED


# --- what did not happen --------------------------------------------------------------------------


def test_a_completion_without_its_acknowledgements_is_rejected_there() -> None:
    lines = chain()
    at = place_of(lines, "complete")
    number = json.loads(lines[at])["checkpoint"]
    acknowledged = place_of(lines, "apply_acknowledgement", checkpoint=number)

    def drop(events: Events) -> Events:
        return events[: acknowledged - 1] + events[acknowledged:]

    outcome = rejected_at(changed(lines, drop), at)
    (refusal,) = outcome.refusals
    assert outcome.event == "complete"
    assert outcome.states == 1
    assert "all have acknowledged" in refusal.why
    assert refusal.place is not None
    assert str(refusal.place.file).endswith("coordinator.py")
    assert "is_fully_acknowledged" in refusal.source
    awaited = [value for variable, value in refusal.reads if variable.field == "awaited"]
    assert [len(each) for each in awaited if isinstance(each, frozenset)] == [1]


def test_a_forged_acknowledgement_is_rejected_there() -> None:
    lines = chain()
    at = place_of(lines, "trigger_checkpoint")
    forged = json.loads(lines[place_of(lines, "apply_acknowledgement")])
    forged |= {"checkpoint": 1, "attempt": json.loads(lines[at])["attempt"]}
    outcome = rejected_at(changed(lines, lambda e: [*e[:at], forged, *e[at:]]), at + 2)
    assert "acknowledgement" in outcome.refusals[0].why


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("trigger_checkpoint", {"checkpoint": 1}, "no new id"),
        ("complete", {"checkpoint": 99}, "none of those that are known"),
        ("restore", {"fields": {"from": 99}}, "99 is restored"),
        ("close", {"vertex": "X"}, "no such step"),
        ("poll_barrier", {"channel": "K→S"}, "no such step"),
    ],
)
def test_another_id_is_rejected_there(name: str, change: dict[str, Any], why: str) -> None:
    lines = chain()
    at = place_of(lines, name, -1)

    def swap(events: Events) -> Events:
        return [e | change if i == at - 1 else e for i, e in enumerate(events)]

    assert why in rejected_at(changed(lines, swap), at + 1).refusals[0].why


def test_an_id_that_is_not_told_is_deduced() -> None:
    lines = chain()
    number = json.loads(lines[place_of(lines, "complete")])["checkpoint"]
    at = place_of(lines, "trigger_checkpoint", checkpoint=number)

    def unnamed(events: Events) -> Events:
        del events[at - 1]["checkpoint"]
        return events

    outcome = judged(changed(lines, unnamed), judges=False).conforms
    assert isinstance(outcome, Accepted)
    (moves,) = outcome.witness
    assert moves[at - 1].after.ids[-1] is None
    assert number in moves[-1].after.ids


@pytest.mark.parametrize("name", ["run_trigger", "poll_barrier", "restore", "close"])
def test_what_comes_too_early_is_rejected_there(name: str) -> None:
    lines = chain()
    at = place_of(lines, name)
    early = json.loads(lines[at])

    def move(events: Events) -> Events:
        rest = events[: at - 1] + events[at:]
        return [early, *rest]

    assert rejected_at(changed(lines, move), 2).event == name


def test_most_lines_are_missed_when_they_are_gone() -> None:
    """Of those that are not, nothing follows: notices, or what a failure makes undone."""
    lines = log_of(engine_of(PAIR, faults=FAULTS), PAIR, 2)
    start, *events, end = map(json.loads, lines)
    missed: list[str] = []
    for at in range(len(events)):
        rest = [start, *events[:at], *events[at + 1 :], end]
        outcome = judged(changed(list(map(json.dumps, rest)), list), judges=False).conforms
        if isinstance(outcome, Rejected):
            assert outcome.line > at + 1
            missed.append(events[at]["event"])
    assert len(missed) > 0.6 * len(events)
    assert {"complete", "poll_barrier", "run_trigger", "quiesce", "close"} <= set(missed)


# --- several processes ----------------------------------------------------------------------------


def restarted(first: list[str], origin: int | None, finished: list[str]) -> list[str]:
    """Another process that restores all, after the first."""
    start = json.loads(first[0]) | {"process": 2, "starts": "restoring", "from": origin}
    start["finished"] = finished
    done = [json.loads(line)["checkpoint"] for line in first if '"complete"' in line]
    start["last"] = max([*done, origin or 0])
    restores = [
        {"event": "restore", "vertex": vertex, "subtask": 0, "fields": {"from": origin}}
        | {"clock": f"task.mailbox {vertex}", "seq": 0}
        for vertex in ("S", "K")
    ]
    return [*first, *map(json.dumps, [start, *restores])]


def test_a_process_goes_on_where_the_one_before_was_killed() -> None:
    lines = log_of(engine_of(PAIR), PAIR, 3)
    at = place_of(lines, "complete")
    number = json.loads(lines[at])["checkpoint"]
    for cut in (at + 1, at):  # written down, and done without being written down
        verdict = judged(restarted(lines[:cut], number, []), judges=False)
        assert isinstance(verdict.conforms, Accepted), verdict
        assert verdict.coverage is Coverage.GAP
        assert verdict.conforms.unseen == (0 if cut > at else 1)


def test_a_process_cannot_start_from_what_never_completed() -> None:
    lines = log_of(engine_of(PAIR, faults=Faults(checkpoints=3, expiries=2)), PAIR, 3)
    aborted = json.loads(lines[place_of(lines, "expire")])["checkpoint"]
    outcome = judged(restarted(lines, aborted, []), judges=False).conforms
    assert isinstance(outcome, Rejected)
    assert outcome.line == len(lines) + 1
    assert f"checkpoint {aborted}" in outcome.refusals[0].why


def test_finished_tasks_are_those_of_the_checkpoint() -> None:
    lines = log_of(engine_of(PAIR), PAIR, 3)
    number = json.loads(lines[place_of(lines, "complete")])["checkpoint"]
    outcome = judged(restarted(lines, number, ["S", "K"]), judges=False).conforms
    assert isinstance(outcome, Rejected)
    assert "finished" in outcome.refusals[0].why


# --- what a run shows -----------------------------------------------------------------------------


def test_a_hazard_is_accepted_and_found() -> None:
    """Before FLIP-147 tasks end without a checkpoint that has all: so it was."""
    lines = log_of(engine_of(PAIR, "legacy-finish"), PAIR, 1)
    verdict = judged(lines)
    assert isinstance(verdict.conforms, Accepted)
    found = {(f.property, f.binding, f.severity) for f in verdict.findings}
    assert ("closed-after-final-checkpoint", (("task", "K"),), Severity.VIOLATED) in found
    line = next(f.line for f in verdict.findings if f.binding == (("task", "K"),))
    assert line == place_of(lines, "close", vertex="K") + 1


def test_what_can_still_come_is_open() -> None:
    lines = log_of(engine_of(PAIR, faults=Faults(checkpoints=1)), PAIR, 3)
    at = place_of(lines, "trigger_checkpoint")
    open_ones = {f.property: f.severity for f in judged(lines[: at + 1]).findings}
    assert open_ones["checkpoint-ends"] is Severity.OPEN
    assert judged(lines).findings == ()


def test_what_cannot_come_any_more_is_stuck() -> None:
    """A task finishes while its checkpoint is triggered, and nobody looks at the failed call."""
    table = PAIR | {"S": {"records": 1, "parallelism": 2}}
    job, kind = Job.from_table(table), BROKEN["waits-for-lost-ack"]

    def ran(seed: int) -> tuple[Engine, list[str]]:
        settings = EngineSettings(faults=Faults(checkpoints=2))
        engine = kind(job, Followed(job), MemoryFiles(), settings, kind.usual)
        return engine, log_of(engine, table, seed)

    # Which runs meet the race depends on how steps are drawn.
    runs = (ran(seed) for seed in range(100))
    engine, lines = next(each for each in runs if not each[0].coordinator.job_finished)
    lines[0] = json.dumps(json.loads(lines[0]) | {"variant": "waits-for-lost-ack"})
    verdict = judged(lines)
    assert isinstance(verdict.conforms, Accepted)
    stuck = {f.property: f for f in verdict.findings if f.severity is Severity.STUCK}
    (waits,) = engine.coordinator.pending
    assert stuck["checkpoint-ends"].binding == (("checkpoint", f"cp{waits.number}"),)
    assert stuck["checkpoint-ends"].line == place_of(lines, "trigger_checkpoint", -1) + 1
    assert "job-finishes" in stuck


def test_a_witness_is_not_believed_unseen() -> None:
    log = read_log(chain())
    verdict = accept(log, known=KNOWN, judges=False)
    assert isinstance(verdict.conforms, Accepted)
    (moves,) = verdict.conforms.witness
    system = SectionSystem(log.sections[0], KNOWN, ())
    with pytest.raises(AssertionError, match="does not lead"):
        replay(system, moves[1:])


# --- what is not judged ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code", "key"),
    [
        ({"protocol": "final-checkpont"}, "unknown-protocol", None),
        ({"variant": "none-such"}, "unknown-variant", None),
        ({"options": {"concurent": 1}}, "unknown-option", "options.concurent"),
        ({"options": {"concurrent": "two"}}, "bad-option", "options.concurrent"),
    ],
)
def test_what_the_log_says_of_its_protocol_is_checked(
    change: dict[str, Any], code: str, key: str | None
) -> None:
    lines = chain()
    lines[0] = json.dumps(json.loads(lines[0]) | change)
    with pytest.raises(FinaleError) as caught:
        judged(lines, file="x.ndjson")
    assert caught.value.code == code
    if key is not None:
        assert caught.value.place is not None
        assert (caught.value.place.line, caught.value.place.key) == (1, key)


def test_each_clock_of_a_log_is_one_of_the_words() -> None:
    clocks = {json.loads(line)["clock"].split()[0] for line in chain()[1:-1]}
    assert clocks <= {clock.value for clock in Clock}
    assert len(ALL_STEPS) > 40
