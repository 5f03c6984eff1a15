"""One case under the protocol as it is and under the change: two reports, and what differs.

What was found is kept beside the reports: a second review of the same files builds no system.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from finale.checker.cache.code import digest, of_file
from finale.checker.search.cached import cached_reports
from finale.checker.search.limits import Limits
from finale.checker.search.options import SearchOptions
from finale.checker.search.rows import SpecResult
from finale.checker.search.run import run
from finale.checker.search.verdict import WELL_FORMED, Report, Word
from finale.checker.spec.claim import Spec
from finale.model.language.explore import Branch
from finale.model.system import System, Update, leaves

from .cases import Case
from .form import digest_of, rules_that_differ
from .same import is_same
from .settled import settled

#: The change may have more states than the protocol: so many times, and no fewer than that number.
STATES_FACTOR = 20
STATES_LEAST = 1_000_000


@dataclass(frozen=True)
class Pair:
    """The reports of a case, and what differs between the systems.

    `is_same` says that the systems have the same states, steps and properties. `rules` are the
    rules that differ. `branches` are the branches in the code of the change. `is_searched` says
    that the change was searched, and not only found to have the form of the base: then nobody
    looked which branches runs take here. `is_cut_off` says that somebody wanted to, and that the
    search came to no end.
    """

    base: Report
    changed: Report
    is_same: bool
    rules: tuple[str, ...]
    branches: frozenset[Branch]
    is_searched: bool = True
    is_cut_off: bool = False

    @property
    def taken(self) -> frozenset[Branch]:
        """The branches in the code of the change that some transition took, as far as is known."""
        is_whole = _is_whole(self.changed)
        return self.branches - set(self.changed.dead_branches) if is_whole else frozenset()

    @property
    def tells_all(self) -> bool:
        """Whether the search of the change tells each rule and branch that any run takes.

        One that came to a limit does not, nor one under a reduction, nor one that lists no states.
        Nor does one that found a fault: the rules and branches on the way to a fault are not noted.
        """
        falls = {a.property for a in self.changed.verdicts if a.word is Word.VIOLATED}
        return _is_whole(self.changed) and WELL_FORMED not in falls and not self.is_cut_off


def pair_of(
    case: Case,
    files: frozenset[str],
    limits: Limits,
    searches: int = 1,
    *,
    is_whole: bool = True,
) -> Pair:
    """Search a case twice; `files` are those of the change. Raises coded errors of the change.

    Unless `is_whole`, a case whose system has the same form under the change is searched once.
    """
    base = searched_within(case.base, limits, searches)
    if not is_whole and (like := _like_base(case, files, base)) is not None:
        return like
    most = max(STATES_LEAST, STATES_FACTOR * base.report.statistics.states)
    own = limits if limits.states_max is not None else Limits(most, limits.seconds_max)
    changed = searched_within(case.changed, own, searches)
    systems = (lambda: base.system, lambda: changed.system)
    same, rules, branches = how_systems_differ(case, files, base.report, *systems)
    before = settled(base.report, case.base, changed.report, case.changed)
    after = settled(changed.report, case.changed, base.report, case.base)
    return Pair(before, after, same, rules, branches)


def known_without(case: Case, limits: Limits) -> None:
    """Keep in the cache what a review asks of the case without the change."""
    _form_of_base(case.base, searched_within(case.base, limits))


def _like_base(case: Case, files: frozenset[str], base: SpecResult) -> Pair | None:
    """The pair of a case whose system has the same form under the change, else None.

    The search without the change then says what is true with it.
    """
    if not _is_whole(base.report):
        return None
    key, store = _key(case, files), case.changed.catalogue.store
    own = None if key is None or store is None else digest(["form", key])
    text = None if own is None or store is None else store.text(own)
    if text is None:
        after = case.changed.system()
        branches = frozenset(_branches_in(after, files))
        same = _form_of_base(case.base, base) == digest_of(after)
        said = [same, [[b.file, b.line, b.outcome] for b in sorted_by_line(branches)]]
        if own is not None and store is not None and key == _key(case, files):
            store.put(own, json.dumps(said))
            store.flush()
    else:
        same, places = json.loads(text)
        branches = frozenset(Branch(*place) for place in places)
    if not same:
        return None
    report = replace(base.report, dead_branches=(*base.report.dead_branches, *branches))
    return Pair(base.report, report, True, (), branches, is_searched=False)


def _form_of_base(spec: Spec, found: SpecResult) -> str:
    """The digest of the form of a system without the change: worked out once for all reviews."""
    key, store = _key_of_files(spec), spec.catalogue.store
    own = None if key is None else digest(["form of the base", _of_room(), key])
    known = None if own is None or store is None else store.text(own)
    if known is None:
        known = digest_of(found.system or spec.system())
        if own is not None and store is not None and key == _key_of_files(spec):
            store.put(own, known)
            store.flush()
    return known


def searched_within(spec: Spec, limits: Limits, searches: int = 1) -> SpecResult:
    """Return the result of a spec within limits, whatever the cache has.

    A kept report can be of a search with more states than the limit allows. A review that takes it
    would depend on what was searched before.
    """
    options = SearchOptions(searches=searches)
    found = run(spec, limits, options=options)
    most = limits.states_max
    if most is None or not found.report.cached or found.report.statistics.states <= most:
        return found
    bare = replace(spec, catalogue=replace(spec.catalogue, store=None))
    return run(bare, limits, options=options)


def how_systems_differ(
    case: Case,
    files: frozenset[str],
    report: Report,
    base: Callable[[], System | None] = lambda: None,
    changed: Callable[[], System | None] = lambda: None,
) -> tuple[bool, tuple[str, ...], frozenset[Branch]]:
    """How the systems of a case differ: from the cache, if their files are the same.

    `report` is that of one of the two systems. If it does not list all states, equal systems can
    count as different ones: such an answer is not kept, as the next report may have no limit.
    `base` and `changed` give the systems with the properties of the case, if they are built.
    """
    key = _key(case, files)
    store = case.changed.catalogue.store
    text = None if key is None or store is None else store.text(key)
    if text is None:
        before, after = base() or case.base.system(), changed() or case.changed.system()
        states = report.statistics.states if _is_whole(report) else None
        same = is_same(before, after, states)
        rules = () if same else rules_that_differ(before, after)
        branches = frozenset(_branches_in(after, files))
        is_known = key is not None and key == _key(case, files)  # nothing was read in between
        if is_known and store is not None and (same or states is not None):
            assert key is not None
            said = [same, rules, [[b.file, b.line, b.outcome] for b in sorted_by_line(branches)]]
            store.put(key, json.dumps(said))
            store.flush()
        return same, rules, branches
    same, names, places = json.loads(text)
    return same, tuple(names), frozenset(Branch(*place) for place in places)


def _is_whole(report: Report) -> bool:
    return report.lists_states and not report.stopped and not report.reduced


def _key(case: Case, files: frozenset[str]) -> bytes | None:
    keys = [_key_of_files(case.base), _key_of_files(case.changed)]
    return None if None in keys else digest(["pair", _of_room(), *keys, sorted(files)])


@cache
def _of_room() -> bytes:
    return digest(of_file(file) for file in sorted(Path(__file__).parent.glob("*.py")))


def _key_of_files(spec: Spec) -> bytes | None:
    reports = cached_reports(spec, ["pair"])
    return None if reports is None else reports.key_of_files


def _branches_in(system: System, files: frozenset[str]) -> Iterator[Branch]:
    for rule in system.rules:
        for end in leaves(rule.tree):
            if isinstance(end, Update):
                yield from (branch for branch, _ in end.branches if branch.file in files)


def sorted_by_line(branches: frozenset[Branch]) -> list[Branch]:
    """Branches by file and line, those that are taken first."""
    return sorted(branches, key=lambda each: (each.file, each.line, not each.outcome))


__all__ = [
    "Pair",
    "how_systems_differ",
    "known_without",
    "pair_of",
    "searched_within",
    "sorted_by_line",
]
