"""Conditions in machine code mean what they say, and those called never true never are."""

from ctypes import CFUNCTYPE, c_int64, c_void_p

import numpy as np
from hypothesis import given

from finale.checker.search.native.code import compiled
from finale.checker.search.native.layout import Slot, StateLayout
from finale.checker.search.native.lower import answers_source
from finale.checker.search.native.never import is_never
from finale.model.expressions import Expression, cell, conjunction, equal, integer, less, plus
from finale.model.semantics import evaluate
from tests.checker.test_lowering import STATES, TRUTHS, expressions

#: Two cells are at the upper end of their words, where numbers with a sign change theirs.
LAYOUT = StateLayout(
    (Slot(0, 62, 2, 0, 2), Slot(1, 5, 2, -1, 1), Slot(1, 0, 1, 0, 1), Slot(1, 63, 1, 0, 1)), 2
)


@given(expressions())
def test_questions_in_machine_code_ask_what_the_expressions_say(pool: list[Expression]) -> None:
    questions = [each for each in pool if each.boolean]
    names = [f"question{number}" for number in range(len(questions))]
    pairs = zip(questions, names, strict=True)
    code = compiled((answers_source(LAYOUT, [question], name) for question, name in pairs), 0)
    words = np.array([LAYOUT.encode(state) for state in STATES], np.uint64)
    for question, address in zip(questions, code.addresses(names), strict=True):
        answers = np.zeros(len(STATES), np.uint64)
        asked = CFUNCTYPE(c_int64, c_void_p, c_int64, c_void_p)(address)
        asked(words.ctypes.data, len(STATES), answers.ctypes.data)
        assert answers.tolist() == [evaluate(question, state) for state in STATES]


@given(expressions())
def test_what_is_never_true_is_false_in_all_states(pool: list[Expression]) -> None:
    for condition in pool:
        if condition.boolean:
            is_true_somewhere = any(evaluate(condition, state) for state in STATES)
            assert is_never(condition, {}) is not is_true_somewhere


def test_truth_values_are_added_as_numbers() -> None:
    both = plus(TRUTHS[0], TRUTHS[1])
    assert is_never(less(integer(2), both), {})
    assert not is_never(equal(both, integer(2)), {})


def test_cells_with_many_values_are_not_looked_at() -> None:
    many, few = cell(0, 0, 10**6, False), cell(1, 0, 1, False)
    excluded = [equal(few, integer(0)), equal(few, integer(1))]
    assert is_never(conjunction([less(many, integer(7)), *excluded]), {})
    assert not is_never(conjunction([less(many, integer(7)), less(integer(8), many)]), {})
