"""Each method that Finale names is there: in the releases that the name's place says."""

from __future__ import annotations

import os

import pytest

from finale.checker.impact.builds import build_of
from finale.checker.impact.method_names import (
    Method,
    Releases,
    in_release,
    methods_in,
    releases_in,
    renamed,
)
from finale.checker.impact.naming import Kind, line_patterns
from finale.checker.spec.doc_tables import page_text, tables_in
from tests.impact.digest import (
    NEWEST,
    RELEASES,
    classes_of,
    digest_of,
    known_names,
    read,
)
from tests.impact.test_releases import missing

DIGEST = read()


def has(release: str, method: Method) -> bool:
    """Whether a class with the short name has the method in a release."""
    classes = DIGEST[release]
    return any(method.name in classes[each] for each in classes_of(method.owner, classes))


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_has_each_method_that_is_named_for_it(release: str) -> None:
    absent: list[str] = []
    for name in known_names(release):
        if name.kind is Kind.HOOK:
            owner = name.owner.replace(".", "/")
            if name.method not in DIGEST[release].get(owner, ()):
                absent.append(f"{name.told}: {name.owner}.{name.method}")
        else:
            found = in_release(name.of, release)
            absent += [f"{name.told}: {each}" for each in found if not has(release, each)]
    assert not absent


def test_each_name_is_of_a_release_that_is_looked_at() -> None:
    never = [
        f"{name.told}: {name.owner}.{name.method}"
        for name in known_names(NEWEST)
        if not any(in_release(name.of, release) for release in RELEASES)
    ]
    assert not never


def test_a_name_of_another_release_stands_for_one_that_is_absent_there() -> None:
    for text, rows in renamed().items():
        (method,) = methods_in(f"`{text}`")
        assert has(NEWEST, method), text
        for releases, there in rows:
            covered = [release for release in RELEASES if releases.has(release)]
            assert covered, (text, releases)
            for release in covered:
                assert not has(release, method), (text, release)
                assert all(has(release, each) for each in there), (text, release)


def test_each_row_of_another_release_is_of_a_name() -> None:
    named = {f"{name.owner}.{name.method}" for name in known_names(NEWEST)}
    assert set(renamed()) <= named


def test_each_option_that_is_flinks_names_a_method() -> None:
    """The two others are a choice of the user, and a method of 1.8."""
    without: set[str] = set()
    for _, (header, *rows) in tables_in(page_text("defaults")):
        if header[0] == "Option":
            flink, where = header.index("Flink"), header.index("Class and method")
            without |= {
                row[0].strip("`")
                for row in rows
                if row[flink] != "own" and not list(methods_in(row[where]))
            }
    assert without == {"resume_from", "stop"}


def test_each_logger_is_a_class() -> None:
    loggers = {logger for logger, _ in line_patterns()}
    assert loggers <= set(DIGEST[NEWEST])


def test_which_releases_a_cell_says() -> None:
    cell = "up to 1.13: `A.b`, `C.d`; since 1.14, with a flag: `E.f`; `G.h`; 1.9 to 1.13.2: `I.j`"
    found = {str(each): each.releases for each in methods_in(cell)}
    assert found == {
        "A.b": Releases((), (1, 13)),
        "C.d": Releases((), (1, 13)),
        "E.f": Releases((1, 14), ()),
        "G.h": Releases(),
        "I.j": Releases((1, 9), (1, 13, 2)),
    }
    assert releases_in("1.14: ") == Releases((1, 14), (1, 14))
    one, until = releases_in("1.14"), releases_in("up to 1.13.2")
    assert [one.has(each) for each in ("1.13.6", "1.14.0", "1.14.6", "1.15.0", "")] == [
        *(False, True, True, False, False)
    ]
    assert [until.has(each) for each in ("1.9.1", "1.13.2", "1.13.3", "2.0")] == [
        *(True, True, False, False)
    ]
    assert Releases((2, 0)).has("2.3-SNAPSHOT")
    assert Releases((2, 0)).has("")


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_digest_is_what_the_jar_says(release: str) -> None:
    if missing(release) and not os.environ.get("FINALE_FETCH"):
        pytest.skip(f"the jar of Flink {release} is not kept: FINALE_FETCH=1 fetches it")
    with build_of(release) as build:
        assert digest_of(release, build) == DIGEST[release]
