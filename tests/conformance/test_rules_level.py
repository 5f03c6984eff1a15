"""Event logs judged by what was learned of rules and properties: the same as by the search."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from benchmarks.validating import KINDS
from finale.checker.logs.event_log import judge as rules_level
from finale.checker.logs.event_log.acceptance import Accepted, Move, Rejected, accept
from finale.checker.logs.event_log.judge import EventLogJudge, JudgedLog
from finale.checker.logs.event_log.reading import read_log
from finale.checker.logs.event_log.section_judge import findings_of
from finale.checker.logs.event_log.section_system import Refusal, SectionSystem
from finale.checker.logs.event_log.step_cache.shapes import SectionShape
from finale.checker.logs.findings import Coverage, Finding, Severity
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError
from tests.conformance.logs import changed
from tests.engine_runs.random_runs import RandomRun, lines_of

KNOWN = catalogue()
FAST, ALL = 12, 400
#: Of runs to their end, seeds of those that show something.
SHOWING = (5, 7, 43, 45)
#: What the search does not ask where it gives ids again.
NOT_IN_LONG_RUNS = {
    "closed-after-final-checkpoint",
    "confirms-what-was-taken",
    "decided-once",
    "finished-flag-is-sound",
    "plan-is-a-partition",
    "waiting-tasks-are-reached",
}
SMALL = RandomRun(
    "final-checkpoint",
    {"S": {"records": 2}, "K": {"from": ["S"], "sink": "two-phase"}},
    faults={"checkpoints": 4, "failures": 1},
    seed=1,
)


@pytest.fixture(scope="module")
def rules() -> EventLogJudge:
    """Tests share what was learned, as runs do."""
    return EventLogJudge(KNOWN)


def bytes_of(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def several(first: int, count: int) -> Iterator[list[str]]:
    """Runs of all kinds, some cut off before they end, some with too many checkpoints for ids."""
    for seed in range(first, first + count):
        kind = KINDS[seed % len(KINDS)]
        steps = (60, 120, 300)[seed // len(KINDS) % 3]
        crashes = (40,) if seed % 7 == 0 else ()
        yield lines_of(replace(kind, seed=seed, steps_max=steps, crashes=crashes))


def one(rules: EventLogJudge, lines: list[str]) -> JudgedLog:
    (ruled,) = rules.judge_file(bytes_of(lines))
    return ruled


def with_an_id_for_each(lines: list[str]) -> tuple[Finding, ...]:
    """What properties say where each checkpoint has an id of its own, and no event is missing."""
    found: list[Finding] = []
    sections = read_log(lines).sections
    for section in sections:
        system = SectionSystem(section, KNOWN, frozenset(), live=len(lines))
        reached, moves = system.start(), list[Move]()
        for event in section.events:
            taken = system.take(event, reached)
            assert not isinstance(taken, Refusal)
            rule, reached = taken
            moves.append(Move(rule, event.line, reached))
        found += findings_of(system, moves, lambda _: None, ends=section is sections[-1])
    return tuple(found)


def assert_same(rules: EventLogJudge, lines: list[str], shown: Counter[Severity]) -> None:
    ruled, verdict = one(rules, lines), accept(read_log(lines), known=KNOWN)
    assert ruled.coverage is verdict.coverage
    assert isinstance(verdict.conforms, Accepted)
    assert ruled.is_own_witness == (
        len(verdict.conforms.witness) == 1 and verdict.conforms.unseen == 0
    )
    if verdict.conforms.unseen == 0:
        assert ruled.stopped is None
        assert ruled.findings == with_an_id_for_each(lines)
        rest = [each for each in ruled.findings if each.property not in NOT_IN_LONG_RUNS]
        assert rest == [each for each in verdict.findings if each.property not in NOT_IN_LONG_RUNS]
    shown.update(each.severity for each in ruled.findings)


def test_the_same_is_found_as_by_the_search(rules: EventLogJudge) -> None:
    shown = Counter[Severity]()
    for lines in several(0, FAST):
        assert_same(rules, lines, shown)
    for seed in SHOWING:
        assert_same(rules, lines_of(replace(KINDS[seed % len(KINDS)], seed=seed)), shown)
    # Only logs of which lines may be missing are asked what is overdue, and what recovers. A stop
    # is unanswered only where the log does not tell who has heard of its savepoint.
    of_other_logs = {Severity.OVERDUE, Severity.RECOVERED, Severity.UNANSWERED}
    assert set(shown) == set(Severity) - of_other_logs


@pytest.mark.slow
def test_the_same_is_found_in_hundreds_of_runs(rules: EventLogJudge) -> None:
    shown = Counter[Severity]()
    for lines in several(FAST, ALL):
        assert_same(rules, lines, shown)
    # Only logs of which lines may be missing are asked what is overdue, and what recovers. A stop
    # is unanswered only where the log does not tell who has heard of its savepoint.
    of_other_logs = {Severity.OVERDUE, Severity.RECOVERED, Severity.UNANSWERED}
    assert set(shown) == set(Severity) - of_other_logs


def test_what_was_learned_from_one_run_holds_for_the_next(rules: EventLogJudge) -> None:
    """In whatever order runs come, the same is said of each."""
    runs = list(several(3, 5))
    there = [one(rules, lines).findings for lines in runs]
    fresh = EventLogJudge(KNOWN)
    back = [one(fresh, lines).findings for lines in reversed(runs)]
    assert there == back[::-1]


@pytest.mark.parametrize("bound", ["PATHS_MAX", "WORDS_MAX"])
def test_what_was_learned_may_be_forgotten(
    rules: EventLogJudge, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    """When it is too much: then all is learned once more, and the same is said."""
    monkeypatch.setattr(rules_level, bound, 30)
    forgetful, forgotten = EventLogJudge(KNOWN), 0
    for lines in several(3, 5):
        before = forgetful.vocabulary
        assert one(forgetful, lines).findings == one(rules, lines).findings
        forgotten += forgetful.vocabulary is not before
    assert forgotten > 1


def test_in_the_order_of_clocks_alone_nothing_is_rejected_for_the_order_of_lines(
    rules: EventLogJudge,
) -> None:
    lines = lines_of(SMALL)
    start = {**json.loads(lines[0]), "order": "clocks"}
    events = [json.loads(line) for line in lines[1:-1]]
    stopped = 0
    for place in range(len(events) - 1):
        first, second = events[place : place + 2]
        if first["clock"] == second["clock"]:
            continue
        swapped = [*events[:place], second, first, *events[place + 2 :]]
        ruled = one(rules, list(map(json.dumps, [start, *swapped, json.loads(lines[-1])])))
        stopped += ruled.stopped is not None
        assert ruled.stopped is None or ruled.stopped.missing
        assert not ruled.fails
    assert stopped > 0


def test_nothing_is_said_of_what_comes_behind_an_event_of_another_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor where the run is followed step by step, for want of room."""
    monkeypatch.setattr(SectionShape, "follow", lambda *_, **__: (0, []))
    lines = lines_of(replace(KINDS[5], seed=45))

    def other(events: list[dict[str, object]]) -> list[dict[str, object]]:
        at = next(n for n, each in enumerate(events) if n >= 20 and "attempt" in each)
        return [*events[:at], {**events[at], "attempt": 7}, *events[at + 1 :]]

    ruled = one(EventLogJudge(KNOWN), changed(lines, other))
    assert ruled.stopped is not None
    assert "attempt 7" in ruled.stopped.refusal.why
    assert all((each.line or 0) < ruled.stopped.line for each in ruled.findings)
    assert one(EventLogJudge(KNOWN), lines).findings


def test_an_event_that_cannot_be_is_told_as_the_search_tells_it(rules: EventLogJudge) -> None:
    lines = lines_of(SMALL)
    names = [json.loads(line)["event"] for line in lines]
    place = names.index("complete")
    swapped = changed(lines, lambda e: [*e[: place - 2], e[place - 1], e[place - 2], *e[place:]])
    ruled, verdict = one(rules, swapped), accept(read_log(swapped), known=KNOWN)
    assert isinstance(verdict.conforms, Rejected)
    assert ruled.stopped is not None
    assert not ruled.stopped.missing
    assert ruled.fails
    assert (ruled.stopped.line, ruled.stopped.event) == (
        verdict.conforms.line,
        verdict.conforms.event,
    )
    assert ruled.stopped.refusal.why == verdict.conforms.refusals[0].why


@pytest.mark.parametrize("form", [None, (",", ":")], ids=["any-form", "engine-form"])
@pytest.mark.parametrize("place", [3, 15])
def test_an_event_of_another_attempt_is_told_as_the_search_tells_it(
    rules: EventLogJudge, place: int, form: tuple[str, str] | None
) -> None:
    def other(events: list[dict[str, object]]) -> list[dict[str, object]]:
        at = next(n for n, each in enumerate(events) if n >= place and "attempt" in each)
        return [*events[:at], {**events[at], "attempt": 7}, *events[at + 1 :]]

    lines = changed(lines_of(SMALL), other)
    lines = [json.dumps(json.loads(line), separators=form, ensure_ascii=False) for line in lines]
    ruled, verdict = one(rules, lines), accept(read_log(lines), known=KNOWN)
    assert isinstance(verdict.conforms, Rejected)
    assert ruled.stopped is not None
    assert (ruled.stopped.line, ruled.stopped.refusal.why) == (
        verdict.conforms.line,
        verdict.conforms.refusals[0].why,
    )
    assert not ruled.is_own_witness


@pytest.mark.parametrize("cut", ["end", "half"])
def test_a_lost_last_line_shows(rules: EventLogJudge, cut: str) -> None:
    lines = lines_of(SMALL)
    data = bytes_of(lines[:-1])
    if cut == "half":
        data += lines[-1][:9].encode()
    (ruled,) = rules.judge_file(data)
    assert ruled.coverage is Coverage.TRUNCATED
    assert ruled.stopped is None
    assert len(ruled.run.log.unreadable) == (cut == "half")


def test_a_lost_last_event_shows(rules: EventLogJudge) -> None:
    """Its number is missing from the count, if not from a clock."""
    lines = lines_of(SMALL)
    ruled = one(rules, [*lines[:-2], lines[-1]])
    assert ruled.coverage is not Coverage.COMPLETE


def test_a_channel_that_is_full_in_the_model_alone_is_no_mistake_of_the_engine(
    rules: EventLogJudge,
) -> None:
    """Channels of the engine take any number of barriers; six are tried first."""
    lines = lines_of(replace(KINDS[4], seed=6036))
    ruled = one(rules, lines)
    assert ruled.stopped is None
    assert ruled.is_own_witness
    assert ruled.findings == with_an_id_for_each(lines)


def test_a_line_that_is_missing_is_a_gap_and_no_mistake_of_the_engine(rules: EventLogJudge) -> None:
    lines = lines_of(SMALL)
    place = [json.loads(line)["event"] for line in lines].index("apply_acknowledgement")
    ruled = one(rules, lines[:place] + lines[place + 1 :])
    assert ruled.coverage is Coverage.GAP
    assert ruled.stopped is not None
    assert ruled.stopped.missing
    assert not ruled.fails


def test_no_line_is_lost(rules: EventLogJudge) -> None:
    lines = lines_of(SMALL)
    odd = json.dumps({**json.loads(lines[1]), "event": "unheard-of", "clock": "other", "seq": 0})
    broken = [lines[0], odd, "no event", *lines[1:]]
    run = one(rules, broken).run
    assert run.lines == len(broken)
    assert run.ignored == 1
    assert run.log.unreadable == (3,)
    assert run.parsed == len(lines)


def test_bytes_that_are_no_text_are_kept_to_their_line(rules: EventLogJudge) -> None:
    data = bytes_of(lines_of(SMALL))
    lines = data.split(b"\n")
    lines[2] = lines[2].replace(b'"run"', b'"\xff\xfe"')
    (ruled,) = rules.judge_file(b"\n".join(lines))
    assert ruled.coverage is Coverage.COMPLETE  # a field that is not known is no damage
    lines[3] = b"\xff"
    (ruled,) = rules.judge_file(b"\n".join(lines))
    assert ruled.run.log.unreadable == (4,)


def test_many_runs_are_in_one_file(rules: EventLogJudge) -> None:
    """Each is judged by itself, at its lines, as if it stood alone."""
    runs = [lines_of(replace(kind, name=f"r{n}", steps_max=60)) for n, kind in enumerate(KINDS)]
    found = list(rules.judge_file(b"".join(map(bytes_of, runs))))
    assert [each.run.name for each in found] == [f"r{n}" for n in range(len(KINDS))]
    line = 1
    for lines, ruled in zip(runs, found, strict=True):
        assert ruled.run.lines == len(lines)
        assert ruled.run.parts[0].section.line == line
        alone = one(rules, lines)
        told = [(each.property, each.binding, each.line) for each in alone.findings]
        here = [(e.property, e.binding, (e.line or 0) - line + 1) for e in ruled.findings]
        assert told == here
        line += len(lines)


def test_a_run_of_several_processes_is_one(rules: EventLogJudge) -> None:
    lines = lines_of(replace(KINDS[0], crashes=(40,), steps_max=60))
    ruled = one(rules, lines)
    assert len(ruled.run.parts) == 2
    assert ruled.coverage is Coverage.GAP  # the first process tells no end


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"protocol": "none"}, "unknown-protocol"),
        ({"variant": "none"}, "unknown-variant"),
        ({"v": 99}, "event-log-version"),
        ({"options": {"concurrent": "x"}}, "bad-option"),
    ],
)
def test_what_cannot_be_read_has_its_code(
    rules: EventLogJudge, change: dict[str, object], code: str
) -> None:
    start, *events = lines_of(SMALL)
    with pytest.raises(FinaleError) as error:
        one(rules, [json.dumps(json.loads(start) | change, separators=(",", ":")), *events])
    assert error.value.code == code


def test_what_comes_before_any_run_is_no_log(rules: EventLogJudge) -> None:
    with pytest.raises(FinaleError) as error:
        list(rules.judge_file(b"something else\n"))
    assert error.value.code == "not-an-event-log"
