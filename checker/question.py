"""How far a search may go, and whom it tells how far it is: what every back end is asked with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from model.errors import FinaleError, Place


#: What `Report.stopped` says of a search that the user stopped.
INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Limits:
    """Where a search stops though there is more to see; None is no limit.

    A search that is stopped answers `unknown` where it has not seen enough. Raises `bad-limit`.
    """

    states_max: int | None = None
    seconds_max: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("states_max", self.states_max), ("seconds_max", self.seconds_max)):
            if value is not None and not value > 0:
                raise FinaleError(
                    "bad-limit",
                    f"{name} is {value}: a search with this limit sees nothing",
                    place=Place(key=name),
                    advice="give a limit above zero, or none",
                )


class Progress(Protocol):
    """Called a few times a second while a search runs, always from the thread that searches."""

    def __call__(
        self, *, states: int, transitions: int, depth: int, frontier: int, seconds: float
    ) -> None: ...


__all__ = ["INTERRUPTED", "Limits", "Progress"]
