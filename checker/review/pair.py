"""One case under the protocol as it is and under the change: two reports, and what differs.

What was found is kept beside the reports: a second review of the same files builds no system.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from finale.checker.cache.code import digest, of_file
from finale.checker.cache.plain_data import plain, typed
from finale.checker.search.cached import cached_reports
from finale.checker.search.limits import Limits
from finale.checker.search.options import SearchOptions
from finale.checker.search.rows import SpecResult
from finale.checker.search.run import run
from finale.checker.search.verdict import WELL_FORMED, Report, Word
from finale.checker.spec.claim import Spec
from finale.model.language.explore import Branch
from finale.model.system import System, branches_of

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


@dataclass(frozen=True)
class Base:
    """What is kept of a system without the change: its form, and which branches runs take.

    `faults` are the rules of the environment that some run takes: those that no run relies on.
    """

    form: str
    taken: frozenset[Branch]
    faults: frozenset[str]

    def to_plain(self) -> object:
        """The lines by file, negative where a condition did not hold."""
        lines: dict[str, list[int]] = {}
        for each in sorted_by_line(self.taken):
            lines.setdefault(each.file, []).append(each.signed_line)
        return [self.form, lines, sorted(self.faults)]

    @classmethod
    def of_plain(cls, data: tuple[str, Mapping[str, Sequence[int]], Sequence[str]]) -> Base:
        """The value of which `to_plain` has made this."""
        form, lines, faults = data
        found = (Branch.at(file, line) for file, some in lines.items() for line in some)
        return cls(form, frozenset(found), frozenset(faults))


def known_without(case: Case, limits: Limits) -> Base:
    """Return, and keep, what a review asks of the case without the change."""
    return _base_of(case.base, searched_within(case.base, limits))


def kept_without(cases: Sequence[Case]) -> Mapping[Path, Base]:
    """Return what is kept of cases without the change, by file."""
    store = cases[0].base.catalogue.store if cases else None
    keys = {each.file: _key_of_base(each.base) for each in cases}
    if store is None:
        return {}
    texts = store.texts(key for key in keys.values() if key is not None)
    found = ((file, texts.get(key)) for file, key in keys.items() if key is not None)
    return {file: typed(Base, json.loads(text)) for file, text in found if text is not None}


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
        branches = frozenset(b for b in branches_of(after) if b.file in files)
        same = _base_of(case.base, base).form == digest_of(after)
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


def _base_of(spec: Spec, found: SpecResult) -> Base:
    """What is kept of a system without the change, once for all reviews, if a search was whole."""
    key, store = _key_of_base(spec), spec.catalogue.store
    text = None if key is None or store is None else store.text(key)
    if text is not None:
        return typed(Base, json.loads(text))
    system = found.system or spec.system()
    taken, faults = frozenset[Branch](), frozenset[str]()
    is_whole = _is_whole(found.report)
    if is_whole:
        taken = branches_of(system) - set(found.report.dead_branches)
        rules = {each.rule.name for each in system.rules if not each.rule.makes_progress}
        faults = found.report.exercised & rules
    base = Base(digest_of(system), taken, faults)
    if is_whole and key is not None and store is not None and key == _key_of_base(spec):
        store.put(key, json.dumps(plain(base), separators=(",", ":")))
        store.flush()
    return base


def _key_of_base(spec: Spec) -> bytes | None:
    key = _key_of_files(spec)
    return None if key is None else digest(["base", _of_room(), key])


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
        branches = frozenset(b for b in branches_of(after) if b.file in files)
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


def sorted_by_line(branches: frozenset[Branch]) -> list[Branch]:
    """Branches by file and line, those that are taken first."""
    return sorted(branches, key=lambda each: (each.file, each.line, not each.outcome))


__all__ = [
    "Base",
    "Pair",
    "how_systems_differ",
    "kept_without",
    "known_without",
    "pair_of",
    "searched_within",
    "sorted_by_line",
]
