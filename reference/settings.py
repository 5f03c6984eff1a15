"""What an engine is told beside its job, and how often what may go wrong still may."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Faults:
    """How often what may go wrong still may, and how many checkpoints there may be."""

    checkpoints: int | None = None
    failures: int = 0
    lost_confirmations: int = 0
    declines: int = 0
    expiries: int = 0
    stops: int = 0


@dataclass(eq=False)
class Happened:
    """How often it has."""

    failures: int = 0
    lost_confirmations: int = 0
    declines: int = 0
    expiries: int = 0


@dataclass(frozen=True)
class EngineOptions:
    """What a protocol leaves open, under the names that the model has for it."""

    concurrent: int = 1
    """How many checkpoints may be pending at once."""
    aborts_carry_latest: bool = True
    """An abort tells the newest completed checkpoint, in case that news was lost."""


@dataclass(frozen=True)
class Settings:
    """What an engine is told beside its job."""

    channel: int = 16
    """How many elements a channel takes."""
    buffer_size: int | None = None
    """How many records a buffer takes at most."""
    keeps: bool = False
    """Files that are of no use any more stay."""
    retained: int = 1
    """So many checkpoints stay."""
    checkpoint_format: int = 2
    """The version in which they are written."""
    faults: Faults = field(default_factory=Faults)
