"""Reads the methods of Flink that a cell names, and what other releases call these methods.

A cell has names in backticks, `StreamTask.endData`. In front of names can stand the releases that
have them: `up to 1.13: ...; since 1.14: ...`. A method that other releases call otherwise has a row
in the table of renamed methods of docs/rule-reference.md, and no other place repeats the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from finale.checker.spec.doc_tables import page_text, tables_in

_METHOD = re.compile(r"`((?:[A-Z]\w*\.)+[a-z]\w*)")
_LINE = r"\d+\.\d+(?:\.\d+)?"
_RELEASES = re.compile(
    rf"\s*(?:up to (?P<until>{_LINE})|since (?P<since>{_LINE})"
    rf"|(?P<first>{_LINE})(?: to (?P<last>{_LINE}))?)\b"
)
#: The head of the table of methods that other releases call otherwise.
HEADER = ("Method", "Releases", "There")

Version = tuple[int, ...]


@dataclass(frozen=True)
class Releases:
    """A range of releases; a bound that is empty is none."""

    first: Version = ()
    last: Version = ()

    def has(self, version: str) -> bool:
        """Whether a release is in the range. A build without a version counts as the newest."""
        parts = version_of(version)
        if not parts:
            return not self.last
        return self.first <= parts[: len(self.first)] and (
            not self.last or parts[: len(self.last)] <= self.last
        )


ALL = Releases()


@dataclass(frozen=True)
class Method:
    """A method of Flink by the short name of its class, and the releases that have it."""

    owner: str
    name: str
    releases: Releases = ALL

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"


def version_of(text: str) -> Version:
    """Return the numbers at the start of a version, `2.3-SNAPSHOT` as 2 and 3."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def methods_in(cell: str) -> Iterator[Method]:
    """Yield the methods that a cell names."""
    for part in cell.split(";"):
        releases = releases_in(part)
        for each in _METHOD.findall(part):
            owner, _, name = each.rpartition(".")
            yield Method(owner, name, releases)


def releases_in(text: str) -> Releases:
    """Return the releases that stand at the start of a text, all releases if none stand there."""
    found = _RELEASES.match(text)
    if found is None:
        return ALL
    first = version_of(found["since"] or found["first"] or "")
    last = version_of(found["until"] or found["last"] or found["first"] or "")
    return Releases(first, last)


@cache
def renamed() -> Mapping[str, tuple[tuple[Releases, tuple[Method, ...]], ...]]:
    """Return, for a method, the methods of other releases, which can be none or several."""
    found: dict[str, list[tuple[Releases, tuple[Method, ...]]]] = {}
    for _, (header, *rows) in tables_in(page_text("rule-reference")):
        if tuple(header) == HEADER:
            for row in rows:
                releases = releases_in(row[1])
                there = tuple(methods_in(row[2]))
                for each in methods_in(row[0]):
                    found.setdefault(str(each), []).append((releases, there))
    return {name: tuple(each) for name, each in found.items()}


def in_release(method: Method, version: str) -> tuple[Method, ...]:
    """Return the methods of a release that a name means: none if the release has no such method."""
    if not method.releases.has(version):
        return ()
    for releases, there in renamed().get(str(method), ()):
        if releases.has(version):
            return there
    return (method,)


__all__ = [
    "ALL", "HEADER", "Method", "Releases", "in_release", "methods_in", "releases_in",
    "renamed", "version_of",
]  # fmt: skip
