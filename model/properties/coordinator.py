"""Events of an operator coordinator: each is on one side of the cut, and each reader is told (S25).

The view is a protocol that has an enumerator.
"""

from __future__ import annotations

from finale.model.protocols.asking import Asking
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.enumerator import (
    CoordinatorCheckpoint,
    Enumerating,
    Event,
    EventPlace,
    ReaderStatus,
    SourceReader,
    Split,
)
from finale.model.rules import Taken, always, before, define, leads_to, on_step, reachable, when


@always
def split_at_one_place(state: Enumerating, checkpoint: CoordinatorCheckpoint, split: Split) -> bool:
    """A completed checkpoint has each split once: unassigned, or at one reader (S25)."""
    when(checkpoint.is_completed)
    at_readers = sum(checkpoint.received[reader].has(split) for reader in state.readers)
    return at_readers == (0 if checkpoint.unsent.has(split) else 1)


@always
def splits_are_read_once(state: Enumerating, split: Split) -> bool:
    """When all readers have finished, each split has been read by one of them (S2)."""
    when(all_have_finished(state))
    return sum(reader.received.has(split) for reader in state.readers) == 1


@always
def assigned_splits_are_new(state: Enumerating, split: Split) -> bool:
    """A split on its way to a reader is one that no reader has (S2)."""
    when(split.place == EventPlace.UNDER_WAY)
    return not any(reader.received.has(split) for reader in state.readers)


@always
def signal_can_come(state: Enumerating, reader: SourceReader) -> bool:
    """A reader that runs knows that no more splits come, or will still be told (L1)."""
    when(reader.is_running)
    return reader.received.has(reader.signal) or reader.signal.place != EventPlace.ARRIVED


@on_step(on_request=True)
def splits_are_asked_for(state: Asking, split: Split, reader: SourceReader, step: Taken) -> bool:
    """A reader receives a split only if it has asked for one in this attempt (S25)."""
    when(state.options.readers_ask and step.rule == "receive_split")
    when(step.binding["split"] == split.name and step.binding["reader"] == reader.name)
    return before(lambda: reader.asked)


@always
def finished_readers_fail_nothing(state: Enumerating, reader: SourceReader) -> bool:
    """That a reader has finished makes no event, and so no job, fail (S27)."""
    when(reader.has_finished)
    return reader.signal.place != EventPlace.FAILED


@leads_to
def readers_finish(state: Enumerating, reader: SourceReader) -> bool:
    """A reader that runs finishes, or fails (L1)."""
    when(reader.is_running)
    return not reader.is_running


@leads_to
def held_events_go_out(state: Enumerating, event: Event) -> bool:
    """An event that a closed gate holds is sent, or a failure takes it back (L9)."""
    when(event.place == EventPlace.HELD)
    return event.place != EventPlace.HELD


@reachable(on_request=True)
def checkpoint_divides_splits(state: Enumerating, checkpoint: CoordinatorCheckpoint) -> bool:
    """A checkpoint completes with one split assigned and another not."""
    return (
        checkpoint.is_completed
        and any(checkpoint.unsent.has(split) for split in state.splits)
        and any(
            checkpoint.received[reader].has(split)
            for reader in state.readers
            for split in state.splits
        )
    )


@reachable
def all_readers_finish(state: Enumerating) -> bool:
    """All readers come to their end."""
    return all_have_finished(state)


@define
def all_have_finished(state: Enumerating) -> bool:
    """Whether all readers have finished, and no event has failed."""
    failed = any(event.place == EventPlace.FAILED for event in state.events)
    return all(reader.has_finished for reader in state.readers) and not failed


@reachable(on_request=True)
def event_meets_state(state: Enumerating, event: Event, checkpoint: CoordinatorCheckpoint) -> bool:
    """An event is under way while the enumerator's state is taken."""
    return is_earlier(event, checkpoint) and event.place == EventPlace.UNDER_WAY


@reachable(on_request=True)
def failed_event_meets_state(
    state: Enumerating, event: Event, checkpoint: CoordinatorCheckpoint
) -> bool:
    """An event has failed, unknown to the enumerator whose state is taken."""
    return is_earlier(event, checkpoint) and event.place == EventPlace.FAILED


@define
def is_earlier(event: Event, checkpoint: CoordinatorCheckpoint) -> bool:
    """Whether an event was emitted before the state of a checkpoint whose part is not done yet."""
    is_open = checkpoint.is_pending and not checkpoint.coordinator_done
    return is_open and checkpoint.coordinator_taken and not checkpoint.unsent.has(event)


@reachable(on_request=True)
def event_follows_state(
    state: Enumerating, event: Event, reader: SourceReader, checkpoint: CoordinatorCheckpoint
) -> bool:
    """An event is emitted after the enumerator's state, while its reader is being triggered."""
    emitted = checkpoint.unsent.has(event) and event.receiver == reader
    return emitted and checkpoint.is_pending and checkpoint.triggers.has(reader)


@reachable(on_request=True)
def event_follows_two_states(
    state: Enumerating,
    event: Event,
    reader: SourceReader,
    older: CoordinatorCheckpoint,
    newer: CoordinatorCheckpoint,
) -> bool:
    """An event is emitted after two states, and its reader has taken the first checkpoint only."""
    when(older < newer and older.is_pending and newer.is_pending)
    emitted = newer.unsent.has(event) and event.receiver == reader
    return emitted and newer.triggers.has(reader) and not older.marked.has(reader)


@reachable(on_request=True)
def older_gate_outlasts_abort(
    state: Enumerating, event: Event, older: CoordinatorCheckpoint, newer: CoordinatorCheckpoint
) -> bool:
    """An event is held for a checkpoint after a newer one was aborted without any state."""
    when(older < newer and older.is_pending and not newer.coordinator_taken)
    return newer.status == CheckpointStatus.ABORTED and event.behind.has(older)


@reachable(on_request=True)
def event_precedes_state(
    state: Enumerating, event: Event, checkpoint: CoordinatorCheckpoint
) -> bool:
    """An event is under way while a checkpoint still lacks the enumerator's state."""
    lacks = checkpoint.is_pending and not checkpoint.coordinator_taken
    return lacks and event.place == EventPlace.UNDER_WAY


@reachable(on_request=True)
def told_reader_restores(
    state: Enumerating, reader: SourceReader, checkpoint: CoordinatorCheckpoint
) -> bool:
    """A reader is restored from a checkpoint in which it was told the end, but had not finished."""
    told = checkpoint.is_completed and not checkpoint.unsent.has(reader.signal)
    restores = reader.status == ReaderStatus.RESTORING
    return told and restores and not checkpoint.finished.has(reader)


@reachable(on_request=True)
def signal_meets_finished_reader(state: Enumerating, reader: SourceReader) -> bool:
    """A reader is restored as finished, and told again that no more splits come."""
    return reader.has_finished and reader.signal.place == EventPlace.UNDER_WAY


FAMILIES = (
    split_at_one_place,
    splits_are_read_once,
    assigned_splits_are_new,
    signal_can_come,
    splits_are_asked_for,
    finished_readers_fail_nothing,
    readers_finish,
    held_events_go_out,
    checkpoint_divides_splits,
    all_readers_finish,
    event_meets_state,
    failed_event_meets_state,
    event_follows_state,
    event_follows_two_states,
    older_gate_outlasts_abort,
    event_precedes_state,
    told_reader_restores,
    signal_meets_finished_reader,
)
