"""Random systems of loosely coupled processes, made without the rule language.

Random protocols have few steps whose order does not matter. These have many: each process has a
few cells of its own and reads, seldom writes, those of another; they run in circles or come to an
end, get stuck, do what is a fault, stay where they are, or are blocked by a bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from finale.model.domains import Range
from finale.model.errors import Place
from finale.model.expressions import (
    FALSE,
    TRUE,
    Expression,
    cell,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    negation,
    plus,
)
from finale.model.language.entities import Entity, Variable
from finale.model.system import (
    Blocked,
    Fairness,
    Fault,
    GroundRule,
    Kind,
    Predicate,
    Property,
    Rule,
    System,
    Test,
    Tree,
    Update,
)

NOWHERE = Place()


@dataclass
class Loose:
    """Makes one system of a seed, of so many processes at most."""

    pick: Random
    processes_max: int = 5

    def system(self) -> System:
        """The system."""
        processes = self.pick.randint(2, self.processes_max)
        self.alone = self.pick.choice([0.6, 0.8, 0.95])
        entities = [Entity(f"p{number}") for number in range(processes)]
        self.owner = [number for number in range(processes) for _ in range(self.pick.randint(1, 2))]
        self.high = [self.pick.randint(1, 3) for _ in self.owner]
        self.cells = [cell(i, 0, high, False) for i, high in enumerate(self.high)]
        variables = tuple(
            Variable(f"x{i}", Range(0, high), i, i, None, entities[self.owner[i]], f"x{i}")
            for i, high in enumerate(self.high)
        )
        # In half of the systems, nobody can rely on a third of the rules.
        relied_on = [len(self.owner) % 2 == 0 or number % 3 > 0 for number in range(4 * processes)]
        rules = tuple(self.rule(n % processes, each) for n, each in enumerate(relied_on))
        properties = tuple(self.prop(number, len(rules)) for number in range(3))
        terminal = self.pick.choice([TRUE, FALSE, self.condition()])
        initial = [tuple(0 for _ in self.high)]
        if self.pick.random() < 0.2:
            initial.append(tuple(self.pick.randint(0, high) for high in self.high))
        return System(
            "loose", variables, tuple(self.cells), tuple(initial), rules, properties, terminal
        )

    # --- rules -----------------------------------------------------------------------------------

    def rule(self, process: int, makes_progress: bool) -> GroundRule:
        """A rule of a process."""
        tree: Tree = self.leaf(process)
        if self.pick.random() < 0.3:
            tree = Test(self.comparison(self.some(process)), tree, self.leaf(process))
        blocked = Blocked("bound" if self.pick.random() < 0.03 else None)
        tests = [self.comparison(self.own(process))]
        if self.pick.random() < 0.3:
            tests.append(self.comparison(self.some(process)))
        tree = Test(conjunction(tests), tree, blocked)
        return GroundRule(named(makes_progress), (), (), tree)

    def leaf(self, process: int) -> Tree:
        """What a rule does."""
        kind = self.pick.random()
        if kind < 0.01:
            return Fault("made-up", "it is at fault", NOWHERE)
        if kind < 0.06:
            return Blocked()
        written = {self.own(process)}
        if self.pick.random() < 0.15:
            written.add(self.some(process))
        return Update(tuple((index, self.value(index, process)) for index in sorted(written)))

    def value(self, index: int, process: int) -> Expression:
        """A new value for a cell, within its bounds."""
        own, high = self.cells[index], self.high[index]
        match self.pick.randrange(5):
            case 0:
                return integer(self.pick.randint(0, high))
            case 1:
                return choose(less(own, integer(high)), plus(own, integer(1)), integer(0))
            case 2:
                return choose(less(own, integer(high)), plus(own, integer(1)), own)
            case 3:
                other = self.cells[self.some(process)]
                return choose(less(other, integer(high + 1)), other, integer(high))
            case _:
                test = self.comparison(self.some(process))
                return choose(test, integer(self.pick.randint(0, high)), own)

    def own(self, process: int) -> int:
        """A cell of a process."""
        return self.pick.choice([i for i, owner in enumerate(self.owner) if owner == process])

    def some(self, process: int) -> int:
        """A cell, most often of the process itself."""
        if self.pick.random() < self.alone:
            return self.own(process)
        return self.pick.randrange(len(self.cells))

    # --- conditions ------------------------------------------------------------------------------

    def comparison(self, index: int) -> Expression:
        """A test of one cell."""
        number = integer(self.pick.randint(0, self.high[index]))
        test = equal(self.cells[index], number)
        if self.pick.random() < 0.2:
            test = less(self.cells[index], number)
        return negation(test) if self.pick.random() < 0.3 else test

    def condition(self) -> Expression:
        """A condition over several cells that is seldom true."""
        count = min(len(self.cells), self.pick.randint(1, 3))
        indices = self.pick.sample(range(len(self.cells)), count)
        exact = [
            equal(self.cells[index], integer(self.pick.randint(0, self.high[index])))
            for index in indices
        ]
        if self.pick.random() < 0.3:
            return disjunction([conjunction(exact), self.condition()])
        return conjunction(exact)

    def prop(self, number: int, rules: int) -> Property:
        """A property; on a step it compares what it leads to with what was before."""
        kind = self.pick.choice([Kind.ALWAYS, Kind.REACHABLE, Kind.ON_STEP])
        name = f"property{number}"
        if kind is Kind.ON_STEP:
            index = self.pick.randrange(len(self.cells))
            after = cell(index, 0, self.high[index], False, after=True)
            value = integer(self.pick.randint(0, self.high[index]))
            changed = negation(equal(after, self.cells[index]))
            when = conjunction([changed, equal(after, value), self.condition()])
            on_rules = tuple((Predicate((), when, FALSE, FALSE),) for _ in range(rules))
            return Property(name, kind, name, NOWHERE, (), on_rules)
        claim = self.condition()
        claim = negation(claim) if kind is Kind.ALWAYS else claim
        return Property(name, kind, name, NOWHERE, (Predicate((), TRUE, claim, FALSE),))


def when(
    guard: Expression, writes: Mapping[int, Expression], makes_progress: bool = True
) -> GroundRule:
    """A rule that writes where its guard holds."""
    update = Update(tuple(writes.items()))
    return GroundRule(named(makes_progress), (), (), Test(guard, update, Blocked()))


def named(makes_progress: bool) -> Rule:
    """A rule that nobody looks at."""
    return Rule("step", "", Fairness.NONE, makes_progress, NOWHERE, ())


def property_of(kind: Kind, claim: Expression, rules: int = 0) -> Property:
    """A property without bindings; of steps, if it is asked of so many rules."""
    predicates = (Predicate((), TRUE, claim, FALSE),)
    on_rules = (predicates,) * rules
    return Property("claim", kind, "claim", NOWHERE, () if rules else predicates, on_rules)


def system_of(
    cells: Sequence[Expression],
    rules: Sequence[GroundRule],
    properties: Sequence[Property],
    terminal: Expression = TRUE,
) -> System:
    """A system that begins with all cells at their lowest values."""
    entity = Entity("all")
    variables = tuple(
        Variable(f"x{i}", Range(each.low, each.high), i, i, None, entity, f"x{i}")
        for i, each in enumerate(cells)
    )
    initial = tuple(each.low for each in cells)
    return System(
        "made", variables, tuple(cells), (initial,), tuple(rules), tuple(properties), terminal
    )


def loose(seed: int, processes_max: int = 5) -> System:
    """The system of a seed."""
    return Loose(Random(seed), processes_max).system()
