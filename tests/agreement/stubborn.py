"""Stubborn sets in plain Python: a second search under partial order, to hold the native one to.

That verdicts are kept shows that enough is searched; that both searches take the same steps shows
that no more is: what makes the native one leave out less than it could changes no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from finale.checker.search.reductions.canonical import Canonical
from finale.checker.search.reductions.dead import dead_variables_of
from finale.checker.search.reductions.partial_order import PartialOrder
from finale.checker.search.reductions.under import canonical_of
from finale.checker.search.state_graph.graph import numbered
from finale.model.semantics import evaluate, outcome, updated
from finale.model.system import Blocked, State, System, Update

#: As in the inner loops: what it costs to draw in a transition that is enabled, beside another.
COST_ENABLED = 1000
#: Longer chains of single steps are cut.
LENGTH_MAX = 64


def numbers_in(bits: int) -> Iterator[int]:
    """The numbers in a set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


@dataclass
class Stubborn:
    """A breadth-first search that takes stubborn sets; without `has_proviso`, it is wrong."""

    system: System
    order: PartialOrder
    has_proviso: bool = True
    states: dict[State, int] = field(default_factory=dict[State, int])
    transitions: int = 0

    def __post_init__(self) -> None:
        self.number_leaves()
        self.states = {state: i for i, state in enumerate(dict.fromkeys(self.system.initial))}
        pending = list(self.states)
        for position, state in enumerate(pending):  # it grows while it is read
            steps = self.steps(state)
            chosen = self.chosen(state, steps, position)
            ends = {leaf: self.along(each) for leaf, each in steps.items()}
            if self.has_proviso and not self.goes_on(chosen, ends, position):
                chosen = -1
            for leaf, after in ends.items():
                if chosen >> leaf & 1:
                    self.transitions += 1
                    if after not in self.states:
                        self.states[after] = len(pending)
                        pending.append(after)

    def number_leaves(self) -> None:
        """Number the leaves of the rules, and note those of rules that make progress."""
        leaves, self.numbers = numbered(self.system)
        rules = [self.system.rules[leaf.rule].rule for leaf in leaves]
        self.progress = sum(1 << leaf for leaf, rule in enumerate(rules) if rule.makes_progress)

    def goes_on(self, chosen: int, ends: dict[int, State], position: int) -> bool:
        """Whether a step of a set is on no cycle, or leads to a state that is expanded later: a
        step of a rule that makes progress."""
        chosen &= self.progress
        taken = {leaf: end for leaf, end in ends.items() if chosen >> leaf & 1}
        after = (self.states.get(end, position + 1) for end in taken.values())
        onward = any(self.order.onward >> leaf & 1 for leaf in taken)
        return onward or any(number > position for number in after)

    def along(self, state: State) -> State:
        """The end of the chain of a state."""
        for _ in range(LENGTH_MAX):
            after = self.passing(state)
            if after is None:
                break
            state = after
        return state

    def passing(self, state: State) -> State | None:
        """The state after one that is passed; None if it is not."""
        steps, truths = self.steps(state), self.truths(state)
        enabled = sum(1 << leaf for leaf in steps) & self.order.updates
        for seed in numbers_in(enabled & self.progress):
            if not self.shows(seed, truths):
                inside = self.closed(seed, enabled, truths, 2)
                if inside is not None and inside >> seed & 1:
                    return steps[seed] if steps[seed] != state else None
        return None

    def shows(self, update: int, truths: set[int]) -> bool:
        """Whether an update may disable a fault or an observer that is enabled."""
        others = numbers_in(self.order.dependent[update] & ~self.order.updates)
        return any(set(self.order.guards[each]) <= truths for each in others)

    def steps(self, state: State) -> dict[int, State]:
        """The updates of a state by their leaves, in rule order."""
        found: dict[int, State] = {}
        for number, rule in enumerate(self.system.rules):
            end = outcome(rule.tree, state)
            if isinstance(end, Update):
                found[self.numbers[number, id(end)]] = updated(end, state)
        return found

    def truths(self, state: State) -> set[int]:
        """The literals that are true in a state."""
        return {2 * i + evaluate(atom, state) for i, atom in enumerate(self.order.atoms)}

    def chosen(self, state: State, steps: dict[int, State], position: int) -> int:
        """The leaves to take: the smallest stubborn set that goes on, or all."""
        truths, found = self.truths(state), -1
        enabled = sum(1 << leaf for leaf in steps) & self.order.updates
        least = enabled.bit_count()

        def goes_on(inside: int) -> bool:
            return not self.has_proviso or self.goes_on(inside & enabled, steps, position)

        for seed in numbers_in(enabled):
            inside = self.closed(seed, enabled, truths, least) if least > 1 else None
            if inside is not None and goes_on(inside):
                found, least = inside, (inside & enabled).bit_count()
        inside = self.pruned(enabled, truths) if least > 1 else found
        if least > 1 and (inside & enabled).bit_count() < least and goes_on(inside):
            return inside
        return found

    def pruned(self, enabled: int, truths: set[int]) -> int:
        """All transitions, but for what can be left out: one enabled update after the other."""
        inside, free = self.begun(enabled, truths)
        for leaf in numbers_in(enabled & ~free):
            if (inside & enabled & ~free).bit_count() > 1 and inside >> leaf & 1:
                rest = self.stubborn_part(inside & ~(1 << leaf), free, enabled, truths)
                inside = rest if rest & enabled & ~free else inside
        return inside & ~free

    def begun(self, enabled: int, truths: set[int]) -> tuple[int, int]:
        """What to begin with, and what is free: what undoes all updates that undo none."""
        absorbing, every = self.order.absorbing, (1 << len(self.order.guards)) - 1
        free = 0
        for leaf in numbers_in(enabled):
            free |= absorbing[leaf]
        for leaf in numbers_in(enabled & ~free):
            free &= absorbing[leaf]
        bound = [leaf for leaf in numbers_in(enabled & ~free) if free & ~absorbing[leaf]]
        inside = every & ~sum(1 << leaf for leaf in bound)
        inside = self.stubborn_part(inside, free, enabled, truths)
        return (inside, free) if inside & enabled & ~free else (every, 0)

    def stubborn_part(self, inside: int, free: int, enabled: int, truths: set[int]) -> int:
        """The largest part of a set that needs nothing that is not in it; what is free stays."""
        while True:
            out = [
                each
                for each in numbers_in(inside & ~free)
                if not self.stays(each, inside, enabled, truths)
            ]
            if not out:
                return inside
            inside &= ~sum(1 << each for each in out)

    def stays(self, transition: int, inside: int, enabled: int, truths: set[int]) -> bool:
        if transition < self.order.leaves and enabled >> transition & 1:
            return not self.order.dependent[transition] & ~inside
        false = [each for each in self.order.guards[transition] if each not in truths]
        return not false or any(not self.order.enabling[each] & ~inside for each in false)

    def closed(self, seed: int, enabled: int, truths: set[int], below: int) -> int | None:
        """A stubborn set with fewer enabled updates than `below`, if closing from one gives it."""
        free = self.order.absorbing[seed]
        while True:
            inside, left = self.closed_beside(seed, free, enabled, truths, below)
            if left == free:
                return None if inside is None else inside & ~free
            free = left

    def closed_beside(
        self, seed: int, free: int, enabled: int, truths: set[int], below: int
    ) -> tuple[int | None, int]:
        """The same, without what is free; and what is free, if it undoes all that is enabled."""
        inside, pending, taken = 1 << seed | free, [seed], 1
        while pending:
            transition = pending.pop()
            if transition < self.order.leaves and enabled >> transition & 1:
                if free & ~self.order.absorbing[transition]:
                    return None, free & self.order.absorbing[transition]
                drawn = self.order.dependent[transition]
            else:
                false = [each for each in self.order.guards[transition] if each not in truths]
                if not false:
                    continue
                costs = [self.cost(each, inside, enabled) for each in false]
                drawn = self.order.enabling[false[costs.index(min(costs))]]
            fresh = drawn & ~inside
            inside |= fresh
            pending += numbers_in(fresh)
            taken += (fresh & enabled).bit_count()
            if taken >= below:
                return None, free
        return inside, free

    def cost(self, literal: int, inside: int, enabled: int) -> int:
        fresh = self.order.enabling[literal] & ~inside
        return fresh.bit_count() + COST_ENABLED * (fresh & enabled).bit_count()


def wrongs(system: System, order: PartialOrder, states_max: int) -> Iterator[str]:
    """What the relations do not tell of what happens in states that can be reached."""
    canonical = canonical_of(system, [dead_variables_of(system)])

    def same(one: State, other: State) -> bool:
        """Whether two states differ in dead cells only."""
        if canonical is None:
            return one == other
        return canonical.representative(one) == canonical.representative(other)

    search = Stubborn.__new__(Stubborn)
    search.system, search.order = system, order
    search.number_leaves()
    seen = dict.fromkeys(system.initial)
    pending = list(seen)
    for state in pending:
        steps, truths = search.steps(state), search.truths(state)
        for leaf, after in steps.items():
            if not order.updates >> leaf & 1:
                continue
            then, truths_then = search.steps(after), search.truths(after)
            for literal in truths_then - truths:
                if not order.enabling[literal] >> leaf & 1:
                    yield f"leaf {leaf} makes literal {literal} true"
            for other in steps:
                if not (order.updates & ~order.dependent[leaf]) >> other & 1 or other == leaf:
                    continue
                if other not in then:
                    yield f"leaf {leaf} disables leaf {other}"
                elif search.steps(steps[other]).get(leaf) != then[other]:
                    yield f"leaves {leaf} and {other} do not commute"
            for other in steps:
                undoes = order.absorbing[leaf] >> other & 1 and other != leaf
                if undoes and (other not in then or not same(then[other], steps[other])):
                    yield f"leaf {other} does not undo leaf {leaf}"
            for number in range(order.leaves, len(order.guards)):
                guard = set(order.guards[number])
                kept = order.dependent[leaf] >> number & 1 or guard <= truths_then
                if guard <= truths and not kept:
                    yield f"leaf {leaf} disables observer {number - order.leaves}"
            if after not in seen and len(seen) < states_max:
                seen[after] = None
                pending.append(after)
    yield from _cycles(search, list(seen))
    for state in seen:
        for number, rule in enumerate(system.rules):
            end = outcome(rule.tree, state)
            if not isinstance(end, Blocked):
                needed = set(order.guards[search.numbers[number, id(end)]])
                if not needed <= search.truths(state):
                    yield f"a leaf of {rule} is taken where its guard is false"


def _cycles(search: Stubborn, states: list[State]) -> Iterator[str]:
    """The updates that are taken on a cycle of these states, although they are on none."""
    places = {state: place for place, state in enumerate(states)}
    steps = [search.steps(state) for state in states]
    ends = [[places[end] for end in each.values() if end in places] for each in steps]
    reached = [1 << place for place in range(len(states))]
    is_growing = True
    while is_growing:
        is_growing = False
        for place, after in enumerate(ends):
            more = reached[place]
            for each in after:
                more |= reached[each]
            is_growing = is_growing or more != reached[place]
            reached[place] = more
    for place, taken in enumerate(steps):
        for leaf, end in taken.items():
            is_on_cycle = end in places and reached[places[end]] >> place & 1
            if search.order.onward >> leaf & 1 and is_on_cycle:
                yield f"leaf {leaf} is on a cycle"


def cycles_of_classes(
    system: System, order: PartialOrder, canonical: Canonical, states_max: int
) -> Iterator[str]:
    """The same where each state is replaced by the representative of its class."""

    class Classes(Stubborn):
        def steps(self, state: State) -> dict[int, State]:
            found = super().steps(state)
            return {leaf: canonical.representative(each) for leaf, each in found.items()}

    search = Classes.__new__(Classes)
    search.system, search.order = system, order
    search.number_leaves()
    states = list(dict.fromkeys(map(canonical.representative, system.initial)))
    seen = set(states)
    for state in states:  # it grows while it is read
        for end in search.steps(state).values():
            if end not in seen and len(states) < states_max:
                seen.add(end)
                states.append(end)
    yield from _cycles(search, states)
