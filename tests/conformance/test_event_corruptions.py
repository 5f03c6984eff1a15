"""Corrupted event logs become what `event_corruptions.toml` says, written before they were judged.

Each is judged twice: event by event, as `finale validate` does, and by the search of `finale
conform`, which goes its witness once more by the rules alone. Where no line is missing, that is a
step for each event: so the log itself tells the run that explains it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, Rejected, accept
from finale.checker.logs.event_log.judge import EventLogJudge, JudgedLog
from finale.checker.logs.event_log.reading import read_log
from finale.checker.logs.findings import Coverage
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from tests.conformance.corrupted_events import Copy, Original, originals
from tests.conformance.event_corruptions import HOW, Class, Kind, copies, kinds

KNOWN = catalogue()
RULES = EventLogJudge(KNOWN)
EVERY = kinds()
#: So many runs, copies of each kind, and the seed by which places are chosen.
RUNS, EACH, SEED = 80, 20, 1
#: So many short ones, of a few steps, of which each kind has one copy.
FEW, SHORT = 24, (100,)
#: Beside one state for each event: where lines are missing, few logs need more.
LIMITS = Limits(states_max=2000)
#: What came of those that may be what they are, or not: how many are rejected.
REJECTED = {
    "confirmation-removed": 2,
    "abort-notice-removed": 2,
    "neighbours-swapped": 9,
    "failed-twice": 0,
}


@cache
def few() -> list[Original]:
    return list(originals(FEW, SHORT))


@cache
def many() -> list[Original]:
    return list(originals(RUNS))


def ruled(lines: Sequence[str]) -> JudgedLog:
    (found,) = RULES.judge_file("".join(f"{line}\n" for line in lines).encode())
    return found


def by_rules(copy: Copy) -> int | None:
    """The line at which a log is rejected event by event, if it is."""
    stopped = ruled(copy.lines).stopped
    return None if stopped is None or stopped.missing else stopped.line


def by_search(copy: Copy) -> tuple[str, int | None]:
    """What the search says of a log, and where it is rejected."""
    conforms = accept(read_log(copy.lines), known=KNOWN, judges=False, limits=LIMITS).conforms
    if isinstance(conforms, Rejected):
        return "rejected", conforms.line
    if not isinstance(conforms, Accepted):
        return "undecided", None
    return "with steps that are missing" if conforms.unseen else "explained", None


def check(copy: Copy, kind: Kind) -> str:
    """What came of a copy, which is what must come of it."""
    said, line = by_search(copy)
    rules = by_rules(copy)
    where = f"{kind.name} of {copy.what}: {said}, {line} and {rules} for {copy.wrong}"
    match kind.expected:
        case Class.REJECTED:
            assert line is not None, where
            assert copy.wrong is not None
            assert copy.wrong <= line <= copy.wrong + kind.within, where
            assert rules == line, where
        case Class.EXPLAINED:
            assert (said, rules) == ("explained", None), where
        case Class.NOT_REJECTED:
            assert said != "rejected", where
            assert rules is None, where
            assert ruled(copy.lines).coverage is not Coverage.COMPLETE, where
        case Class.MAY_BE_INVISIBLE:
            assert said in ("rejected", "explained"), where
            assert rules == line, where
    return said


def test_each_kind_is_made_and_most_must_be_rejected() -> None:
    must = [kind for kind in EVERY if kind.expected is Class.REJECTED]
    assert set(HOW) == {kind.name for kind in EVERY}
    assert len(must) >= 12
    assert len(must) / len(EVERY) >= 0.6


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_a_copy_becomes_what_it_must(kind: Kind) -> None:
    (copy,) = copies(kind.name, few(), 1, SEED)
    assert check(copy, kind)


@pytest.mark.slow
def test_no_run_is_rejected_as_it_was() -> None:
    for original in many():
        assert ruled(original.lines).stopped is None, original.name


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_copies_in_many_runs_become_what_they_must(kind: Kind) -> None:
    found = copies(kind.name, many(), EACH, SEED)
    assert len(found) == EACH
    said = Counter(check(copy, kind) for copy in found)
    assert said["rejected"] == REJECTED.get(kind.name, said["rejected"])
