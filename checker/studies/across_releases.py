"""Checks a spec under several releases, with the protocol and options of each release.

A spec's own options stay: a release says only what the spec leaves open. Nothing is expected of a
release, and options in which two releases do not differ are searched once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import EXPECTED, varied, without
from finale.checker.spec.reading import BUILT_IN, spec_of
from finale.checker.spec.releases import ReleaseConfig, preset, settings_asked, topic_of
from finale.checker.spec.typed import is_table
from finale.model.errors import FinaleError, Place

#: Of the spec alone, and not of a release.
_OWN = ("release", *EXPECTED)

SearchSpec = Callable[[Spec, Collection[str]], SpecResult]
"""Searches a spec for some properties."""


@dataclass(frozen=True)
class Column:
    """A release, what its protocol came to, and why not where there is no result."""

    under: ReleaseConfig
    protocol: str | None
    result: SpecResult | None
    why: str = ""

    def row(self, name: str) -> ResultRow | None:
        """Return the row of a property, if it has one."""
        rows = self.result.rows if self.result else ()
        return next((row for row in rows if row.property == name), None)


@dataclass(frozen=True)
class Comparison:
    """A spec under releases: a column for each, a line for each of the properties."""

    spec: Spec
    properties: tuple[str, ...]
    columns: tuple[Column, ...]


def compared(
    spec: Spec, releases: Sequence[ReleaseConfig], only: Sequence[str], search: SearchSpec
) -> Comparison:
    """The spec under releases, for the properties named or else those that it expects.

    Raises `no-release` for a protocol that no release has.
    """
    topic = topic_of(spec.protocol.key)
    if topic is None:
        raise FinaleError(
            "no-release",
            f'no release has the protocol "{spec.protocol.key}"',
            advice="leave out --release for this spec",
        )
    names = tuple(only) or tuple(spec.expectations) or tuple(each.name for each in spec.asked)
    known: dict[object, Column] = {}
    columns = tuple(
        column
        for asked in releases
        for column in _columns(spec, asked, topic, names, search, known)
    )
    return Comparison(spec, names, columns)


def _columns(
    spec: Spec,
    asked: ReleaseConfig,
    topic: str,
    names: Sequence[str],
    search: SearchSpec,
    known: dict[object, Column],
) -> Iterator[Column]:
    key = asked.release.protocols.get(topic)
    if key is None:
        yield Column(asked, None, None, f"it has nothing for {topic}")
        return
    kind = spec.catalogue.protocol(key)
    for under in settings_asked(kind, asked):
        same = (key, *sorted(preset(kind, under).items()))
        if same not in known:
            known[same] = _column(spec, key, under, names, search)
        yield _of(known[same], under)


def _of(column: Column, under: ReleaseConfig) -> Column:
    """Return the column again, for another release with equal options."""
    result = column.result
    if result is not None:
        result = replace(result, spec=replace(result.spec, under=under))
    return replace(column, under=under, result=result)


def _column(
    spec: Spec, key: str, under: ReleaseConfig, names: Sequence[str], search: SearchSpec
) -> Column:
    try:
        changed = _with_protocol(spec, key, under)
    except FinaleError as error:
        # The spec itself is valid: what is refused is something that this protocol does not have.
        return Column(under, key, None, error.message)
    answered = {*BUILT_IN, *(family.name for family in changed.families)}
    able = [name for name in names if name in answered]
    if not able:
        return Column(under, key, None, "it does not have the views that are read")
    return Column(under, key, search(changed, able))


def under_release(spec: Spec, under: ReleaseConfig) -> Spec:
    """Return the spec with the protocol and options of a release.

    Raises `no-release`, `release-without-protocol`, and coded errors if the protocol of the release
    lacks something that the spec uses.
    """
    topic = topic_of(spec.protocol.key)
    if topic is None:
        raise FinaleError(
            "no-release",
            f'no release has the protocol "{spec.protocol.key}"',
            place=Place(str(spec.file)),
            advice="leave out --release for this spec",
        )
    key = under.release.protocols.get(topic)
    if key is None:
        raise FinaleError(
            "release-without-protocol",
            f"{under.release.name} has nothing for {topic}",
            place=Place(str(spec.file)),
            advice="name a later release",
        )
    return _with_protocol(spec, key, under)


def _with_protocol(spec: Spec, key: str, under: ReleaseConfig) -> Spec:
    """The spec with a release's protocol and options. Raises coded errors where it has no sense."""
    said, lines = toml_in(spec.file)
    table = said if spec.table is None else spec.table
    given = table.get("options", {})
    own = given if is_table(given) else {}
    options = preset(spec.catalogue.protocol(key), under)
    values = {f"options.{name}": value for name, value in options.items() if name not in own}
    changed = varied(without(table, _OWN), {"protocol": key, **values}.items())
    return replace(spec_of(spec.file, changed, lines, spec.catalogue), under=under)
