"""Says if a change is not what it seems: it changes nothing, or part of it is never used."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from finale.checker.search.rows import SpecResult
from finale.checker.search.verdict import NO_DEADLOCK
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import without
from finale.checker.spec.overriding import Member, class_name, used_names
from finale.checker.spec.reading import spec_of
from finale.model.errors import FinaleError, Place
from finale.model.language.entities import Entity
from finale.model.language.protocol import Protocol

from .cases import Case
from .change import ChangedCatalogue, shadowed, without_own_keys
from .code import ChangedCode, ChangedMember, changed_code
from .lines import Coverage, MemberCoverage, coverage_of
from .pair import Pair, how_systems_differ

#: The rules of one spec are run line by line for so many seconds.
SECONDS_OF_SPEC = 2.0
#: Lines of one method that are listed; of more only the number.
LINES_MAX = 8


@dataclass(frozen=True)
class Remark:
    """What a reader of the change would not expect: `kind` is its name in JSON.

    `specs` are those that a remark is about, if it is not about all that were tried.
    """

    kind: str
    message: str
    place: Place | None = None
    specs: tuple[Path, ...] = ()


def unused(code: ChangedCode) -> Iterator[ChangedMember]:
    """Return the helpers of the change that nothing calls, and that override nothing."""
    used = used_names(ast.parse(Path(file).read_bytes()) for file in code.files)
    for each in code.methods:
        if each.role != "rule" and each.overrides is None and each.member.name not in used:
            yield each


def remarks_on_code(code: ChangedCode, coverage: Coverage) -> Iterator[Remark]:
    """Helpers of the change that nothing calls; lines of the others that no run reached."""
    idle = list(unused(code))
    yield from _unused_helpers(idle)
    for each in coverage.methods:
        if each.of not in idle:
            yield from _unreached(each)


def _unused_helpers(idle: Iterable[ChangedMember]) -> Iterator[Remark]:
    for each in idle:
        yield Remark("unused-helper", f"nothing calls {each.member}", each.member.place)


def _unreached(found: MemberCoverage) -> Iterator[Remark]:
    if found.unreached:
        member = found.of.member
        some = member if found.is_dead else f"{_lines(found.unreached)} of {member}"
        place = Place(found.of.file, found.unreached[0])
        yield Remark("unreached", f"no run reached {some}", place)


def remarks_on_entities(code: ChangedCode, specs: Iterable[Spec]) -> Iterator[Remark]:
    """Classes of entities of the change that no protocol makes."""
    wanted: dict[type, Member] = {}
    for each in code.members:
        if issubclass(each.kind, Entity) and not issubclass(each.kind, Protocol):
            wanted.setdefault(each.kind, each)
    made: set[type] = set()
    for spec in specs if wanted else ():
        made |= {base for entity in _entities(spec) for base in type(entity).__mro__}
    for kind, first in wanted.items():
        if kind not in made:
            message = f"no entity has the class {class_name(kind)}: the protocol makes none"
            yield Remark("unused-class", message, first.place)


def remarks_on_end(code: ChangedCode, differing: Collection[str]) -> Iterator[Remark]:
    """Say that the change has another end than the protocol, if the verdict of `no-deadlock` is
    among the differing ones: it asks the end of the change."""
    for each in code.members if NO_DEADLOCK in differing else ():
        if each.name == "terminal" and issubclass(each.kind, Protocol):
            message = f"{each} overrides the end: no-deadlock asks the change's own end"
            yield Remark("own-end", message, each.place)


def _entities(spec: Spec) -> Sequence[Entity]:
    return spec.instance().entities()


def _lines(numbers: Sequence[int]) -> str:
    if len(numbers) > LINES_MAX:
        return f"{len(numbers)} lines"
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def remarks_on_composition(changed: ChangedCatalogue) -> Iterator[Remark]:
    """Overrides of the change that a protocol built on the changed one overrides itself."""
    for key in changed.keys:
        kind = changed.catalogue.protocol(key)
        for name, owner in shadowed(kind, changed):
            message = f'in "{key}" {owner.__qualname__} overrides {name}, too, and comes first'
            yield Remark("shadowed", message)
    for key, why in changed.left_out.items():
        yield Remark("left-out", f'"{key}" cannot have the change: {why}')


def remarks_on_left_out(mistakes: Iterable[FinaleError]) -> Iterator[Remark]:
    """Specs that were left out because of a mistake in them."""
    for error in mistakes:
        yield Remark("spec-left-out", f"a spec is left out: {error.message}", error.place)


@dataclass(frozen=True)
class _Checked:
    """A spec of a variant that was checked, beside the same setting without the variant."""

    result: SpecResult
    case: Case
    code: ChangedCode
    pair: Pair

    @property
    def variant(self) -> tuple[str, str | None]:
        """What names the class of the variant."""
        return self.result.spec.protocol.key, self.result.spec.variant


def remarks_on_specs(results: Iterable[SpecResult], known: Catalogue) -> Iterator[Remark]:
    """Return how the variants of some specs are not what they seem.

    `known` has the protocols without the variants. A line that the run of any spec reaches is no
    unreached one: several specs and variants can share the code.
    """
    checked = list[_Checked]()
    for result in results:
        found = _checked(result, known)
        if isinstance(found, _Checked):
            checked.append(found)
            if found.pair.is_same:
                told = nothing_changes("the system has", "another job, other options or bounds")
                yield replace(told, specs=(result.spec.file,))
        else:
            yield found
    yield from _remarks_on_shared_code(checked)


def _checked(result: SpecResult, known: Catalogue) -> _Checked | Remark:
    spec, report = result.spec, result.report
    assert spec.table is not None
    plain = without(spec.table, ("variant", "search", "expect"))
    plain = without_own_keys(plain, known.protocol(str(plain["protocol"])), spec.protocol)
    try:
        base = replace(spec_of(spec.file, plain, spec.lines, known), asks_all=spec.asks_all)
    except FinaleError as error:
        told = f"not compared with the base: {error.message}"
        return Remark("no-base", told, specs=(spec.file,))
    code = changed_code(spec.protocol, base.protocol)
    case = Case(spec.file, base, spec)
    is_same, rules, branches = how_systems_differ(
        case, code.files, report, changed=lambda: None if result.only else result.system
    )
    return _Checked(result, case, code, Pair(report, report, is_same, rules, branches))


def _remarks_on_shared_code(checked: Sequence[_Checked]) -> Iterator[Remark]:
    groups: dict[tuple[str, str | None], list[_Checked]] = {}
    for each in checked:
        groups.setdefault(each.variant, []).append(each)
    remarks = dict[Remark, None]()
    runs: dict[Place, list[tuple[MemberCoverage, list[_Checked]]]] = {}
    for group in groups.values():
        code = group[0].code
        idle = [*unused(code)]
        remarks |= dict.fromkeys(_unused_helpers(idle))
        for told in remarks_on_entities(code, (each.case.changed for each in checked)):
            remarks[replace(told, specs=_files(group))] = None
        whole = [(each.case, each.pair) for each in group if not each.result.report.stopped]
        seconds = SECONDS_OF_SPEC * len(group)
        coverage = coverage_of(code, whole, seconds, is_whole=len(whole) == len(group))
        for method in coverage.methods:
            if method.of not in idle:
                runs.setdefault(method.of.member.place, []).append((method, group))
    yield from remarks
    for shared in runs.values():
        method, _ = shared[0]
        common = set(method.unreached).intersection(*(each.unreached for each, _ in shared))
        files = _files(each for _, group in shared for each in group)
        for told in _unreached(replace(method, unreached=tuple(sorted(common)))):
            yield replace(told, specs=files)


def _files(checked: Iterable[_Checked]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(each.case.file for each in checked))


def nothing_changes(has: str, what_to_try: str) -> Remark:
    """The remark on a change that changes nothing, with the next thing to try."""
    same = f"with it and without it, {has} the same states, steps and properties"
    return Remark("changes-nothing", f"the change changes nothing: {same}; try {what_to_try}")


def nothing_but_larger_bounds() -> Remark:
    """The remark on a change that only a larger bound shows."""
    same = "with it and without it, each setting has the same states, steps and properties"
    return Remark("only-larger-bounds", f"only a larger bound shows the change: {same}")


__all__ = [
    "Remark",
    "nothing_but_larger_bounds",
    "nothing_changes",
    "remarks_on_code",
    "remarks_on_composition",
    "remarks_on_end",
    "remarks_on_entities",
    "remarks_on_left_out",
    "remarks_on_specs",
]
