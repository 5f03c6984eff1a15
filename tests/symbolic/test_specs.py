"""What the specs expect of searches, the bounded search tells too, as far as it comes."""

from __future__ import annotations

import pytest

from finale.checker.search.bmc.search import check
from finale.checker.search.limits import Limits
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from tests.protocols.specs import name_of, specs

STEPS_MAX, SECONDS_MAX = 10, 30.0


@pytest.mark.slow
@pytest.mark.parametrize("spec", specs(), ids=lambda spec: name_of(spec.file))
def test_tells_what_is_expected_as_far_as_it_comes(spec: Spec) -> None:
    report = check(spec.system(), Limits(steps_max=STEPS_MAX, seconds_max=SECONDS_MAX))
    for answer in report.verdicts:
        expected = spec.expectations.get(answer.property)
        if expected is None:
            continue
        if answer.word is not Word.UNKNOWN:
            assert answer.word == expected.verdict, answer
            assert expected.steps in (None, answer.steps), answer
        elif "fair runs" not in answer.why:
            assert expected.steps is None or expected.steps > report.statistics.depth, answer
