"""Corrupted logs of real runs that may be invisible: rejected, explained by a witness, or neither.

The witnesses are kept (`witnesses.py`), and each explains its corrupted log again.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from finale.checker.logs.event_log.acceptance import Undecided
from finale.checker.logs.flink.judge import accept_run
from tests.conformance.corrupted import Copy, Original, clusters, originals
from tests.conformance.corruptions import copies, kinds
from tests.conformance.rejecting import reject_run
from tests.conformance.witnesses import EACH, LIMITS, SEED, differs, judged, stored
from tests.logs.archive import SAMPLES

INVISIBLE = [kind.name for kind in kinds() if not kind.is_rejected]
#: What became of the copies of each kind.
FOUND = {
    "acknowledgements-swapped": Counter(explained=11, rejected=1),
    "barrier-removed": Counter(rejected=2, undecided=10),
    "barrier-twice": Counter(rejected=4, undecided=8),
    "confirmation-removed": Counter(explained=8, rejected=3, undecided=1),
    "end-learned-early": Counter(explained=9, rejected=3),
}


@cache
def samples() -> list[Original]:
    return [*originals(clusters(str(SAMPLES)))]


def differs_from(lines: Sequence[str], copy: Copy) -> str | None:
    (run,) = copy.runs()
    return differs(lines, run)


def explained(kind: str) -> list[Copy]:
    return [copy for copy in copies(kind, samples(), EACH, SEED) if copy.name in stored()]


def test_a_witness_is_kept_for_each_that_is_explained() -> None:
    kept = Counter(name.partition(":")[0] for name in stored())
    assert kept == Counter({kind: found["explained"] for kind, found in FOUND.items()}) + Counter()
    assert set(FOUND) == set(INVISIBLE)


@pytest.mark.parametrize("kind", [kind for kind in INVISIBLE if FOUND[kind]["explained"]])
def test_a_witness_explains_its_corrupted_log(kind: str) -> None:
    copy = explained(kind)[0]
    assert differs_from(stored()[copy.name], copy) is None


def test_a_witness_of_another_log_does_not_explain_it() -> None:
    copy = explained("acknowledgements-swapped")[0]
    (original,) = (each for each in samples() if (each.name, each.run.job) == (copy.run, copy.job))
    assert "the run shows" in (differs(stored()[copy.name], original.run) or "")


def test_a_witness_that_does_less_or_what_it_cannot_explains_nothing() -> None:
    copy = explained("end-learned-early")[0]
    *lines, last, end = stored()[copy.name]
    assert differs_from([*lines, last, end], copy) is None
    assert "nothing more" in (differs_from([*lines, end], copy) or "")
    assert "learn_finished" in (differs_from([*lines, last, last, end], copy) or "")


def test_a_run_whose_lines_would_stand_before_what_leads_to_them_is_not_accepted() -> None:
    """A line that a task has finished stands behind the one by which that is learned."""
    made = copies("end-learned-early", samples(), EACH, SEED)
    (copy,) = (each for each in made if each.run == "H12-00")
    assert copy.name not in stored()
    assert judged(copy.name, copy.runs()[0])[0] == "rejected"


def test_a_run_that_shows_what_no_line_tells_is_not_accepted() -> None:
    """An abort tells a task of the newest completion, too, and of that a line tells."""
    made = copies("confirmation-removed", samples(), EACH, SEED)
    (copy,) = (each for each in made if each.run == "multi-cancel-01")
    conforms = accept_run(copy.runs()[0], limits=LIMITS).conforms
    assert isinstance(conforms, Undecided)
    assert "no line tells it: the run shows notified-complete" in conforms.why


@pytest.mark.parametrize("kind", ["barrier-removed", "barrier-twice"])
def test_where_nothing_fails_a_barrier_is_read_once_and_before_the_checkpoint(kind: str) -> None:
    calm = [each for each in samples() if each.calm and not each.overtakes]
    for copy in copies(kind, calm, 3, SEED):
        (rejected,) = map(reject_run, copy.runs())
        assert rejected is not None
        line, told = int(copy.what.rpartition(" ")[2]), rejected.event.partition("(")[0]
        if kind == "barrier-twice":
            assert (rejected.line, told) == (line + 1, "barrier-received")
        else:
            assert told == "snapshot-begins"
            assert rejected.line >= line


@pytest.mark.slow
@pytest.mark.parametrize("kind", INVISIBLE)
def test_each_copy_is_rejected_or_explained_or_undecided(kind: str) -> None:
    made = copies(kind, samples(), EACH, SEED)
    assert len(made) == EACH
    for copy in explained(kind):
        assert differs_from(stored()[copy.name], copy) is None
        assert all(reject_run(run) is None for run in copy.runs())
    found = Counter(judged(copy.name, run)[0] for copy in made for run in copy.runs())
    assert found == FOUND[kind]


@pytest.mark.slow
def test_a_witness_of_a_run_as_it_was_explains_it() -> None:
    for original in samples():
        found, lines = judged(original.name, original.run)
        assert found == "explained"
        assert differs(lines, original.run) is None
