"""Says if a change is not what it seems: it changes nothing, or part of it is never used."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from finale.checker.search.answer import NO_DEADLOCK
from finale.checker.search.rows import SpecResult
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
from .lines import Coverage, coverage_of
from .pair import Pair, how_systems_differ

#: The rules of one spec are run line by line for so many seconds.
SECONDS_OF_SPEC = 2.0
#: Lines of one method that are listed; of more only the number.
LINES_MAX = 8


@dataclass(frozen=True)
class Remark:
    """What a reader of the change would not expect: `kind` is its name in JSON."""

    kind: str
    message: str
    place: Place | None = None


def unused(code: ChangedCode) -> Iterator[ChangedMember]:
    """Return the helpers of the change that nothing calls, and that override nothing."""
    used = used_names(ast.parse(Path(file).read_bytes()) for file in code.files)
    for each in code.methods:
        if each.role != "rule" and each.overrides is None and each.member.name not in used:
            yield each


def remarks_on_code(code: ChangedCode, coverage: Coverage) -> Iterator[Remark]:
    """Helpers of the change that nothing calls; lines of the others that no run reached."""
    idle = list(unused(code))
    for method in idle:
        yield Remark("unused-helper", f"nothing calls {method.member}", method.member.place)
    for each in coverage.methods:
        if each.unreached and each.of not in idle:
            member = each.of.member
            all_of = f"no run reached {member}"
            some = f"no run reached {_lines(each.unreached)} of {member}"
            place = Place(each.of.file, each.unreached[0])
            yield Remark("unreached", all_of if each.is_dead else some, place)


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


def remarks_on_spec(result: SpecResult, known: Catalogue) -> Iterator[Remark]:
    """How the variant of one spec is not what it seems; `known` has the protocol without it."""
    spec, report = result.spec, result.report
    assert spec.table is not None
    plain = without(spec.table, ("variant", "search", "expect"))
    plain = without_own_keys(plain, known.protocol(str(plain["protocol"])), spec.protocol)
    try:
        base = replace(spec_of(spec.file, plain, spec.lines, known), asks_all=spec.asks_all)
    except FinaleError as error:
        yield Remark("no-base", f"not compared with the base: {error.message}")
        return
    code = changed_code(spec.protocol, base.protocol)
    case = Case(spec.file, base, spec)
    is_same, rules, branches = how_systems_differ(
        case, code.files, report, changed=lambda: None if result.only else result.system
    )
    if is_same:
        yield nothing_changes("the system has", "another job, other options or larger bounds")
    pair = Pair(report, report, is_same, rules, branches)
    tried = [] if report.stopped else [(case, pair)]
    yield from remarks_on_code(code, coverage_of(code, tried, SECONDS_OF_SPEC))
    yield from remarks_on_entities(code, [spec])


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
    "remarks_on_spec",
]
