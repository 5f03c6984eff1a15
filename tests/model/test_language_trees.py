"""Decision trees: bounds, deadlocks, faults, branches, and what is certainly a mistake."""

from __future__ import annotations

import enum
import inspect

import pytest

from finale.model.language.build import bound_rules, build
from finale.model.rules import (
    Enum,
    define,
    field,
    require,
    rule,
    step,
    within,
)
from finale.model.semantics import blocking_bounds, is_deadlock, steps
from finale.model.system import Blocked, Fault, Update, leaves
from tests.model.language_kit import Alone, Colour, leaves_of, made, mistake, system_of
from tests.model.language_worlds import Base, Lower


def test_what_only_a_bound_forbids() -> None:
    system = build(made(Lower))
    states = {(0, 0, 0, 0), (1, 0, 0, 0)}
    assert all(not list(blocking_bounds(system, state)) for state in states)
    assert [bound for _, bound in blocking_bounds(system, (2, 0, 0, 0))] == ["steps"]


@pytest.mark.parametrize("position", range(3))
def test_where_within_stands_does_not_matter(position: int) -> None:
    """A rule that a guard forbids too is not blocked by the bound alone."""

    def counts(self: Base) -> None:
        """Counts, while the leaf is at 0."""
        if position == 0:
            within(self.taken, self.bounds.steps)
        require(self.nodes[-1].number == 0)
        if position == 1:
            within(self.taken, self.bounds.steps)
        helped(self)
        if position == 2:
            within(self.taken - 1, self.bounds.steps)

    @step
    def helped(self: Base) -> None:
        require(self.nodes[0].number == 0)
        self.taken += 1

    system = system_of(Base, counts)
    ends = {
        state: [bound for _, bound in blocking_bounds(system, state)]
        for state in [(2, 0, 0, 0), (2, 1, 0, 0), (2, 0, 1, 0), (1, 0, 0, 0)]
    }
    expected = ["steps"] if position < 2 else []  # by then the number has left its domain
    assert ends == {(2, 0, 0, 0): expected, (2, 1, 0, 0): [], (2, 0, 1, 0): [], (1, 0, 0, 0): []}


def test_a_bound_within_a_helper() -> None:
    @step
    def admit(self: Base) -> None:
        within(self.taken, self.bounds.steps)

    def counts(self: Base) -> None:
        """Counts, as admitted."""
        admit(self)
        require(self.nodes[0].number == 0)
        self.taken += 1

    assert sorted(leaves_of(Base, counts)) == ["blocked", "blocked", "blocked by steps", "update"]


def test_a_deadlock_is_no_end_and_no_bound() -> None:
    class Ending(Lower):
        """Ends where the leaf is at 2."""

        @define
        def terminal(self) -> bool:
            return self.nodes[-1].number == 2

        @rule
        def second(self) -> None:
            """Never."""
            require(False)

        @rule
        def first(self) -> None:
            """Counts, unless the node is at 1."""
            require(self.nodes[0].number != 1)
            within(self.taken, self.bounds.steps)
            self.taken += 1

    system = build(made(Ending))
    assert is_deadlock(system, (0, 1, 0, 0))
    assert not is_deadlock(system, (0, 1, 2, 0))  # the end
    assert not is_deadlock(system, (0, 0, 0, 0))  # a rule is enabled
    assert not is_deadlock(system, (2, 0, 0, 0))  # only the bound forbids one
    assert is_deadlock(system, (2, 1, 0, 0))


# --- certain mistakes ----------------------------------------------------------------------------


def test_a_fault_in_every_state_is_bad_input() -> None:
    def faults(self: Base) -> None:
        """Counts too far."""
        require(self.taken == 2)
        self.taken += 1

    error = mistake(Base, faults)
    assert error.code == "write-outside-domain"
    assert "in every state" in error.message
    assert error.place is not None
    assert error.place.rule == "faults"
    assert error.place.line == inspect.getsourcelines(faults)[1] + 3


def test_a_fault_in_some_states_is_a_leaf() -> None:
    def faults(self: Base) -> None:
        """Counts too far, at times."""
        self.taken += 1

    (ground,) = system_of(Base, faults).rules
    (fault,) = (leaf for leaf in leaves(ground.tree) if isinstance(leaf, Fault))
    assert fault.code == "write-outside-domain"
    assert fault.place.file == __file__
    assert fault.place.line == inspect.getsourcelines(faults)[1] + 2


def test_a_path_that_writes_nothing_is_bad_input() -> None:
    def idles(self: Base) -> None:
        """Does nothing, at times."""
        if self.taken > 0:
            self.nodes[0].number = 1

    error = mistake(Base, idles)
    assert error.code == "rule-does-nothing"
    assert error.place is not None
    assert error.place.rule
    assert f"line {inspect.getsourcelines(idles)[1] + 2} is false" in error.message


def test_a_write_of_what_is_there_is_nothing() -> None:
    def idles(self: Base) -> None:
        """Writes what is there."""
        self.taken = self.taken

    assert mistake(Base, idles).code == "rule-does-nothing"


# --- trees ---------------------------------------------------------------------------------------


def test_equal_branches_are_one() -> None:
    def asks(self: Base) -> None:
        """Asks, and does the same."""
        if self.taken > 0:
            self.nodes[0].number = 1
        else:
            self.nodes[0].number = 1

    (ground,) = system_of(Base, asks).rules
    # The branches of the source differ.
    assert [type(leaf) for leaf in leaves(ground.tree)] == [Update, Update]

    def blocks(self: Base) -> None:
        """Asks, and is blocked."""
        if self.taken > 0:
            require(False)
        else:
            require(False)

    assert leaves_of(Base, blocks) == ["blocked"]


def test_branches_are_the_lines_that_a_path_takes() -> None:
    def branches(self: Base) -> None:
        """Branches in all ways."""
        match self.taken:
            case 0:
                self.nodes[0].number = 1 if self.nodes[1].number > 0 else 2
            case _:
                if self.nodes[1].number == 0:
                    self.taken = 0
                self.nodes[0].number = 0

    first = inspect.getsourcelines(branches)[1]
    (ground,) = system_of(Base, branches).rules
    taken = [
        {(b.line - first, b.outcome) for b, _ in leaf.branches}
        for leaf in leaves(ground.tree)
        if isinstance(leaf, Update)
    ]
    assert taken == [
        {(3, True), (4, True), (4, False)},
        {(5, True), (6, True)},
        {(5, True), (6, False)},
    ]


def test_at_most_one_step_a_ground_rule_in_rule_order() -> None:
    system = build(made(Lower))
    assert [str(s.rule) for s in steps(system, (0, 0, 0, 0))] == ["first()"]
    assert [str(s.rule) for s in steps(system, (2, 0, 0, 0))] == ["second()"]
    assert [bound.binding for bound in bound_rules(made(Lower, steps=1))] == [(), ()]


class Direction(enum.Enum):
    """For a parameter."""

    UP = "up"


def test_a_blocked_rule_that_only_a_bound_forbids_stays() -> None:
    def never(self: Base, direction: Direction) -> None:
        """Only the bound forbids it."""
        within(2, self.bounds.length)
        self.taken = 0

    (ground,) = system_of(Base, never).rules
    assert ground.tree == Blocked("length")
    assert ground.binding == (("direction", "UP"),)


def test_an_enumeration_as_a_domain() -> None:
    class Coloured(Alone):
        """A colour."""

        colour = field(Enum(Colour), Colour.BLUE)

    assert build(made(Coloured)).initial == ((2,),)
