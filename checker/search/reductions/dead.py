"""Dead variables: finds cells that are written before they are read again.

For a *control*, such as the status of a task, a cell is dead at some of its values: no rule and no
property reads the cell there, and each step to any other value writes the cell. The largest such
set of values is found by removing values until this holds. A cell that nothing reads is always
dead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from finale.checker.search.state_graph.folding import Known, TreePath, cells_read, folded, paths
from finale.checker.search.state_graph.questions import of_states, of_steps
from finale.checker.search.verdict import NO_DEADLOCK
from finale.model.domains import Enum
from finale.model.expressions import (
    FALSE,
    TRUE,
    Add,
    Cell,
    Constant,
    Expression,
    IfThenElse,
    cell,
    conjunction,
    disjunction,
    equal,
    integer,
    negation,
)
from finale.model.system import System, Tree, Update

from .canonical import Reset, deadness
from .kinds import DeadVariables
from .proofs import Proofs
from .renaming import Renaming

#: Why liveness and deadlocks are not asked, where they are not.
FAIR_RUNS = "runs that never end are not told from what is kept"
CHANGES = "some step might change nothing but what is dead"


@dataclass(frozen=True)
class LeafUses:
    """What an update does on one path of a rule, for one value of the control.

    For each cell that is written, `reads` has the cells of the new value; `after` are the possible
    values of the control after the update.
    """

    reads: Mapping[int, frozenset[int]]
    after: frozenset[int]


@dataclass(frozen=True)
class Uses:
    """What is read, and what updates do, for one value of the control."""

    reads: frozenset[int]
    leaves: tuple[LeafUses, ...]


def dead_variables_of(
    system: System,
    look: Callable[[], None] = lambda: None,
    exchanges: Sequence[Renaming] = (),
) -> DeadVariables:
    """Return the dead cells of a system, and the verdicts that are kept.

    A cell is dead only where the cells are dead that `exchanges` put in its place: else a member
    could be reset and then exchanged with another one whose cell is alive. `look` is called again
    and again, and may raise.
    """
    finder = _Finder(system, look)
    resets = tuple(finder.alike(list(finder.resets()), exchanges))
    if not resets:
        return DeadVariables((), ("dead-variables: nothing is ever dead",))
    names = {system.variable_of_cell[index].name for reset in resets for index in reset.cells}
    some = len({index for reset in resets for index in reset.cells})
    remark = f"dead-variables: {some} cells of {len(names)} variables are dead at times"
    refused = [(prop.name, FAIR_RUNS) for prop in system.properties if prop.kind.is_liveness]
    if finder.may_change_only_dead(resets):
        refused.append((NO_DEADLOCK, CHANGES))
    return DeadVariables(resets, (remark,), tuple(refused))


class _Finder:
    """Finds, for each control, the cells that are dead at some of its values."""

    def __init__(self, system: System, look: Callable[[], None]) -> None:
        self.system = system
        self._proofs = Proofs(system, look)
        self.controls = [
            system.cells[variable.offset]
            for variable in system.variables
            if isinstance(variable.domain, Enum)
        ]
        control_cells = {each.index for each in self.controls if isinstance(each, Cell)}
        self.cells = [
            index
            for index, each in enumerate(system.cells)
            if isinstance(each, Cell) and index not in control_cells
        ]
        self._plain = [_uses_of_tree(rule.tree, None, {}) for rule in system.rules]

    def resets(self) -> Iterator[Reset]:
        """Return the cells that are dead together, each time with the condition."""
        never_read = self._never_read()
        if never_read:
            yield Reset(TRUE, tuple(sorted(never_read)))
        for control in self.controls:
            if not isinstance(control, Cell):
                continue
            found: dict[frozenset[int], list[int]] = {}
            uses = self._uses(control)
            for index in self.cells:
                values = _dead_values(index, uses) if index not in never_read else frozenset[int]()
                if values:
                    found.setdefault(values, []).append(index)
            for values, cells in found.items():
                condition = disjunction(equal(control, integer(each)) for each in sorted(values))
                yield Reset(condition, tuple(cells))

    def alike(self, resets: Sequence[Reset], exchanges: Sequence[Renaming]) -> Iterator[Reset]:
        """Return the resets with the cells only that are dead alike under all exchanges."""
        dead = deadness(resets)
        while unlike := [each for each in dead if not self._is_alike(each, dead, exchanges)]:
            for each in unlike:
                del dead[each]
        for reset in resets:
            cells = tuple(each for each in reset.cells if each in dead)
            if cells:
                yield Reset(reset.condition, cells)

    def _is_alike(
        self, index: int, dead: Mapping[int, Expression], exchanges: Sequence[Renaming]
    ) -> bool:
        """Whether the cell that takes the place of another is dead exactly if that one was."""
        return all(
            self._proofs.are_equal(
                dead[index],
                folded(dead.get(exchange.moves[index].target, FALSE), exchange.substitution(), {}),
            )
            for exchange in exchanges
        )

    def _never_read(self) -> set[int]:
        read = set(self._asked)
        for uses in self._plain:
            read |= uses.reads
            for leaf in uses.leaves:
                for written, parts in leaf.reads.items():
                    read |= parts - {written}
        return set(self.cells) - read

    # --- what is read ----------------------------------------------------------------------------

    def _uses(self, control: Cell) -> dict[int, Uses]:
        """What is read and done at each value of a control."""
        after = cell(control.index, control.low, control.high, control.boolean, after=True)
        found: dict[int, Uses] = {}
        for value in range(control.low, control.high + 1):
            known: Known = {control: integer(value)}
            parts = [_uses_of_tree(rule.tree, control, known) for rule in self.system.rules]
            asked = self._asked_where(known, {after: integer(value)}, control)
            reads = asked.union(*(each.reads for each in parts))
            leaves = tuple(leaf for each in parts for leaf in each.leaves)
            found[value] = Uses(frozenset(reads), leaves)
        return found

    @cached_property
    def _questions(self) -> list[Expression]:
        """All that is asked of states and steps in a search; what is asked of fair runs is not."""
        asked = [each.condition for each in of_states(self.system)]
        for rule in range(len(self.system.rules)):
            asked += [each.condition for each in of_steps(self.system, rule)]
        return list(dict.fromkeys([self.system.terminal, *asked]))

    @cached_property
    def _asked(self) -> set[int]:
        return _indices(self._questions)

    @cached_property
    def _cells_of_question(self) -> dict[Expression, set[int]]:
        return {each: _indices([each]) for each in self._questions}

    def _asked_where(self, before: Known, after: Known, control: Cell) -> set[int]:
        """What questions read of a state in which the control has a value.

        A question about a step reads two states: here the control has the value before the step,
        or after it.
        """
        found: set[int] = set()
        memo_before: Known = {}
        memo_after: Known = {}
        for question, cells in self._cells_of_question.items():
            if control.index not in cells:
                found |= cells
                continue
            in_first = cells_read([folded(question, before, memo_before)])
            in_second = cells_read([folded(question, after, memo_after)])
            found |= {each.index for each in in_first if not each.after}
            found |= {each.index for each in in_second if each.after}
        return found

    # --- deadlocks -------------------------------------------------------------------------------

    def may_change_only_dead(self, resets: Iterable[Reset]) -> bool:
        """Whether a step might change nothing that is kept: then an end is not told for sure.

        It does not if it writes only cells that are alive, or is seen to change one of these.
        """
        dead_where = deadness(resets)
        for rule in self.system.rules:
            for path in paths(rule.tree, {}):
                known, writes = path.known, path.writes()
                after: Known = {self.system.cells[index]: each for index, each in writes.items()}
                alive = {
                    index
                    for index in writes
                    if _is_false(dead := dead_where.get(index, FALSE), known)
                    and _is_false(folded(dead, after, {}), known)
                }
                changed = any(self._changes(index, writes[index], known) for index in alive)
                if changed or len(alive) == len(writes):
                    continue
                if not self._changes_a_control({each: writes[each] for each in alive}, known):
                    return True
        return False

    def _changes_a_control(self, writes: Mapping[int, Expression], known: Known) -> bool:
        """Whether it is proven that some control gets another value than it has."""
        controls = {each.index for each in self.controls if isinstance(each, Cell)}
        path = _tests(known)
        is_same = [equal(writes[i], self.system.cells[i]) for i in controls & writes.keys()]
        return bool(is_same) and not self._proofs.may_hold(path, conjunction(is_same))

    def _changes(self, index: int, value: Expression, known: Known) -> bool:
        """Whether a cell is seen to get another value than it has."""
        before = self.system.cells[index]
        if isinstance(value, Add) and value.left is before and isinstance(value.right, Constant):
            return True
        if _is_false(equal(value, known.get(before, before)), known):
            return True
        # What is known of this cell alone, such as that a queue is not empty.
        alone = [test for test in _tests(known) if _indices([test]) == {index}]
        return bool(alone) and not self._proofs.may_hold(alone, equal(value, before))


def _tests(known: Known) -> list[Expression]:
    """What is known, as conditions that hold."""
    return [
        test if value.value else negation(test)
        for test, value in known.items()
        if test.boolean and isinstance(value, Constant)
    ]


def _is_false(condition: Expression, known: Known) -> bool:
    return folded(condition, known, {}) is FALSE


def _indices(expressions: Iterable[Expression]) -> set[int]:
    return {each.index for each in cells_read(expressions)}


def _dead_values(index: int, uses: Mapping[int, Uses]) -> frozenset[int]:
    """The largest set of values of the control at which a cell is dead."""
    values = {value for value, each in uses.items() if not _is_read(index, each)}
    while True:
        kept = {value for value in values if _stays_dead(index, uses[value], values)}
        if kept == values:
            return frozenset(values)
        values = kept


def _is_read(index: int, uses: Uses) -> bool:
    """Whether a cell is read, but for its own new value."""
    return index in uses.reads or any(
        index in parts and written != index
        for leaf in uses.leaves
        for written, parts in leaf.reads.items()
    )


def _stays_dead(index: int, uses: Uses, values: set[int]) -> bool:
    """Whether each step that leads to where the cell is not dead writes it anew."""
    for leaf in uses.leaves:
        is_anew = index in leaf.reads and index not in leaf.reads[index]
        if not is_anew and not leaf.after <= values:
            return False
    return True


def _uses_of_tree(tree: Tree, control: Cell | None, known: Known) -> Uses:
    """What a rule reads and does, as far as what is known lets it."""
    found = list(paths(tree, known))
    reads = _indices(test for path in found for test, _ in path.tests)
    updates = (path for path in found if isinstance(path.end, Update))
    return Uses(frozenset(reads), tuple(_leaf(path, control) for path in updates))


def _leaf(path: TreePath, control: Cell | None) -> LeafUses:
    writes = path.writes()
    after: frozenset[int] = frozenset()
    if control is not None:
        value = writes.get(control.index, path.known.get(control, control))
        after = frozenset(_possible(value))
    reads = {index: frozenset(_indices([value])) for index, value in writes.items()}
    return LeafUses(reads, after)


def _possible(expression: Expression) -> set[int]:
    """The values that an expression may have, or more."""
    if isinstance(expression, IfThenElse):
        return _possible(expression.yes) | _possible(expression.no)
    return set(range(expression.low, expression.high + 1))


__all__ = ["dead_variables_of"]
