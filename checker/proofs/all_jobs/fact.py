"""A fact about all jobs, and how z3 is asked: first for any number of nodes, then for few.

A fact is proven if no graph contradicts it: z3 finds no relations, over any set of nodes, in which
the hypotheses hold and the claim does not. If z3 does not show this at once, graphs of one to four
nodes are tried, so that the first counterexample is the smallest. Only then z3 looks longer for a
proof.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from .logic import AnyNumber, SoMany, Term, Z3Logic

#: So many nodes are tried before z3 looks longer for a proof: what is wrong mostly is so on few.
NODES_FEW = 4
#: Of more nodes than this no counterexample is looked for.
NODES_MAX = 6
#: What one question may cost, in z3's own unit, so that the answer does not depend on the machine.
RESOURCES_MAX = 20_000_000
#: And what it may cost before graphs are tried: proofs mostly take a tenth of it.
RESOURCES_AT_ONCE = 300_000

Marks = Mapping[str, Callable[[Term], Term]]
"""What is told of the nodes of a counterexample: a word, and whether it holds of a node."""


@dataclass(frozen=True)
class FactCase:
    """One case of a fact: can the claim be false if all hypotheses hold?"""

    case: str
    given: Sequence[Term]
    claim: Term
    marks: Marks
    links: Marks = field(default_factory=dict[str, Callable[[Term], Term]])
    """As `marks`, of pairs of nodes of which the second reads the first."""
    same: Callable[[Term], Term] | None = None
    """Whether the two nodes of a pair are tasks of one vertex; None where each has its own."""


@dataclass(frozen=True)
class Fact:
    """A claim about all jobs."""

    name: str
    cites: tuple[str, ...]
    sentence: str
    ask: Callable[[Z3Logic], Sequence[FactCase]]
    """The cases, which must all hold."""
    #: What a node is: "task", "input" or "vertex".
    node: str = "task"
    #: Whether it is so: some facts are here to show what is not.
    holds: bool = True
    #: The methods of the model that it is about.
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class CounterexampleGraph:
    """A counterexample: nodes in topological order, with the values of each."""

    case: str
    marks: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[int, int, tuple[str, ...]], ...]
    same: tuple[tuple[int, int], ...] = ()
    """Which nodes are tasks of one vertex."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.marks)


@dataclass(frozen=True)
class FactProven:
    """No graph of any size contradicts the fact, and some graph satisfies its hypotheses."""

    queries: int
    seconds: float


@dataclass(frozen=True)
class FactRefuted:
    """The smallest graph that contradicts the fact."""

    graph: CounterexampleGraph
    seconds: float


@dataclass(frozen=True)
class FactUndecided:
    """Neither a proof nor a counterexample of up to this many nodes."""

    nodes: int
    why: str
    seconds: float


Outcome = FactProven | FactRefuted | FactUndecided


def prove(fact: Fact, nodes_max: int = NODES_MAX) -> Outcome:
    """Ask z3 whether a fact holds of all jobs."""
    began, few = perf_counter(), min(NODES_FEW, nodes_max)
    graph: CounterexampleGraph | None = None
    gave_up = _no_proof(fact, RESOURCES_AT_ONCE)
    if gave_up is not None:
        graph = _smallest(fact, range(1, few + 1))
        if graph is None:
            gave_up = _no_proof(fact, RESOURCES_MAX)
    if gave_up is None:
        return FactProven(_cases(fact, nodes_max), perf_counter() - began)
    graph = graph or _smallest(fact, range(few + 1, nodes_max + 1))
    seconds = perf_counter() - began
    return FactRefuted(graph, seconds) if graph else FactUndecided(nodes_max, gave_up, seconds)


def _no_proof(fact: Fact, resources: int) -> str | None:
    """Why there is no proof that no graph contradicts a fact, or None where there is one."""
    logic = AnyNumber()
    for question in fact.ask(logic):
        solver = _solver(logic, [*question.given, logic.negation(question.claim)], resources)
        answer = solver.check()
        if answer == logic.z3.unknown:
            return f"{question.case}: {solver.reason_unknown()}"
        if answer == logic.z3.sat:
            return f"{question.case}: some set of nodes contradicts it, perhaps an endless one"
    return None


def _smallest(fact: Fact, sizes: Iterable[int]) -> CounterexampleGraph | None:
    graphs = (counterexample(fact, size) for size in sizes)
    return next((graph for graph in graphs if graph is not None), None)


def counterexample(fact: Fact, size: int) -> CounterexampleGraph | None:
    """Return a graph of this many nodes that contradicts a fact, or None."""
    logic = SoMany(size)
    for question in fact.ask(logic):
        model = _model(logic, [*question.given, logic.negation(question.claim)])
        if model is not None:
            return _graph(model, logic, question)
    return None


def _cases(fact: Fact, nodes_max: int) -> int:
    """How many cases a fact has. Each applies to some graph: what contradicts itself proves all."""
    left: set[int] | None = None
    for size in range(1, nodes_max + 1):
        logic = SoMany(size)
        asked = fact.ask(logic)
        left = set(range(len(asked))) if left is None else left
        left = {case for case in left if _model(logic, asked[case].given) is None}
        if not left:
            return len(asked)
    raise AssertionError(f"{fact.name}: no graph satisfies what is taken for granted")


def _solver(logic: Z3Logic, formulas: Sequence[Term], resources: int | None = None) -> Term:
    solver = logic.z3.Solver(ctx=logic.context)
    solver.set("rlimit", resources or RESOURCES_MAX)
    solver.set("ctrl_c", False)  # z3 would take an interrupt for an answer
    solver.add(*logic.axioms, *formulas)
    return solver


def _model(logic: SoMany, formulas: Sequence[Term]) -> Term | None:
    solver = _solver(logic, formulas)
    answer = solver.check()
    assert answer != logic.z3.unknown, "quantifiers are written out"
    return solver.model() if answer == logic.z3.sat else None


def _graph(model: Term, logic: SoMany, question: FactCase) -> CounterexampleGraph:
    def true_of(marks: Marks, what: Term) -> tuple[str, ...]:
        return tuple(word for word, of in marks.items() if is_true(of(what)))

    def is_true(formula: Term) -> bool:
        return bool(logic.z3.is_true(model.eval(formula, model_completion=True)))

    nodes = logic.nodes
    numbers = itertools.combinations(range(len(nodes)), 2)
    pairs = [(one, other, (nodes[one], nodes[other])) for one, other in numbers]
    same = question.same
    return CounterexampleGraph(
        question.case,
        tuple(true_of(question.marks, node) for node in nodes),
        tuple(
            (one, other, true_of(question.links, pair))
            for one, other, pair in pairs
            if is_true(logic.edge(*pair))
        ),
        tuple((one, other) for one, other, pair in pairs if same and is_true(same(pair))),
    )
