"""The system: variables, initial states, ground rules as decision trees, properties, fairness.

It is all that a back end sees of a protocol. `semantics.py` says what it means.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from .errors import Place
from .expressions import FALSE, TRUE, Expression
from .language.entities import Variable
from .language.explore import Branch

State = tuple[int, ...]
"""A state: the values of all cells, in order. Equal states are equal tuples."""


# --- decision trees ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Test:
    """An inner node: go on with `yes` where the condition holds, else with `no`."""

    condition: Expression
    yes: Tree
    no: Tree


@dataclass(frozen=True)
class Blocked:
    """The rule is not enabled. `bound` names the bound that alone forbids it, if one does."""

    bound: str | None = None


@dataclass(frozen=True)
class Update:
    """The rule is taken: all cells named in `writes` get their new values at once.

    `branches` are the branches of the rule's source that this leaf takes, each under a condition.
    """

    writes: tuple[tuple[int, Expression], ...]
    branches: tuple[tuple[Branch, Expression], ...] = ()


@dataclass(frozen=True)
class Fault:
    """The rule does what no rule may do in a reachable state."""

    code: str
    message: str
    place: Place


Tree = Test | Blocked | Update | Fault


def leaves(tree: Tree) -> Iterator[Blocked | Update | Fault]:
    """The leaves of a tree, `yes` before `no`."""
    if isinstance(tree, Test):
        yield from leaves(tree.yes)
        yield from leaves(tree.no)
    else:
        yield tree


# --- rules ---------------------------------------------------------------------------------------


class Fairness(enum.Enum):
    """The promise about a rule that stays enabled (WEAK) or becomes enabled repeatedly (STRONG)."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


@dataclass(frozen=True)
class Rule:
    """A rule as written: its name, the sentence of its docstring, where it stands.

    If it `makes_progress`, a run can rely on it: in a state where the rule is enabled, the run does
    not end. A fair rule makes progress. In a protocol without fair rules, every rule does that is
    not marked as UNFAIR.
    """

    name: str
    sentence: str
    fairness: Fairness
    makes_progress: bool
    place: Place
    cites: tuple[str, ...]


@dataclass(frozen=True)
class GroundRule:
    """A rule with its parameters bound. In one state it has at most one successor.

    `entities` is the part of the binding that fairness speaks of; the rest are free choices.
    If the rule gives ids again, `earlier` has the cells of the state before the step that differ
    under the names after it, and `moved` says by name where an entity is another one after it.
    """

    rule: Rule
    binding: tuple[tuple[str, str], ...]
    entities: tuple[str, ...]
    tree: Tree
    earlier: tuple[tuple[int, Expression], ...] = ()
    moved: tuple[tuple[str, Expression], ...] = ()

    def __str__(self) -> str:
        return f"{self.rule.name}({', '.join(value for _, value in self.binding)})"

    @property
    def fairness_key(self) -> tuple[str, tuple[str, ...]]:
        """Ground rules of one key are one for fairness: free choices are existential."""
        return self.rule.name, self.entities


# --- properties ----------------------------------------------------------------------------------


class Kind(enum.Enum):
    """The kinds of properties.

    Each method of checking has one function that says which verdict a finding gives, kind by kind.
    All other code asks a kind for what it needs to know.
    """

    ALWAYS = "always"
    ON_STEP = "on-step"
    LEADS_TO = "leads-to"
    EVENTUALLY = "eventually"
    REACHABLE = "reachable"

    @property
    def is_safety(self) -> bool:
        """Whether all states, or all steps, must satisfy it: a finite run shows a violation."""
        return self in (Kind.ALWAYS, Kind.ON_STEP)

    @property
    def is_liveness(self) -> bool:
        """Whether all fair runs must reach a goal: a run without end shows a violation."""
        return self in (Kind.LEADS_TO, Kind.EVENTUALLY)

    @property
    def is_reachability(self) -> bool:
        """Whether some run must reach a state: the run is a witness; no run shows a violation."""
        return self is Kind.REACHABLE

    @property
    def is_of_steps(self) -> bool:
        """Whether it is asked of a step, with the states before and after the step."""
        return self is Kind.ON_STEP

    @property
    def is_due_at_start(self) -> bool:
        """Whether its antecedent counts in initial states only."""
        return self is Kind.EVENTUALLY


@dataclass(frozen=True)
class Predicate:
    """The claim of a property for one binding, as expressions.

    `when` is the antecedent (for leads-to: the cause), `claim` what must then hold (for leads-to:
    the goal). `fault` holds where evaluating them reads what is not there. Of a liveness property,
    `moved` holds where some step makes another entity of one that the binding names.
    """

    binding: tuple[tuple[str, str], ...]
    when: Expression
    claim: Expression
    fault: Expression
    moved: Expression = FALSE


@dataclass(frozen=True)
class Property:
    """A property of the system, ground: one predicate a binding.

    An on-step property has, instead, one tuple of predicates a ground rule, over the cells before
    and after the step. `witness` names the reachable property that shows an `always` not vacuous.
    `not_asked` says why there are no predicates, if the question makes no sense in this system.
    """

    name: str
    kind: Kind
    sentence: str
    place: Place
    predicates: tuple[Predicate, ...]
    on_rules: tuple[tuple[Predicate, ...], ...] = ()
    witness: str | None = None
    has_antecedent: bool = False
    not_asked: str = ""


#: Why a question about a checkpoint makes no sense: its name has passed to another one.
IDS_GIVEN_AGAIN = "ids are given again"


# --- the system ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class System:
    """A protocol on a job under bounds: what back ends explore, solve, export and draw."""

    protocol: str
    variables: tuple[Variable, ...]
    cells: tuple[Expression, ...]
    initial: tuple[State, ...]
    rules: tuple[GroundRule, ...]
    properties: tuple[Property, ...]
    terminal: Expression = TRUE

    @cached_property
    def variable_of_cell(self) -> tuple[Variable, ...]:
        """The variable that each cell belongs to."""
        return tuple(v for v in self.variables for _ in range(v.domain.width))

    @property
    def bits(self) -> int:
        """The number of bits of a state, if each cell takes its own bits."""
        types = (cell for v in self.variables for cell in v.domain.cells)
        return sum((cell.high - cell.low).bit_length() for cell in types)

    def values(self, state: State) -> Mapping[str, object]:
        """A state as plain values by variable name."""
        return {v.name: v.domain.decode([state[i] for i in v.indices]) for v in self.variables}


def branches_of(system: System) -> frozenset[Branch]:
    """Return all branches of the source that some leaf of a rule takes."""
    ends = (end for rule in system.rules for end in leaves(rule.tree))
    return frozenset(b for end in ends if isinstance(end, Update) for b, _ in end.branches)
