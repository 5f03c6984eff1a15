"""Exports a system as a TLA+ module: an action for each ground rule, properties, and fairness.

TLC splits an action at its disjunctions and counts each part; a rule is one action however its
conditions are made, for they all stand in the conditions of nested IFs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from finale.checker.export.conditions import (
    Conditions,
    claim_of,
    expressions_in,
    initial_states,
    is_faulty,
    live_cells,
    sorted_groups,
    step_claims,
    step_faults,
)
from finale.checker.export.folding import WIDTH, folded
from finale.checker.export.names import IN_TLA, Names, SystemNames
from finale.checker.export.terms import Operators, TermWriter, shared
from finale.checker.export.tla_fairness import FairnessWriter
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED
from finale.model.expressions import FALSE, TRUE, Expression, conjunction, disjunction, negation
from finale.model.system import Blocked, Fault, Kind, Property, System, Test, Tree, Update

OPERATORS = Operators(
    true="TRUE",
    false="FALSE",
    equal="=",
    negation="~",
    conjunction="/\\",
    disjunction="\\/",
    choice="(IF {} THEN {} ELSE {})",
    after="'",
)
#: A shared part with fewer nodes than this is written out each time.
SIZE_MIN = 4

#: What TLC answers where a name can stand for one entity before a step and for another after it.
NAME_PASSED_ON = (
    "\\* What it claims, or that the name has passed on to another entity: "
    "Finale says not-asked where only that makes it hold."
)

FIXED = ("vars", "Init", "Next", "Spec", "FairSpec", "StrictSpec", "Fairness", "StrictFairness")
FIXED_PROPERTIES = ("well_formed", "no_deadlock", "is_terminal")


class Module:
    """Writes the module. `invariants`, `steps`, `reachable` and `live` name its properties."""

    def __init__(self, system: System, name: str, heading: Sequence[str]) -> None:
        self.system = system
        self.name = name
        self.heading = heading
        self.names = SystemNames(system, (*IN_TLA, *FIXED, *FIXED_PROPERTIES, name))
        self.terms = TermWriter(OPERATORS, self.names)
        self.conditions = Conditions(system)
        self.cells = live_cells(system)
        self.invariants: list[str] = []
        self.steps: list[str] = []
        self.reachable: list[str] = []
        self.live: list[str] = []
        self.strict = False
        #: The property, by its own name, that each invariant and property of steps belongs to.
        self.claims: dict[str, str] = {}

    @cached_property
    def source(self) -> str:
        """The text of the module."""
        rules = [line for rule in range(len(self.system.rules)) for line in self._rule(rule)]
        initial = list(self._initial())
        below = [*rules, *self._next(), *self._properties()]
        title = f" MODULE {self.name} "
        lines = [
            title.center(WIDTH, "-"),
            *(f"\\* {line}".replace("\n", " ").rstrip() for line in self.heading),
            "EXTENDS Integers",
            "",
            *self._variables(),
            *self._values(),
            *initial,
            *below,
            "=" * WIDTH,
        ]
        return folded("\n".join([*lines, ""]))

    # --- states ----------------------------------------------------------------------------------

    def _variables(self) -> Iterator[str]:
        names = [self.names.cells[cell] for cell in self.cells]
        if names:
            yield "VARIABLES"
            yield from wrapped(names, "  ")
            yield ""
        for position, cells in sorted_groups(self.system, self.cells).items():
            if len(cells) > 1:
                inside = [self.names.cells[cell] for cell in cells]
                yield from wrapped(inside, "  ", f"{self.names.variables[position]} == <<", ">>")
        yield from wrapped(self._all(self.cells), "  ", "vars == <<", ">>")
        yield ""

    def _all(self, cells: Sequence[int]) -> list[str]:
        """Names for some cells: of a variable, where all of its cells are among them."""
        found: list[str] = []
        whole = sorted_groups(self.system, self.cells)
        for position, some in sorted_groups(self.system, cells).items():
            if len(some) > 1 and some == whole[position]:
                found.append(self.names.variables[position])
            else:
                found += [self.names.cells[cell] for cell in some]
        return found

    def _values(self) -> Iterator[str]:
        for (_, value), name in sorted(self.names.values.items(), key=lambda each: each[1]):
            yield f"{name} == {value}"
        if self.names.values:
            yield ""

    def _initial(self) -> Iterator[str]:
        states = initial_states(self.system)
        same = [cell for cell in self.cells if len({state[cell] for state in states}) == 1]
        differing = [cell for cell in self.cells if cell not in same]
        yield "Init =="
        if not states:
            yield "  FALSE"
        elif not self.cells:
            yield "  TRUE"
        for cell in same:
            yield f"  /\\ {self._is(cell, states[0][cell])}"
        if differing:
            rows = [
                " /\\ ".join(self._is(cell, state[cell]) for cell in differing) for state in states
            ]
            yield f"  /\\ \\/ {rows[0]}"
            yield from (f"     \\/ {row}" for row in rows[1:])
        yield ""

    def _is(self, cell: int, value: int) -> str:
        return f"{self.names.cells[cell]} = {self._value(cell, value)}"

    def _value(self, cell: int, value: int) -> str:
        known = self.system.cells[cell]
        constant = (TRUE if value else FALSE) if known.boolean else None
        if constant is not None:
            return self.terms.text(constant)
        words = self.names.words[cell]
        return self.names.value(words, value) if words else str(value)

    # --- steps -----------------------------------------------------------------------------------

    def _rule(self, number: int) -> Iterator[str]:
        rule = self.system.rules[number]
        expressions = list(expressions_in(rule.tree))
        local = Names(self.names.rules)
        named = shared(expressions, SIZE_MIN, lambda: local.unique("x"))
        named = [(node, self._local(name)) for node, name in named]
        known: dict[Expression, str] = {}
        yield f"\\* {rule}: {rule.rule.sentence}".replace("\n", " ")
        yield f"{self.names.rules[number]} =="
        opening = "  LET "
        for node, name in named:
            yield f"{opening}{name} == {self.terms.text(node, known)}"
            known[node] = name
            opening = "      "
        if named:
            yield "  IN"
        yield from self._tree(rule.tree, "  ", known)
        yield ""

    def _local(self, name: str) -> str:
        return f"{name}__"

    def _tree(
        self, tree: Tree, indent: str, known: dict[Expression, str], lead: str = ""
    ) -> Iterator[str]:
        match tree:
            case Test():
                yield f"{indent}{lead}IF {self.terms.text(tree.condition, known)}"
                inner = indent + " " * len(lead)
                yield from self._tree(tree.yes, inner, known, "THEN ")
                yield from self._tree(tree.no, inner, known, "ELSE ")
            case Blocked():
                why = f' \\* forbidden by the bound "{tree.bound}" alone' if tree.bound else ""
                yield f"{indent}{lead}FALSE{why}"
            case Fault():
                yield f"{indent}{lead}FALSE \\* a fault, see well_formed: {tree.code}"
            case Update():
                yield from self._update(tree, indent, known, lead)

    def _update(
        self, update: Update, indent: str, known: dict[Expression, str], lead: str
    ) -> Iterator[str]:
        writes = {cell: value for cell, value in update.writes if cell in set(self.cells)}
        lines: list[str] = []
        for cell, value in writes.items():
            text = self.terms.text(value, known, self.names.words[cell])
            lines.append(f"{self.names.cells[cell]}' = {text}")
        rest = self._all([cell for cell in self.cells if cell not in writes])
        if rest:
            inner = indent + " " * (len(lead) + 4)
            lines.append("\n".join(wrapped(rest, inner, "UNCHANGED <<", ">>", len(inner))))
        if not lines:
            lines = ["TRUE"]
        for line in lines:
            yield f"{indent}{lead}/\\ {line}"
            lead = " " * len(lead)

    def _next(self) -> Iterator[str]:
        yield "Next =="
        for name in self.names.rules:
            yield f"  \\/ {name}"
        if not self.names.rules:
            yield "  FALSE"
        yield ""
        yield "Spec == Init /\\ [][Next]_vars"
        yield ""

    # --- properties ------------------------------------------------------------------------------

    def _properties(self) -> Iterator[str]:
        faults = [self.names.unique(f"{name} faults") for name in self.names.rules]
        faulty = {
            number: condition
            for number, rule in enumerate(self.system.rules)
            if (condition := is_faulty(rule.tree)) is not FALSE
        }
        for number, condition in faulty.items():
            yield f"\\* {self.system.rules[number]} does what no rule may do."
            yield from self._definition(faults[number], condition)
        yield from self._well_formed([faults[number] for number in faulty])
        rules = self.system.rules
        progress = [number for number, each in enumerate(rules) if each.rule.makes_progress]
        yield from self._no_deadlock(progress, [faults[n] for n in faulty if n in progress])
        for prop, name in zip(self.system.properties, self.names.properties, strict=True):
            yield f"\\* {prop.name}: {prop.sentence}".replace("\n", " ")
            yield from self._property(prop, name)
        fairness = FairnessWriter(
            self.system, self.names, self.terms, {n: faults[n] for n in faulty}, self._definition
        )
        yield from fairness.lines()
        self.strict = fairness.is_strict

    def _well_formed(self, faults: Sequence[str]) -> Iterator[str]:
        reads = list(self.conditions.faults_of_properties())
        yield "\\* No rule does what no rule may do, and no property reads what is not there."
        claims = [f"~{name}" for name in faults]
        for prop, fault in reads:
            name = self.names.unique(f"{prop.name} reads")
            yield from self._definition(name, fault)
            claims.append(f"~{name}")
        yield from bulleted("well_formed", claims)
        # Of an invariant without variables TLC says that it is none.
        if claims:
            self._claim("well_formed", WELL_FORMED)
        yield ""
        for prop in self.system.properties:
            found = list(step_faults(prop))
            if found:
                name = self.names.unique(f"{prop.name} well formed")
                yield from self._step_property(name, found, WELL_FORMED)

    def _no_deadlock(self, progress: Sequence[int], faults: Sequence[str]) -> Iterator[str]:
        action = "Next"
        if len(progress) < len(self.system.rules):
            action = self.names.unique("Progress")
            yield "\\* The rules that a run can rely on."
            yield f"{action} =="
            yield from (f"  \\/ {self.names.rules[number]}" for number in progress)
            if not progress:
                yield "  FALSE"
            yield ""
        yield "\\* A rule that makes progress can be taken, or but for a bound; or all has ended."
        yield from self._definition("is_terminal", self.system.terminal)
        at_bound = self.names.unique("at bound")
        yield from self._definition(at_bound, self.conditions.is_at_some_bound())
        claims = ["is_terminal", at_bound, *faults, f"ENABLED <<{action}>>_vars"]
        yield "no_deadlock =="
        yield from (f"  \\/ {claim}" for claim in claims)
        yield ""
        self._claim("no_deadlock", NO_DEADLOCK)

    def _definition(self, name: str, expression: Expression) -> Iterator[str]:
        """A definition of a state predicate, with what it shares named before."""
        local = Names()
        known: dict[Expression, str] = {}
        opening = "  LET "
        yield f"{name} =="
        for node, short in shared([expression], SIZE_MIN, lambda: local.unique("x")):
            yield f"{opening}{short}__ == {self.terms.text(node, known)}"
            known[node] = f"{short}__"
            opening = "      "
        lead = "  IN " if known else "  "
        yield f"{lead}{self.terms.text(expression, known)}"
        yield ""

    def _property(self, prop: Property, name: str) -> Iterator[str]:
        match prop.kind:
            case Kind.ALWAYS:
                yield from self._definition(name, conjunction(map(claim_of, prop.predicates)))
                self._claim(name, prop.name)
            case Kind.ON_STEP:
                yield from self._step_property(name, list(step_claims(prop)), prop.name)
            case Kind.REACHABLE:
                seen = disjunction(conjunction([p.when, p.claim]) for p in prop.predicates)
                name = self.names.unique(f"never {prop.name}")
                yield "\\* As an invariant that is to be violated: the run to there is the witness."
                yield from self._definition(name, negation(seen))
                self.reachable.append(name)
                self.claims[name] = prop.name
            case Kind.LEADS_TO | Kind.EVENTUALLY:
                yield from self._liveness(prop, name)

    def _liveness(self, prop: Property, name: str) -> Iterator[str]:
        # What is owed to a checkpoint whose name passes to another one cannot be followed.
        if any(predicate.moved is not FALSE for predicate in prop.predicates):
            yield NAME_PASSED_ON
        claims: list[str] = []
        for number, predicate in enumerate(prop.predicates):
            if predicate.when is FALSE:
                continue
            cause = self.names.unique(f"{name} cause {number}")
            goal = self.names.unique(f"{name} goal {number}")
            yield from self._definition(cause, predicate.when)
            reached = disjunction([predicate.claim, predicate.moved])
            yield from self._definition(goal, reached)
            at_start = prop.kind.is_due_at_start
            claims.append(f"({cause} => <>{goal})" if at_start else f"({cause} ~> {goal})")
        yield from bulleted(name, claims)
        yield ""
        self.live.append(name)

    def _step_property(
        self, name: str, found: Sequence[tuple[Expression, tuple[int, ...]]], belongs_to: str
    ) -> Iterator[str]:
        """A property of steps that change the state and, where one can be violated by a step that
        does not, an invariant beside it: [A]_vars says nothing about such steps."""
        claims: list[str] = []
        stays: list[Expression] = []
        for number, (claim, rules) in enumerate(found):
            part = self.names.unique(f"{name} claim {number}")
            yield from self._definition(part, claim)
            if len(rules) == len(self.system.rules):
                claims.append(part)
            else:
                taken = " \\/ ".join(self.names.rules[rule] for rule in rules)
                claims.append(f"(({taken}) => {part})")
            stays += [
                self.conditions.stays_and(self.system.rules[rule].tree, negation(claim))
                for rule in rules
            ]
        inside = self.names.unique(f"{name} step")
        yield from bulleted(inside, claims)
        yield f"{name} == [][{inside}]_vars"
        yield ""
        self.steps.append(name)
        self.claims[name] = belongs_to
        stay = disjunction(stays)
        if stay is not FALSE:
            quiet = self.names.unique(f"{name} where nothing changes")
            yield from self._definition(quiet, negation(stay))
            self._claim(quiet, belongs_to)

    def _claim(self, name: str, belongs_to: str) -> None:
        self.invariants.append(name)
        self.claims[name] = belongs_to

    # --- configurations --------------------------------------------------------------------------

    def configurations(self) -> dict[str, str]:
        """The texts of the configurations, by what is added to the name of the module."""
        lines = ["SPECIFICATION Spec", "CHECK_DEADLOCK FALSE \\* no_deadlock says it better"]
        lines += [f"INVARIANT {name}" for name in self.invariants]
        lines += [f"PROPERTY {name}" for name in self.steps]
        lines += [f"\\* INVARIANT {name}" for name in self.reachable]
        found = {"": lines}
        if self.live:
            live = [f"PROPERTY {name}" for name in self.live]
            found["_live"] = ["SPECIFICATION FairSpec", "CHECK_DEADLOCK FALSE", *live]
            if self.strict:
                found["_strict"] = ["SPECIFICATION StrictSpec", "CHECK_DEADLOCK FALSE", *live]
        return {name: "\n".join([*lines, ""]) for name, lines in found.items()}


def wrapped(
    names: Sequence[str], indent: str, opening: str = "", closing: str = "", column: int = 0
) -> Iterator[str]:
    """Names with commas, on as many lines as it takes.

    The first line begins with `opening`, which stands at a column; the others are indented.
    """
    line, before = opening or indent, column
    for number, name in enumerate(names):
        text = name + (", " if number + 1 < len(names) else closing)
        if before + len(line) + len(text) > WIDTH and line.strip():
            yield line.rstrip()
            line, before = indent + ("  " if opening else ""), 0
        line += text
    yield line if names else f"{opening}{closing}"


def bulleted(name: str, claims: Sequence[str]) -> Iterator[str]:
    """The definition of a conjunction, a claim a line."""
    yield f"{name} =="
    yield from (f"  /\\ {claim}" for claim in claims or ["TRUE"])
