"""Writes which methods releases of Flink have, of the classes that Finale names: `methods.json`.

`python -m tests.impact.digest` writes the file again from the jars, and fetches those that are not
kept. Do so after a change that names another class.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from finale.checker.impact.builds import Build, build_of
from finale.checker.impact.code import ROOT
from finale.checker.impact.method_names import renamed
from finale.checker.impact.naming import Kind, Name, line_patterns, names
from finale.checker.spec.catalogue import catalogue

FILE = Path(__file__).parent / "methods.json"
RELEASES = ("1.13.6", "1.14.6", "1.15.4", "1.17.2", "1.20.5", "2.2.1", "2.3.0")
NEWEST = RELEASES[-1]
#: Methods that a compiler makes: only those that a hook names are kept.
_MADE = ("lambda$", "access$")

Digest = Mapping[str, Mapping[str, frozenset[str]]]
"""The methods of each class of each release, also those that the class inherits from Flink's."""


@cache
def known_names(release: str) -> tuple[Name, ...]:
    """Return all names, with the hooks of a release."""
    return names(catalogue(None), (release,))


def classes_of(short: str, found: Mapping[str, object]) -> Iterator[str]:
    """Yield the classes, of those that are given, that a short name can mean."""
    tail = short.replace(".", "$")
    yield from (each for each in found if each.endswith((f"/{tail}", f"${tail}")))


def digest_of(release: str, build: Build) -> Mapping[str, frozenset[str]]:
    """Return the methods of the classes that names of a release mean."""
    found: dict[str, frozenset[str]] = {}
    for owner in _owners(build):
        kinds = (build.read(each) for each in (owner, *build.above(owner)) if each[:17] == ROOT)
        own = {method.name for kind in kinds if kind is not None for method in kind.methods}
        hooked = {each.method for each in known_names(release) if each.kind is Kind.HOOK}
        found[owner] = frozenset(
            name for name in own if not name.startswith(_MADE) or name in hooked
        )
    return found


def _owners(build: Build) -> Iterator[str]:
    shorts: set[str] = set()
    wholes = {logger for logger, _ in line_patterns()}
    for release in RELEASES:
        for name in known_names(release):
            if name.kind is Kind.HOOK:
                wholes.add(name.owner.replace(".", "/"))
            else:
                shorts |= {name.owner}
    shorts |= {each.owner for rows in renamed().values() for _, there in rows for each in there}
    meant_by_shorts = {each for short in shorts for each in build.called(short)}
    yield from sorted(meant_by_shorts | (wholes & build.sums.keys()))


def read() -> Digest:
    """Return what the file says."""
    found: dict[str, dict[str, frozenset[str]]] = {each: {} for each in RELEASES}
    for owner, groups in json.loads(FILE.read_text("utf-8")).items():
        for releases, methods in groups.items():
            for release in releases.split():
                found[release][owner] = found[release].get(owner, frozenset()) | set(methods)
    return found


def text_of(digest: Digest) -> str:
    """Return the text of the file: for each class its methods, by the releases that have them."""
    content: dict[str, dict[str, list[str]]] = {}
    for owner in sorted({owner for classes in digest.values() for owner in classes}):
        groups: dict[str, list[str]] = {}
        for method in sorted({each for c in digest.values() for each in c.get(owner, ())}):
            having = [each for each in RELEASES if method in digest[each].get(owner, ())]
            groups.setdefault(" ".join(having), []).append(method)
        content[owner] = groups
    return json.dumps(content, indent=0, sort_keys=True) + "\n"


def main() -> None:
    """Write the file."""
    with ExitStack() as stack:
        builds = {each: stack.enter_context(build_of(each)) for each in RELEASES}
        FILE.write_text(text_of({each: digest_of(each, b) for each, b in builds.items()}), "utf-8")


if __name__ == "__main__":
    main()
