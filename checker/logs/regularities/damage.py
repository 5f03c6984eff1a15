"""Tells a damaged log from a wrong protocol: lines are lost, doubled or moved on their way.

One missing, doubled or early line is also what a wrong protocol shows. So a log counts as damaged
if three places that share no task and no checkpoint show it, or if there is a sign that no protocol
makes: a line beside the protocol stands twice, or elsewhere in its thread
(`read/damage_signs.py`), or is missing between two others.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from finale.checker.logs.findings import Finding, Where
from finale.checker.logs.lines import OF_TASKS, ONCE, observed
from finale.checker.logs.read.damage_signs import APART, DamageSigns, SignLine
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import LinePlace, task_of
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
    """A line that each line of another word has: before it, or anywhere. The new state of a task is
    part of the word."""

    scope: Scope
    word: str
    companion: str
    before: bool = False
    is_beside: bool = False
    """No step of a protocol writes either: one method of the engine writes both lines."""


#: In 140 real runs each of these holds in each of the slices, 1 301 to 7 836 of a kind.
COMPANIONS = (
    # AsyncCheckpointRunnable.run writes both, at its beginning and its end.
    _Companion(Scope.PART, "write-ends", "write-begins", before=True, is_beside=True),
    # DefaultCheckpointStatsTracker.reportCompletedCheckpoint.
    _Companion(Scope.CHECKPOINT, "completed", "statistics", is_beside=True),
    # A part is acknowledged when it is written.
    _Companion(Scope.PART, "confirmation-arrived", "write-ends"),
    # SingleCheckpointBarrierHandler triggers the checkpoint and then has all barriers.
    _Companion(Scope.PART, "barriers-aligned", "barriers-trigger", before=True),
    # Task.doRun writes that it reports its end, and TaskExecutor takes the task out of its table.
    _Companion(Scope.ATTEMPT, "task-learned FINISHED", "end-reported"),
    # StreamTask.cleanUp, before Task.doRun goes on.
    _Companion(Scope.ATTEMPT, "task-switched FINISHED", "closed"),
)
_TWICE = "this line stands here for the second time, with the same time"
_END = Where(sys.maxsize, 0, 0)
#: A line that tells how a task passes from one state to the next.
_STATES = (OF_TASKS, "task-learned")


@dataclass(frozen=True)
class _Place:
    """A line that shows that some line is missing, or is not where it was written."""

    where: Where
    kind: str
    """Which rule does not hold here."""
    about: frozenset[str]
    """The tasks and the checkpoint that it is about."""
    text: str
    is_sign: bool = False
    """No protocol makes it."""

    @property
    def remark(self) -> FileRemark:
        return FileRemark(self.where, f"damaged: {self.text}")


def damage_of(
    run: JobRun, profile: LogProfile, against: Sequence[Finding], gaps: Sequence[LinePlace] = ()
) -> tuple[FileRemark, ...]:
    """Return the lines that show that the logs of a run are damaged; none if they are not.

    `against` are the lines that contradict others in each order of the files that messages allow.
    `gaps` are the places where lines are known to be missing.
    """
    first = {log: Where(log, *at) for log, *at in sorted(gaps, reverse=True)}
    lacking = [*_missing_lines(run, profile), *_missing_states(run)]
    if run.begins and not gaps:
        lacking += _companionless(run, profile)
    found = [*_doubled(run), *_elsewhere(run, profile)]
    found += (each for each in lacking if each.where < first.get(each.where.log, _END))
    signs = [each.remark for each in found if each.is_sign]
    if signs:
        return tuple(signs[:PLACES])
    found = _seldom(run, [*map(_place_of, against), *found])
    for number in range(len(found)):
        chosen = _apart(found[number:])
        if len(chosen) == PLACES:
            return tuple(each.remark for each in chosen)
    return ()


def _doubled(run: JobRun) -> Iterator[_Place]:
    """The lines beside the protocol that stand twice, with the same time."""
    recent = deque[tuple[object, ...]](maxlen=APART)
    for event in run.events:
        told = event.log_event
        if event.word not in ONCE or observed(event.word, told.fields.get("to", "")) is not None:
            continue
        text = told.log, told.time, event.word, event.task, event.graph, told.fields
        if text in recent:
            yield _Place(Where(*told.place), event.word, frozenset(), _TWICE, is_sign=True)
        recent.append(text)


def _elsewhere(run: JobRun, profile: LogProfile) -> Iterator[_Place]:
    """The lines that stand elsewhere than they were written."""
    for log, signs in _signs(run, profile):
        why = "by its time this line stands elsewhere"
        yield from _of_threads(run, log, signs.moved, f"{why} in its thread")
        yield from _of_threads(run, log, signs.early, why)
        yield from _of_threads(run, log, signs.doubled, _TWICE)


def _missing_lines(run: JobRun, profile: LogProfile) -> Iterator[_Place]:
    """The lines of tasks' threads that lack another one before them."""
    why = "in its thread a line before this one is missing"
    for log, signs in _signs(run, profile):
        yield from _of_threads(run, log, signs.lacking, why)


def _signs(run: JobRun, profile: LogProfile) -> Iterator[tuple[int, DamageSigns]]:
    return ((log, profile.signs[log]) for log in run.logs if log in profile.signs)


def _of_threads(run: JobRun, log: int, lines: Iterable[SignLine], why: str) -> Iterator[_Place]:
    """The signs but for those of threads that vertices of one name share."""
    for each in lines:
        task = task_of(each.thread)
        if task is None or task.vertex not in run.shared_names:
            where = Where(log, each.part, each.line)
            yield _Place(where, "thread", frozenset(), why, is_sign=True)


def _seldom(run: JobRun, places: Sequence[_Place]) -> list[_Place]:
    """The places whose rule holds at more lines of the same word than it does not hold at.

    Damage strikes few lines of each kind. A rule that holds nowhere is broken by the protocol, or
    some lines are not written.
    """
    words = {Where(*event.log_event.place): event.word for event in run.events}
    lines = Counter(words.values())
    broken = Counter((each.kind, words.get(each.where, "")) for each in places)
    return [
        each
        for each in places
        if 2 * broken[each.kind, word := words.get(each.where, "")] < lines[word]
    ]


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
    text = f"{finding.property} does not hold here"
    return _Place(finding.where, finding.property, about, text)


def _missing_states(run: JobRun) -> Iterator[_Place]:
    """The lines by which a task leaves a state that no line of the same kind tells.

    That is a sign if no step of the protocol tells the state.
    """
    known: dict[tuple[object, ...], str] = {}
    for event in run.events:
        told, key = event.log_event, _attempt_of(event)
        if key is None or event.task is None:
            continue
        # The coordinator's first line of an attempt is that it is CREATED no more.
        is_first = run.begins and event.word == "task-learned"
        before = known.get(key, "CREATED" if is_first else None)
        if before not in (None, told.fields["from"]):
            state = told.fields["from"]
            whose = "the coordinator" if event.word == "task-learned" else "its own process"
            text = f"no line of {whose} tells that {event.task.name} has become {state}"
            is_sign = observed(event.word, state) is None
            yield _Place(Where(*told.place), "states", _about(event), text, is_sign)
        known[key] = told.fields["to"]


def _attempt_of(event: RunEvent) -> tuple[object, ...] | None:
    """The file and the attempt of a line that tells a new state of a task."""
    attempt = slice_of(event, Scope.ATTEMPT) if event.word in _STATES else None
    return None if attempt is None else (event.word, attempt, event.log_event.log)


def _companionless(run: JobRun, profile: LogProfile) -> Iterator[_Place]:
    """The lines that lack another line, in the whole log of one process."""
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
        if word in _STATES:
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
            if other is None or (each.before and _precedes(run, line, other)):
                yield _lacks(line, each.companion, is_sign=each.is_beside)
    if profile.has("snapshot-begins", "barrier-sent", "taken"):
        yield from _parts_without_barrier(run)


def _precedes(run: JobRun, one: RunEvent, other: RunEvent) -> bool:
    return run.precedes(one.log_event.place, other.log_event.place)


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
                yield _lacks(event, "barrier-sent")
            case _:
                pass


def _lacks(line: RunEvent, companion: str, *, is_sign: bool = False) -> _Place:
    text = f"{companion} is not told once before this line"
    return _Place(Where(*line.log_event.place), companion, _about(line), text, is_sign)


def _about(event: RunEvent) -> frozenset[str]:
    task, number = event.task, event.log_event.checkpoint
    names = () if task is None else (task.name,)
    return frozenset((*names, *(() if number is None else (f"checkpoint {number}",))))
