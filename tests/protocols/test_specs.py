"""Every spec is as it expects, and no branch of a protocol is dead in all of its specs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from inspect import getsourcefile
from pathlib import Path

import pytest

from finale.checker.coverage.suite import own_reasons
from finale.checker.report.matrix import is_cell
from finale.checker.search.backends import check_with
from finale.checker.search.interpreter.comparing import compare_all
from finale.checker.search.limits import Limits
from finale.checker.search.rows import ResultRow, result_of
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.decorators import DecoratedFunction, mark_of
from finale.model.language.explore import Branch
from finale.model.protocols.registry import PROTOCOLS as REGISTERED
from finale.model.system import Kind, System, Update, leaves
from tests.protocols.specs import FILES, name_of, spec_of, specs

PROTOCOLS = tuple(entry.key for entry in REGISTERED)


@cache
def marked_functions(kind: type) -> tuple[DecoratedFunction, ...]:
    """The marked functions of a class and its bases, properties included."""
    found: dict[str, DecoratedFunction] = {}
    for base in reversed(kind.__mro__):
        for value in vars(base).values():
            mark = mark_of(value.fget if isinstance(value, property) else value)
            if mark is not None:
                found[mark.function.__qualname__] = mark
    return tuple(found.values())


def branches_of(system: System) -> set[Branch]:
    """The branches that some leaf of some rule takes."""
    return {
        branch
        for rule in system.rules
        for leaf in leaves(rule.tree)
        if isinstance(leaf, Update)
        for branch, _ in leaf.branches
    }


def source_of(branch: Branch) -> str:
    return Path(branch.file).read_text(encoding="utf-8").splitlines()[branch.line - 1].strip()


def all_branches(kinds: set[type], explored: set[Branch]) -> Iterator[tuple[str, Branch]]:
    """The branches of marked functions by their names; what properties alone ask has none."""
    for kind in kinds:
        for mark in marked_functions(kind):
            branches = mark.prepared.branches
            if mark.role != "define" or explored & set(branches):
                for branch in branches:
                    yield mark.function.__qualname__, branch


def unlisted(spec: Spec, system: System, rows: Iterable[ResultRow]) -> list[ResultRow]:
    """The safety properties that fall in a spec of a sound protocol without it saying so.

    A cell of a matrix asks one question; the cells beside it ask the others.
    """
    safety = {p.name for p in system.properties if p.kind in (Kind.ALWAYS, Kind.ON_STEP)}
    return [
        row
        for row in rows
        if spec.variant is None
        and not is_cell(spec.file)
        and row.property in safety - spec.expectations.keys()
        and row.word is Word.VIOLATED
    ]


def brief(row: ResultRow) -> str:
    return f"{row.property} {row.word} {row.steps or ''}; expected: {row.expected}"


@dataclass
class Examined:
    """Of all specs of a protocol: what is not as expected, and what its rules are made of."""

    wrong: list[str] = field(default_factory=list[str])
    explored: set[Branch] = field(default_factory=set[Branch])
    """The branches that rules have."""
    taken: set[Branch] = field(default_factory=set[Branch])
    """Those of them that some step takes."""
    kinds: set[type] = field(default_factory=set[type])
    """The classes of entities, and of the protocol."""


#: All rules and properties of a spec are compared with plain Python in so many states.
STATES_COMPARED = 12


def misread_in(spec: Spec, system: System) -> Iterator[str]:
    """What the rules and properties of this package say otherwise as plain Python."""
    try:
        assert compare_all(spec.asked, system, STATES_COMPARED)
    except FinaleError as error:
        yield str(error)


#: A spec with more states is large, and so is a cell of a matrix that nobody has counted yet.
SMALL_STATES_MAX = 700


def is_large(spec: Spec) -> bool:
    if spec.counts is None:
        return is_cell(spec.file)
    return spec.counts.states > SMALL_STATES_MAX


@cache
def examined(key: str, *, large: bool) -> Examined:
    """The large specs of a protocol, or the others, searched."""
    found = Examined()
    for spec in specs():
        if spec.protocol.key != key or is_large(spec) != large:
            continue
        system = spec.system()
        expected = spec.counts.states if spec.counts is not None else None
        report = check_with("auto", system, Limits(), None, expected)
        rows = result_of(spec, system, report, ()).rows
        name = spec.file.name
        found.wrong += [f"{name}: {each}" for each in misread_in(spec, system)]
        found.wrong += [f"{name}: {brief(row)}" for row in rows if not row.ok]
        found.wrong += [f"{name} leaves out {brief(row)}" for row in unlisted(spec, system, rows)]
        if spec.variant is None:
            branches = branches_of(system)
            found.explored |= branches
            found.taken |= branches - set(report.dead_branches)
            found.kinds |= {type(v.entity) for v in system.variables} | {spec.protocol}
    return found


@pytest.mark.parametrize("key", PROTOCOLS)
def test_specs_are_as_expected(key: str) -> None:
    wrong = examined(key, large=False).wrong
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("key", PROTOCOLS)
def test_large_specs_are_as_expected(key: str) -> None:
    wrong = examined(key, large=True).wrong
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_spec_says_where_it_is_from(file: Path) -> None:
    assert spec_of(file).cites


def test_titles_tell_specs_apart() -> None:
    titles = Counter(spec_of(file).title for file in FILES)
    assert [title for title, number in titles.items() if number > 1] == []


@pytest.mark.slow
def test_no_branch_is_dead_in_all_specs() -> None:
    """Of a protocol's own file over its specs and those of protocols that are built on it.

    What protocols share is asked over the specs of all.
    """
    found = {key: [examined(key, large=large) for large in (False, True)] for key in PROTOCOLS}
    halves = [half for both in found.values() for half in both]
    everywhere = set[Branch]().union(*(half.taken for half in halves))
    explored = set[Branch]().union(*(half.explored for half in halves))
    dead = set()
    for key, both in found.items():
        protocol = catalogue().protocol(key)
        own = getsourcefile(protocol)
        kind_of = catalogue().protocol
        built = [  # and those whose rules stand in the same file
            k
            for k in PROTOCOLS
            if issubclass(kind_of(k), protocol) or getsourcefile(kind_of(k)) == own
        ]
        taken = set[Branch]().union(*(half.taken for k in built for half in found[k]))
        kinds = set[type]().union(*(half.kinds for half in both))
        for function, branch in all_branches(kinds, explored):
            if branch not in (taken if branch.file == own else everywhere):
                dead.add((function, source_of(branch), branch.outcome))
    reasons = {(r.function, r.line, r.outcome) for r in own_reasons() if r.function}
    assert not dead - reasons, "\n".join(map(str, sorted(dead - reasons)))
    assert dead >= reasons, "a reason is out of date"
