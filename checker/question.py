"""What every back end is asked with: limits, whom to tell how far it is, what must be there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from model.errors import FinaleError, Place, nearest
from model.system import Kind, System

from .answer import Statistics, Unknown

#: What `Report.stopped` says of a search that the user stopped.
INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Limits:
    """Where a search stops though there is more to see; None is no limit.

    A search that is stopped answers `unknown` where it has not seen enough. `memory_max` is in
    bytes, of what the states and the tables to find them take; only the native search has it.
    Raises `bad-limit`.
    """

    states_max: int | None = None
    seconds_max: float | None = None
    memory_max: int | None = None

    def __post_init__(self) -> None:
        limits = {
            "states_max": self.states_max,
            "seconds_max": self.seconds_max,
            "memory_max": self.memory_max,
        }
        for name, value in limits.items():
            if value is not None and not value > 0:
                raise FinaleError(
                    "bad-limit",
                    f"{name} is {value}: a search with this limit sees nothing",
                    place=Place(key=name),
                    advice="give a limit above zero, or none",
                )


@dataclass(frozen=True)
class News:
    """How far a search is: as `Statistics`, with the bytes that it has taken, where it knows.

    `seconds_left` is an estimate, and `None` where nothing can be said yet: it is a guess that the
    levels go on to shrink as they did, and there is none while they grow.
    """

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    memory: int = 0
    seconds_left: float | None = None


Progress = Callable[[News], None]
"""Called a few times a second while a search runs, always from the thread that asked for it."""


def check_witnesses(system: System) -> None:
    """Raises `witness-missing` where a property names a witness that was not asked for."""
    reachable = {prop.name for prop in system.properties if prop.kind is Kind.REACHABLE}
    for prop in system.properties:
        if prop.witness is not None and prop.witness not in reachable:
            raise FinaleError(
                "witness-missing",
                f'"{prop.name}" names the witness "{prop.witness}", '
                "which is not a reachable property of the system",
                place=prop.place,
                advice=f"{nearest(prop.witness, reachable)} Check it together with the property: "
                "without its witness it may hold because nothing happens",
            )


def cut_short(stopped: str, seen: Statistics) -> Unknown:
    """The verdict on what a search could not tell because it was stopped."""
    return Unknown(
        f"{stopped}: {seen.states} states and {seen.transitions} transitions seen, "
        f"depth {seen.depth}, {seen.frontier} states left to expand"
    )


__all__ = ["INTERRUPTED", "Limits", "News", "Progress", "check_witnesses", "cut_short"]
