"""Each construct of Python is refused by a code, or means in the search what it means in Python."""

from __future__ import annotations

from collections import Counter

import pytest

from finale.model.language import instrumenting
from tests.constructs.changes import OWN
from tests.constructs.construct import Construct
from tests.constructs.every import EVERY, GROUPS
from tests.constructs.iterators import USED_WHERE_MADE
from tests.constructs.outcomes import AGREES, RAISES, Outcome, outcome_of, outcomes

#: What ends the process on purpose: Python passes it on, and so does Finale.
ENDS = {"keyboard-interrupt"}
#: A construct that Finale must accept: the reference describes it.
ORDINARY = ("ordinary_rules", "ordinary_helpers")
NUMBER = {construct.name: construct for construct in EVERY}
#: What was misread before code of users was instrumented, with what is said of it now.
NOT_CALLED = ("if", "not", "and", "ternary", "unmarked", "comprehension")
MISREAD_BEFORE = {
    **{f"helper-not-called-in-{where}": "not-a-truth-value" for where in NOT_CALLED},
    "require-of-tuple": "not-a-truth-value",
    "require-of-list": "not-a-truth-value",
    "define-returns-frozen-dataclass": AGREES,
    "define-returns-named-tuple": AGREES,
    "define-returns-list": "cannot-merge",
    "is-in-unmarked-function": "rule-uses-is",
    "type-equals-record-class": "foreign-call",
    "type-in-unmarked-function": "foreign-call",
    "isinstance-instancecheck-of-own-metaclass": "case-builtin",
    "module-dict-kept-by-helper": "keeps-state",
    "function-with-mutable-default": "keeps-state",
    "list-of-entity-changed-by-class": "keeps-state",
    "bound-pop-kept-by-module": "keeps-state",
    "bound-setdefault-kept-by-module": "keeps-state",
    "bound-popleft-kept-by-module": "keeps-state",
    "bound-send-kept-by-module": "keeps-state",
    "bound-method-of-object-kept-by-module": "keeps-state",
    "doc-of-function-changes": "keeps-state",
    "arguments-of-exception-change": "keeps-state",
    "function-made-by-eval": "foreign-call",
    "function-made-by-exec": "foreign-call",
    "function-made-by-eval-of-plain-values": "foreign-call",
    "enum-with-own-eq-in-a-field": "special-method",
    "record-of-base-equals-subclass": AGREES,
    "record-of-base-in-tuple-of-subclass": AGREES,
    "record-of-base-held-by-queue": AGREES,
    "union-equals-union-of-subclass": AGREES,
}


def is_right(name: str, found: Outcome) -> bool:
    return name in ENDS or found.word not in (RAISES, "misread")


def test_there_are_many_constructs() -> None:
    assert len(EVERY) > 1_500
    assert all(len(each) > 30 for each in GROUPS.values())


@pytest.mark.parametrize("construct", EVERY[::40], ids=lambda each: each.name)
def test_a_construct_is_refused_or_agrees(construct: object) -> None:
    found = outcome_of(construct)  # type: ignore[arg-type]
    assert is_right(construct.name, found), found  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", MISREAD_BEFORE)
def test_what_was_misread_is_not(name: str) -> None:
    assert outcome_of(NUMBER[name]).word == MISREAD_BEFORE[name]


@pytest.mark.parametrize("construct", GROUPS["changes"], ids=lambda each: each.name)
def test_what_a_helper_changes_is_refused_by_any_spelling(construct: Construct) -> None:
    wanted = AGREES if construct in OWN else "rule-mutates"
    assert outcome_of(construct).word == wanted


#: Functions that Python's code calls, with a value of the state as it sees none.
GIVEN = {
    "map-is": "foreign-call", "starmap-is": "foreign-call", "accumulate-is": "foreign-call",
    "reduce-is": "foreign-call", "map-type": "foreign-call", "map-repr": "text-of-state",
    "map-str": "text-of-state", "filter-eq-of-number": "foreign-call",
    "partial-isinstance": "case-builtin", "partial-is": "foreign-call",
    "attrgetter-class": "misses-the-state", "methodcaller-eq": "misses-the-state",
    "getattr-class": "misses-the-state", "sorted-by-type": "foreign-call",
    "map-hash": "hash-of-state", "map-len": AGREES, "map-helper": AGREES,
    "partial-add": AGREES, "reduce-add": AGREES, "attrgetter": AGREES, "itemgetter": AGREES,
    "max-key": AGREES, "filter-none": AGREES,
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_a_function_that_a_function_gets_is_checked(name: str) -> None:
    assert outcome_of(NUMBER[f"given-{name}"]).word == GIVEN[name]


@pytest.mark.parametrize("construct", GROUPS["iterators"], ids=lambda each: each.name)
def test_an_iterator_is_used_where_it_is_made_or_refused(construct: Construct) -> None:
    wanted = AGREES if construct.name in USED_WHERE_MADE else "iterator-kept"
    assert outcome_of(construct).word == wanted


@pytest.mark.slow
def test_every_construct_is_refused_or_agrees() -> None:
    found = {construct.name: each for construct, each in outcomes(EVERY)}
    wrong = {name: each for name, each in found.items() if not is_right(name, each)}
    assert not wrong
    refused = Counter(each.word for each in found.values())
    assert refused[AGREES] > len(EVERY) // 2
    ordinary = [each.name for group in ORDINARY for each in GROUPS[group]]
    assert {name for name in ordinary if found[name].word != AGREES} == set()


#: Checks that are switched off: the comparison must notice what they would have refused.
NOT_INSTRUMENTED = (
    "is-entities-in-unmarked-function", "is-in-lambda-of-module", "is-in-unmarked-function",
    "is-true-in-unmarked-function", "isinstance-in-unmarked-function", "repr-of-enum",
    "repr-of-number", "type-equals-int", "type-equals-record-class", "type-in-unmarked-function",
)  # fmt: skip


@pytest.mark.parametrize("name", NOT_INSTRUMENTED)
def test_the_comparison_notices_by_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instrumenting, "instrumented", lambda tree: tree)
    monkeypatch.setattr("finale.model.language.syntax.instrumented_function", lambda tree, _: tree)
    assert outcome_of(NUMBER[name]).word == "misread"
