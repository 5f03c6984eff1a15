"""Turns a state graph into what an observer sees of it: a labelled transition system.

A state of the graph is a state of the system with the same number, and transition `e` of the graph
is transition `e` of the system. Two states come on top. From the *root* a transition leads to each
initial state; its label says what the observer sees at the start. Into the *end* a transition leads
from each state in which no step changes anything: its label says how the run ends. A fault leads
into the end, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from finale.checker.search.limits import Limits, ProgressListener, looking
from finale.checker.search.run import BUILDING, SECONDS_UNTOLD
from finale.checker.search.state_graph.folding import cells_read
from finale.checker.spec.claim import Spec
from finale.model.expressions import Expression
from finale.model.itf import keys_of
from finale.model.language.build import shown, world_of
from finale.model.language.entities import Variable
from finale.model.language.observing import observing, sound_kind
from finale.model.language.predicates import where
from finale.model.semantics import evaluate, is_deadlock
from finale.model.system import Fault, State, System, Update
from finale.model.trace import Trace, renamed
from finale.model.value_text import changes, value_text

from .bisimulation import distinct_rows
from .explored import Explored, explored
from .identity import identity
from .lts import SILENT, Alphabet, Lts, Numbers
from .observer import View, Watched, element_seen

START = "the run starts"
STUCK = "the run is stuck"
#: A value that the observer does not see.
UNSEEN = -1


@dataclass(frozen=True, eq=False)
class Graph:
    """The state graph of a spec, and the ways in which its protocol can end."""

    spec: Spec
    explored: Explored
    endings: Sequence[tuple[str, Expression]]


@dataclass(frozen=True, eq=False)
class Side:
    """One of the systems that are compared: its state graph, and what is seen of it."""

    whole: Graph
    view: View
    lts: Lts
    alphabet: Alphabet

    @property
    def spec(self) -> Spec:
        """The spec."""
        return self.whole.spec

    @property
    def graph(self) -> Explored:
        """The state graph."""
        return self.whole.explored

    @property
    def system(self) -> System:
        """The system."""
        return self.graph.system

    def trace_of(self, transitions: Sequence[int]) -> Trace:
        """Return the run that takes these transitions; the first one leaves the root."""
        graph, lts = self.graph, self.lts
        states: list[State] = []
        rules: list[int] = []
        fault = None
        for transition in transitions:
            target = int(lts.target[transition])
            if target < len(graph.states):
                states.append(graph.states[target])
            if transition < len(graph.leaf):
                rules.append(graph.leaves[int(graph.leaf[transition])].rule)
            elif (leaf := self._faults.get(transition)) is not None:
                end = graph.leaves[leaf].end
                assert isinstance(end, Fault)
                rules.append(graph.leaves[leaf].rule)
                fault = end
        if not states:
            states.append(graph.states[0])
        return Trace(tuple(states), tuple(rules), fault=fault)

    def observed(self, transitions: Sequence[int]) -> list[tuple[int, str]]:
        """Return what is seen on a run: each observation with the number of its step.

        The start has number 0. The end has the number after the last step.
        """
        labels = self.lts.label
        return [
            (position, self.alphabet.texts[labels[transition]])
            for position, transition in enumerate(transitions)
            if labels[transition] != SILENT
        ]

    @cached_property
    def _faults(self) -> dict[int, int]:
        """The leaves of the faults, by transition: they come last."""
        found = [leaf for leaves in self.graph.faulty.values() for leaf in leaves]
        first = self.lts.transitions - len(found)
        return {first + position: leaf for position, leaf in enumerate(found)}


def graph_of(spec: Spec, limits: Limits, progress: ProgressListener | None) -> Graph:
    """Return the state graph of a spec. Raises `LimitHit`, `TimeOver`, coded errors."""
    began = perf_counter()
    look = looking(limits, progress, BUILDING, SECONDS_UNTOLD)
    system, endings = spec.system((), look), _endings(spec)
    left = limits.after(perf_counter() - began)
    return Graph(spec, explored(system, left, progress), endings)


def sides_of(graphs: tuple[Graph, Graph], views: tuple[View, View]) -> tuple[Side, Side]:
    """Return what an observer sees of two state graphs."""
    alphabet = Alphabet()
    one, other = (
        _Labelling(graph.explored, view, alphabet)
        for graph, view in zip(graphs, views, strict=True)
    )
    shared = frozenset[tuple[str, str]].intersection(
        *(frozenset(values) for values in (*one.at_start, *other.at_start))
    )
    return _side(graphs[0], one, shared), _side(graphs[1], other, shared)


def _side(whole: Graph, labelling: _Labelling, shared: Collection[tuple[str, str]]) -> Side:
    """What is seen of a state graph; `shared` is what is the same in each start of both systems."""
    graph = whole.explored
    root, end = len(graph.states), len(graph.states) + 1
    first = np.arange(graph.initial)
    quiet, ends = labelling.ends(whole.endings)
    faults = [(state, leaf) for state, leaves in graph.faulty.items() for leaf in leaves]
    wrong = np.array([state for state, _ in faults], np.int64)
    labels = [
        labelling.steps(),
        labelling.starts(shared),
        ends,
        np.array([labelling.fault(leaf) for _, leaf in faults], np.int64),
    ]
    lts = Lts(
        end + 1,
        root,
        np.concatenate([graph.source, np.full(len(first), root), quiet, wrong]),
        np.concatenate(labels),
        np.concatenate([graph.target, first, np.full(len(quiet) + len(wrong), end)]),
        range(len(graph.source) + len(first), len(graph.source) + len(first) + len(quiet)),
    )
    return Side(whole, labelling.view, lts, labelling.alphabet)


def _endings(spec: Spec) -> list[tuple[str, Expression]]:
    """The ways in which the protocol can end, as it is meant: a variant does not change them."""
    protocol = spec.instance()
    with spec.catalogue.blaming_user_code():
        world = world_of(protocol, protocol.keeps())
        with observing(protocol, sound_kind(type(protocol))):
            return [(name, where(world, holds)) for name, holds in protocol.endings().items()]


class _Labelling:
    """Gives each transition of a graph its label."""

    def __init__(self, graph: Explored, view: View, alphabet: Alphabet) -> None:
        self.graph, self.view, self.alphabet = graph, view, alphabet
        self.system = graph.system
        self.cells = [cell for each in view.fields for cell in each.variable.indices]
        self.renumbered = {name for rule in self.system.rules for name, _ in rule.moved}
        columns = [self._projected(each) for each in view.fields]
        empty = np.empty((len(graph.states), 0), np.int64)
        self.rows: Numbers = np.concatenate([empty, *columns], axis=1)

    # --- what is seen of a state -----------------------------------------------------------------

    def _projected(self, watched: Watched) -> Numbers:
        cells = watched.variable.indices
        columns = np.empty((len(self.graph.states), len(cells)), np.int64)
        for position, cell in enumerate(cells):
            columns[:, position] = self.graph.columns.column(cell)
        return _seen(watched, columns)

    def _row(self, state: State) -> Numbers:
        parts = [
            _seen(each, np.array([[state[cell] for cell in each.variable.indices]]))
            for each in self.view.fields
        ]
        row: Numbers = np.concatenate([np.empty((1, 0), np.int64), *parts], axis=1)[0]
        return row

    # --- steps -----------------------------------------------------------------------------------

    def steps(self) -> Numbers:
        """Return the labels of the steps."""
        graph = self.graph
        found = np.zeros(len(graph.leaf), np.int64)
        touching, renumbering, named = self._leaves()
        places = np.flatnonzero(touching[graph.leaf])
        before, after = self.rows[graph.source[places]], self.rows[graph.target[places]]
        for position in np.flatnonzero(renumbering[graph.leaf[places]]).tolist():
            edge = int(places[position])
            rule = self.system.rules[graph.leaves[int(graph.leaf[edge])].rule]
            state = graph.states[int(graph.source[edge])]
            before[position] = self._row(renamed(rule, state))
        named_rule = named[graph.leaf[places]]
        seen = np.any(before != after, axis=1) | (named_rule >= 0)
        rows = np.concatenate([before, after, named_rule[:, None]], axis=1)[seen]
        if not len(rows):
            return found
        first, which = distinct_rows(rows)
        labels = np.array([self._label(rows[position]) for position in first.tolist()])
        found[places[seen]] = labels[which]
        return found

    def _leaves(self) -> tuple[Numbers, Numbers, Numbers]:
        """Tell which leaves may be seen, which renumber entities, and which rules are watched."""
        cells, leaves = set(self.cells), self.graph.leaves
        touching, renumbering = np.zeros(len(leaves), np.int64), np.zeros(len(leaves), np.int64)
        named = np.full(len(leaves), -1, np.int64)
        for number, leaf in enumerate(leaves):
            rule = self.system.rules[leaf.rule]
            if isinstance(leaf.end, Update):
                renumbering[number] = bool(rule.earlier)
                touching[number] = not cells.isdisjoint(cell for cell, _ in leaf.end.writes)
            if rule.rule.name in self.view.rules:
                named[number] = leaf.rule
                touching[number] = True
        return touching.astype(bool), renumbering.astype(bool), named

    def _label(self, row: Numbers) -> int:
        count = self.rows.shape[1]
        before, after, rule = row[:count].tolist(), row[count : 2 * count].tolist(), int(row[-1])
        parts: list[tuple[Hashable, str]] = []
        if rule >= 0:
            taken = self.system.rules[rule]
            parts.append(((taken.rule.name, *(value for _, value in taken.binding)), str(taken)))
        for watched, old, new in self._by_field(before, after):
            if old != new:
                parts += self._changed(watched, old, new, after)
        # The two systems can have their fields in another order.
        key = frozenset(Counter(each for each, _ in parts).items())
        return self.alphabet.number(("step", key), ", ".join(text for _, text in parts))

    def _by_field(
        self, before: list[int], after: list[int]
    ) -> Iterator[tuple[Watched, list[int], list[int]]]:
        offset = 0
        for watched in self.view.fields:
            width = _width(watched)
            yield watched, before[offset : offset + width], after[offset : offset + width]
            offset += width

    def _changed(
        self, watched: Watched, old: list[int], new: list[int], after: list[int]
    ) -> Iterator[tuple[Hashable, str]]:
        """What is seen of a change: the key of each part, and its text."""
        variable = watched.variable
        if watched.values is not None:
            yield from self._values_seen(watched, old, new, after)
            return
        was, now = variable.domain.decode(old), variable.domain.decode(new)
        shown_changes = changes(variable, was, now)
        for change, key in zip(shown_changes, changes(variable, was, now, identity), strict=True):
            moved = key.moved or (key.old, key.new)
            text = f"{change.label} {change.moved or f'{change.old} → {change.new}'}"
            yield (variable.name, key.label, moved), text

    def _values_seen(
        self, watched: Watched, old: list[int], new: list[int], after: list[int]
    ) -> Iterator[tuple[Hashable, str]]:
        named = self._name(watched.variable)
        for name, was, now in _elements(watched, named, old, new):
            is_gone, is_behind = now == UNSEEN, self._is_behind(watched, new, after)
            key, told = _value(watched, was if is_gone else now)
            text = f"{name} is no longer {told}" if is_gone else f"{name} {told}"
            text = f"{text}, behind a newer one" if is_behind else text
            yield (name, is_gone, key, is_behind), text

    def _name(self, variable: Variable) -> str:
        """The name of a variable; if its entity has no lasting name, the class of the entity."""
        if variable.entity.name in self.renumbered:
            return f"{type(variable.entity).__name__}.{variable.field}"
        return variable.name

    def _is_behind(self, watched: Watched, new: list[int], after: list[int]) -> bool:
        """Of an entity without a lasting name, whether a newer one has the same value."""
        own = watched.variable
        return own.entity.name in self.renumbered and any(
            other.variable.field == own.field
            and other.variable.position > own.position
            and type(other.variable.entity) is type(own.entity)
            and values == new
            for other, values, _ in self._by_field(after, after)
        )

    # --- the start and the end -------------------------------------------------------------------

    @cached_property
    def at_start(self) -> list[dict[tuple[str, str], str]]:
        """What is seen of each initial state: names and identities of values, with their texts."""
        return [
            {
                (name, key): text
                for watched, cells, _ in self._by_field(row, row)
                for name, key, text in _values(watched, cells)
            }
            for row in self.rows[: self.graph.initial].tolist()
        ]

    def starts(self, shared: Collection[tuple[str, str]]) -> Numbers:
        """Return the labels of the initial states."""
        return np.array([self._start(values, shared) for values in self.at_start])

    def _start(
        self, values: Mapping[tuple[str, str], str], shared: Collection[tuple[str, str]]
    ) -> int:
        own = {each: text for each, text in values.items() if each not in shared}
        text = ", ".join([START, *(f"{name} {told}" for (name, _), told in own.items())])
        return self.alphabet.number(("start", frozenset(own)), text)

    def _quiet(self) -> Numbers:
        """The states in which no step changes anything."""
        graph = self.graph
        moves = np.zeros(len(graph.states), bool)
        moves[graph.source[graph.source != graph.target]] = True
        moves[list(graph.faulty)] = True
        return np.flatnonzero(~moves)

    def ends(self, endings: Sequence[tuple[str, Expression]]) -> tuple[Numbers, Numbers]:
        """Return the states in which runs end, with labels: how it ended, or that it is stuck.

        Where a bound alone forbids to go on, no run ends.
        """
        quiet = self._quiet()
        found = np.full(len(quiet), SILENT, np.int64)
        if not len(quiet):
            return quiet, found
        read = sorted({cell.index for cell in cells_read([each for _, each in endings])})
        columns = [self.graph.columns.column(cell)[quiet] for cell in read]
        rows = np.stack([np.zeros(len(quiet), np.int64), *columns], axis=1)
        first, which = distinct_rows(rows)
        for group, position in enumerate(first.tolist()):
            state = self.graph.states[int(quiet[position])]
            name = next((name for name, holds in endings if evaluate(holds, state)), None)
            if name is not None:
                found[which == group] = self.alphabet.number(("ending", name), name)
        for position in np.flatnonzero(found == SILENT).tolist():
            if is_deadlock(self.system, self.graph.states[int(quiet[position])]):
                found[position] = self.alphabet.number(("no step", STUCK), STUCK)
        return quiet[found != SILENT], found[found != SILENT]

    def fault(self, leaf: int) -> int:
        """Return the label of a fault."""
        end = self.graph.leaves[leaf].end
        assert isinstance(end, Fault)
        return self.alphabet.number(("fault", end.code), f"the fault {end.code} ends the run")


def _seen(watched: Watched, rows: Numbers) -> Numbers:
    """The cells of a field; where some values are seen, the number of each, or `UNSEEN`."""
    if watched.values is None:
        return rows
    domain = element_seen(watched.variable)
    cells = rows.reshape(-1, domain.width)
    first, which = distinct_rows(cells)
    numbers = {key: number for number, key in enumerate(watched.values)}
    values = [identity(domain, domain.decode(each)) for each in cells[first].tolist()]
    found = np.array([numbers.get(each, UNSEEN) for each in values], np.int64)
    return found[which].reshape(len(rows), -1)


def _width(watched: Watched) -> int:
    """How many cells `_seen` returns."""
    whole = watched.variable.domain.width
    return whole if watched.values is None else whole // element_seen(watched.variable).width


def _elements(
    watched: Watched, name: str, old: list[int], new: list[int]
) -> Iterator[tuple[str, int, int]]:
    """The name of each element that changed, with its old and new cell."""
    domain, names = watched.variable.domain, [name]
    if hasattr(domain, "keys"):
        names = [f"{name}[{shown(key)}]" for key in keys_of(domain)]
    for element, was, now in zip(names, old, new, strict=True):
        if was != now:
            yield element, was, now


def _values(watched: Watched, cells: list[int]) -> Iterator[tuple[str, str, str]]:
    """The names of what is seen of a field, with the identities and the texts of the values."""
    variable = watched.variable
    if watched.values is None:
        value = variable.domain.decode(cells)
        yield variable.name, identity(variable.domain, value), value_text(variable.domain, value)
        return
    others = [UNSEEN - 1] * len(cells)
    for name, _, cell in _elements(watched, variable.name, others, cells):
        yield name, *_value(watched, cell)


def _value(watched: Watched, number: int) -> tuple[str, str]:
    """The identity and the text of a value that is seen in part of a field."""
    assert watched.values is not None
    if number == UNSEEN:
        return "", "not seen"
    return list(watched.values.items())[number]
