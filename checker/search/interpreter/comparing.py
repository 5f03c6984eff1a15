"""Compares what a system says with what its rules say as plain Python, in reached states.

All searches start from decision trees, so all of them share a rule that was misread. Here the code
of a user runs as it is written: rules, properties, overridden helpers, and the rules of Finale that
reach such code. In each chosen state both sides must agree on whether a rule is enabled, on the
state after it and on what a property says. The states are the first ones of the search, further
ones on walks that the content of the system chooses, one for each leaf of a rule and each branch
that the search took, and those of all traces that it found.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice
from random import Random
from typing import cast
from weakref import WeakKeyDictionary

from finale.checker.search.verdict import Verdict
from finale.model.errors import FinaleError, Place
from finale.model.expressions import FALSE, TRUE, Expression, conjunction, negation
from finale.model.language.bindings import BoundRule
from finale.model.language.explore import Branch
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.language.reaching import CodeByName
from finale.model.semantics import evaluate, outcome, steps, updated
from finale.model.system import (
    Blocked,
    Fault,
    GroundRule,
    Kind,
    Predicate,
    Property,
    State,
    System,
    Test,
    Tree,
    Update,
)
from finale.model.trace import renamed

from .execution import Judgement, PlainPredicate, PlainSystem, TakenStep

#: The number of states from the beginning of the search, and on walks.
STATES_FIRST, STATES_ON_WALKS = 100, 100
#: A walk begins anew after so many steps, and there are so many walks.
STEPS_OF_A_WALK, WALKS_MAX = 40, 20
#: For a branch that these states do not take, so many more are looked at, breadth first.
STATES_FOR_BRANCHES = 1_000


# --- which states --------------------------------------------------------------------------------


def first_states(system: System) -> Iterator[State]:
    """Return reached states in the order of a breadth-first search, until all are found."""
    known = dict.fromkeys(system.initial)
    yield from known
    for state in (ahead := list(known)):  # grows
        for step in steps(system, state):
            after = step.result
            if not isinstance(after, Fault) and after not in known:
                known[after] = None
                ahead.append(after)
                yield after


def states_on_walks(system: System, known: Sequence[State]) -> Iterator[State]:
    """Return further reached states, on random walks whose seed is the content of the system.

    A walk begins in a known state, or in one that an earlier walk has found.
    """
    content = repr((system.protocol, system.initial, [str(rule) for rule in system.rules]))
    chance = Random(blake2b(content.encode(), digest_size=8).digest())
    found, starts = set(known), list(known)
    for _ in range(WALKS_MAX):
        state = chance.choice(starts)
        for _ in range(STEPS_OF_A_WALK):
            after = _step_by_chance(system, state, chance)
            if after is None:
                break
            state = after
            if state not in found:
                found.add(state)
                starts.append(state)
                yield state


def _step_by_chance(system: System, state: State, chance: Random) -> State | None:
    for rule in chance.sample(system.rules, len(system.rules)):
        leaf = outcome(rule.tree, state)
        if isinstance(leaf, Update):
            return updated(leaf, state)
    return None


# --- the comparison ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """A leaf of a ground rule that takes a step: also a rule without an `if` has one."""

    rule: str
    binding: tuple[tuple[str, str], ...]
    number: int


#: What is compared at least once, if the search takes it.
Way = Branch | Leaf


@dataclass
class Comparison:
    """A system beside the same protocol as plain Python, and the branches seen so far."""

    plain: PlainSystem
    system: System
    taken: set[Way] = field(default_factory=set["Way"])
    done: set[State] = field(default_factory=set[State])
    is_whole: bool = False
    """Whether all code is compared, and not only the user's."""

    @cached_property
    def rules(self) -> list[tuple[BoundRule, GroundRule | None]]:
        """The rules that reach the user's code; None for one that is never enabled."""
        ground = {(rule.rule.name, rule.binding): rule for rule in self.system.rules}
        own = dict[str, bool]()
        found: list[tuple[BoundRule, GroundRule | None]] = []
        for bound in self.plain.rules:
            name = bound.rule.name
            if name not in own:
                own[name] = self._is_reached_from(self._code.functions[name])
            if own[name]:
                found.append((bound, ground.get((name, bound.binding))))
        return found

    def ways_taken(self, rule: GroundRule | None, state: State) -> Iterator[Way]:
        """Return the ways that a rule takes in a state."""
        leaf = Blocked() if rule is None else outcome(rule.tree, state)
        if isinstance(leaf, Update) and rule is not None:
            yield Leaf(rule.rule.name, rule.binding, self._numbers[id(leaf)])
            yield from (branch for branch, where in leaf.branches if evaluate(where, state))

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The number of each leaf within its rule, by identity."""
        trees = (rule.tree for _, rule in self.rules if rule is not None)
        return {id(leaf): i for tree in trees for i, (leaf, _) in enumerate(_leaves(tree))}

    @cached_property
    def predicates(self) -> list[tuple[PlainPredicate, Property]]:
        """The properties that reach the user's code, with their parameters bound."""
        known = {each.name: each for each in self.system.properties}
        return [
            (each, known[each.family.name])
            for each in self.plain.predicates
            if each.family.name in known and self._is_own(each.family)
        ]

    @cached_property
    def _code(self) -> CodeByName:
        return CodeByName.of(self.plain.world)

    @cached_property
    def _own_terminal(self) -> bool:
        return self._is_reached_from(self._code.functions.get("terminal", ()))

    def _is_own(self, family: Family) -> bool:
        function = family.mark.function
        return self._is_reached_from([cast(types.FunctionType, function)])

    def _is_reached_from(self, functions: Iterable[types.FunctionType]) -> bool:
        return self.is_whole or self._code.is_reached_from(functions)

    @property
    def has_own_code(self) -> bool:
        """Whether any code of the system is the user's."""
        return bool(self.rules or self.predicates or self._own_terminal)

    def compare(self, state: State) -> None:
        """Compare both sides in a state. Raises `misread`."""
        self.done.add(state)
        values = self.plain.world.decode(state)
        for bound, rule in self.rules:
            self._compare_rule(bound, rule, state, values)
        for predicate, prop in self.predicates:
            if not predicate.on_steps:
                said = _said(partial(self.plain.judge_state, predicate, values))
                own = self._of_binding(prop.predicates, predicate)
                self._same(prop.name, state, said, _judged(own, state, None), prop.place)
        if self._own_terminal:
            said = _said(partial(self.plain.is_terminal, values))
            ended = bool(evaluate(self.system.terminal, state))
            self._same("terminal", state, said, ended, None)
        if any(predicate.on_steps for predicate, _ in self.predicates):
            self._compare_steps(state)

    def _compare_rule(
        self, bound: BoundRule, rule: GroundRule | None, state: State, values: tuple[object, ...]
    ) -> None:
        said = _said(lambda: self.plain.take(bound, values))
        leaf = Blocked() if rule is None else outcome(rule.tree, state)
        name = f"{bound.rule.name}({', '.join(value for _, value in bound.binding)})"
        if isinstance(leaf, Update):
            after = updated(leaf, state)
            self.taken.update(self.ways_taken(rule, state))
            found = said
            if isinstance(said, TakenStep):
                encoded = self.plain.world.encode(said.values)
                if encoded == after and _alike(said.values, self.plain.world.decode(after)):
                    return
                found = self._shown(state, encoded)
            self._same(name, state, _kind(found), self._shown(state, after), bound.rule.place)
        else:
            self._same(name, state, _kind(said), _kind(leaf), bound.rule.place)

    def _compare_steps(self, state: State) -> None:
        rules = {(rule.rule.name, rule.binding): i for i, rule in enumerate(self.system.rules)}
        for bound in self.plain.rules:
            number = rules.get((bound.rule.name, bound.binding))
            rule = None if number is None else self.system.rules[number]
            leaf = Blocked() if rule is None else outcome(rule.tree, state)
            if rule is None or number is None or not isinstance(leaf, Update):
                continue
            after, before = updated(leaf, state), renamed(rule, state)
            earlier, later = map(self.plain.world.decode, (before, after))
            for predicate, prop in self.predicates:
                if predicate.on_steps and prop.on_rules:
                    said = _said(partial(self.plain.judge_step, predicate, earlier, bound, later))
                    own = self._of_binding(prop.on_rules[number], predicate)
                    what = f"{prop.name} on {rule}"
                    self._same(what, state, said, _judged(own, state, after), prop.place)

    @staticmethod
    def _of_binding(own: tuple[Predicate, ...], predicate: PlainPredicate) -> Predicate:
        return next(each for each in own if each.binding == predicate.binding)

    def _shown(self, state: State, after: State) -> str:
        """A step, by the fields that it changes."""
        before, later = self.system.values(state), self.system.values(after)
        changed = [f"{n} = {later[n]!r}" for n in later if repr(later[n]) != repr(before[n])]
        return f"taken: {', '.join(changed) or 'nothing changes'}"

    def _same(
        self, what: str, state: State, said: object, trees: object, place: Place | None
    ) -> None:
        if said == trees:
            return
        values = self.system.values(state)
        text = ", ".join(f"{name} = {value!r}" for name, value in values.items())
        raise FinaleError(
            "misread",
            f"Finale misreads {what}. As plain Python: {said}; in the search: {trees}. "
            f"The state: {text}",
            place=place,
            advice="this is a defect of Finale, and no verdict is given: please send this message "
            "and the files of --protocols to the authors of Finale. To check without the "
            "comparison, add --no-compare",
        )


def _said(asked: Callable[[], object]) -> object:
    """What plain Python says; an exception that no rule may raise is an answer, too."""
    try:
        return asked()
    except FinaleError:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _alike(said: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether values have the same types: `True == 1` in Python."""
    return all(type(a) is type(b) for a, b in zip(said, other, strict=True))


def _kind(found: object) -> object:
    match found:
        case Blocked(bound=bound):
            return "not enabled" if bound is None else f"not enabled at the bound {bound}"
        case Fault():
            return "a fault"
        case _:
            return found


def _judged(own: Predicate, state: State, after: State | None) -> Judgement:
    """What a predicate says, in the words of plain execution."""
    if evaluate(own.fault, state, after):
        return "fault"
    if not evaluate(own.when, state, after):
        return "silent"
    return bool(evaluate(own.claim, state, after))


_compared: WeakKeyDictionary[System, Comparison] = WeakKeyDictionary()


def compare(families: Iterable[Family], system: System) -> None:
    """Compare the user's code of a system that was built with plain Python, in reached states.

    Raises `misread`.
    """
    comparison = _comparison(families, system)
    if not comparison.has_own_code:
        return
    for state in _chosen_states(system):
        comparison.compare(state)
    _compared[system] = comparison


def _chosen_states(system: System) -> list[State]:
    """The first states, and states on walks; all states if there are no more than the first."""
    states = list(islice(first_states(system), STATES_FIRST))
    if len(states) < STATES_FIRST:
        return states
    return states + list(islice(states_on_walks(system, states), STATES_ON_WALKS))


def compare_branches(
    system: System,
    dead: Collection[Branch],
    witnesses: Callable[[System], Iterable[State]],
) -> None:
    """Compare each branch of the user's code that a complete search took, in one state.

    `dead` are the branches that the search never took. `witnesses` returns a state for each
    property of a system that asks for branches: those that the first states do not take. Nothing
    is done for a system that was not compared before. Raises `misread`.
    """
    comparison = _compared.get(system)
    if comparison is None:
        return
    wanted = {way for way, _ in _ways(comparison.rules, set(dead))}
    for state in islice(first_states(system), STATES_FIRST, STATES_FOR_BRANCHES):
        missing = wanted - comparison.taken
        if not missing:
            return
        taken = (w for _, rule in comparison.rules for w in comparison.ways_taken(rule, state))
        if not missing.isdisjoint(taken):
            comparison.compare(state)
    missing = wanted - comparison.taken
    for state in witnesses(_asking(system, comparison.rules, missing)) if missing else ():
        comparison.compare(state)


def compare_traces(system: System, verdicts: Iterable[Verdict]) -> None:
    """Compare all states of the traces that a search has found, and the steps from them.

    So no verdict rests on a state that plain Python does not reach. Nothing is done for a system
    that was not compared before. Raises `misread`.
    """
    comparison = _compared.get(system)
    for verdict in verdicts if comparison is not None else ():
        assert comparison is not None
        for state in () if verdict.trace is None else verdict.trace.states:
            if state not in comparison.done:
                comparison.compare(state)


def _comparison(
    families: Iterable[Family], system: System, *, is_whole: bool = False
) -> Comparison:
    protocol = cast(Protocol, system.variables[0].entity.world.entities[0])
    return Comparison(PlainSystem(protocol, tuple(families)), system, is_whole=is_whole)


def _ways(
    rules: Iterable[tuple[BoundRule, GroundRule | None]], dead: Collection[Branch] = ()
) -> Iterator[tuple[Way, Expression]]:
    """The ways through all rules but those through dead branches, each with its states."""
    for _, rule in rules:
        for number, (leaf, path) in enumerate(() if rule is None else _leaves(rule.tree)):
            assert rule is not None
            if any(where is TRUE and branch in dead for branch, where in leaf.branches):
                continue  # whoever comes to this leaf takes that branch
            yield Leaf(rule.rule.name, rule.binding, number), path
            for branch, where in leaf.branches:
                if branch not in dead:
                    yield branch, conjunction([path, where])


def _leaves(tree: Tree, path: tuple[Expression, ...] = ()) -> Iterator[tuple[Update, Expression]]:
    """The leaves of a tree that take a step, each with its condition."""
    if isinstance(tree, Test):
        yield from _leaves(tree.yes, (*path, tree.condition))
        yield from _leaves(tree.no, (*path, negation(tree.condition)))
    elif isinstance(tree, Update):
        yield tree, conjunction(path)


def _asking(
    system: System, rules: Iterable[tuple[BoundRule, GroundRule | None]], missing: set[Way]
) -> System:
    """The system with a reachable property for each way: a state in which it is taken."""
    wanted: dict[Way, list[Predicate]] = {}
    for way, here in _ways(rules):
        if way in missing:
            wanted.setdefault(way, []).append(Predicate((), TRUE, here, FALSE))
    properties = tuple(
        Property(f"way-{i}", Kind.REACHABLE, "", Place(), tuple(each))
        for i, each in enumerate(wanted.values())
    )
    return replace(system, properties=properties)


def compare_all(families: Iterable[Family], system: System, states_max: int) -> int:
    """Compare all code of a system in all reached states; return their number. Raises `misread`."""
    comparison = _comparison(families, system, is_whole=True)
    states = list(islice(first_states(system), states_max))
    for state in states:
        comparison.compare(state)
    return len(states)
