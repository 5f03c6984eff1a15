"""A change meets those settings first that are likely to tell it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from finale.checker.cache.store import Store
from finale.checker.review.cases import OWN_SPECS, Case, cases
from finale.checker.review.change import Change, under
from finale.checker.review.code import ChangedCode, changed_code, function_of
from finale.checker.review.order import covering, in_order
from finale.checker.review.pair import (
    Pair,
    kept_without,
    known_without,
    pair_of,
    searched_within,
)
from finale.checker.review.review import Reviewer, Tried
from finale.checker.review.touched import branches_touched
from finale.checker.search.limits import Limits
from finale.checker.search.many import searched
from finale.checker.search.rows import SpecResult
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.typed import is_table
from finale.model.errors import FinaleError
from finale.model.language.explore import Branch
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.system import Update, leaves
from tests.review.reviewing import PLAIN, reviewed, said, specs_of

FINAL_CHECKPOINT = specs_of("final-checkpoint")


def orders(change: Change, files: Sequence[Path]) -> tuple[Sequence[Case], Sequence[Case]]:
    """The cases of a change as they are found, and in the order of a review."""
    base, changed = under(Change(change.protocol), PLAIN), under(change, PLAIN)
    found = cases(files, base, changed, change).found
    code = changed_code(changed.variant, base.base)
    return found, in_order(found, change, code, PLAIN, {})


def test_settings_of_mistakes_of_the_same_method_come_by_turns_with_small_ones() -> None:
    change = Change("final-checkpoint", "confirms-aborted")  # it overrides `deliver_abort`
    files = [each for each in FINAL_CHECKPOINT if each.stem != change.variant]
    found, order = orders(change, files)
    assert {each.file for each in found} == {each.file for each in order}
    assert len(found) == len(order)
    near = [each.file.stem for each in order[:6:2]]
    assert set(near) == {"finishes-again", "finishes-again-with-little-room", "released-by-abort"}
    small = [each.size for each in order[1:7:2]]
    assert max(small) <= 50


def test_settings_with_the_changed_option_come_early() -> None:
    change = Change("final-checkpoint", None, (("options.retained", 2),))
    _, order = orders(change, FINAL_CHECKPOINT)
    given = [options_of(each) for each in order[:6:2]]
    assert all("retained" in each for each in given)
    assert len(given[0]) <= len(given[1]) <= len(given[2])  # near the defaults first


def options_of(case: Case) -> Mapping[str, object]:
    given = toml_in(case.file)[0].get("options", {})
    assert is_table(given)
    return given


def test_specs_of_the_user_come_before_all_others(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        'title = "Mine"\nprotocol = "final-checkpoint"\n[job]\nA = { records = 3 }\n'
        'B = { from = ["A"], sink = "two-phase" }\n[bounds]\ncheckpoints = 4\n'
    )
    _, order = orders(Change("final-checkpoint", "prepares-twice"), [*FINAL_CHECKPOINT, own])
    assert order[0].file == own


def test_what_few_have_comes_first_and_then_all_begins_anew() -> None:
    has = {"common": "a", "large": "ab", "rare": "b", "twice": "ab", "nothing": ""}
    size = {"common": 0, "large": 50_000, "rare": 10, "twice": 20, "nothing": 0}
    order = covering(has, lambda each: frozenset(has[each]), lambda each: size[each])
    assert list(order) == ["twice", "common", "rare", "large", "nothing"]


def test_a_change_touches_what_reads_the_fields_that_it_writes_otherwise() -> None:
    change = Change("final-checkpoint", "tells-no-abort")  # it empties `aborts` and `latest`
    base, changed = under(Change(change.protocol), PLAIN), under(change, PLAIN)
    code = changed_code(changed.variant, base.base)
    file = OWN_SPECS / "final-checkpoint" / "pair.toml"
    system = cases([file], base, changed, change).found[0].base.system()
    ends = [end for rule in system.rules for end in leaves(rule.tree)]
    branches = {b for end in ends if isinstance(end, Update) for b, _ in end.branches}
    touched = branches_touched(code, branches)
    assert touched < branches
    assert {*_branches_in(FinalCheckpoint.deliver_abort, branches)} <= touched
    assert not {*_branches_in(FinalCheckpoint.deliver_confirmation, branches)} & touched


def test_what_a_search_with_a_limit_has_not_seen_is_not_kept(tmp_path: Path) -> None:
    known = catalogue(None, Store(tmp_path))
    base = under(Change("two-phase-commit"), known)
    found = cases(
        [OWN_SPECS / "two-phase-commit" / "as-many-as-by-default.toml"],
        base,
        base,
        Change("two-phase-commit"),
    ).found
    known_without(found[0], Limits(states_max=5))
    assert not kept_without(found)
    known_without(found[0], Limits())
    assert [*kept_without(found)] == [found[0].file]


def _branches_in(rule: object, branches: set[Branch]) -> Iterator[Branch]:
    function = function_of(rule)
    assert function is not None
    lines, first = inspect.getsourcelines(function)
    inside = range(first, first + len(lines))
    found = [b for b in branches if b.file == function.__code__.co_filename and b.line in inside]
    assert found
    yield from found


def small_cases(change: Change) -> Sequence[Path]:
    """Settings of which some have the same system under the change, and some another one."""
    names = (
        "history/fixed/flink-37605",
        "history/fixed/flink-24131",
        "final-checkpoint/committer",
        "final-checkpoint/pair",
        "final-checkpoint/broken/waits-unconfigured",
    )
    files = [OWN_SPECS / f"{name}.toml" for name in names]
    found, _ = orders(change, files)
    assert len(found) == len(files)
    return files


def test_what_is_not_searched_again_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    change = Change("final-checkpoint", "prepares-twice")
    files = small_cases(change)
    told = []
    for is_whole in (False, True):
        if is_whole:
            monkeypatch.setattr("finale.checker.review.pair._like_base", lambda *_: None)
        found = reviewed(change, files)
        coverage = [(str(m.of.member), m.lines, m.unreached) for m in found.coverage.methods]
        told.append(({said(each) for each in found.findings}, coverage, found.rules, found.exit))
    assert told[0] == told[1]
    assert told[0][0]


def test_a_system_of_the_same_form_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    change = Change("final-checkpoint", "commits-only-its-own")
    found, _ = orders(change, [OWN_SPECS / "final-checkpoint" / "pair.toml"])
    base, changed = under(Change(change.protocol), PLAIN), under(change, PLAIN)
    files = changed_code(changed.variant, base.base).files
    whole = pair_of(found[0], files, Limits())
    assert whole.is_same
    searched: list[Spec] = []

    def within(spec: Spec, limits: Limits, searches: int = 1) -> SpecResult:
        searched.append(spec)
        return searched_within(spec, limits, searches)

    monkeypatch.setattr("finale.checker.review.pair.searched_within", within)
    once = pair_of(found[0], files, Limits(), is_whole=False)
    assert searched == [found[0].base]
    assert whole.is_searched
    assert not once.is_searched
    assert [(a.property, a.word, a.steps) for a in once.changed.verdicts] == [
        (a.property, a.word, a.steps) for a in whole.changed.verdicts
    ]
    assert once.branches == whole.branches
    assert not once.taken


class _Reviews(Reviewer):
    """A reviewer of cases that are compared, and then searched for branches."""

    def of(self, cases: Sequence[Case], code: ChangedCode) -> Iterator[Tried]:
        self.errors: dict[Path, FinaleError] = {}
        yield from self._tried(cases, code, self.errors)


@pytest.mark.parametrize(
    "end", [FinaleError("worker-died", "it died", advice=""), KeyboardInterrupt()]
)
def test_what_is_compared_is_told_though_the_search_for_branches_ends(
    end: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = Change("final-checkpoint", "commits-only-its-own")
    found, _ = orders(change, [OWN_SPECS / "final-checkpoint" / "pair.toml"])
    base, changed = under(Change(change.protocol), PLAIN), under(change, PLAIN)
    code = changed_code(changed.variant, base.base)
    results = searched

    def ends_early(
        keys: Sequence[Path], search: Callable[[Path], Pair], *others: Any
    ) -> Iterator[tuple[Path, Pair | FinaleError]]:
        for key, result in results(keys, search, *others):
            assert not isinstance(result, FinaleError)
            if not result.is_searched:
                yield key, result
            elif isinstance(end, FinaleError):
                yield key, end
            else:
                raise end

    monkeypatch.setattr("finale.checker.review.review.searched", ends_early)
    reviewer = _Reviews(PLAIN, PLAIN, [], Limits(), 1, lambda _: None)
    told = list[Tried]()
    with suppress(KeyboardInterrupt):
        for each in reviewer.of(found, code):
            told.append(each)
    assert [each.case for each in told] == list(found)
    assert not reviewer.errors
    assert told[0].pair.is_cut_off
    assert not told[0].pair.tells_all
