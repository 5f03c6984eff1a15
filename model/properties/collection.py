"""Epochs that a coordinator collects: each ends, all sinks agree, and in order (S3, S4, L3).

The view is the protocol of engines that collect barriers.
"""

from __future__ import annotations

from finale.model.protocols.barrier_collection import (
    BarrierCollection,
    Epoch,
    EpochStatus,
    Outcome,
    Worker,
)
from finale.model.rules import Nothing, always, leads_to, reachable, when


@leads_to
def epoch_ends(state: BarrierCollection, epoch: Epoch) -> bool:
    """An epoch that was begun is published or aborted (L3)."""
    when(epoch.is_pending)
    return not epoch.is_pending


@always
def commits_form_a_prefix(state: BarrierCollection, epoch: Epoch) -> bool:
    """When an epoch is published, each older one is decided (S3)."""
    when(epoch.is_committed)
    return all(not each.is_pending for each in state.older(epoch))


@always
def sinks_agree(state: BarrierCollection, epoch: Epoch, worker: Worker, other: Worker) -> bool:
    """What one sink has committed no other has aborted (S3)."""
    when(worker.outcome[epoch] == Outcome.COMMITTED)
    return other.outcome[epoch] != Outcome.ABORTED


@always
def sinks_commit_what_is_published(state: BarrierCollection, epoch: Epoch, worker: Worker) -> bool:
    """A sink commits only what is published (S4)."""
    when(worker.outcome[epoch] == Outcome.COMMITTED)
    return epoch.is_committed


@leads_to
def published_is_committed(state: BarrierCollection, epoch: Epoch, worker: Worker) -> bool:
    """What is published every sink commits (L6)."""
    when(epoch.is_committed)
    return worker.outcome[epoch] == Outcome.COMMITTED


@always
def restores_published(state: BarrierCollection, epoch: Epoch) -> bool:
    """The job starts again from an epoch that was published (S17)."""
    when(state.restored == epoch)
    return epoch.is_committed


@always
def confirmed_is_durable(state: BarrierCollection, epoch: Epoch) -> bool:
    """What the outside log may forget is safe, up to each older epoch (S2)."""
    when(state.position != Nothing and epoch <= state.position)
    return state.is_durable(epoch)


@reachable
def all_epochs_committed(state: BarrierCollection) -> bool:
    """All epochs can be published and committed."""
    return all(
        each.is_committed and worker.outcome[each] == Outcome.COMMITTED
        for each in state.epochs
        for worker in state.workers
    )


@reachable(on_request=True)
def barrier_comes_before_call(state: BarrierCollection, worker: Worker, epoch: Epoch) -> bool:
    """A barrier passes a worker that was not told of its epoch yet (OTH-03)."""
    return epoch.is_pending and worker.passed.has(epoch) and epoch.injects.has(worker)


@reachable(on_request=True)
def newer_epoch_is_collected_first(state: BarrierCollection, epoch: Epoch, newer: Epoch) -> bool:
    """All reports of an epoch are there while an older one lacks some (OTH-06, OTH-14)."""
    when(epoch < newer and epoch.is_pending)
    return state.is_durable(newer) and not state.is_durable(epoch)


@reachable(on_request=True)
def sink_votes_against(state: BarrierCollection, worker: Worker, epoch: Epoch) -> bool:
    """A vote against an epoch is on its way (OTH-07)."""
    return epoch.refusals.has(worker)


@reachable(on_request=True)
def starts_again_after_refusal(state: BarrierCollection, worker: Worker, epoch: Epoch) -> bool:
    """The job has started again, and before that a sink had aborted an epoch (OTH-07)."""
    when(epoch.status == EpochStatus.ABORTED and worker.outcome[epoch] == Outcome.ABORTED)
    return state.failures > 0 and epoch.refusals.is_empty


@reachable(on_request=True)
def prepared_sink_restarts(state: BarrierCollection, worker: Worker, epoch: Epoch) -> bool:
    """A sink restarts with something prepared that is published meanwhile (OTH-07)."""
    gone = not worker.connected
    return gone and epoch.is_committed and worker.outcome[epoch] == Outcome.PREPARED


FAMILIES = (
    epoch_ends,
    commits_form_a_prefix,
    sinks_agree,
    sinks_commit_what_is_published,
    published_is_committed,
    restores_published,
    confirmed_is_durable,
    all_epochs_committed,
    barrier_comes_before_call,
    newer_epoch_is_collected_first,
    sink_votes_against,
    starts_again_after_refusal,
    prepared_sink_restarts,
)
