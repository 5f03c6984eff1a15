"""Bounds of protocols on jobs: how many checkpoints, failures and requests a search explores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobBounds:
    """How much is explored: checkpoint ids, elements a channel, and how often what may go wrong."""

    #: how many checkpoint ids there are
    checkpoints: int = 1
    #: instead: how many ids are live at once, given again without end
    live_checkpoints: int = 0
    #: how many elements a channel holds; 0 is as many as must fit, by the job and the ids
    channel: int = 0
    #: how often the job fails
    failures: int = 0
    #: how many confirmations are lost
    lost_confirmations: int = 0
    #: how many pending checkpoints time out
    expiries: int = 0
    #: how many snapshots fail
    declines: int = 0
    #: how often a user asks for a stop
    stops: int = 0
    #: how often a user asks for a savepoint
    savepoints: int = 0
    #: how often a user cancels
    cancels: int = 0
    #: how often a user asks for a checkpoint
    manual: int = 0
    #: how often the coordinator crashes
    crashes: int = 0
    #: how many alignments run out of time
    time_outs: int = 0
    #: how many records come of processing-time timers
    ticks: int = 0
    #: how many watermarks a source emits before the maximal one
    watermarks: int = 0
    #: how often a job is resumed from what it left behind
    resumes: int = 0
    #: how many failed checkpoints in a row are tolerated
    tolerable: int = 0
