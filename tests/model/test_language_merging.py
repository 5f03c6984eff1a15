"""Random bodies: merged, in line, and in one state, they mean the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from finale.model.errors import FinaleError
from finale.model.expressions import (
    Expression,
    cell,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    minus,
    negation,
    plus,
    truth,
)
from finale.model.language.explore import (
    Fork,
    PathEnd,
    decide,
    explore,
    go_beyond,
    merged,
)
from finale.model.language.path_ends import BlockedHere, FaultHere
from finale.model.language.quantifiers import exists, forall
from finale.model.language.stores import SymbolicStore
from finale.model.language.symbols import truth_from
from finale.model.semantics import evaluate
from finale.model.system import State
from tests.model.expression_terms import CELLS, NUMBERS, STATES, Term, node, numbers, truths, value

# --- random bodies -------------------------------------------------------------------------------

Body = list[tuple[Any, ...]]


def bodies(depth: int) -> st.SearchStrategy[Body]:
    """Bodies that write, test, block, fault, go beyond a bound, call helpers and quantify."""
    simple = st.one_of(
        st.tuples(st.just("set"), st.integers(0, NUMBERS - 1), numbers(1)),
        st.tuples(st.just("set"), st.integers(NUMBERS, len(CELLS) - 1), truths(1)),
        st.tuples(st.just("require"), truths(1)),
        st.tuples(st.just("assert"), truths(1)),
        st.tuples(st.just("within"), truths(1)),
    )
    if depth == 0:
        return st.lists(simple, max_size=2)
    inner = bodies(depth - 1)
    return st.lists(
        st.one_of(
            simple,
            st.tuples(st.just("if"), truths(1), inner, inner),
            st.tuples(st.just("call"), inner),
            st.tuples(
                st.sampled_from(["all", "any"]),
                st.lists(st.tuples(inner, truths(1)), min_size=1, max_size=3),
                inner,
            ),
        ),
        min_size=1,
        max_size=4,
    )


class Symbolic:
    """A body over symbolic cells; helpers are merged, or run in line."""

    def __init__(self, merges: bool) -> None:
        self.store = SymbolicStore([cell(i, *CELLS[i], i >= NUMBERS) for i in range(len(CELLS))])
        self.merges = merges

    def of(self, term: Term) -> Expression:
        """The value of a term where cells hold what was written."""
        kind, *parts = term
        if kind == "cell":
            return self.store.read(parts[0])
        if kind in ("number", "truth"):
            return node(term)
        made = [self.of(part) for part in parts]
        return {
            "and": lambda: conjunction(made),
            "or": lambda: disjunction(made),
        }.get(kind, lambda: _FUNCTIONS[kind](*made))()

    def test(self, term: Term) -> bool:
        return decide(self.of(term))

    def write(self, index: int, term: Term) -> None:
        low, high = CELLS[index]
        new = self.of(term)
        if index < NUMBERS and decide(
            disjunction([less(new, integer(low)), less(integer(high), new)])
        ):
            raise FaultHere("outside", "")
        self.store.write(index, new)

    def beyond(self, bound: str) -> None:
        go_beyond(bound)

    def call(self, body: Callable[[], object]) -> None:
        if self.merges:
            merged(body, self.store, choose_value)
        else:
            body()

    def quantify(self, name: str, items: Sequence[Callable[[], bool]]) -> bool:
        if not self.merges:
            return all(item() for item in items) if name == "all" else any(i() for i in items)
        return bool((forall if name == "all" else exists)(items, lambda item: item()))


def choose_value(test: Expression, yes: object, no: object) -> object:
    return truth_from(choose(test, truth_of(yes), truth_of(no))) if yes is not no else yes


def truth_of(given: object) -> Expression:
    return getattr(given, "expression", truth(bool(given)))


_FUNCTIONS: dict[str, Callable[..., Expression]] = {
    "plus": plus,
    "minus": minus,
    "equal": equal,
    "less": less,
    "not": negation,
    "choose": choose,
}


class Concrete:
    """The same body in one state."""

    def __init__(self, state: State) -> None:
        self.state = list(state)
        self.bound: str | None = None

    def test(self, term: Term) -> bool:
        return bool(value(term, tuple(self.state)))

    def write(self, index: int, term: Term) -> None:
        new = value(term, tuple(self.state))
        if not CELLS[index][0] <= new <= CELLS[index][1]:
            raise FaultHere("outside", "")
        self.state[index] = new

    def beyond(self, bound: str) -> None:
        self.bound = self.bound or bound

    def call(self, body: Callable[[], object]) -> None:
        body()

    def quantify(self, name: str, items: Sequence[Callable[[], bool]]) -> bool:
        return all(item() for item in items) if name == "all" else any(i() for i in items)


def run(machine: Symbolic | Concrete, body: Body) -> None:
    for kind, *parts in body:
        match kind:
            case "set":
                machine.write(parts[0], parts[1])
            case "require":
                if not machine.test(parts[0]):
                    raise BlockedHere
            case "assert":
                if not machine.test(parts[0]):
                    raise FaultHere("asserted", "")
            case "within":
                if not machine.test(parts[0]):
                    machine.beyond("bound")
            case "if":
                run(machine, parts[1] if machine.test(parts[0]) else parts[2])
            case "call":
                machine.call(partial(run, machine, parts[0]))
            case _:
                items = [partial(asked, machine, *item) for item in parts[0]]
                if machine.quantify(kind, items):
                    run(machine, parts[1])


def asked(machine: Symbolic | Concrete, body: Body, test: Term) -> bool:
    run(machine, body)
    return machine.test(test)


def told_by_state(body: Body, state: State) -> tuple[str, object]:
    machine = Concrete(state)
    try:
        run(machine, body)
    except BlockedHere:
        return "blocked", None
    except FaultHere as fault:
        return ("blocked", machine.bound) if machine.bound else ("fault", fault.code)
    return ("blocked", machine.bound) if machine.bound else ("update", tuple(machine.state))


def told_by_tree(tree: Fork | PathEnd, state: State) -> tuple[str, object]:
    while isinstance(tree, Fork):
        tree = tree.yes if evaluate(tree.test, state) else tree.no
    if isinstance(tree.stop, BlockedHere):
        return "blocked", tree.stop.bound
    if tree.beyond is not None:
        return "blocked", tree.beyond
    if isinstance(tree.stop, FaultHere):
        return "fault", tree.stop.code
    after = list(state)
    for index, written in tree.writes.items():
        after[index] = evaluate(written, state)
    return "update", tuple(after)


@given(bodies(2))
def test_merged_and_in_line_and_plain_are_the_same(body: Body) -> None:
    trees: list[Fork | PathEnd] = []
    for merges in (True, False):
        machine = Symbolic(merges)
        with suppress(FinaleError):  # too many paths
            trees.append(explore(partial(run, machine, body), machine.store))
    for state in STATES[::3]:
        plain = told_by_state(body, state)
        for tree in trees:
            assert told_by_tree(tree, state) == plain
