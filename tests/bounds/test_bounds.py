"""The command that repeats specs with larger bounds: what it keeps, and what its page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.search.limits import Limits
from tests.bounds.__main__ import left, result
from tests.bounds.kept import Change, Kept, key_of, read, write
from tests.bounds.page import CAUSES, causes, outcome, written
from tests.protocols.specs import ROOT, spec_of

SINK_ENDS = ROOT / "restore" / "first" / "sink-ends.toml"
REFUSED = ROOT / "restore" / "new-operator-refused.toml"
LOST = Change("each-record-is-somewhere", "violated", 4, "")
FOUND = Kept("a.toml", "k", "channel", "2", "3", (LOST,), ())


@pytest.mark.parametrize(
    ("kept", "word"),
    [
        (Kept("a", "k", "channel", "2", "3"), "same"),
        (FOUND, "changed"),
        (Kept("a", "k", "channel", "2", "3", (Change("p", "unknown", 9, "waits"),)), "waits"),
        (Kept("a", "k", "channel", "2", "3", (), ("p",), stopped="the limit"), "not decided"),
        (Kept("a", "k", "records", "1", "2", refused="bad-job"), "refused"),
    ],
)
def test_an_outcome_is_one_of_five(kept: Kept, word: str) -> None:
    assert outcome(kept) == word


def test_results_are_read_as_they_were_written_and_the_latest_counts(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "results.ndjson"
    old = Kept("a.toml", "old", "channel", "2", "3")
    for each in (old, FOUND):
        write(each, file)
    with file.open("a") as out:
        out.write('{"spec": "b.toml", "key')
    assert read(file) == {("a.toml", "channel"): FOUND}


def test_a_verdict_that_changes_is_found_and_kept() -> None:
    kept = result(REFUSED, "channel", Limits())
    assert (kept.spec, kept.before, kept.after) == ("restore/new-operator-refused.toml", "2", "3")
    assert kept.changes == (LOST,)
    assert kept.key == key_of(spec_of(REFUSED))


def test_what_is_known_is_not_asked_again_unless_it_has_changed() -> None:
    def asked(known: dict[tuple[str, str], Kept], *, undecided: bool = False) -> set[str]:
        tasks = left(known, Limits(), undecided=undecided)
        return {bound for file, bound, _ in tasks if file == SINK_ENDS}

    name, key = "restore/first/sink-ends.toml", key_of(spec_of(SINK_ENDS))
    assert asked({}) == {"channel", "records", "checkpoints"}
    known = {(name, "channel"): Kept(name, key, "channel", "2", "3")}
    assert asked(known) == {"records", "checkpoints"}
    known = {(name, "channel"): Kept(name, "old", "channel", "2", "3")}
    assert asked(known) == {"channel", "records", "checkpoints"}
    known = {(name, "channel"): Kept(name, key, "channel", "2", "3", stopped="the limit")}
    assert asked(known) == {"records", "checkpoints"}
    assert asked(known, undecided=True) == {"channel", "records", "checkpoints"}


def test_a_change_that_nobody_has_explained_is_counted() -> None:
    text, unexplained = written({FOUND.place: FOUND}, {"a.toml": "k"}, [FOUND.place])
    assert unexplained == 1
    assert "| a.toml | channel 2 → 3 | `each-record-is-somewhere` | violated in 4 steps |" in text


def test_an_old_result_is_told() -> None:
    text, _ = written({FOUND.place: FOUND}, {"a.toml": "new"}, [FOUND.place, ("a.toml", "records")])
    assert "1 of 2 pairs" in text
    assert "1 of these are of a spec" in text


def test_a_cause_explains_what_its_pattern_names() -> None:
    (cause,) = causes('[[cause]]\nwhy = "x"\nchanges = ["a* channel each-*"]')
    assert cause.explains(FOUND, LOST)
    assert not cause.explains(Kept("b.toml", "k", "channel", "2", "3"), LOST)


def test_causes_are_read() -> None:
    assert all(each.why and each.changes for each in causes(CAUSES.read_text()))
