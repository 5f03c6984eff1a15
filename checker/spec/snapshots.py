"""Searches a system for all snapshots that it can leave behind.

The system is searched completely and without properties. The distinct snapshots in its reachable
states are the initial states of the system that resumes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from finale.checker.search.limits import Limits
from finale.model.errors import FinaleError, Place
from finale.model.language.build import world_of
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


def snapshots_of(protocol: Protocol, system: System, file: Path) -> Snapshots:
    """Search the system of a spec for all snapshots. Raises `resume-too-large`, `resume-empty`."""
    from finale.checker.search.bfs.machine import CompiledSuccessors
    from finale.checker.search.bfs.search import ReadableSearch

    world_of(protocol, protocol.keeps())  # the protocol knows its variables from here on
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
    left_behind = _LeftBehind(protocol)
    for position, state in enumerate(search.graph.states):
        snapshot = left_behind.of(state)
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


class _LeftBehind:
    """What the states of a protocol leave behind: few of many differ in what is read for it.

    Answers are kept in a tree of what was read. A node has the variable that is read next; below it
    is a node for each value that it had.
    """

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._variables = protocol.world.variables
        self._root = _Asked()

    def of(self, state: State) -> object:
        """What a state leaves behind."""
        node = self._root
        while node.reads is not None:
            node = node.below.setdefault(_cells(state, node.reads), _Asked())
        if not node.is_answered:
            reading = _Decoding(state, len(self._variables))
            # The store is thrown away: a protocol may change the state that it is asked of.
            with self._protocol.world.on(reading):
                answer = self._protocol.left_behind()
            node = self._root
            for variable in reading.order:
                if node.is_answered or node.reads not in (None, variable):
                    return answer  # what is read does not follow from what was read: ask each state
                node.reads = variable
                node = node.below.setdefault(_cells(state, variable), _Asked())
            if node.reads is None:
                node.is_answered, node.answer = True, answer
            return answer
        return node.answer


@dataclass
class _Asked:
    """A node: what is read next, or the answer. One that has neither was not asked yet."""

    reads: Variable | None = None
    below: dict[State, _Asked] = field(default_factory=dict[State, "_Asked"])
    is_answered: bool = False
    answer: object = None


def _cells(state: State, variable: Variable) -> State:
    return state[variable.offset : variable.offset + variable.domain.width]


class _Decoding(PlainStore):
    """One state of which only what is read is decoded; `order` has the variables that are read."""

    def __init__(self, state: State, variables: int) -> None:
        super().__init__([None] * variables)
        self.state = state
        self.known: set[int] = set()
        self.order: list[Variable] = []

    def get(self, variable: Variable) -> object:
        if variable.position not in self.known:
            self.known.add(variable.position)
            self.order.append(variable)
            self.values[variable.position] = variable.domain.decode(_cells(self.state, variable))
        return super().get(variable)

    def set(self, variable: Variable, value: object) -> None:
        self.known.add(variable.position)
        super().set(variable, value)
