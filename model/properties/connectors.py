"""What is outside of a job: offsets of connectors, and stores on local disks (S1, S2, S3).

The views are the protocols themselves.
"""

from __future__ import annotations

from finale.model.protocols.connector import Connector, ConnectorTaskStatus, Progress, SourceRecord
from finale.model.protocols.local_store import Change, InputUpdate, LocalStore, StoreStatus
from finale.model.rules import always, leads_to, reachable, when


@always
def delivered_once(state: Connector, record: SourceRecord) -> bool:
    """A task that is stopped and started again delivers no record twice (S3)."""
    when(record.copies > 0)
    return record.copies == 1


@always
def committed_is_delivered(state: Connector, record: SourceRecord) -> bool:
    """The offset is behind delivered records only (S2)."""
    when(record.committed)
    return record.copies > 0


@always
def no_call_after_stop(state: Connector) -> bool:
    """A task that was stopped is not called any more (S8)."""
    when(state.status == ConnectorTaskStatus.CLOSED)
    return not state.called_after_stop


@leads_to
def stop_ends(state: Connector) -> bool:
    """A task that is asked to stop is closed (L2)."""
    when(state.status == ConnectorTaskStatus.STOPPING)
    return state.status == ConnectorTaskStatus.CLOSED


@reachable(on_request=True)
def stops_with_records_in_flight(state: Connector, record: SourceRecord) -> bool:
    """A task is being stopped while a record is in flight (OTH-12)."""
    return state.status == ConnectorTaskStatus.STOPPING and record.progress == Progress.IN_FLIGHT


@reachable(on_request=True)
def closes_after_stop(state: Connector) -> bool:
    """A task has been stopped, and its clients are closed (OTH-12)."""
    return state.status == ConnectorTaskStatus.CLOSED


@always
def store_is_as_committed(state: LocalStore, update: InputUpdate) -> bool:
    """The store of a running task has each effect that its changelog has, and no other (S1)."""
    when(state.status == StoreStatus.RUNNING)
    return update.stored == (0 if update.change == Change.NONE else 1)


@reachable
def all_updates_committed(state: LocalStore) -> bool:
    """The task can process all that there is."""
    done = all(update.change == Change.COMMITTED for update in state.updates)
    return done and state.status == StoreStatus.CLOSED


@reachable(on_request=True)
def store_is_ahead_after_crash(state: LocalStore, update: InputUpdate) -> bool:
    """After a crash the store has an effect that was never committed (OTH-13)."""
    closed = state.status == StoreStatus.CLOSED
    return closed and update.stored > 0 and update.change == Change.NONE


FAMILIES = (
    delivered_once,
    committed_is_delivered,
    no_call_after_stop,
    stop_ends,
    stops_with_records_in_flight,
    closes_after_stop,
    store_is_as_committed,
    all_updates_committed,
    store_is_ahead_after_crash,
)
