"""Known bugs of Flink, with the releases around each fix, and the methods that the fix changed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from finale.checker.impact.comparing import Impact
from finale.checker.impact.method_names import version_of
from finale.checker.impact.naming import SPECS

FILE = Path(__file__).parent / "fixes.toml"
#: Pairs of releases without a fix of the table.
OTHERS = (("1.16.0", "1.16.1"), ("2.0.1", "2.2.0"))
#: How many methods with a name a pair may list: of patch releases, and of most lines.
NAMED_MAX = 15
#: The pairs whose changes are larger than that.
LARGE = (("1.13.6", "1.14.0"), ("1.14.6", "1.15.0"), ("1.15.4", "1.16.0"), ("1.17.2", "1.18.0"))

Pair = tuple[str, str]


@dataclass(frozen=True)
class Fix:
    """A fix: its issue, the releases without and with it, and the methods that it changed."""

    key: str
    pair: Pair
    methods: tuple[str, ...]

    def is_listed(self, found: Impact) -> bool:
        """Whether the first or the second list of an answer has one of the methods."""
        listed = {each.title for each in (*found.named, *found.near)}
        return not listed.isdisjoint(self.methods)


def is_patch(pair: Pair) -> bool:
    """Whether both releases are of one line."""
    old, new = map(version_of, pair)
    return old[:2] == new[:2]


def rows() -> list[Mapping[str, object]]:
    """Return the rows of the table as they stand there."""
    return list(tomllib.loads(FILE.read_text("utf-8"))["fix"])


def fixes() -> tuple[Fix, ...]:
    """Return the fixes. The release with a fix is the first one after the release without it."""
    found: list[Fix] = []
    for row in rows():
        match row:
            case {"key": str(key), "after": str(after), "methods": list(methods)}:
                later = [
                    each for each in releases_with(row) if version_of(each) > version_of(after)
                ]
                found.append(Fix(key, (after, min(later, key=version_of)), tuple(methods)))
            case _:
                raise AssertionError(row)
    return tuple(found)


def releases_with(row: Mapping[str, object]) -> tuple[str, ...]:
    """Return the releases with a fix: those of the spec that brings the bug back, or of the row."""
    given = row.get("fixed_in", ())
    assert isinstance(given, list | tuple)
    return told_by_spec(str(row["key"])) or tuple(map(str, given))


def told_by_spec(key: str) -> tuple[str, ...]:
    """Return what the specs of history say about a key."""
    found: dict[str, None] = {}
    for file in sorted((SPECS / "history").glob(f"{key.lower()}*.toml")):
        found |= dict.fromkeys(tomllib.loads(file.read_text("utf-8")).get("fixed_in", ()))
    return tuple(found)


def by_pair() -> Mapping[Pair, tuple[Fix, ...]]:
    """Return the fixes of each pair of releases, the oldest pair first."""
    found: dict[Pair, list[Fix]] = {pair: [] for pair in OTHERS}
    for fix in fixes():
        found.setdefault(fix.pair, []).append(fix)
    return {pair: tuple(found[pair]) for pair in sorted(found, key=lambda p: version_of(p[1]))}
