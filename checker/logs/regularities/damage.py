"""Tells a damaged log from a wrong protocol: lines are lost, doubled or moved on their way.

One missing, doubled or early line is also what a wrong protocol shows. So a log counts as damaged
if three places that share no task and no checkpoint show it, or if there is a sign that no protocol
makes: a line stands twice, or elsewhere in its thread (`read/damage_signs.py`), or a line beside
the protocol is missing between two others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from finale.checker.logs.findings import Finding, Where
from finale.checker.logs.lines import OF_TASKS, observed
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import LinePlace
from finale.checker.logs.read.messages import tells_end
from finale.checker.logs.read.visibility import LogProfile
from finale.checker.logs.verdicts import FileRemark

from .line_classes import Scope, slice_of

#: So many places that share no task and no checkpoint show a damage.
PLACES = 3
#: What is said of a line that contradicts others, if that is the only place.
OR_LOST = "or one line was lost here, doubled or moved"


@dataclass(frozen=True)
class _Companion:
    """A line beside the protocol that each line of another word has: before it, or anywhere. The
    new state of a task is part of the word."""

    scope: Scope
    word: str
    companion: str
    before: bool = True


#: In 140 real runs each of these holds in each of the slices, 1 301 to 7 836 of a kind.
COMPANIONS = (
    # AsyncCheckpointRunnable.run writes both, at its beginning and its end.
    _Companion(Scope.PART, "write-ends", "write-begins"),
    # A part is acknowledged when it is written.
    _Companion(Scope.PART, "confirmation-arrived", "write-ends", before=False),
    # SingleCheckpointBarrierHandler triggers the checkpoint and then has all barriers.
    _Companion(Scope.PART, "barriers-aligned", "barriers-trigger"),
    # Task.doRun writes that it reports its end, and TaskExecutor takes the task out of its table.
    _Companion(Scope.ATTEMPT, "task-learned FINISHED", "end-reported", before=False),
    # StreamTask.cleanUp, before Task.doRun goes on.
    _Companion(Scope.ATTEMPT, "task-switched FINISHED", "closed", before=False),
    # DefaultCheckpointStatsTracker.reportCompletedCheckpoint.
    _Companion(Scope.CHECKPOINT, "completed", "statistics", before=False),
)
#: States of a task that no step of the protocol tells, by the kind of line.
_BESIDE = {
    (word, state)
    for word in (OF_TASKS, "task-learned")
    for state in ("SCHEDULED", "DEPLOYING", "INITIALIZING", "RUNNING")
    if observed(word, state) is None
}


@dataclass(frozen=True)
class _Place:
    """A line that shows that some line is missing, or is not where it was written."""

    where: Where
    about: frozenset[str]
    """The tasks and the checkpoint that it is about."""
    text: str
    is_beside: bool = False
    """What is missing is a line beside the protocol."""


def damage_of(
    run: JobRun, profile: LogProfile, against: Sequence[Finding], gaps: Sequence[LinePlace] = ()
) -> tuple[FileRemark, ...]:
    """Return the lines that show that the logs of a run are damaged; none if they are not.

    `against` are the lines that contradict others, and `gaps` the places where lines are known to
    be missing.
    """
    states = [] if gaps or not run.begins else [*_missing_states(run)]
    missing = [each for each in states if each.is_beside] or [*_companionless(run, profile, gaps)]
    signs = [*_signs(run, profile), *(FileRemark(each.where, each.text) for each in missing)]
    if signs:
        return tuple(signs[:PLACES])
    found = [*map(_place_of, against), *states]
    for first in range(len(found)):
        chosen = _apart(found[first:])
        if len(chosen) == PLACES:
            return tuple(FileRemark(each.where, each.text) for each in chosen)
    return ()


def _signs(run: JobRun, profile: LogProfile) -> Iterator[FileRemark]:
    for log in run.logs:
        if (signs := profile.signs.get(log)) is not None:
            for part, line in signs.doubled:
                text = "damaged: this line stands here for the second time, with the same time"
                yield FileRemark(Where(log, part, line), text)
            for part, line in signs.moved:
                text = "damaged: by its time this line stands elsewhere in its thread"
                yield FileRemark(Where(log, part, line), text)


def _apart(places: Iterable[_Place]) -> list[_Place]:
    """The first place, and the first behind it that share nothing with those before."""
    chosen: list[_Place] = []
    taken = set[str]()
    for each in places:
        if not taken & each.about and len(chosen) < PLACES:
            chosen.append(each)
            taken |= each.about
    return chosen


def _place_of(finding: Finding) -> _Place:
    about = frozenset(name.partition("#")[0] for _, name in finding.binding)
    return _Place(finding.where, about, f"damaged: {finding.property} does not hold here")


def _missing_states(run: JobRun) -> Iterator[_Place]:
    """The lines by which a task leaves a state that no line of the same kind tells."""
    known: dict[tuple[object, ...], str] = {}
    for event in run.events:
        told, key = event.log_event, _attempt_of(event)
        if key is None:
            continue
        # The coordinator's first line of an attempt is that it is CREATED no more.
        before = known.get(key, "CREATED" if event.word == "task-learned" else None)
        if before not in (None, told.fields["from"]):
            text = f"damaged: no line tells that {key[1]} has become {told.fields['from']}"
            beside = (event.word, told.fields["from"]) in _BESIDE
            yield _Place(Where(*told.place), frozenset({str(key[1])}), text, beside)
        known[key] = told.fields["to"]


def _attempt_of(event: RunEvent) -> tuple[object, ...] | None:
    """The file, the task and the attempt of a line that tells a new state of a task."""
    task = event.task
    if event.word not in (OF_TASKS, "task-learned") or task is None or task.attempt is None:
        return None
    return event.word, task.name, event.graph, task.attempt, event.log_event.log


def _companionless(run: JobRun, profile: LogProfile, gaps: Sequence[LinePlace]) -> Iterator[_Place]:
    """The lines that lack a line beside the protocol, in the whole log of one process."""
    if gaps or not run.begins:
        return
    asked = [e for e in COMPANIONS if profile.has(e.word.partition(" ")[0], e.companion)]
    words = {word for each in asked for word in (each.word, each.companion)}
    slices = {scope: defaultdict[Hashable, dict[str, RunEvent]](dict) for scope in Scope}
    over, deployed = set[Hashable](), dict[Hashable, int]()
    for event in run.events:
        attempt = slice_of(event, Scope.ATTEMPT)
        if event.word == "task-deployed":
            deployed[attempt] = event.log_event.log
        elif tells_end(event.log_event) and deployed.get(attempt) == event.log_event.log:
            over.add(attempt)
        word = event.word
        if word in (OF_TASKS, "task-learned"):
            word += f" {event.log_event.fields['to']}"
        for scope in {each.scope for each in asked} if word in words else ():
            key = slice_of(event, scope)
            if key is not None:
                slices[scope][key].setdefault(word, event)
    for each in asked:
        for told in slices[each.scope].values():
            line, other = told.get(each.word), told.get(each.companion)
            if line is None:
                continue
            of_task = each.scope is not Scope.CHECKPOINT
            if not (slice_of(line, Scope.ATTEMPT) in over if of_task else run.ends):
                continue
            if other is None or (each.before and line.log_event.place < other.log_event.place):
                yield _beside(line, each.companion)
    if profile.has("snapshot-begins", "barrier-sent", "taken"):
        yield from _parts_without_barrier(run)


def _parts_without_barrier(run: JobRun) -> Iterator[_Place]:
    """The parts of checkpoints between whose begin and end no line, or more than one, tells of the
    barrier: `SubtaskCheckpointCoordinatorImpl.checkpointState` writes one."""
    sent: dict[Hashable, int] = {}
    for event in run.events:
        attempt = slice_of(event, Scope.ATTEMPT)
        match event.word:
            case "snapshot-begins":
                sent[attempt] = 0
            case "barrier-sent" if attempt in sent:
                sent[attempt] += 1
            case "taken" if sent.pop(attempt, 1) != 1:
                yield _beside(event, "barrier-sent")
            case _:
                pass


def _beside(line: RunEvent, companion: str) -> _Place:
    text = f"damaged: {companion} is not told once before this line"
    return _Place(Where(*line.log_event.place), frozenset(), text, is_beside=True)
