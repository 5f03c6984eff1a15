"""Exports a system as a Promela model: one process, one option of its loop for each ground rule.

An option is a d_step, so SPIN makes one transition of it and stores the state after it; its guard
is the condition that the rule is enabled and no fault. What is asked of states stands in a never
claim of one state, which stores nothing of its own: with -DNOCLAIM it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from finale.checker.search.state_graph.folding import nodes
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED
from finale.model.errors import FinaleError
from finale.model.expressions import FALSE, Cell, Expression, conjunction, disjunction, negation
from finale.model.system import Blocked, Fault, Kind, System, Test, Tree, Update

from .conditions import (
    Conditions,
    claim_of,
    initial_states,
    is_faulty,
    is_taken,
    live_cells,
    step_claims,
    step_faults,
    written_out,
)
from .folding import folded
from .names import IN_PROMELA, SystemNames
from .terms import Operators, TermWriter, shared

OPERATORS = Operators(
    true="true",
    false="false",
    equal="==",
    negation="!",
    conjunction="&&",
    disjunction="||",
    choice="({} -> {} : {})",
    after="",
)
#: A shared part with fewer nodes than this is written out each time.
SIZE_MIN = 30
#: A guard has no place for shared parts; the C compiler takes long over larger ones.
NODES_MAX = 60_000
#: SPIN's own limit for a state, in bytes, unless it is told another.
VECTOR_BYTES = 1024

FIXED = ("system", "property_holds")

Asked = tuple[str, str, Expression]
"""A name, a sentence, and the condition on a state that violates it."""


class PromelaModel:
    """Writes the model. `properties` are numbered from 1, as assertions tell them."""

    def __init__(self, system: System, heading: Sequence[str]) -> None:
        self.system = system
        self.heading = heading
        self.names = SystemNames(system, (*IN_PROMELA, *FIXED))
        self.terms = TermWriter(OPERATORS, self.names)
        self.conditions = Conditions(system)
        self.cells = live_cells(system)
        self.initial = initial_states(system)
        self.properties: list[str] = []
        self.reachable: set[str] = set()
        self._sizes: dict[Expression, int] = {}
        self._temporaries: list[str] = []
        self._steps: dict[int, list[tuple[int, Expression]]] = {}

    @cached_property
    def source(self) -> str:
        """The text of the model. Raises `too-large-for-promela`."""
        self._number_properties()
        claim = list(self._claim())
        options = [line for rule in range(len(self.system.rules)) for line in self._option(rule)]
        body = [*self._start(), "end:", "  do", *options, "  od"]
        if not options:
            body = [*self._start(), "  skip"]
        if not self.initial:
            body = ["  false"]
        variables = list(self._variables())
        lines = [
            *_block([*self.heading, *self._told_by_number()]),
            "",
            *self._values(),
            *variables,
            *(f"hidden int {name};" for name in self._temporaries),
            "",
            "active proctype system() {",
            *body,
            "}",
            "",
            *claim,
        ]
        return folded("\n".join([*lines, ""]))

    @property
    def vector_bytes(self) -> int:
        """An upper bound of what SPIN stores for a state."""
        return 64 + sum(_bytes(self.system.cells[cell]) for cell in self.cells)

    def _told_by_number(self) -> Iterator[str]:
        yield "An assertion that fails tells a property by its number:"
        for number, name in enumerate(self.properties, 1):
            yield f"  {number}  {name}"

    # --- declarations ----------------------------------------------------------------------------

    def _values(self) -> Iterator[str]:
        for (_, value), name in sorted(self.names.values.items(), key=lambda each: each[1]):
            yield f"#define {name} {value}"

    def _variables(self) -> Iterator[str]:
        for cell in self.cells:
            known = self.system.cells[cell]
            first = self.initial[0][cell] if self.initial else known.low
            yield f"{_type(known)} {self.names.cells[cell]} = {self._value(cell, first)};"

    def _value(self, cell: int, value: int) -> str:
        if self.system.cells[cell].boolean:
            return "true" if value else "false"
        words = self.names.words[cell]
        return self.names.value(words, value) if words else str(value)

    def _start(self) -> Iterator[str]:
        """The choice of an initial state, where there are several."""
        if len(self.initial) < 2:
            return
        declared = self.initial[0]
        yield "  if"
        for state in self.initial:
            changed = [cell for cell in self.cells if state[cell] != declared[cell]]
            texts = [
                f"{self.names.cells[cell]} = {self._value(cell, state[cell])}" for cell in changed
            ]
            yield f"  :: d_step {{ {'; '.join(['true', *texts])} }}"
        yield "  fi;"

    # --- steps -----------------------------------------------------------------------------------

    def _option(self, number: int) -> Iterator[str]:
        rule = self.system.rules[number]
        guard = is_taken(rule.tree)
        if guard is FALSE:
            return
        yield from (f"  {line}" for line in _comment([f"{rule}: {rule.rule.sentence}"]))
        yield f"  :: d_step {{ {self._written(guard, str(rule))} ->"
        yield from self._tree(rule.tree, number, "       ")
        yield "     }"

    def _written(self, expression: Expression, where: str) -> str:
        """An expression with nothing named. Raises `too-large-for-promela`."""
        size = written_out(expression, self._sizes)
        if size > NODES_MAX:
            raise FinaleError(
                "too-large-for-promela",
                f"{where}: its condition has {size} parts when written out, at most {NODES_MAX}",
                advice="export with --to tla, which names shared parts, or take smaller bounds",
            )
        return self.terms.text(expression)

    def _tree(self, tree: Tree, rule: int, indent: str) -> Iterator[str]:
        match tree:
            case Test():
                sides = [
                    (self._written(tree.condition, str(self.system.rules[rule])), tree.yes),
                    ("else", tree.no),
                ]
                taken = [(text, side) for text, side in sides if is_taken(side) is not FALSE]
                if len(taken) == 1:
                    yield from self._tree(taken[0][1], rule, indent)
                    return
                yield f"{indent}if"
                for text, side in taken:
                    yield f"{indent}:: {text} ->"
                    yield from self._tree(side, rule, indent + "     ")
                yield f"{indent}fi"
            case Update():
                yield from _sequence(self._update(tree, rule), indent)
            case Blocked() | Fault():
                raise AssertionError("the guard keeps it from here")

    def _update(self, update: Update, rule: int) -> Iterator[str]:
        writes = {cell: value for cell, value in update.writes if cell in set(self.cells)}
        asked = [
            (number, self.conditions.before(update, condition))
            for number, condition in self._steps.get(rule, ())
        ]
        known: dict[Expression, str] = {}
        free = iter(self._temporary_names())
        expressions = [*writes.values(), *(condition for _, condition in asked)]
        for node, name in shared(expressions, SIZE_MIN, lambda: next(free)):
            yield f"{name} = {self.terms.text(node, known)}"
            known[node] = name
        for number, condition in asked:
            if condition is not FALSE:
                yield self._assertion(number, self.terms.text(condition, known))
        texts = {
            cell: self.terms.text(value, known, self.names.words[cell])
            for cell, value in writes.items()
        }
        reads = {cell: _reads(value, known) - {cell} for cell, value in writes.items()}
        while texts:
            # What is read by a value that is still to be stored must not be overwritten before.
            wanted = set[int]().union(*reads.values())
            cell = next((each for each in texts if each not in wanted), None)
            if cell is None:
                cell = next(each for each in texts if reads[each])
                name = next(free)
                yield f"{name} = {texts[cell]}"
                texts[cell], reads[cell] = name, set()
                continue
            yield f"{self.names.cells[cell]} = {texts.pop(cell)}"
            del reads[cell]
        if not writes:
            yield "skip"

    def _temporary_names(self) -> Iterator[str]:
        """Names for values within one step. They are hidden: no part of the state."""
        yield from self._temporaries
        while True:
            self._temporaries.append(self.names.unique(f"value {len(self._temporaries)}"))
            yield self._temporaries[-1]

    # --- properties ------------------------------------------------------------------------------

    def _number_properties(self) -> None:
        """Numbers the properties: first those of states, then those of steps."""
        self.asked = list(self._of_states())
        self.properties = [name for name, _, _ in self.asked]
        for prop in self.system.properties:
            for name, found in (
                (WELL_FORMED, list(step_faults(prop))),
                (prop.name, list(step_claims(prop))),
            ):
                if not found:
                    continue
                self.properties.append(name)
                for claim, rules in found:
                    for rule in rules:
                        pair = len(self.properties), negation(claim)
                        self._steps.setdefault(rule, []).append(pair)

    def _of_states(self) -> Iterator[Asked]:
        faults = [is_faulty(rule.tree) for rule in self.system.rules]
        faults += [fault for _, fault in self.conditions.faults_of_properties()]
        yield (
            WELL_FORMED,
            "No rule does what no rule may do, no property reads what is not there.",
            disjunction(faults),
        )
        yield (
            NO_DEADLOCK,
            "Something can change, or all has come to its end, or a bound is in the way.",
            self.conditions.is_stuck(),
        )
        for prop in self.system.properties:
            if prop.kind is Kind.ALWAYS:
                claim = conjunction(map(claim_of, prop.predicates))
                yield prop.name, prop.sentence, negation(claim)
            elif prop.kind.is_reachability:
                seen = disjunction(conjunction([p.when, p.claim]) for p in prop.predicates)
                self.reachable.add(prop.name)
                yield prop.name, prop.sentence, seen

    def _claim(self) -> Iterator[str]:
        lines: list[str] = []
        for number, (name, sentence, bad) in enumerate(self.asked, 1):
            comment = list(_comment([f"{number}, {name}: {sentence}"]))
            statement = f"{self._assertion(number, self._written(bad, name))};"
            if name in self.reachable:
                lines += ["#ifdef REACHABLE", *comment, statement, "#endif"]
            elif bad is not FALSE:
                lines += [*comment, statement]
        if lines:
            yield "never {"
            yield "  do"
            yield "  :: d_step {"
            yield "       true;"
            yield from (line if line.startswith("#") else f"       {line}" for line in lines)
            yield "       skip"
            yield "     }"
            yield "  od"
            yield "}"

    def _assertion(self, number: int, bad: str) -> str:
        """Fails where `bad` holds; SPIN prints the text of the assertion, so that is short."""
        return f"if :: {bad} -> assert({number} == 0) :: else fi"


def _reads(value: Expression, known: dict[Expression, str]) -> set[int]:
    """The cells that the text of a value reads, where some parts are known by a name."""
    return {node.index for node in nodes([value], known) if isinstance(node, Cell)}


def _type(cell: Expression) -> str:
    if cell.boolean:
        return "bool"
    if cell.low >= 0 and cell.high < 256:
        return "byte"
    return "short" if cell.low >= -(2**15) and cell.high < 2**15 else "int"


def _bytes(cell: Expression) -> int:
    return {"bool": 1, "byte": 1, "short": 2, "int": 4}[_type(cell)]


def _comment(lines: Iterator[str] | Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield "/* " + line.replace("\n", " ").replace("*/", "* /") + " */"


def _block(lines: Sequence[str]) -> Iterator[str]:
    """One comment of several lines."""
    for number, line in enumerate(lines):
        text = line.replace("\n", " ").replace("*/", "* /")
        yield f"{'  ' if number else '/*'} {text}".rstrip()
    yield "*/"


def _sequence(statements: Iterator[str], indent: str) -> Iterator[str]:
    found = list(statements)
    yield from (f"{indent}{statement};" for statement in found[:-1])
    yield f"{indent}{found[-1]}"
