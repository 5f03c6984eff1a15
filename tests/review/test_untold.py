"""A review finds each planted mistake and each bug of the past, and is not told where to look.

It is given the change alone. It tries the change on the settings of all specs of the protocol, the
small ones first, and must find that the property falls which the spec of the mistake expects to
fall. Small protocols are tried here; `make slow` tries all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from finale.checker.cache.store import Store, cache_folder
from finale.checker.review.change import Change
from finale.checker.review.review import Tried
from finale.checker.review.verdicts import Direction
from finale.checker.search.processes import processors
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Expectation
from finale.checker.spec.reading import read_spec
from tests.review.broken import ROOT, falling
from tests.review.reviewing import PLAIN, reviewed, specs_of

HISTORY = ROOT / "specs" / "history"
#: Protocols whose settings are so small that all changes of them are tried before a commit.
SMALL = ("two-phase-commit", "connector", "local-store", "persister")


def changes() -> Iterator[tuple[str, Change, str]]:
    """Each variant with a mistake, and each bug of history that is an option: what must fall."""
    for _, spec, name in falling():
        assert spec.variant is not None
        yield spec.variant, Change(spec.protocol.key, spec.variant), name
    for file in sorted(HISTORY.glob("*.toml")):
        bug, fix = (read_spec(each, PLAIN) for each in (file, HISTORY / "fixed" / file.name))
        if bug.variant is None:
            fixed = fix.setting.options
            given = (bug.table or {}).get("options", {})
            assert isinstance(given, dict)
            values = {k: v for k, v in given.items() if bug.setting.options[k] != fixed.get(k)}
            change = Change(
                bug.protocol.key, None, tuple((f"options.{k}", v) for k, v in values.items())
            )
            yield file.stem, change, _falls(bug.expectations, fix.expectations)


def _falls(bug: Mapping[str, Expectation], fix: Mapping[str, Expectation]) -> str:
    return next(
        name
        for name, each in bug.items()
        if each.verdict == "violated" and name in fix and fix[name].verdict == "holds"
    )


CHANGES = list(changes())


def found(change: Change, name: str, jobs: int) -> bool:
    """Whether the review finds that a property falls; it ends as soon as the property does.

    A `reachable` property falls when no run reaches it any more.
    """

    def falls(tried: Tried) -> bool:
        return any(
            each.property == name and each.direction in (Direction.VIOLATED, Direction.UNREACHED)
            for each in tried.differences
        )

    known = catalogue(None, Store(cache_folder()))  # the protocol itself is searched once for all
    files = specs_of(change.protocol)
    review = reviewed(change, files, known=known, plain=known, jobs=jobs, until=falls)
    return any(falls(each) for each in review.tried)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        pytest.param(change, name, id=title)
        for title, change, name in CHANGES
        if change.protocol in SMALL
    ],
)
def test_a_small_protocol(change: Change, name: str) -> None:
    assert found(change, name, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "name"),
    [
        pytest.param(change, name, id=f"{change.protocol}-{title}")
        for title, change, name in CHANGES
        if change.protocol not in SMALL
    ],
)
def test_every_change(change: Change, name: str) -> None:
    assert found(change, name, processors())


def test_all_bugs_are_asked_about() -> None:
    variants = set(PLAIN.variants)
    asked = {(change.protocol, change.variant) for _, change, _ in CHANGES}
    assert variants <= asked
    assert {file.stem for file in HISTORY.glob("*.toml")} == {
        file.stem
        for file in HISTORY.glob("*.toml")
        if file.stem in {title for title, _, _ in CHANGES} or _variant_of(file) in asked
    }


def _variant_of(file: Path) -> tuple[str, str | None]:
    spec = read_spec(file, PLAIN)
    return spec.protocol.key, spec.variant
