"""Reviews a change: tries it on all cases, and puts together what differs."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter

from finale.checker.search.limits import Limits
from finale.checker.search.many import searched
from finale.checker.search.rows import Exit
from finale.checker.simulation.judging import Judge
from finale.checker.spec.catalogue import Catalogue
from finale.checker.studies.effects import Effect, effect_of
from finale.model.errors import FinaleError
from finale.model.language.explore import Branch

from .behaviours import Behaviours, behaviours_of
from .cases import Case, Cases, cases
from .change import Change, ChangedCatalogue, under
from .code import ChangedCode, changed_code
from .lines import Coverage, coverage_of
from .order import EFFORT_OF_SETTING, in_order
from .pair import Pair, kept_without, pair_of
from .seeming import (
    Remark,
    nothing_but_larger_bounds,
    nothing_changes,
    remarks_on_code,
    remarks_on_composition,
    remarks_on_end,
    remarks_on_entities,
    remarks_on_left_out,
)
from .stability import Flip, Stability, stability_of
from .verdicts import Difference, Direction, differences

#: So many settings for each process are searched before it is asked again which branches are left.
CASES_AT_ONCE = 4


@dataclass(frozen=True)
class Tried:
    """A case that was searched twice, and the verdicts that differ."""

    case: Case
    pair: Pair
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class ChangedProperty:
    """One property that changed one way: in which cases, the shortest trace first."""

    property: str
    direction: Direction
    shown: tuple[tuple[Tried, Difference], ...]

    @builtins.property  # the field of that name hides the word
    def first(self) -> tuple[Tried, Difference]:
        """The case with the shortest trace; of several the smallest one."""
        return self.shown[0]


@dataclass(frozen=True)
class Progress:
    """How far a review is: the files at work, how many are done, and of how many.

    `fallen` are the properties that are newly violated so far. `seconds_left` is an estimate, for
    the settings; None if there is none yet.
    """

    busy: Sequence[Path]
    done: int
    count: int
    fallen: Sequence[str] = ()
    seconds_left: float | None = None


@dataclass(frozen=True)
class Review:
    """The answer about one change."""

    change: Change
    base: ChangedCatalogue
    changed: ChangedCatalogue
    cases: Cases
    tried: tuple[Tried, ...]
    errors: Mapping[Path, FinaleError]
    code: ChangedCode
    coverage: Coverage
    of_code: tuple[Remark, ...]
    """The remarks on the code of the change and on the specs."""
    stability: Stability | None = None
    behaviours: Behaviours | None = None
    interrupted: bool = False
    seconds: float = 0.0

    @cached_property
    def findings(self) -> tuple[ChangedProperty, ...]:
        """What differs: the worst kind first, what is asked on request last, then by its effect,
        then the shortest."""
        groups: dict[tuple[Direction, str], list[tuple[Tried, Difference]]] = {}
        for tried in self.tried:
            for each in tried.differences:
                groups.setdefault((each.direction, each.property), []).append((tried, each))
        order = list(Direction)
        found = [
            ChangedProperty(name, direction, tuple(sorted(shown, key=_length)))
            for (direction, name), shown in groups.items()
        ]

        def rank(each: ChangedProperty) -> tuple[int, bool, int, tuple[int, int, str]]:
            on_request = each.first[0].case.is_on_request(each.property)
            effect = self._badness(each)
            return order.index(each.direction), on_request, effect, _length(each.first)

        found.sort(key=rank)
        return tuple(found)

    @cached_property
    def runs(self) -> tuple[tuple[ChangedProperty, ...], ...]:
        """The properties that fall, those together that one run breaks: the run of the first one.

        The worst come first: by their kind, then by the effect of what the run breaks; then the run
        that breaks most, of several the shortest one.
        """
        left = [each for each in self.findings if each.direction.falls]
        broken = {each.property: _broken_by(each) if len(left) > 1 else () for each in left}
        groups: list[tuple[ChangedProperty, ...]] = []
        while left:
            worst = [each for each in left if each.direction is left[0].direction]
            same = {
                lead.property: [
                    e for e in worst if e is lead or e.property in broken[lead.property]
                ]
                for lead in worst
            }
            lead = min(
                worst,
                key=lambda each: (
                    min(map(self._badness, same[each.property])),
                    -len(same[each.property]),
                ),
            )
            groups.append(tuple(sorted(same[lead.property], key=lambda each: each is not lead)))
            left = [each for each in left if each not in groups[-1]]
        return tuple(groups)

    def _badness(self, each: ChangedProperty) -> int:
        """The effect of a violation as a number: 0 for data that are lost or doubled."""
        family = self.changed.catalogue.properties.get(each.property)
        return list(Effect).index(effect_of(each.property, family))

    @cached_property
    def new_flips(self) -> tuple[tuple[Flip, ...], ...]:
        """What falls with a larger bound alone: the flips of each property, the shortest first.

        A property that falls in the setting of some spec is a finding already.
        """
        fallen = {each.property for each in self.findings if each.direction is Direction.VIOLATED}
        return self._flips(lambda each: each.is_new and each.property not in fallen)

    @cached_property
    def unsettled_flips(self) -> tuple[tuple[Flip, ...], ...]:
        """What falls with a larger bound, and is unknown there without the change, likewise."""
        falls = (Direction.VIOLATED, Direction.UNSETTLED)
        told = {each.property for each in self.findings if each.direction in falls}
        told |= {same[0].property for same in self.new_flips}
        return self._flips(lambda each: each.is_unsettled and each.property not in told)

    @cached_property
    def ends_of_mends(self) -> tuple[tuple[Flip, ...], ...]:
        """What the change mends up to a bound alone, and what falls with the next, likewise."""
        return self._flips(lambda each: each.is_end_of_mend)

    @cached_property
    def old_flips(self) -> tuple[tuple[Flip, ...], ...]:
        """What falls with a larger bound without the change, too, likewise."""
        return self._flips(lambda each: each.is_old)

    def _flips(self, wanted: Callable[[Flip], bool]) -> tuple[tuple[Flip, ...], ...]:
        groups: dict[str, list[Flip]] = {}
        for each in self.stability.flips if self.stability is not None else ():
            if wanted(each):
                groups.setdefault(each.property, []).append(each)
        return tuple(map(tuple, groups.values()))

    @property
    def is_same(self) -> bool:
        """Whether the change changes nothing in any case, and with no larger bound."""
        flips = self.stability.flips if self.stability is not None else ()
        differs = self.differs_in_a_setting or not all(each.is_old for each in flips)
        return bool(self.tried) and not differs

    @property
    def differs_in_a_setting(self) -> bool:
        """Whether the systems or the verdicts differ in a case."""
        return any(each.differences or not each.pair.is_same for each in self.tried)

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """How the change is not what it seems, by what the whole review has found.

        That nothing changes is said only if all settings were searched to the end.
        """
        done = len(self.tried) == len(self.cases.found)
        left_out = self.interrupted or self.errors or self.cases.unread or self.stopped
        if not self.tried or left_out or not done or self.differs_in_a_setting:
            return self.of_code
        found = nothing_changes("each setting has", "specs with other settings (--specs)")
        if not self.is_same:
            found = nothing_but_larger_bounds()
        return found, *self.of_code

    @property
    def rules(self) -> Mapping[str, tuple[int, int]]:
        """The rules that differ: in how many cases, and in how many of these some run takes it."""
        found: dict[str, tuple[int, int]] = {}
        for each in self.tried:
            for name in each.pair.rules:
                count, taken = found.get(name, (0, 0))
                found[name] = count + 1, taken + (name in each.pair.changed.exercised)
        return found

    @property
    def stopped(self) -> tuple[Tried, ...]:
        """The cases in which a search came to a limit."""
        return tuple(each for each in self.tried if _is_stopped(each.pair))

    @property
    def exit(self) -> Exit:
        """The exit code: 1 if a verdict is worse with the change."""
        if self.interrupted:
            return Exit.INTERRUPTED
        if self.errors and not self.tried:
            return Exit.BAD_INPUT
        codes = {each.direction.exit for each in self.findings}
        if Exit.FAILED in codes or self.new_flips:
            return Exit.FAILED
        if self.errors:
            return Exit.BAD_INPUT
        is_open = self.stopped or self.unsettled_flips or Exit.LIMIT in codes
        return Exit.LIMIT if is_open else Exit.AS_EXPECTED


@dataclass
class Reviewer:
    """Reviews changes; the options are those of the command line.

    `look` is called a few times a second with how far the review is. `seconds_of_stability` is the
    time limit of the searches with larger bounds, and `seconds_of_behaviours` that of the
    comparisons of what can happen; zero leaves them out.
    """

    catalogue: Catalogue
    plain: Catalogue
    files: Sequence[Path]
    limits: Limits
    jobs: int
    look: Callable[[Progress], None]
    is_slow_wanted: bool = False
    seconds_of_stability: float = 0.0
    seconds_of_behaviours: float = 0.0
    until: Callable[[Tried], bool] = field(default=lambda _: False)
    """Whether a case says enough: the others, larger bounds and comparisons are then left out."""
    began: float | None = None
    """When the user began to wait for the first review: what was read before it counts, too."""

    def review(self, change: Change) -> Review:
        """Review one change.

        Raises `no-cases`, coded errors of the change itself, and the mistake of a spec if there is
        no other one.
        """
        began, self.began = self.began, None
        began = perf_counter() if began is None else began
        base = under(Change(change.protocol), self._catalogue_of_base(change))
        changed = under(change, self.catalogue)
        found = cases(self.files, base, changed, change, self.is_slow_wanted)
        errors = dict(found.errors)
        if not found.found and not errors:
            for error in found.unread.values():
                raise error
            raise FinaleError(
                "no-cases",
                f'no spec describes a setting of "{change.protocol}"'
                + (" but slow ones" if found.slow else ""),
                advice="add --slow"
                if found.slow
                else "name specs of this protocol: finale review VARIANT --specs FOLDER",
            )
        code = changed_code(changed.variant, base.base)
        tried, interrupted, is_enough = list[Tried](), False, False
        try:
            kept = kept_without(found.found)
            order = in_order(found.found, change, code, self.catalogue, kept)
            for each in self._tried(order, code, errors):
                tried.append(each)
                is_enough = self.until(each)
                if is_enough:
                    break
        except KeyboardInterrupt:
            interrupted = True
        pairs = [(each.case, each.pair) for each in tried]
        left_out = errors or found.unread
        is_whole = not (interrupted or left_out) and len(tried) == len(found.found)
        coverage = coverage_of(code, pairs, is_whole=is_whole)
        remarks = (
            *remarks_on_left_out(found.unread.values()),
            *remarks_on(changed, code, coverage, pairs),
            *remarks_on_end(code, {of.property for each in tried for of in each.differences}),
        )
        stability, behaviours, most = None, None, self.limits.states_max
        try:
            if self.seconds_of_stability and not (interrupted or is_enough):
                seconds = self.seconds_of_stability
                fallen = _fallen(tried)
                stability = stability_of(
                    pairs,
                    seconds,
                    self.jobs,
                    lambda busy, done, count: self.look(Progress(busy, done, count, fallen)),
                    most,
                )
            if self.seconds_of_behaviours and not (interrupted or is_enough):
                behaviours = behaviours_of(pairs, self.seconds_of_behaviours, most)
        except KeyboardInterrupt:
            interrupted = True
        return Review(
            change,
            base,
            changed,
            found,
            tuple(tried),
            errors,
            code,
            coverage,
            remarks,
            stability,
            behaviours,
            interrupted,
            perf_counter() - began,
        )

    def _catalogue_of_base(self, change: Change) -> Catalogue:
        """The catalogue without the user's folder, if the folder has nothing that the base needs.

        What was found before about the protocol then stays valid if the folder changes.
        """
        own = self.catalogue
        is_ours = change.protocol in self.plain.protocols
        needs_folder = set(own.protocols) != set(self.plain.protocols)
        needs_folder = needs_folder or set(own.properties) != set(self.plain.properties)
        return self.plain if is_ours and not needs_folder else own

    def _tried(
        self, found: Sequence[Case], code: ChangedCode, errors: dict[Path, FinaleError]
    ) -> Iterator[Tried]:
        """Yield each case, once all that it tells is known.

        All cases are compared first. One whose system has the form of the base under the change
        tells no verdict anew: it is searched only for branches in the code of the change that no
        run was seen to take, and its verdicts stay known if that search comes to no end.
        """
        by_file = {case.file: case for case in found}
        jobs = max(1, min(self.jobs, len(found)))
        fallen: dict[str, None] = {}
        effort = {case.file: EFFORT_OF_SETTING + case.size for case in found}
        left, taken, waiting = set[Path](), set[Branch](), dict[Path, Pair]()

        def compare(file: Path) -> Pair:
            return pair_of(by_file[file], code.files, self.limits, jobs, is_whole=False)

        def search(file: Path) -> Pair:
            return pair_of(by_file[file], code.files, self.limits, jobs)

        def heed(file: Path, result: Pair | FinaleError) -> None:
            left.discard(file)
            if not isinstance(result, FinaleError):
                taken.update(result.taken)
                fallen.update(dict.fromkeys(_fallen([tried_of(by_file[file], result)])))

        def asked(
            part: Sequence[Path], ask: Callable[[Path], Pair]
        ) -> Iterator[tuple[Path, Pair | FinaleError]]:
            left.update(part)
            began, whole = perf_counter(), sum(effort[each] for each in part)

            def look(busy: Sequence[Path], _done: int, _count: int) -> None:
                ahead, count = sum(effort[each] for each in left), len(by_file)
                behind = whole - ahead
                seconds = (perf_counter() - began) * ahead / behind if behind else None
                self.look(Progress(busy, count - len(left), count, tuple(fallen), seconds))

            return searched(part, ask, jobs, look, heed)

        def tried(file: Path) -> Tried:
            return tried_of(by_file[file], waiting.pop(file))

        try:
            for file, result in asked([*by_file], compare):
                if isinstance(result, FinaleError):
                    errors[file] = result
                    continue
                waiting[file] = result
                if result.is_searched or result.branches <= taken:
                    yield tried(file)
            while waiting:
                for file in [each for each, pair in waiting.items() if pair.branches <= taken]:
                    yield tried(file)
                part = [*waiting][: CASES_AT_ONCE * jobs]
                for file, result in asked(part, search) if part else ():
                    if isinstance(result, FinaleError) or result.changed.stopped:
                        waiting[file] = replace(waiting[file], is_cut_off=True)
                    else:
                        waiting[file] = result
                    yield tried(file)
        except KeyboardInterrupt:
            for file in [*waiting]:
                waiting[file] = replace(waiting[file], is_cut_off=True)
                yield tried(file)
            raise


def remarks_on(
    changed: ChangedCatalogue,
    code: ChangedCode,
    coverage: Coverage,
    tried: Sequence[tuple[Case, Pair]],
) -> Iterator[Remark]:
    """Return how the code of a change is not what it seems."""
    yield from remarks_on_code(code, coverage)
    yield from remarks_on_entities(code, (case.changed for case, _ in tried))
    yield from remarks_on_composition(changed)


def tried_of(case: Case, pair: Pair) -> Tried:
    """Return a case with the verdicts that differ."""
    return Tried(case, pair, tuple(differences(pair.base, pair.changed)))


def _fallen(tried: Sequence[Tried]) -> tuple[str, ...]:
    """The properties that are newly violated in some of these cases, each once."""
    new = (each for one in tried for each in one.differences)
    return tuple(
        dict.fromkeys(each.property for each in new if each.direction is Direction.VIOLATED)
    )


def _broken_by(finding: ChangedProperty) -> Collection[str]:
    """The properties that the run of a finding breaks."""
    tried, difference = finding.first
    if difference.trace is None:
        return ()
    return Judge(tried.case.changed.system()).fallen(difference.trace)


def _is_stopped(pair: Pair) -> bool:
    return bool(pair.base.stopped or pair.changed.stopped)


def _length(shown: tuple[Tried, Difference]) -> tuple[int, int, str]:
    tried, difference = shown
    trace = difference.trace
    states = tried.pair.changed.statistics.states
    return states if trace is None else trace.length, states, str(tried.case.file)


__all__ = ["ChangedProperty", "Progress", "Review", "Reviewer", "Tried"]
