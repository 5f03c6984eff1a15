"""Searches a system for all snapshots that it can leave behind.

The system is searched completely and without properties. The distinct snapshots in its reachable
states are the initial states of the system that resumes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from finale.checker.search.limits import Limits
from finale.model.errors import FinaleError, Place
from finale.model.language.build import build
from finale.model.language.entities import Variable
from finale.model.language.plain import PlainStore
from finale.model.language.protocol import Protocol
from finale.model.system import State, System
from finale.model.trace import Trace

if TYPE_CHECKING:
    from finale.checker.search.bfs.search import ReadableSearch

#: The search for snapshots stops at this number of states: the second system has many for each.
STATES_MAX = 200_000


@dataclass(frozen=True)
class Snapshots:
    """The distinct snapshots that a system can leave behind, in the order of the search.

    `found` has for each snapshot the state in which the search first found it.
    """

    system: System
    search: ReadableSearch
    found: dict[object, int]

    def trace_to(self, snapshot: object) -> Trace:
        """A shortest run to a state that leaves a snapshot behind."""
        return self.search.trace_to(self.found[snapshot])


def snapshots_of(protocol: Protocol, file: Path) -> Snapshots:
    """Search for all snapshots of a spec. Raises `resume-too-large`, `resume-empty`."""
    from finale.checker.search.bfs.machine import CompiledSuccessors
    from finale.checker.search.bfs.search import ReadableSearch

    system = build(protocol)
    search = ReadableSearch(CompiledSuccessors(system), Limits(states_max=STATES_MAX), None)
    search.run()
    if search.stopped:
        raise FinaleError(
            "resume-too-large",
            f"{file} has too many states to be resumed from: "
            f"its search was stopped by {search.stopped}",
            place=Place(key="resume.from"),
            advice="make its bounds smaller",
        )
    found: dict[object, int] = {}
    for position, state in enumerate(search.graph.states):
        snapshot = _snapshot(protocol, state)
        if snapshot is not None:
            found.setdefault(snapshot, position)
    if not found:
        raise FinaleError(
            "resume-empty",
            f"{file} leaves no snapshot behind: none of its checkpoints completes",
            place=Place(key="resume.from"),
            advice="raise the bound checkpoints",
        )
    return Snapshots(system, search, found)


class _Decoding(PlainStore):
    """One state of which only what is read is decoded: few of many states have a snapshot."""

    def __init__(self, state: State, variables: int) -> None:
        super().__init__([None] * variables)
        self.state = state
        self.known: set[int] = set()

    def get(self, variable: Variable) -> object:
        if variable.position not in self.known:
            self.known.add(variable.position)
            cells = self.state[variable.offset : variable.offset + variable.domain.width]
            self.values[variable.position] = variable.domain.decode(cells)
        return super().get(variable)

    def set(self, variable: Variable, value: object) -> None:
        self.known.add(variable.position)
        super().set(variable, value)


def _snapshot(protocol: Protocol, state: State) -> object:
    # The store is thrown away: a protocol may change the state that it is asked of.
    with protocol.world.on(_Decoding(state, len(protocol.world.variables))):
        return protocol.left_behind()
