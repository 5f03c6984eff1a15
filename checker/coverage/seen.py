"""Walks the reachable states of one setting: branches taken, environment rules by phase.

A *rule of the environment* is one that no fairness obliges, in a protocol with fair rules: a
failure, a time-out, a request of a user. A *phase* is one value of the status of an entity, such as
`Task.status = RUNNING`. A *pair* of both is reached if the rule is taken in a reachable state in
which some entity is in that phase. The walk is breadth-first, and ends at a number of states. So
it shows what is reached; only a walk that is not cut shows that something is not. If the guards of
a rule exclude a phase of each entity, the two are no pair: no request is made twice.

The searches of `finale check` note the branches alone: a note of pairs in each state would cost
them time. A walk asks no property, and its result is kept in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from finale.checker.cache.code import of_file
from finale.checker.search.bfs.coverage import BranchCoverage
from finale.checker.search.bfs.machine import CompiledSuccessors
from finale.checker.search.cached import CachedAnswers
from finale.checker.search.state_graph.folding import Known, paths
from finale.checker.spec.claim import Spec
from finale.model.domains import Enum
from finale.model.expressions import integer
from finale.model.garbage import uncollected
from finale.model.language.bindings import has_fair_rules, rule_names, rule_of
from finale.model.language.decorators import mark_of
from finale.model.language.entities import Variable
from finale.model.language.explore import Branch
from finale.model.system import State, System, Update, branches_of, leaves
from finale.model.value_text import value_text

#: A walk of so many states takes about a second, and most specs have fewer.
STATES_MAX = 20_000

Lines = Mapping[str, tuple[int, ...]]
"""Branches by the function that has them, `FILE:NAME`: their signed lines."""


@dataclass(frozen=True)
class Seen:
    """What a walk has seen of one setting.

    `branches` are all branches of the functions that rules can call, `taken` those of them that a
    step takes. `environment` are the rules of the environment, `phases` all phases of the entities,
    and `met` the phases of all states. `pairs` has the phases in which each rule of the environment
    was taken, `excluded` the phases that its guards exclude; a rule that this setting lacks has no
    row there. `complete` says whether the walk has seen all reachable states.
    """

    states: int
    complete: bool
    rules: tuple[str, ...]
    branches: Lines
    taken: Lines
    environment: tuple[str, ...]
    phases: tuple[str, ...]
    met: tuple[str, ...]
    pairs: Mapping[str, tuple[str, ...]]
    excluded: Mapping[str, tuple[str, ...]]


def seen(spec: Spec, states_max: int = STATES_MAX) -> Seen:
    """Return what a walk sees of a spec: from the cache, if it was walked before."""
    store = spec.catalogue.store
    cache = None
    if store is not None and store.is_open:
        asked = ("coverage", states_max, of_file(Path(__file__)))
        cache = CachedAnswers(store, spec, asked, Seen)
        if (known := cache.of_files()) is not None:
            return known
    system, key = spec.system_and_key(())
    if cache is not None and (known := cache.of_system(key, system)) is not None:
        return known
    with uncollected():  # states are tuples of ints
        found = _walked(spec, system, states_max)
    if cache is not None:
        cache.keep(key, system, found)
    return found


def _walked(spec: Spec, system: System, states_max: int) -> Seen:
    machine = CompiledSuccessors(system)
    coverage = BranchCoverage(machine)
    statuses = list(filter(is_status, system.variables))
    cells = [each.offset for each in statuses]
    statuses_of = itemgetter(*cells, *cells[:1]) if cells else lambda _state: ()  # always a tuple
    by_rule: dict[str, set[State]] = {name: set() for name in environment_of(spec)}
    noting = [by_rule.get(system.rules[leaf.rule].rule.name) for leaf in machine.leaves]
    known, met = set(system.initial), set[State]()
    ahead, fresh, walked = list(dict.fromkeys(system.initial)), coverage.fresh, 0
    for state in ahead:  # grows
        if walked == states_max:
            break
        walked += 1
        phase = statuses_of(state)
        met.add(phase)
        for leaf, after in machine.expand(state, []):
            if fresh[leaf]:
                coverage.visit(leaf, state)
            if (noted := noting[leaf]) is not None:
                noted.add(phase)
            if after not in known:
                known.add(after)
                ahead.append(after)
    branches = dict(_branches(spec, system))
    return Seen(
        walked,
        walked == len(ahead),
        tuple(sorted(coverage.rules)),
        branches,
        {name: _taken(name, lines, coverage) for name, lines in branches.items()},
        tuple(by_rule),
        tuple(dict.fromkeys(name for each in statuses for name in _phases(each))),
        _phases_in(statuses, met),
        {name: _phases_in(statuses, found) for name, found in by_rule.items() if found},
        dict(_excluded(system, statuses, tuple(by_rule))),
    )


# --- branches ------------------------------------------------------------------------------------


def _branches(spec: Spec, system: System) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The branches of all rules of the protocol, and of each helper that a rule of it calls."""
    read = branches_of(system)
    own = {getattr(spec.protocol, name) for name in rule_names(spec.protocol)}
    kinds = dict.fromkeys([spec.protocol, *(type(each.entity) for each in system.variables)])
    for function in dict.fromkeys(each for kind in kinds for each in _marked(kind)):
        mark = mark_of(function)
        branches = mark.prepared.branches if mark is not None else ()
        if mark is not None and branches and (function in own or not read.isdisjoint(branches)):
            name = f"{branches[0].file}:{mark.function.__qualname__}"
            yield name, tuple(each.signed_line for each in branches)


def _marked(kind: type) -> Iterator[object]:
    """The marked functions of a class and of its bases, also those that it overrides."""
    values = (value for base in kind.__mro__ for value in vars(base).values())
    functions = (each.fget if isinstance(each, property) else each for each in values)
    return (each for each in functions if mark_of(each) is not None)


def _taken(name: str, lines: tuple[int, ...], coverage: BranchCoverage) -> tuple[int, ...]:
    file = name.rpartition(":")[0]
    return tuple(line for line in lines if Branch.at(file, line) in coverage.exercised)


# --- pairs --------------------------------------------------------------------------------------


def environment_of(spec: Spec) -> tuple[str, ...]:
    """Return the rules of the environment of a protocol, also those that the bounds exclude."""
    promises = has_fair_rules(spec.protocol)
    rules = (rule_of(spec.protocol, name, promises) for name in rule_names(spec.protocol))
    return tuple(rule.name for rule in rules if not rule.makes_progress)


def is_status(variable: Variable) -> bool:
    """Whether a variable says where an entity is in its life cycle: an enumeration, by its name."""
    named = variable.field == "status" or variable.field.endswith("_status")
    return named and isinstance(variable.domain, Enum)


def _phases(variable: Variable) -> tuple[str, ...]:
    """The phases of an entity in the order of its statuses, by the class that has declared them."""
    kinds = [kind for kind in type(variable.entity).__mro__ if variable.field in vars(kind)]
    owner = f"{kinds[-1].__name__}." if variable.entity.name else ""
    texts = (value_text(variable.domain, value) for value in variable.domain.values())
    return tuple(f"{owner}{variable.field} = {text}" for text in texts)


def _excluded(
    system: System, statuses: list[Variable], rules: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The rules that can be taken in the setting, each with the phases that its guards exclude.

    With one cell known, some test on each way through the trees of the rule is decided, so that no
    way leads to a step.
    """
    for name in rules:
        trees = [rule.tree for rule in system.rules if rule.rule.name == name]
        if not any(isinstance(end, Update) for tree in trees for end in leaves(tree)):
            continue
        possible: dict[str, bool] = {}
        for variable in statuses:
            for value, phase in enumerate(_phases(variable)):
                known: Known = {system.cells[variable.offset]: integer(value)}
                possible[phase] = possible.get(phase, False) or any(
                    isinstance(way.end, Update) for tree in trees for way in paths(tree, known)
                )
        yield name, tuple(phase for phase, is_possible in possible.items() if not is_possible)


def _phases_in(statuses: list[Variable], found: set[State]) -> tuple[str, ...]:
    """The phases that states have, by the cells of their status fields."""
    names = [_phases(each) for each in statuses]
    pairs = {pair for state in found for pair in zip(range(len(names)), state, strict=False)}
    return tuple(sorted({names[field][value] for field, value in pairs}))
