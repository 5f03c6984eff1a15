"""Corrupted copies of event logs: one change each, of a kind that `event_corruptions.toml` names.

What a kind does and what must come of it is written there; here is how it is done.
"""

from __future__ import annotations

import enum
import itertools
import random
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.corrupted_events import BEGINS, Copy, Event, Original, told

EXPECTED = Path(__file__).with_suffix(".toml")
Places = Callable[[Original], Iterator[Copy]]


class Class(enum.Enum):
    """What must become of the copies of a kind."""

    REJECTED = "rejected"
    EXPLAINED = "explained"
    NOT_REJECTED = "not-rejected"
    MAY_BE_INVISIBLE = "may-be-invisible"


@dataclass(frozen=True)
class Kind:
    """A kind of corruption, and what is expected of it."""

    name: str
    expected: Class
    within: int


def kinds() -> list[Kind]:
    rows = tomllib.loads(EXPECTED.read_text())["kind"]
    return [Kind(row["name"], Class(row["class"]), row.get("within", 0)) for row in rows]


# --- acknowledgements and completions -------------------------------------------------------------


def _acknowledged(original: Original) -> Iterator[tuple[int, Event, int]]:
    """Acknowledgements of checkpoints that complete, and where."""
    for at, event in original.all("apply_acknowledgement"):
        done = original.completed.get(event["checkpoint"])
        if done is not None and at < done:
            yield at, event, done


def acknowledgement_removed(original: Original) -> Iterator[Copy]:
    for at, _, done in _acknowledged(original):
        yield original.copy(at, original.without(at), done - 1)


def acknowledgement_forged(original: Original) -> Iterator[Copy]:
    for at, event, _ in _acknowledged(original):
        forged = original.begun[event["checkpoint"]] + 1
        yield original.copy(at, original.inserted(forged, event), forged)


def acknowledgement_twice(original: Original) -> Iterator[Copy]:
    for at, event, _ in _acknowledged(original):
        yield original.copy(at, original.inserted(at + 1, event), at + 1)


def acknowledgement_of_the_next(original: Original) -> Iterator[Copy]:
    for at, event, _ in _acknowledged(original):
        number = event["checkpoint"] + 1
        if original.begun.get(number, 0) > at:
            yield original.copy(at, original.instead(at, checkpoint=number), at)


def acknowledgement_of_another(original: Original) -> Iterator[Copy]:
    for (_, other, done), (at, _, same) in itertools.pairwise(_acknowledged(original)):
        if done == same:
            own = {key: other[key] for key in ("vertex", "subtask")}
            yield original.copy(at, original.instead(at, **own), at)


def completed_early(original: Original) -> Iterator[Copy]:
    last = {done: at for at, _, done in _acknowledged(original)}
    for done, at in last.items():
        yield original.copy(done, original.moved(done, at), at)


def completed_twice(original: Original) -> Iterator[Copy]:
    for at, event in original.all("complete"):
        yield original.copy(at, original.inserted(at + 1, event), at + 1)


def completion_removed(original: Original) -> Iterator[Copy]:
    for at, event in original.all("complete"):
        number = event["checkpoint"]
        if original.events[original.begun[number]]["event"] != "trigger_checkpoint":
            continue
        for then, other in original.behind(at):
            if other["event"].startswith("request"):
                break
            if _needs_completion(other, number):
                yield original.copy(at, original.without(at), then - 1)
                break


def _needs_completion(event: Event, number: int) -> bool:
    """Whether it tells a task of a completion, restores one, or begins a checkpoint."""
    if event["event"] in ("deliver_confirmation", "lose_confirmation"):
        return bool(event["checkpoint"] == number)
    return event["event"] == "restore" or _begins(event)


def _begins(event: Event) -> bool:
    return event["event"] in BEGINS and "checkpoint" in event


# --- what tasks are told --------------------------------------------------------------------------


def told_before_it_completes(original: Original) -> Iterator[Copy]:
    for at, event in original.all("deliver_confirmation"):
        done = original.completed[event["checkpoint"]]
        yield original.copy(at, original.moved(at, done), done)


def told_of_an_aborted_one(original: Original) -> Iterator[Copy]:
    for at, _ in original.all("deliver_abort"):
        yield original.copy(at, original.instead(at, event="deliver_confirmation"), at)


def told_twice(original: Original) -> Iterator[Copy]:
    for at, event in original.all("deliver_confirmation"):
        yield original.copy(at, original.inserted(at + 1, event), at + 1)


# --- triggers, calls and barriers -----------------------------------------------------------------


def trigger_removed(original: Original) -> Iterator[Copy]:
    for number, at in original.begun.items():
        behind = original.behind(at)
        needs = (n for n, e in behind if e.get("checkpoint") == number or _begins(e))
        first = next(needs, None)
        if first is not None:
            yield original.copy(at, original.without(at), first - 1)


def triggered_twice(original: Original) -> Iterator[Copy]:
    for at, event in original.all("trigger_checkpoint"):
        if "checkpoint" in event:
            yield original.copy(at, original.inserted(at + 1, event), at + 1)


def number_left_out(original: Original) -> Iterator[Copy]:
    for number, at in original.begun.items():
        yield original.copy(at, original.instead(at, checkpoint=number + 1), at)


def _calls(original: Original) -> Iterator[tuple[int, int]]:
    """Where a call arrives, and where it is carried out."""
    arrived: dict[tuple[str, int], int] = {}
    for at, event in original.all("deliver_trigger", "run_trigger"):
        key = original.task(event), event["checkpoint"]
        if event["event"] == "deliver_trigger":
            arrived[key] = at
        else:
            yield arrived[key], at


def call_removed(original: Original) -> Iterator[Copy]:
    for at, runs in _calls(original):
        yield original.copy(at, original.without(at), runs - 1)


def run_before_its_call(original: Original) -> Iterator[Copy]:
    for at, runs in _calls(original):
        yield original.copy(runs, original.moved(runs, at), at)


def _acknowledges(original: Original, place: int, task: str, number: int | None) -> int | None:
    """Where a task acknowledges a checkpoint, if that is the next that is told of the task, its
    outputs and, where it has just read a barrier, of the same channel."""
    for at, event in original.behind(place):
        own = original.task(event) == task
        if event["event"] == "apply_acknowledgement" and own:
            return at if number in (None, event["checkpoint"]) else None
        if own or str(event.get("channel", "")).startswith(f"{task}→") or event["event"] == "fail":
            return None
    return None


def begin_removed(original: Original) -> Iterator[Copy]:
    for at, event in original.all("run_trigger"):
        task = original.task(event)
        ack = _acknowledges(original, at, task, event["checkpoint"])
        if task in original.sources and ack is not None:
            yield original.copy(at, original.without(at), ack - 1)


def _barriers(original: Original) -> Iterator[tuple[int, int]]:
    """Where a barrier is read of the only checkpoint under way, and its acknowledgement."""
    for at, event in original.all("poll_barrier"):
        task = original.task(event)
        ack = _acknowledges(original, at, task, None)
        if ack is None:
            continue
        number = original.events[ack]["checkpoint"]
        other = ("deliver_trigger", "run_trigger", "notice_barrier", "notice_announcement")
        elsewhere = any(
            original.task(each) == task and each["checkpoint"] == number
            for _, each in original.all(*other)
        )
        if original.begun[number] < at and original.is_alone(number, ack) and not elsewhere:
            yield at, ack


def barrier_removed(original: Original) -> Iterator[Copy]:
    for at, ack in _barriers(original):
        yield original.copy(at, original.without(at), ack - 1)


def barrier_twice(original: Original) -> Iterator[Copy]:
    for at, _ in _barriers(original):
        yield original.copy(at, original.inserted(at + 1, original.events[at]), at + 1)


# --- the end of a job -----------------------------------------------------------------------------


def _ends(original: Original, name: str) -> Iterator[tuple[int, int, str]]:
    """Where a source ends, and where something of it, or of its output, comes in that attempt."""
    for at, event in original.all("end_source"):
        task = original.task(event)
        for then, other in original.behind(at):
            if other["event"] == "fail":
                break
            sender = str(other.get("channel", "")).split("→")[0]
            if other["event"] == name and task == (sender or original.task(other)):
                yield at, then, task


def finished_without_a_final_checkpoint(original: Original) -> Iterator[Copy]:
    for at, left, task in _ends(original, "quiesce"):
        own = [n for n in range(at, left) if original.task(original.events[n]) == task]
        names = [original.events[n]["event"] for n in own]
        gone = [n for n in own if original.events[n]["event"] == "deliver_confirmation"]
        if gone and "deliver_abort" not in names:
            yield original.copy(left, original.without(*gone), left - len(gone))


def left_before_its_confirmation(original: Original) -> Iterator[Copy]:
    for at, left, _ in _ends(original, "quiesce"):
        yield original.copy(left, original.moved(left, at + 1), at + 1)


def end_of_data_read_early(original: Original) -> Iterator[Copy]:
    for at, read, _ in _ends(original, "poll_end_of_data"):
        yield original.copy(read, original.moved(read, at), at)


def learned_before_it_closed(original: Original) -> Iterator[Copy]:
    closed: dict[str, int] = {}
    for at, event in original.all("close", "learn_finished"):
        if event["event"] == "close":
            closed[original.task(event)] = at
        elif original.task(event) in closed:
            to = closed[original.task(event)]
            yield original.copy(at, original.moved(at, to), to)


# --- failures, and how a log begins ---------------------------------------------------------------


def failure_removed(original: Original) -> Iterator[Copy]:
    for at, _ in original.all("fail"):
        if at + 1 < len(original.events) and original.events[at + 1]["event"] == "restore":
            yield original.copy(at, original.without(at), at)


def restored_from_another(original: Original) -> Iterator[Copy]:
    for at, _ in original.all("restore"):
        for number, begun in original.begun.items():
            if begun < at and original.completed.get(number, at) >= at:
                yield original.copy(at, original.instead(at, fields={"from": number}), at)


def restored_twice(original: Original) -> Iterator[Copy]:
    for at, event in original.all("restore"):
        yield original.copy(at, original.inserted(at + 1, event), at + 1)


def attempt_changed(original: Original) -> Iterator[Copy]:
    for at, event in enumerate(original.events):
        yield original.copy(at, original.instead(at, attempt=event["attempt"] + 2), at)


def newest_number_changed(original: Original) -> Iterator[Copy]:
    start = {**original.start, "last": original.start["last"] + 3}
    first = min(original.begun.values(), default=None)
    if first is not None:
        yield original.copy(first, original.events, first, start)


# --- what is missing ------------------------------------------------------------------------------


def line_lost(original: Original) -> Iterator[Copy]:
    for at in range(len(original.events)):
        yield original.raw(at, at + 1, lambda _: ())


def line_halved(original: Original) -> Iterator[Copy]:
    for at in range(len(original.events)):
        yield original.raw(at, at + 1, lambda line: (line[: len(line) // 2],))


def end_lost(original: Original) -> Iterator[Copy]:
    yield original.raw(0, -1, lambda _: ())


def count_changed(original: Original) -> Iterator[Copy]:
    last = {**original.end, "count": len(original.events) + 1}
    yield original.raw(0, -1, lambda _: (told(last),))


# --- what need not show ---------------------------------------------------------------------------


def last_event_removed(original: Original) -> Iterator[Copy]:
    at = len(original.events) - 1
    yield original.copy(at, original.without(at))


def acknowledgements_swapped(original: Original) -> Iterator[Copy]:
    for (at, _, done), (then, _, same) in itertools.pairwise(_acknowledged(original)):
        if done == same and then == at + 1:
            yield original.copy(at, original.moved(then, at))


def confirmation_removed(original: Original) -> Iterator[Copy]:
    for at, _ in original.all("deliver_confirmation"):
        yield original.copy(at, original.without(at))


def abort_notice_removed(original: Original) -> Iterator[Copy]:
    for at, _ in original.all("deliver_abort"):
        yield original.copy(at, original.without(at))


def neighbours_swapped(original: Original) -> Iterator[Copy]:
    for at, (one, other) in enumerate(itertools.pairwise(original.events)):
        if one["clock"] != other["clock"]:
            yield original.copy(at, original.moved(at + 1, at))


def failed_twice(original: Original) -> Iterator[Copy]:
    for at, event in original.all("fail"):
        yield original.copy(at, original.inserted(at + 1, event))


HOW: dict[str, Places] = {
    each.__name__.replace("_", "-"): each
    for each in (
        acknowledgement_removed, acknowledgement_forged, acknowledgement_twice,
        acknowledgement_of_the_next, acknowledgement_of_another, completed_early, completed_twice,
        completion_removed, told_before_it_completes, told_of_an_aborted_one, told_twice,
        trigger_removed, triggered_twice, number_left_out, call_removed, run_before_its_call,
        begin_removed, barrier_removed, barrier_twice, finished_without_a_final_checkpoint,
        left_before_its_confirmation, end_of_data_read_early, learned_before_it_closed,
        failure_removed, restored_from_another, restored_twice, attempt_changed,
        newest_number_changed, line_lost, line_halved, end_lost, count_changed,
        last_event_removed, acknowledgements_swapped, confirmation_removed, abort_notice_removed,
        neighbours_swapped, failed_twice,
    )
}  # fmt: skip


def copies(kind: str, among: Sequence[Original], number: int, seed: int) -> list[Copy]:
    """A corrupted copy of a kind in each of so many runs, chosen by a seed."""
    chance = random.Random(f"{kind} {seed}")
    found: list[Copy] = []
    for original in chance.sample(among, len(among)):
        places = list(HOW[kind](original))
        if places:
            found.append(chance.choice(places))
        if len(found) == number:
            break
    return found
