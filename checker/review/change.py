"""A proposed change of a protocol, and the catalogue in which all protocols have the change.

A variant is a class below its protocol. A protocol that is built on the same one is a class below
it, too. Under the change it is a class below both: its own overrides come first, then those of the
variant, then the protocol. That is what it would be if the change were made in the protocol itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, make_dataclass, replace
from pathlib import Path
from types import new_class
from typing import Any, cast

from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import EXPECTED, NONE, Values, text_of, varied, without
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.reading import spec_of
from finale.checker.spec.typed import is_list, is_table
from finale.model.errors import FinaleError, nearest
from finale.model.language.protocol import Protocol

#: The tables of a spec that a variant can add keys to.
_TABLES = ("Options", "Bounds", "Sizes")


@dataclass(frozen=True)
class Change:
    """A variant of a protocol, other values of keys of a spec, or both."""

    protocol: str
    variant: str | None = None
    values: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        words = [self.protocol]
        words += [] if self.variant is None else [f"variant {self.variant}"]
        words += [text_of(self.values)] if self.values else []
        return " · ".join(words)


@dataclass(frozen=True)
class ChangedCatalogue:
    """The catalogue under a change: `keys` are the protocols that the change concerns.

    `left_out` says by key why a protocol that is built on the changed one cannot have the change.
    """

    catalogue: Catalogue
    base: type[Protocol]
    variant: type[Protocol] | None
    keys: tuple[str, ...]
    left_out: Mapping[str, str]


def change_named(
    variant: str, catalogue: Catalogue, protocol: str | None = None, values: Values = ()
) -> Change:
    """Return the change that is a variant. Raises `unknown-variant`, `ambiguous-variant`."""
    keys = [key for key, name in catalogue.variants if name == variant]
    if protocol is not None:
        catalogue.protocol(protocol)
        keys = [key for key in keys if key == protocol]
    if not keys:
        known = [name for key, name in catalogue.variants if protocol in (None, key)]
        of = "" if protocol is None else f' of "{protocol}"'
        raise FinaleError(
            "unknown-variant",
            f'there is no variant "{variant}"{of}',
            advice=nearest(variant, known, "Variants of your own are loaded with --protocols DIR"),
        )
    if len(keys) > 1:
        raise FinaleError(
            "ambiguous-variant",
            f'several protocols have a variant "{variant}": {", ".join(keys)}',
            advice=f"add --of {keys[0]}, or another one of them",
        )
    return Change(keys[0], variant, tuple(values))


def read_under(
    file: Path, catalogue: Catalogue, variant: str | None = None, values: Values = ()
) -> Spec:
    """Return the spec in a file under a variant, with other values of some keys, or both.

    The variant is one of the spec's protocol, or of a protocol that this one is built on. The spec
    still expects its verdicts under a variant, without their counts and lengths; with other values
    it expects nothing. Raises `unknown-variant`, `variant-not-composable`, and what `read_spec`
    does.
    """
    return _changed(file, *toml_in(file), catalogue, variant, values)


def changed(
    spec: Spec, catalogue: Catalogue, variant: str | None = None, values: Values = ()
) -> Spec:
    """Return a spec that was read, changed as `read_under` changes the spec in a file."""
    assert spec.table is not None
    made = _changed(spec.file, spec.table, spec.lines, catalogue, variant, values)
    return replace(made, under=spec.under)


def _changed(
    file: Path,
    said: Mapping[str, object],
    lines: KeyLines,
    catalogue: Catalogue,
    variant: str | None,
    values: Values,
) -> Spec:
    given = tuple(values)
    if variant == NONE:
        given, variant = (("variant", NONE), *given) if "variant" in said else given, None
    if not given:
        return _under_variant(file, said, lines, catalogue, variant)
    table = varied(without(said, EXPECTED), given)
    others = lines.without(key for key, _ in given)
    spec = _under_variant(file, table, others, catalogue, variant)
    return replace(spec, values=given, lines=lines, waived=tuple(_expected_in(said)))


def _expected_in(table: Mapping[str, object]) -> Iterator[str]:
    """The properties that the table of a spec expects something of."""
    rows = table.get("expect")
    for row in rows if is_list(rows) else ():
        name = row.get("property") if is_table(row) else None
        if isinstance(name, str):
            yield name


def _under_variant(
    file: Path,
    table: Mapping[str, object],
    lines: KeyLines,
    catalogue: Catalogue,
    variant: str | None,
) -> Spec:
    key = table.get("protocol")
    if variant is None or not isinstance(key, str) or key not in catalogue.protocols:
        return spec_of(file, table, lines, catalogue)  # which says what is wrong
    order = catalogue.protocol(key).__mro__
    bases = [each for each in catalogue.protocols if catalogue.protocol(each) in order]
    bases.sort(key=lambda each: order.index(catalogue.protocol(each)))
    of = next((each for each in bases if (each, variant) in catalogue.variants), None)
    if of is None:
        known = [name for each, name in catalogue.variants if each in bases]
        raise FinaleError(
            "unknown-variant",
            f'"{key}" has no variant "{variant}", nor has a protocol that it is built on',
            advice=nearest(variant, known, "Variants of your own are loaded with --protocols DIR"),
        )
    there = under(Change(of, variant), catalogue)
    if key in there.left_out:
        raise FinaleError(
            "variant-not-composable",
            f'"{key}" cannot have the variant "{variant}": {there.left_out[key]}',
            advice="derive the variant from the protocol of this spec",
        )
    bare = _without_lengths(without(table, ("variant", "search")))
    spec = spec_of(file, bare, lines, there.catalogue)
    return replace(spec, variant=variant)


def _without_lengths(table: Mapping[str, object]) -> Mapping[str, object]:
    """The table of a spec that expects verdicts, and no number of steps."""
    expected = table.get("expect")
    if not is_list(expected):
        return table
    rows = [without(row, ("steps",)) if is_table(row) else row for row in expected]
    return {**table, "expect": rows}


def under(change: Change, catalogue: Catalogue) -> ChangedCatalogue:
    """Return the catalogue in which the changed protocol, and all that are built on it, differ."""
    base = catalogue.protocol(change.protocol)
    variant = None if change.variant is None else catalogue.variant(change.protocol, change.variant)
    protocols, left_out, keys = dict(catalogue.protocols), dict[str, str](), list[str]()
    for key in catalogue.protocols:
        kind = catalogue.protocol(key)
        if not issubclass(kind, base):
            continue
        if variant is not None:
            try:
                protocols[key] = composed(kind, base, variant)
            except TypeError as error:
                left_out[key] = str(error)
                continue
        keys.append(key)
    changed = replace(catalogue, protocols=protocols)
    return ChangedCatalogue(changed, base, variant, tuple(keys), left_out)


def composed(kind: type[Protocol], base: type[Protocol], variant: type[Protocol]) -> type[Protocol]:
    """Return a protocol as it would be if its base were the variant.

    Raises TypeError if the classes have no common order.
    """
    if kind is base:
        return variant
    own: dict[str, object] = {
        "__module__": variant.__module__,
        "__qualname__": f"{kind.__qualname__}_{variant.__qualname__}",
        "__doc__": kind.__doc__,
    }
    own |= dict(_tables(kind, base, variant))
    kept = tuple(name for name in variant.ghosts if name not in kind.ghosts)
    if kept:
        own["ghosts"] = (*kind.ghosts, *kept)
    return new_class(
        str(own["__qualname__"]), (kind, variant), exec_body=lambda space: space.update(own)
    )


def shadowed(kind: type[Protocol], change: ChangedCatalogue) -> Iterator[tuple[str, type]]:
    """What the variant overrides and a protocol built on the same one overrides, too, with its
    class: whatever that class does comes first.
    """
    if change.variant is None:
        return
    between = [each for each in kind.__mro__ if not issubclass(change.variant, each)]
    for each in change.variant.__mro__:
        if each in change.base.__mro__:
            continue
        for name in vars(each):
            owner = next((k for k in between if name in vars(k)), None)
            if owner is not None and not name.startswith(("__", "_abc_")):
                yield name, owner


def _tables(
    kind: type[Protocol], base: type[Protocol], variant: type[Protocol]
) -> Iterator[tuple[str, type]]:
    """The options, bounds and sizes of both, if the variant has further ones."""
    for table in _TABLES:
        mine, given, before = (cast("type[Any]", vars_of(k, table)) for k in (kind, variant, base))
        if given is before or not is_dataclass(given):
            continue
        known = {each.name for each in fields(mine)}
        types = {each.name: (each.name, each.type, each) for each in fields(given)}
        further = [entry for name, entry in types.items() if name not in known]
        if further:
            name = f"{kind.__qualname__}{table}"
            yield table, make_dataclass(name, further, bases=(mine,), frozen=True)


def without_own_keys(
    said: Mapping[str, object], base: type[Protocol], variant: type[Protocol]
) -> Mapping[str, object]:
    """Return what a spec says, without the options, bounds and sizes that only the variant has."""
    found = dict(said)
    for table in _TABLES:
        key = table.lower()
        if is_table(given := said.get(key)):
            mine, its = (_names(kind, table) for kind in (base, variant))
            found[key] = without(given, its - mine)
    return found


def _names(kind: type[Protocol], table: str) -> set[str]:
    given = vars_of(kind, table)
    return {each.name for each in fields(given)} if is_dataclass(given) else set()


def vars_of(kind: type[Protocol], table: str) -> object:
    """Return the class of the options, bounds or sizes of a protocol."""
    return getattr(kind, table)


__all__ = [
    "Change",
    "ChangedCatalogue",
    "change_named",
    "changed",
    "composed",
    "read_under",
    "shadowed",
    "under",
    "without_own_keys",
]
