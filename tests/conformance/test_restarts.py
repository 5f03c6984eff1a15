"""A process starts from the newest checkpoint that is left; anything else needs evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, EventLogVerdict, Rejected, accept
from finale.checker.logs.event_log.reading import read_log
from finale.checker.logs.findings import Coverage
from finale.checker.spec.catalogue import catalogue
from finale.reference.formats.jobfile import read_job
from finale.reference.runner import Orders, run
from finale.reference.settings import Faults
from tests.conformance.logs import PAIR, engine_of, log_of
from tests.conformance.test_run_logs import job_in

KNOWN = catalogue()
ENDLESS = PAIR | {"S": {"records": 2, "bounded": False}}


def judged(lines: list[str]) -> EventLogVerdict:
    return accept(read_log(lines), known=KNOWN, judges=False)


def first() -> list[str]:
    """A process that completes checkpoints 1, 2 and 3, of an unbounded job."""
    lines = log_of(engine_of(ENDLESS, faults=Faults(checkpoints=3)), ENDLESS, 3)
    told = [json.loads(line) for line in lines]
    assert [each["checkpoint"] for each in told if each["event"] == "complete"] == [1, 2, 3]
    return lines


def newest(lines: list[str]) -> int:
    """The newest number that was given in the folder."""
    number = 0
    for each in map(json.loads, lines):
        number = 0 if each.get("new") else number
        told = each.get("from") if each["event"] == "log-start" else each.get("checkpoint")
        number = max(number, told or 0) if each["event"] in ("log-start", "complete") else number
    return number


def then(lines: list[str], origin: int | None, **start: Any) -> list[str]:
    """Another process after these lines, that restores all, or runs at once."""
    begun = [json.loads(line) for line in lines if '"log-start"' in line]
    head = {k: v for k, v in begun[0].items() if k not in ("new", "refused", "copied")}
    head |= {"process": len(begun) + 1, "starts": "restoring", "from": origin, "finished": []}
    head |= {"last": max(origin or 0, newest(lines))} | start
    restores = [
        {"event": "restore", "vertex": vertex, "subtask": 0, "fields": {"from": origin}}
        | {"clock": f"task.mailbox {vertex}", "seq": 0}
        for vertex in ("S", "K")
    ]
    end = {"event": "log-end", "count": 2}
    if head["starts"] == "running":
        restores, end = [], end | {"count": 0}
    return [*lines, *map(json.dumps, [head, *restores, end])]


def copied(of: int, why: str) -> dict[str, Any]:
    return {"copied": {"of": of, "why": why}}


ACCEPTED: tuple[tuple[int | None, dict[str, Any]], ...] = (
    (3, {}),
    (2, {"refused": [3]}),
    (1, {"refused": [2, 3]}),
    (4, copied(3, "shape")),
    (4, copied(2, "shape") | {"refused": [3]}),
    (4, copied(1, "given")),
    (8, copied(7, "elsewhere")),
    (None, {"new": True}),
    (None, {"new": True, "starts": "running"}),
    (None, {"run": "another"}),
)
REJECTED: tuple[tuple[int | None, dict[str, Any], str], ...] = (
    (1, {}, "starts from checkpoint 1, and checkpoint 3 is the newest"),
    (2, {}, "checkpoint 3 is the newest"),
    (None, {}, "starts from no checkpoint, and checkpoint 3 has completed"),
    (None, {"starts": "running"}, "checkpoint 3 has completed"),
    (3, {"starts": "running"}, "checkpoint 3 has completed"),
    (500, {}, "checkpoint 500, which has not completed"),
    (3, {"refused": [3]}, "checkpoint 3, which has not completed"),
    (1, {"refused": [3]}, "checkpoint 2 is the newest"),
    (None, {"refused": [1, 2, 3]}, "checkpoint 3 has completed"),
    (4, copied(2, "shape"), "starts from checkpoint 2, and checkpoint 3 is the newest"),
    (4, copied(9, "given"), "checkpoint 9, which has not completed"),
    (2, copied(3, "shape"), "no new number"),
    (500, copied(1, "whim"), "checkpoint 500, which has not completed"),
)


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize(("origin", "start"), ACCEPTED)
def test_a_start_from_the_newest_or_with_evidence_is_accepted(
    origin: int | None, start: dict[str, Any], ended: bool
) -> None:
    lines = first() if ended else first()[:-1]
    verdict = judged(then(lines, origin, **start))
    assert isinstance(verdict.conforms, Accepted), verdict.conforms


@pytest.mark.parametrize(("origin", "start", "why"), REJECTED)
def test_any_other_start_is_rejected(origin: int | None, start: dict[str, Any], why: str) -> None:
    lines = first()
    outcome = judged(then(lines, origin, **start)).conforms
    assert isinstance(outcome, Rejected)
    assert (outcome.line, outcome.event) == (len(lines) + 1, "log-start")
    assert why in outcome.refusals[0].why


@pytest.mark.parametrize("origin", [1, None, 500])
def test_where_the_end_is_missing_nothing_is_invented_to_explain_it(origin: int | None) -> None:
    """Steps may have been taken unseen, but none that forgets what has completed."""
    assert not isinstance(judged(then(first()[:-1], origin)).conforms, Accepted)


def test_checkpoints_that_nobody_has_seen_are_counted_on_from_the_last_one() -> None:
    cut = then(first(), 3)[:-1]
    assert isinstance(judged(then(cut, 4)).conforms, Accepted)
    assert not isinstance(judged(then(cut, 500)).conforms, Accepted)


def test_where_the_end_is_missing_the_next_checkpoint_may_have_completed() -> None:
    lines = first()
    at = max(n for n, line in enumerate(lines) if '"complete"' in line)
    for origin, is_so in ((3, True), (2, True), (4, True), (1, False), (9, False)):
        outcome = judged(then(lines[:at], origin)).conforms
        assert isinstance(outcome, Accepted) is is_so, (origin, outcome)


def test_what_was_passed_over_stays_so_and_what_was_started_from_is_known() -> None:
    twice = then(first(), 2, refused=[3])
    assert isinstance(judged(then(twice, 2)).conforms, Accepted)
    for origin in (1, 3, None):
        outcome = judged(then(twice, origin)).conforms
        assert isinstance(outcome, Rejected)
        assert outcome.line == len(twice) + 1


def test_after_a_start_anew_nothing_from_before_counts() -> None:
    anew = then(first(), None, new=True)
    assert isinstance(judged(then(anew, None)).conforms, Accepted)
    assert isinstance(judged(then(anew, 3)).conforms, Rejected)


def test_a_process_that_is_not_there_may_have_completed_others_and_is_a_gap() -> None:
    verdict = judged(then(first(), 5, process=3))
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert verdict.coverage is Coverage.GAP
    assert judged(then(first(), 3)).coverage is Coverage.COMPLETE
    assert isinstance(judged(then(first(), 1, process=3)).conforms, Rejected)


def test_a_log_without_its_first_section_is_a_gap() -> None:
    whole = then(first(), 3)
    assert judged(whole).coverage is Coverage.COMPLETE
    second = whole[len(first()) :]
    assert judged(second).coverage is Coverage.GAP
    told = json.loads(second[0])
    as_first = [json.dumps(told | {"process": 1}), *second[1:]]
    assert judged(as_first).coverage is Coverage.GAP
    elsewhere = json.dumps(told | {"process": 1} | copied(7, "elsewhere"))
    assert judged([elsewhere, *second[1:]]).coverage is Coverage.COMPLETE


def test_a_copy_is_told_again_when_it_is_started_from_again() -> None:
    for why in ("shape", "given", "elsewhere"):
        once = then(first(), 4, **copied(3, why))
        again = judged(then(once, 4, **copied(3, why), process=3))
        assert isinstance(again.conforms, Accepted), again.conforms
        if why != "elsewhere":  # else it may be another folder
            other = judged(then(once, 3, **copied(3, why), process=3))
            assert isinstance(other.conforms, Rejected)


@pytest.mark.parametrize(
    ("origin", "start", "why"),
    [
        (3, {"last": 0}, "0 is the newest number, and 3 was given before"),
        (3, {"last": 9}, "9 is the newest number, and that is at most 3"),
        (99, copied(3, "shape"), "99 is the newest number, and that is at most 4"),
        (4, copied(3, "shape") | {"finished": ["S"]}, "none as finished, not S"),
        (4, copied(1, "given") | {"finished": ["S", "K"]}, "none as finished, not K, S"),
    ],
)
def test_numbers_are_counted_on_and_a_copy_adds_nothing(
    origin: int, start: dict[str, Any], why: str
) -> None:
    lines = first()
    outcome = judged(then(lines, origin, **start)).conforms
    assert isinstance(outcome, Rejected)
    assert outcome.line == len(lines) + 1
    assert why in outcome.refusals[0].why


def test_an_engine_leaves_no_number_out() -> None:
    lines = [line.replace('"checkpoint":3', '"checkpoint":777') for line in first()]
    outcome = judged(lines).conforms
    assert isinstance(outcome, Rejected)
    assert "777, and leaves numbers out" in outcome.refusals[0].why


def test_a_number_that_was_remembered_stays_so() -> None:
    """The folder was emptied, nothing completed in it, and a savepoint was put back."""
    emptied = then(first(), None, starts="running", new=True, last=3)
    assert isinstance(judged(then(emptied, None, starts="running", last=3)).conforms, Accepted)
    conforms = judged(then(emptied, None, starts="running", last=4)).conforms
    assert isinstance(conforms, Rejected)
    assert "4 is the newest number, and that is at most 3" in conforms.refusals[0].why


def test_what_was_left_is_not_started_from() -> None:
    back = then(first(), 4, **copied(1, "given"))
    again = then(back, 3, refused=[4])
    outcome = judged(again).conforms
    assert isinstance(outcome, Rejected)
    assert isinstance(judged(then(back, 1, refused=[4])).conforms, Accepted)
    given = judged(then(back, 5, **copied(2, "given"))).conforms
    assert isinstance(given, Rejected)
    assert "had gone on from before it" in given.refusals[0].why


def test_a_copy_of_a_copy_of_which_nobody_told() -> None:
    chain = {"of": 4, "why": "shape", "chain": [[4, 1, "given"]]}
    assert isinstance(judged(then(first(), 5, copied=chain)).conforms, Accepted)
    for wrong in ([[4, 9, "given"]], [[4, 2, "shape"]], [[3, 1, "given"]], []):
        outcome = judged(then(first(), 5, copied=chain | {"chain": wrong})).conforms
        assert isinstance(outcome, Rejected), wrong


# --- what a run writes down -----------------------------------------------------------------------


def starts(log: Path) -> list[dict[str, Any]]:
    told = map(json.loads, log.read_text("utf-8").splitlines())
    return [each for each in told if each["event"] == "log-start"]


@pytest.mark.parametrize("shape", [False, True])
def test_runs_write_the_evidence(shape: bool, tmp_path: Path) -> None:
    """A given savepoint, another shape, a damaged checkpoint, another folder: one log has all."""
    file, log = job_in(tmp_path, "aligned"), tmp_path / "log"
    text = f"retained = 9\n{file.read_text('utf-8')}"
    file.write_text(text, encoding="utf-8")
    one, other = tmp_path / "one", tmp_path / "other"
    run(read_job(file), one, orders=Orders(log=log))
    (one / "ended.json").unlink()
    left = sorted(int(each.name) for each in (one / "checkpoints").iterdir())
    newest = one / "checkpoints" / str(left[-1])
    if shape:
        file.write_text(
            text.replace('"words"\n', '"words"\nparallelism = 2\n', 1), encoding="utf-8"
        )
    run(read_job(file), one, orders=Orders(log=log))
    run(read_job(file), one, orders=Orders(log=log, savepoint=newest))
    run(read_job(file), other, orders=Orders(log=log, savepoint=newest))
    told = starts(log)
    assert [each["process"] for each in told] == [1, 2, 3, 4]
    assert told[0]["new"] is True
    assert not any("new" in each for each in told[1:])
    assert (told[1].get("copied") == {"of": left[-1], "why": "shape"}) is shape
    assert [each["copied"]["why"] for each in told[2:]] == ["given", "elsewhere"]
    verdict = judged(log.read_text("utf-8").splitlines())
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert verdict.coverage is Coverage.COMPLETE
