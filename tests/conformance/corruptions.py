"""Corrupted copies of logs of real runs: one change each, of a kind that `corruptions.toml` names.

What a kind does and what must come of it is written there; here is how it is done. A change is one
of raw lines, and whoever is to judge it reads the lines again.
"""

from __future__ import annotations

import itertools
import random
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from finale.checker.logs.flink.observations import Observation
from finale.checker.logs.lines import Observed
from tests.conformance.corrupted import Copy, Original, at_line, log_of, same_log

EXPECTED = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Kind:
    """A kind of corruption, and what is expected of it."""

    name: str
    is_rejected: bool
    within: int


def kinds() -> list[Kind]:
    rows = tomllib.loads(EXPECTED.read_text())["kind"]
    return [Kind(row["name"], row["class"] == "rejected", row.get("within", 0)) for row in rows]


Places = Callable[[Original], Iterator[Copy]]


# --- what the coordinator tells -------------------------------------------------------------------


def _counted(original: Original) -> Iterator[tuple[Observation, Observation, Observation]]:
    """Acknowledgements that were needed: with the trigger and the completion."""
    for observation in original.by_kind[Observed.ACKNOWLEDGED]:
        trigger = original.point(Observed.TRIGGERED, observation.checkpoint)
        done = original.point(Observed.COMPLETED, observation.checkpoint)
        if done is None or trigger is None or observation.task not in original.calm:
            continue
        if (
            original.late(observation.task, trigger)
            and trigger.place < observation.place < done.place
        ):
            yield trigger, observation, done


def acknowledgement_removed(original: Original) -> Iterator[Copy]:
    for _, observation, done in _counted(original):
        change = -1 if same_log(observation, done) else 0
        logs = original.without(observation)
        yield original.copy("acknowledgement-removed", observation, logs, at_line(done, change))


def acknowledgement_forged(original: Original) -> Iterator[Copy]:
    for trigger, observation, _ in _counted(original):
        begun = original.of(Observed.BEGUN, observation.task, observation.checkpoint)
        if begun and same_log(trigger, observation, *begun) and begun[0].place > trigger.place:
            logs = original.inserted(log_of(trigger), trigger.line, original.text(observation))
            yield original.copy("acknowledgement-forged", observation, logs, at_line(trigger, 1))


def acknowledgement_twice(original: Original) -> Iterator[Copy]:
    for _, observation, _ in _counted(original) if not original.overtakes else ():
        logs = original.inserted(log_of(observation), observation.line, original.text(observation))
        yield original.copy("acknowledgement-twice", observation, logs, at_line(observation, 1))


def acknowledgement_of_the_next(original: Original) -> Iterator[Copy]:
    for _, observation, _ in _counted(original):
        number = (observation.checkpoint or 0) + 1
        following = original.point(Observed.TRIGGERED, number)
        if following is not None and following.place > observation.place:
            logs = original.instead(observation, rb"checkpoint \d+", b"checkpoint %d" % number)
            yield original.copy(
                "acknowledgement-of-the-next", observation, logs, at_line(observation)
            )


def attempt_changed(original: Original) -> Iterator[Copy]:
    for _, observation, _ in _counted(original):
        logs = original.instead(observation, rb"(_\d+)_\d+ of job", rb"\1_7 of job")
        yield original.copy("attempt-changed", observation, logs, at_line(observation))


def completed_early(original: Original) -> Iterator[Copy]:
    last = {done.checkpoint: (observation, done) for _, observation, done in _counted(original)}
    for observation, done in last.values():
        rest = (
            s
            for s in original.by_kind[Observed.ACKNOWLEDGED]
            if s.checkpoint == observation.checkpoint
        )
        if all(each.place <= observation.place for each in rest) and same_log(observation, done):
            logs = original.moved(done, observation.line - 1)
            yield original.copy("completed-early", done, logs, at_line(observation))


def completed_twice(original: Original) -> Iterator[Copy]:
    for done in {id(done): done for _, _, done in _counted(original)}.values():
        logs = original.inserted(log_of(done), done.line, original.text(done))
        yield original.copy("completed-twice", done, logs, at_line(done, 1))


def completion_removed(original: Original) -> Iterator[Copy]:
    for done in {id(done): done for _, _, done in _counted(original)}.values():
        told_ = [s for s in original.by_kind[Observed.CONFIRMED] if s.checkpoint == done.checkpoint]
        first = min(told_, key=lambda each: each.place, default=None)
        if first is not None and first.task in original.calm and same_log(first, done):
            yield original.copy(
                "completion-removed", done, original.without(done), at_line(first, -1)
            )


def triggered_twice(original: Original) -> Iterator[Copy]:
    for trigger in {id(each): each for each, _, _ in _counted(original)}.values():
        logs = original.inserted(log_of(trigger), trigger.line, original.text(trigger))
        yield original.copy("triggered-twice", trigger, logs, at_line(trigger, 1))


def trigger_removed(original: Original) -> Iterator[Copy]:
    for trigger in {id(each): each for each, _, _ in _counted(original)}.values():
        begun = [s for s in original.by_kind[Observed.BEGUN] if s.checkpoint == trigger.checkpoint]
        first = min(begun, key=lambda each: each.place, default=None)
        if first is None or first.task not in original.calm & original.sources:
            continue
        if same_log(first, trigger):
            logs = original.without(trigger)
            yield original.copy("trigger-removed", trigger, logs, at_line(first, -1))


def restored_from_none(original: Original) -> Iterator[Copy]:
    completed = {each.checkpoint for each in original.by_kind[Observed.COMPLETED]}
    for observation in original.by_kind[Observed.RESTORED]:
        before = (s for s in original.by_kind[Observed.TRIGGERED] if s.place < observation.place)
        for number in {each.checkpoint for each in before} - completed - {None}:
            logs = original.instead(
                observation, rb"Checkpoint \d+ @", b"Checkpoint %d @" % (number or 0)
            )
            yield original.copy("restored-from-none", observation, logs, at_line(observation))


# --- what tasks tell ------------------------------------------------------------------------------


def told_of_an_aborted_one(original: Original) -> Iterator[Copy]:
    for observation in original.by_kind[Observed.GIVEN_UP]:
        aborted = original.point(Observed.ABORTED, observation.checkpoint) is not None
        done = original.point(Observed.COMPLETED, observation.checkpoint) is not None
        if aborted and not done and observation.task in original.calm:
            logs = original.instead(observation, rb"checkpoint ABORT ", b"checkpoint COMPLETE ")
            yield original.copy("told-of-an-aborted-one", observation, logs, at_line(observation))


def told_before_it_completes(original: Original) -> Iterator[Copy]:
    for observation in original.by_kind[Observed.CONFIRMED]:
        done = original.point(Observed.COMPLETED, observation.checkpoint)
        if done is None or observation.task not in original.calm or not same_log(observation, done):
            continue
        if done.place < observation.place:
            logs = original.moved(observation, done.line - 1)
            yield original.copy("told-before-it-completes", observation, logs, at_line(done))


def _begun(original: Original) -> Iterator[tuple[Observation, Observation]]:
    """Of what tasks begin, that which they acknowledge."""
    for observation in original.by_kind[Observed.BEGUN] if not original.overtakes else ():
        acks = original.of(Observed.ACKNOWLEDGED, observation.task, observation.checkpoint)
        if len(acks) != 1 or observation.task not in original.calm:
            continue
        if same_log(observation, *acks) and acks[0].place > observation.place:
            yield observation, acks[0]


def call_removed(original: Original) -> Iterator[Copy]:
    for observation, _ in _begun(original):
        call = original.of(Observed.CALLED, observation.task, observation.checkpoint)
        if observation.task in original.sources and len(call) == 1 and same_log(observation, *call):
            yield original.copy(
                "call-removed", observation, original.without(*call), at_line(observation, -1)
            )


def begin_removed(original: Original) -> Iterator[Copy]:
    for observation, ack in _begun(original):
        yield original.copy(
            "begin-removed", observation, original.without(observation), at_line(ack, -1)
        )


def begun_twice(original: Original) -> Iterator[Copy]:
    for observation, _ in _begun(original):
        logs = original.inserted(log_of(observation), observation.line, original.text(observation))
        yield original.copy("begun-twice", observation, logs, at_line(observation, 1))


def begun_behind_its_acknowledgement(original: Original) -> Iterator[Copy]:
    for observation, ack in _begun(original):
        logs = original.moved(observation, ack.line)
        yield original.copy("begun-behind-its-acknowledgement", observation, logs, at_line(ack, -1))


def _waiting(original: Original) -> Iterator[tuple[Observation, list[Observation]]]:
    """Sources that leave, and by what they are told of completions."""
    waits = any(event.word == "waits" for event in original.run.events)
    for left in original.by_kind[Observed.LEFT] if waits else ():
        confirmed = [s for s in original.by_kind[Observed.CONFIRMED] if s.task == left.task]
        if left.task not in original.calm & original.sources or not confirmed:
            continue
        if same_log(left, *confirmed) and confirmed[0].place < left.place:
            yield left, confirmed


def finished_without_a_final_checkpoint(original: Original) -> Iterator[Copy]:
    for left, confirmed in _waiting(original):
        before = sum(each.line < left.line for each in confirmed)
        logs = original.without(*confirmed)
        yield original.copy(
            "finished-without-a-final-checkpoint", left, logs, at_line(left, -before)
        )


def left_before_its_confirmation(original: Original) -> Iterator[Copy]:
    for left, confirmed in _waiting(original):
        logs = original.moved(left, confirmed[0].line - 1)
        yield original.copy("left-before-its-confirmation", left, logs, at_line(confirmed[0]))


# --- what may be invisible ------------------------------------------------------------------------


def acknowledgements_swapped(original: Original) -> Iterator[Copy]:
    observations = original.by_kind[Observed.ACKNOWLEDGED]
    for first, second in itertools.pairwise(observations):
        alike = same_log(first, second) and first.checkpoint == second.checkpoint
        if alike and first.task != second.task:
            logs = original.moved(second, first.line - 1)
            yield original.copy("acknowledgements-swapped", first, logs, None)


def barrier_removed(original: Original) -> Iterator[Copy]:
    for observation in original.by_kind[Observed.BARRIER]:
        yield original.copy("barrier-removed", observation, original.without(observation), None)


def barrier_twice(original: Original) -> Iterator[Copy]:
    for observation in original.by_kind[Observed.BARRIER]:
        logs = original.inserted(log_of(observation), observation.line, original.text(observation))
        yield original.copy("barrier-twice", observation, logs, None)


def confirmation_removed(original: Original) -> Iterator[Copy]:
    for observation in original.by_kind[Observed.CONFIRMED]:
        yield original.copy(
            "confirmation-removed", observation, original.without(observation), None
        )


def end_learned_early(original: Original) -> Iterator[Copy]:
    own = [each for each in original.observations.all if each.seen.of_coordinator]
    for before, observation in itertools.pairwise(own):
        if observation.seen is Observed.LEARNED and same_log(before, observation):
            logs = original.moved(observation, before.line - 1)
            yield original.copy("end-learned-early", observation, logs, None)


HOW: dict[str, Places] = {
    each.__name__.replace("_", "-"): each
    for each in (
        acknowledgement_removed, acknowledgement_forged, acknowledgement_twice,
        acknowledgement_of_the_next, attempt_changed, completed_early, completed_twice,
        completion_removed, triggered_twice, trigger_removed, told_of_an_aborted_one,
        told_before_it_completes, call_removed, begin_removed, begun_twice,
        begun_behind_its_acknowledgement, finished_without_a_final_checkpoint,
        left_before_its_confirmation, restored_from_none, acknowledgements_swapped,
        barrier_removed, barrier_twice, confirmation_removed, end_learned_early,
    )
}  # fmt: skip


def copies(kind: str, among: Sequence[Original], number: int, seed: int) -> list[Copy]:
    """So many corrupted copies of a kind, of as many runs as can be, chosen by a seed."""
    chance = random.Random(f"{kind} {seed}")
    found: list[Copy] = []
    taken: set[str] = set()
    order = chance.sample(among, len(among))
    for original in _rounds(order, number):
        places = [each for each in HOW[kind](original) if each.run + each.what not in taken]
        if places:
            chosen = chance.choice(places)
            taken.add(chosen.run + chosen.what)
            found.append(chosen)
        if len(found) == number:
            break
    return found


def _rounds(order: Sequence[Original], rounds: int) -> Iterator[Original]:
    """Each in turn, again and again."""
    for _ in range(rounds):
        yield from order
