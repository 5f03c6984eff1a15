"""Derives life cycles from decision trees: which rules change which status into which.

An entity lives by its field `status` (or `…_status`) over an enumeration. For each of its members
the trees are walked with the member as the known status: what the walk reaches may be an edge, and
the elements that the leaf puts into the entity's outgoing channels are what it emits. Guards that
read other fields are not decided that way: a short search then tells which edges some run takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from finale.checker.coverage.seen import is_status
from finale.model.domains import Queue, Union
from finale.model.expressions import Add, Constant, Expression, IfThenElse, equal, integer
from finale.model.language.build import shown
from finale.model.language.entities import Variable
from finale.model.language.facts import Facts
from finale.model.system import GroundRule, System, Test, Tree, Update
from finale.model.values import Record

#: A channel is named by its two ends, with this between them.
CHANNEL_ARROW = "→"
#: How many states are searched for runs that take an edge.
STATES_MAX = 30_000

Taken = frozenset[tuple[int, int, int, int]]
"""For a leaf of a tree (by identity) and a cell: its value before and after a step by the leaf."""


@dataclass(frozen=True)
class StatusEdge:
    """One status becomes another; or it stays, and something is emitted."""

    source: str
    target: str


@dataclass(frozen=True)
class Cause:
    """A rule that takes an edge, what it emits, and whether a run that does it was seen."""

    rule: str
    emits: tuple[str, ...]
    seen: bool


@dataclass
class LifeCycle:
    """The life of the entities of one class."""

    kind: str
    field: str
    names: list[str]
    states: tuple[str, ...]
    initial: tuple[str, ...]
    edges: Mapping[StatusEdge, tuple[Cause, ...]]

    @property
    def lived(self) -> tuple[str, ...]:
        """The states that an edge leads to, or in which life begins."""
        entered = {edge.target for edge in self.edges if edge.source != edge.target}
        return tuple(s for s in self.states if s in self.initial or s in entered)


def life_cycles(system: System) -> list[LifeCycle]:
    """The life cycles of all classes of entities that have a status."""
    variables = [variable for variable in system.variables if is_status(variable)]
    taken, complete = _taken(system, [variable.offset for variable in variables])
    found: dict[tuple[str, str], LifeCycle] = {}
    for variable in variables:
        cycle = _life_cycle(system, variable, taken, complete)
        key = (cycle.kind, cycle.field)
        found[key] = _together(found[key], cycle) if key in found else cycle
    # Those whose lives one wants to see are the ones that channels connect.
    channels = {v.entity.name for v in system.variables if CHANNEL_ARROW in v.entity.name}
    ends = {end for channel in channels for end in channel.split(CHANNEL_ARROW)}
    return sorted(found.values(), key=lambda cycle: ends.isdisjoint(cycle.names))


def _together(one: LifeCycle, other: LifeCycle) -> LifeCycle:
    """The life cycle of both: what the one or the other may do."""
    edges = {
        edge: _causes([*one.edges.get(edge, ()), *other.edges.get(edge, ())])
        for edge in dict.fromkeys((*one.edges, *other.edges))
    }
    initial = {*one.initial, *other.initial}
    return LifeCycle(
        one.kind,
        one.field,
        one.names + other.names,
        one.states,
        tuple(state for state in one.states if state in initial),
        edges,
    )


def _causes(given: Iterable[Cause]) -> tuple[Cause, ...]:
    """Each rule once, with all that it emits."""
    found: dict[str, Cause] = {}
    for cause in given:
        known = found.get(cause.rule, Cause(cause.rule, (), False))
        emits = tuple(dict.fromkeys((*known.emits, *cause.emits)))
        found[cause.rule] = Cause(cause.rule, emits, known.seen or cause.seen)
    return tuple(found.values())


def _taken(system: System, offsets: Sequence[int]) -> tuple[Taken, bool]:
    """Return the changes of some cells in the first states, and whether these are all states."""
    from finale.checker.search.bfs.machine import CompiledSuccessors

    machine = CompiledSuccessors(system)
    found: set[tuple[int, int, int, int]] = set()
    seen = set(system.initial)
    frontier = list(system.initial)
    while frontier and len(seen) < STATES_MAX:
        following: dict[tuple[int, ...], None] = {}
        for state in frontier:
            for number, after in machine.expand(state, []):
                leaf = id(machine.leaves[number].end)
                found.update((leaf, cell, state[cell], after[cell]) for cell in offsets)
                following[after] = None
        frontier = [state for state in following if state not in seen]
        seen.update(frontier)
    return frozenset(found), not frontier


def _life_cycle(system: System, variable: Variable, taken: Taken, complete: bool) -> LifeCycle:
    members = [shown(value) for value in variable.domain.values()]
    channels = _outgoing(system, variable)
    edges: dict[StatusEdge, list[Cause]] = {}
    for number, member in enumerate(members):
        for rule in system.rules:
            for target, emitted, leaf in _outcomes(system, variable, channels, rule, number):
                seen = (leaf, variable.offset, number, target) in taken
                if (target != number or emitted) and (seen or not complete):
                    causes = edges.setdefault(StatusEdge(member, members[target]), [])
                    causes.append(Cause(rule.rule.name, tuple(emitted), seen))
    initial = {members[state[variable.offset]] for state in system.initial}
    return LifeCycle(
        type(variable.entity).__name__,
        variable.field,
        [variable.entity.name],
        tuple(members),
        tuple(member for member in members if member in initial),
        {edge: _causes(causes) for edge, causes in edges.items()},
    )


def _outgoing(system: System, variable: Variable) -> list[Variable]:
    prefix = f"{variable.entity.name}{CHANNEL_ARROW}"
    return [
        each
        for each in system.variables
        if isinstance(each.domain, Queue) and each.entity.name.startswith(prefix)
    ]


def _outcomes(
    system: System,
    variable: Variable,
    channels: Sequence[Variable],
    rule: GroundRule,
    number: int,
) -> Iterator[tuple[int, list[str], int]]:
    """Return the effects of a rule on a status: new status, emitted elements, and leaf."""
    facts = Facts()
    cell = system.cells[variable.offset]
    if not isinstance(cell, Constant):
        facts.learn(equal(cell, integer(number)), True)
    for update, known in _updates(rule.tree, facts):
        writes = dict(update.writes)
        written = writes.get(variable.offset)
        targets = {number} if written is None else _constants(written, known)
        emitted = [name for channel in channels for name in _put(channel, writes, known)]
        for target in sorted(targets):
            yield target, emitted, id(update)


def _updates(tree: Tree, facts: Facts) -> Iterator[tuple[Update, Facts]]:
    match tree:
        case Test():
            known = facts.known(tree.condition)
            for outcome, branch in ((True, tree.yes), (False, tree.no)):
                if known is None:
                    learned = facts.copy()
                    learned.learn(tree.condition, outcome)
                    yield from _updates(branch, learned)
                elif known is outcome:
                    yield from _updates(branch, facts)
        case Update():
            yield tree, facts
        case _:
            pass


def _constants(expression: Expression, facts: Facts) -> set[int]:
    """Return the constants in an expression."""
    match expression:
        case Constant():
            return {expression.value}
        case IfThenElse():
            known = facts.known(expression.condition)
            yes = _constants(expression.yes, facts) if known is not False else set[int]()
            no = _constants(expression.no, facts) if known is not True else set[int]()
            return yes | no
        case _:
            low, high = facts.range(expression)
            return {low} if low == high else set()


def _put(channel: Variable, writes: Mapping[int, Expression], facts: Facts) -> list[str]:
    """The classes of the elements that the writes put into a queue."""
    domain = cast("Queue[Record]", channel.domain)
    length = writes.get(channel.offset)
    if length is None or not _grows(length) or not isinstance(domain.element, Union):
        return []
    found: set[int] = set()
    width = domain.element.width
    for slot in range(domain.slots):
        kind = writes.get(channel.offset + 1 + slot * width)
        if kind is not None:
            found |= _constants(kind, facts)
    return [domain.element.kinds[index].__name__ for index in sorted(found)]


def _grows(length: Expression) -> bool:
    """Whether a new length is, on some path, the old one and more."""
    match length:
        case Add(right=Constant(value=value)):
            return value > 0
        case IfThenElse():
            return _grows(length.yes) or _grows(length.no)
        case _:
            return False
