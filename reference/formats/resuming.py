"""Finds the start of a run: the newest intact checkpoint, or a given savepoint.

All that it needs is read and checked first; only then something is removed, written or committed.
Where the newest checkpoint is damaged, an older one that was retained takes its place, unless what
was committed since would be written again. A checkpoint of another shape of the job is written
anew in that of today.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from finale.model.errors import FinaleError, Place
from finale.model.events import Copied
from finale.reference.formats.changes import finished_of, refuse_changes
from finale.reference.formats.files import DiskFiles, Files
from finale.reference.formats.folder import END, left_with
from finale.reference.formats.inflight import Logs, shared_out
from finale.reference.formats.metadata import (
    CHANNELS,
    DRAIN,
    STATE,
    Metadata,
    OperatorMetadata,
    SubtaskMetadata,
)
from finale.reference.formats.snapshots import CheckpointStore, State, StoredCheckpoint
from finale.reference.task import Task

Tasks = Mapping[str, Task]


@dataclass(frozen=True)
class Start:
    """The start of a run."""

    checkpoint: int | None
    last_number: int
    """The newest number that was ever used here."""
    refused: tuple[FinaleError, ...] = ()
    """What is wrong with newer checkpoints, which are passed over."""


def start(store: CheckpointStore, tasks: Tasks, savepoint: Path | None = None) -> Start:
    """Find where a run starts, and bring it into the job's shape. Raises coded errors."""
    refused = _look_through(store)
    own = True
    if savepoint is None:
        found = _newest(store, refused)
    else:
        found, refused = _given(savepoint), {}
        own = _is_own(store, found)
        if own and store.is_left(found.metadata.checkpoint):
            raise _left(str(savepoint))
        # What is pending here may have a number that the other folder's checkpoint lists.
        if not own and (store.complete_ones() or store.files.under("pending")):
            raise _not_new(savepoint)
    if found is None and (left := left_with(store.files)) is not None:
        raise _gone(store, left)
    _refuse_output_ahead(found if own else None, tasks, refused, store.files)
    if found is not None:
        _refuse_late_input(found, tasks)
    anew = found is not None and (savepoint is not None or not _fits(found.metadata, store))
    contents = _in_shape(found, store, tasks) if found is not None and anew else None
    # From here on nothing is refused.
    for damaged, reason in refused.items():
        store.refuse(damaged)
        reason.advice = _nothing_to_do(damaged, found)
    if savepoint is not None:
        store.files.remove(END)
    store.discard_incomplete()
    if found is None:
        _drop_of_nobody(store.files, tasks)
    number = None if found is None else found.metadata.checkpoint
    last = max(store.numbers(), default=0)
    # What a drain has left is settled before the copy is complete, and drops the others.
    copied = number is not None and contents is not None and not contents.ended
    store.leave_newer(number or 0, by=max(number or 0, last + 1) if copied else 0)
    if number is not None and contents is not None:
        for task, state in contents.ended.items():
            tasks[task].operator.settle(state["operator"])
        origin, last = number, max(number, last + 1)
        number = last
        given = Copied.GIVEN if own else Copied.ELSEWHERE
        store.note_copy(number, origin, Copied.SHAPE if savepoint is None else given)
        for (task, use), state in contents.parts.items():
            store.put(number, task, state, use)
        store.complete(number, contents.finished)
        store.leave_newer(number)
    store.newest = number
    return Start(number, last, tuple(refused.values()))


def to_go_on_from(files: Files) -> int | None:
    """Return the checkpoint from which the next run continues, if it is intact."""
    store = CheckpointStore(files)
    for number in store.complete_ones():
        with suppress(FinaleError):
            if store.snapshot(number).metadata.starts_runs and not store.is_left(number):
                return number
    return None


def _drop_of_nobody(files: Files, tasks: Tasks) -> None:
    """What tasks wrote that the job had, before anything of theirs was ever secured."""
    for folder, end in (("staging", ""), ("pending", r"-\d+")):
        for name in files.under(folder):
            own = re.fullmatch(rf"{folder}/(?P<task>[^~]+?)(~.*)?{end}", name)
            if own is not None and own["task"] not in tasks:
                files.remove(name)


# --- which one ------------------------------------------------------------------------------------


def _look_through(store: CheckpointStore) -> dict[int, FinaleError]:
    """Learn what each is for. Those of which that cannot be read, the newest first, and why."""
    unread: dict[int, FinaleError] = {}
    for number in store.complete_ones():
        try:
            store.known[number] = store.snapshot(number).metadata.kind
        except FinaleError as reason:
            unread[number] = reason
    return unread


def _newest(store: CheckpointStore, refused: dict[int, FinaleError]) -> StoredCheckpoint | None:
    """The newest that a new run takes, and is as it was written; older ones are not refused.

    What was left is none: its transactions were dropped. Raises `savepoint-left` and why the
    others cannot be taken, where there is no other one.
    """
    unread = dict(refused)
    refused.clear()
    left: list[int] = []
    for number in store.complete_ones():
        is_left = store.is_left(number)
        try:
            if number in unread:
                if is_left:
                    continue
                raise unread[number]
            snapshot = store.snapshot(number)
            if snapshot.metadata.starts_runs and is_left:
                left.append(number)
            elif snapshot.metadata.starts_runs:
                snapshot.verify()
                return snapshot
        except FinaleError as reason:
            refused[number] = reason
    if refused:
        raise next(iter(refused.values()))
    if left:
        raise _left(store.place_of(left[0]))
    return None


def _given(folder: Path) -> StoredCheckpoint:
    """Return the checkpoint that a user names. Raises `no-checkpoint`, `checkpoint-altered`,
    `checkpoint-format`.
    """
    snapshot = StoredCheckpoint.read(DiskFiles(Path()), str(folder))
    snapshot.verify()
    return snapshot


def _is_own(store: CheckpointStore, given: StoredCheckpoint) -> bool:
    """Whether a checkpoint is one of the folder in which the job is to run."""
    number = given.metadata.checkpoint
    try:
        return number in store.complete_ones() and store.snapshot(number).metadata == given.metadata
    except FinaleError:
        return False


def _left(place: str) -> FinaleError:
    return FinaleError(
        "savepoint-left",
        "since then the job has gone on here from before it: what it had not committed was "
        "dropped, and comes again",
        place=Place(place),
        advice="put back what the job has gone on from; or start from this one by --from in a new "
        "folder, which gets what comes after it",
    )


def _not_new(savepoint: Path) -> FinaleError:
    return FinaleError(
        "folder-not-new",
        "the job is to start from another folder's checkpoint, and a run has begun in this one",
        place=Place(str(savepoint)),
        advice="leave out the savepoint: the job goes on from where it was; or name a new folder",
    )


def _gone(store: CheckpointStore, checkpoint: int) -> FinaleError:
    return FinaleError(
        "checkpoint-gone",
        "the job was to go on from here, and no checkpoint is left",
        place=Place(store.place_of(checkpoint)),
        advice="put it back; or name a new folder, and the job begins anew there",
    )


def _nothing_to_do(damaged: int, found: StoredCheckpoint | None) -> str:
    """Advise about a damaged checkpoint that the run skips: nothing is left to do."""
    assert found is not None
    taken = found.metadata.checkpoint
    return (
        f"the run goes on from checkpoint {taken}, and works again on what came behind that; "
        f"{damaged} is not used any more, and stays to be looked at"
    )


def _refuse_output_ahead(
    found: StoredCheckpoint | None, tasks: Tasks, refused: Mapping[int, FinaleError], files: Files
) -> None:
    """Refuse a start that would commit records again that are committed already."""
    number = None if found is None else found.metadata.checkpoint
    of_all = (file for task in tasks.values() for file in task.operator.ahead_of(number))
    ahead = [files.told(file) for file in of_all]
    if not ahead:
        return
    start = "its beginning" if number is None else f"checkpoint {number}"
    damage = "".join(f"{each.place}: {each.message}. " for each in refused.values())
    more = f" and {len(ahead) - 1} more" if len(ahead) > 1 else ""
    raise FinaleError(
        "output-ahead",
        f"{damage}The job would start from {start}, and write again what is in {ahead[0]}{more}",
        place=Place(ahead[0]),
        advice="put back what is damaged or gone; or move these files away, and all of their "
        "records come again",
    )


def _refuse_late_input(found: StoredCheckpoint, tasks: Tasks) -> None:
    """Nobody waits for more of a source that has ended: who has read it may have finished."""
    for each in (_drained(each, found.metadata) for each in found.metadata.operators):
        now = [t.operator for t in tasks.values() if t.operator.context.vertex == each.name]
        for operator in now if not each.inputs else ():
            states = [found.load(part.state) for part in each.parts if not part.finished]
            if all(s is not None and operator.had_ended(s["operator"]) for s in states):
                operator.refuse_finished()


# --- in the job's shape ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Contents:
    """The required contents of a checkpoint."""

    parts: Mapping[tuple[str, str], State]
    """By task and use."""
    finished: frozenset[str]
    ended: Mapping[str, State]
    """What tasks had whose data a drain has ended: nothing goes on from it."""


def _fits(metadata: Metadata, store: CheckpointStore) -> bool:
    """Whether the job has the shape that it had. A stop with drain has ended its sources' data."""
    return metadata.kind != DRAIN and _outlines(metadata.operators) == _outlines(store.shape)


def _outlines(operators: Sequence[OperatorMetadata]) -> list[tuple[object, ...]]:
    return [(o.name, o.kind, o.settings, o.inputs, o.parallelism) for o in operators]


def _in_shape(found: StoredCheckpoint, store: CheckpointStore, tasks: Tasks) -> Contents:
    """Return the checkpoint in the shape of today's job. Raises an error if that is impossible."""
    old = [_drained(each, found.metadata) for each in found.metadata.operators]
    before = {each.name: each for each in old}
    held = {
        each.name: [found.load(part.state) for part in each.parts]
        for each in found.metadata.operators
    }
    producers = {task: [each.writer for each in tasks[task].inputs] for task in tasks}
    refuse_changes(old, store.shape, producers)
    parts: dict[tuple[str, str], State] = {}
    finished: set[str] = set()
    ended: dict[str, State] = {}
    for operator in store.shape:
        if operator.name not in before:
            continue
        was = before[operator.name]
        if was.has_finished:
            ended |= _states(operator, held[operator.name], tasks)
        finished.update(finished_of(was, operator))
        states = [found.load(part.state) for part in was.parts]
        parts |= {(task, STATE): s for task, s in _states(operator, states, tasks).items()}
        logs: list[Logs | None] = [found.load(part.channels) for part in was.parts]
        flights = shared_out(logs, operator, old, store.shape, tasks)
        parts |= {(task, CHANNELS): log for task, log in flights.items() if log}
    kept = {key: state for key, state in parts.items() if key[0] not in finished}
    return Contents(kept, frozenset(finished), ended)


def _drained(operator: OperatorMetadata, metadata: Metadata) -> OperatorMetadata:
    """Mark a source as finished if the savepoint has drained the job."""
    if metadata.kind != DRAIN or operator.inputs:
        return operator
    return replace(operator, parts=(SubtaskMetadata(finished=True),) * operator.parallelism)


def _states(operator: OperatorMetadata, states: Sequence[State], tasks: Tasks) -> dict[str, State]:
    """Return the state that each subtask restores. Raises `not-rescalable`."""
    if len(states) != operator.parallelism:
        held = [state and state["operator"] for state in states]
        try:
            shares = [
                tasks[task].operator.share(held, index, operator.parallelism)
                for index, task in enumerate(operator.tasks)
            ]
        except FinaleError as error:
            raise error.located(Place(key=f"operators.{operator.name}.parallelism")) from None
        states = [None if share is None else {"operator": share} for share in shares]
    return {t: s for t, s in zip(operator.tasks, states, strict=True) if s is not None}
