"""What verdicts read of a search that lists states and has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from finale.checker.search.answer import Statistics
from finale.checker.search.limits import SearchClock
from finale.model.system import System
from finale.model.trace import Trace

from .fairness import Fair
from .leaves import Leaf
from .questions import Occurrence, Topic


class Searched(Protocol):
    """A search that has ended.

    `stopped` says why it has not seen all states; `stopped_after` says why the work after it was
    cut short.
    """

    stopped: str
    stopped_after: str

    @property
    def system(self) -> System: ...
    @property
    def clock(self) -> SearchClock: ...
    @property
    def leaves(self) -> Sequence[Leaf]: ...
    @property
    def findings(self) -> Mapping[Topic, Occurrence]:
        """The first occurrence of each topic that has one."""
        ...

    @property
    def deadlock(self) -> int | None:
        """The number of the first state that is a deadlock."""
        ...

    @property
    def statistics(self) -> Statistics: ...
    @property
    def fair(self) -> Fair:
        """The fairness of the system, on its complete state graph."""
        ...

    def trace_to(self, position: int) -> Trace:
        """Return the least shortest run to a state."""
        ...

    def look(self) -> None:
        """Report the progress. Raises LimitHit when the time is over."""
        ...
