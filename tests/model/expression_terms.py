"""Random expressions twice: as nested tuples that mean what they say, and as nodes."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

from hypothesis import strategies as st

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
from finale.model.system import State

#: Bounds of the cells; those from NUMBERS on are truth values.
CELLS = ((0, 3), (-2, 1), (1, 1), (0, 1), (0, 1), (0, 1))
NUMBERS = 3
STATES: list[State] = list(product(*(range(low, high + 1) for low, high in CELLS)))

Term = tuple[Any, ...]


def numbers(depth: int) -> st.SearchStrategy[Term]:
    """Terms that are integers."""
    leaves = st.one_of(
        st.tuples(st.just("number"), st.integers(-3, 3)),
        st.tuples(st.just("cell"), st.integers(0, NUMBERS - 1)),
    )
    if depth == 0:
        return leaves
    inner = numbers(depth - 1)
    return st.one_of(
        leaves,
        st.tuples(st.sampled_from(["plus", "minus"]), inner, inner),
        st.tuples(st.just("choose"), truths(depth - 1), inner, inner),
    )


def truths(depth: int) -> st.SearchStrategy[Term]:
    """Terms that are truth values."""
    leaves = st.one_of(
        st.tuples(st.just("truth"), st.booleans()),
        st.tuples(st.just("cell"), st.integers(NUMBERS, len(CELLS) - 1)),
    )
    if depth == 0:
        return leaves
    inner, compared = truths(depth - 1), numbers(depth - 1)
    return st.one_of(
        leaves,
        st.tuples(st.sampled_from(["equal", "less"]), compared, compared),
        st.tuples(st.just("equal"), inner, inner),
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner, inner),
        st.tuples(st.just("choose"), inner, inner, inner),
    )


def node(term: Term) -> Expression:
    """The term as an expression, by the functions that fold."""
    kind, *parts = term
    match kind:
        case "number":
            return integer(parts[0])
        case "truth":
            return truth(parts[0])
        case "cell":
            low, high = CELLS[parts[0]]
            return cell(parts[0], low, high, parts[0] >= NUMBERS)
        case "and":
            return conjunction(node(part) for part in parts)
        case "or":
            return disjunction(node(part) for part in parts)
        case _:
            make = {
                "plus": plus,
                "minus": minus,
                "equal": equal,
                "less": less,
                "not": negation,
                "choose": choose,
            }[kind]
            made: Expression = cast(Any, make)(*(node(part) for part in parts))
            return made


def value(term: Term, state: State) -> int:
    """What the term says, without any folding."""
    kind, *parts = term
    if kind == "cell":
        return state[parts[0]]
    if kind in ("number", "truth"):
        return int(parts[0])
    first, *others = (value(part, state) for part in parts)
    match kind:
        case "plus":
            return first + others[0]
        case "minus":
            return first - others[0]
        case "equal":
            return int(first == others[0])
        case "less":
            return int(first < others[0])
        case "not":
            return int(not first)
        case "and":
            return int(all((first, *others)))
        case "or":
            return int(any((first, *others)))
        case _:
            return others[0] if first else others[1]
