"""Systems that are resumed from what another one leaves behind: `[resume] from = "first.toml"`.

The first system is searched, completely and without properties, when the initial states of the
second are first asked for: they are the distinct snapshots in its reachable states. A trace of the
second begins with one of them; how the first comes to leave it behind is a trace of its own, which
is told before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from checker.search.limits import Limits
from model.errors import FinaleError, Place
from model.language.build import build, world_of
from model.language.entities import Variable
from model.language.plain import PlainStore
from model.language.protocol import Former, Protocol
from model.system import State, System
from model.trace import Trace

from .toml_text import toml_in
from .typed import Complain, is_table

if TYPE_CHECKING:
    from checker.search.bfs.search import ReadableSearch

    from .claim import Spec

#: More states than this are not searched for snapshots: the second system has many for each.
STATES_MAX = 200_000


@dataclass(frozen=True)
class LeftBehind:
    """All that a system can leave behind, each with the state in which it was first found."""

    system: System
    search: ReadableSearch
    found: dict[object, int]

    @property
    def snapshots(self) -> tuple[object, ...]:
        """The distinct snapshots, in the order in which they were found."""
        return tuple(self.found)

    def way_to(self, snapshot: object) -> Trace:
        """A shortest run to a state that leaves a snapshot behind."""
        return self.search.trace_to(self.found[snapshot])


@dataclass(frozen=True)
class Way:
    """What came before a trace: how the first system came to leave its snapshot behind."""

    spec: Spec
    system: System
    trace: Trace


class Resumption:
    """What a spec is resumed from: the spec of the first system."""

    def __init__(self, first: Spec) -> None:
        self.first = first

    @cached_property
    def left(self) -> LeftBehind:
        """All that the first system can leave behind. Raises `resume-too-large`, `resume-empty`."""
        from checker.search.bfs.machine import CompiledSuccessors
        from checker.search.bfs.search import ReadableSearch

        protocol = self.first.instance()
        system = build(protocol)
        search = ReadableSearch(CompiledSuccessors(system), Limits(states_max=STATES_MAX), None)
        search.run()
        if search.stopped:
            raise FinaleError(
                "resume-too-large",
                f"{self.first.file} has too many states to be resumed from: "
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
                f"{self.first.file} leaves nothing behind: no checkpoint completes in it",
                place=Place(key="resume.from"),
                advice="give it checkpoints",
            )
        return LeftBehind(system, search, found)

    def former(self) -> Former:
        """What the second system is told of the first."""
        return Former(self.first.instance(), lambda: self.left.snapshots)

    def way_to(self, protocol: Protocol, initial: State) -> Iterator[Way]:
        """How an initial state of the second system came about: one run for each system before."""
        world = world_of(protocol, protocol.keeps())
        for snapshot, start in zip(self.left.snapshots, protocol.start_states() or (), strict=True):
            values = [start[variable.name] for variable in world.variables]
            if world.encode(values) == initial:
                way = self.left.way_to(snapshot)
                yield from ways_before(self.first, way)
                yield Way(self.first, self.left.system, way)
                return


def resumed_from(
    name: object, file: Path, read: Callable[[Path], Spec], complain: Complain
) -> Resumption:
    """What a file is resumed from, by what stands at `from`. Raises coded errors."""
    if not isinstance(name, str) or not name:
        message = '[resume] does not say from which spec: "from" is its file'
        raise complain("missing-key", message, 'write from = "first.toml"', "from")
    if _is_circle(file, name):
        message = f'"{name}" is itself resumed from this spec'
        raise complain("resume-cycle", message, "let the first of them begin by itself", "from")
    first = read(file.parent / name)
    if not first.protocol.starts_from_snapshots:
        message = f'"{first.protocol.key}", the protocol of "{name}", leaves no snapshots behind'
        raise complain("resume-from-other", message, "resume from specs of this protocol", "from")
    return Resumption(first)


def _is_circle(file: Path, name: str) -> bool:
    """Whether a spec is in the end resumed from itself, or from another that is."""
    seen = {file.resolve()}
    while (file := (file.parent / name).resolve()) not in seen:
        seen.add(file)
        resume = toml_in(file)[0].get("resume")
        following = resume.get("from") if is_table(resume) else None
        if not isinstance(following, str):
            return False
        name = following
    return True


def ways_before(spec: Spec, trace: Trace) -> Iterator[Way]:
    """What came before a trace of a spec: nothing, unless it is resumed from another."""
    if spec.resumption is not None:
        yield from spec.resumption.way_to(spec.instance(), trace.states[0])


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


__all__ = ["LeftBehind", "Resumption", "Way", "resumed_from", "ways_before"]
