"""The cases on which a change is tried: all settings that specs of the protocol describe.

A spec of another variant describes a setting, too: one in which a mistake has shown before. Its
variant is left out here, and so is what it expects.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from finale import model
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import varied, without
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.reading import spec_of
from finale.checker.spec.typed import is_table
from finale.model.errors import FinaleError

from .change import Change, ChangedCatalogue, without_own_keys

#: The specs of this package.
OWN_SPECS = Path(model.__file__).resolve().parent.parent / "specs"
#: What a spec says of its variant alone, and all that is no part of its setting.
_OF_VARIANT = ("variant", "expect")
_SAID = ("title", "cites", "fixed_in", "search", "slow", *_OF_VARIANT)
#: The size of a case whose spec records no counts: it comes after the small ones.
_STATES_UNKNOWN = 10_000
_STATES_SLOW = 1_000_000


@dataclass(frozen=True)
class Case:
    """A setting, under the protocol as it is and under the change."""

    file: Path
    base: Spec
    changed: Spec

    @property
    def is_of_user(self) -> bool:
        """Whether the spec is none of this package: what users ask for themselves comes first."""
        return not self.file.resolve().is_relative_to(OWN_SPECS)

    def is_on_request(self, name: str) -> bool:
        """Whether a property is asked only by its name."""
        return any(each.on_request for each in self.changed.families if each.name == name)

    @property
    def size(self) -> int:
        """The number of states that the spec records, or a guess."""
        if self.base.counts is not None:
            return self.base.counts.states
        return _STATES_SLOW if self.base.slow else _STATES_UNKNOWN


@dataclass(frozen=True)
class Cases:
    """All cases, those of the user's own specs first, then the small ones; what was left out.

    `slow` are the specs that are marked slow; `errors` are the mistakes of settings that the change
    does not take, by file; `unread` are the mistakes of specs that describe no setting, by file.
    """

    found: tuple[Case, ...]
    slow: tuple[Path, ...]
    errors: Mapping[Path, FinaleError]
    unread: Mapping[Path, FinaleError]


def check_spec(file: Path, catalogue: Catalogue) -> None:
    """Check that a spec describes a setting, with its variant or without it, and has its variant.

    Raises what `read_spec` does.
    """
    table, lines = toml_in(file)
    try:
        spec_of(file, table, lines, catalogue)
    except FinaleError as error:
        if error.code != "unknown-variant":
            with suppress(FinaleError):
                spec_of(file, without(table, _OF_VARIANT), lines, catalogue)
                return
        raise


def cases(
    files: Iterable[Path],
    base: ChangedCatalogue,
    changed: ChangedCatalogue,
    change: Change,
    is_slow_wanted: bool = False,
) -> Cases:
    """Return the cases of all specs that a change concerns. `base` is the catalogue without it.

    A spec of another protocol is passed over, and so is one whose options only its variant has.
    """
    found: dict[str, Case] = {}
    slow, errors, unread = list[Path](), dict[Path, FinaleError](), dict[Path, FinaleError]()
    for file in files:
        try:
            table, lines = toml_in(file)
        except FinaleError as error:
            unread[file] = error
            continue
        if table.get("protocol") not in base.keys:
            continue
        if table.get("slow") is True and not is_slow_wanted:
            slow.append(file)
            continue
        try:
            before = _spec(file, _for_base(table, base, changed), lines, base)
        except FinaleError:
            try:
                check_spec(file, changed.catalogue)
            except FinaleError as error:
                unread[file] = error
            continue
        try:
            after = _spec(file, varied(table, change.values), lines, changed)
        except FinaleError as error:
            errors[file] = error
            continue
        after = replace(after, variant=change.variant, values=change.values)
        case = Case(file, before, after)
        key = _key(file, table)
        if key not in found or _order(case) < _order(found[key]):
            found[key] = case
    return Cases(tuple(sorted(found.values(), key=_order)), tuple(slow), errors, unread)


def _order(case: Case) -> tuple[bool, int, str]:
    return not case.is_of_user, case.size, str(case.file)


def _spec(
    file: Path, table: Mapping[str, object], lines: KeyLines, known: ChangedCatalogue
) -> Spec:
    spec = spec_of(file, without(table, _OF_VARIANT), lines, known.catalogue)
    return replace(spec, asks_all=True)


def _for_base(
    table: Mapping[str, object], base: ChangedCatalogue, changed: ChangedCatalogue
) -> Mapping[str, object]:
    """The table of a spec without what only the change has."""
    key = str(table["protocol"])
    if key not in changed.keys:
        return table
    known = (each.catalogue.protocol(key) for each in (base, changed))
    return without_own_keys(table, *known)


def _key(file: Path, table: Mapping[str, object]) -> str:
    """Equal for two specs of one setting."""
    setting = dict(without(table, _SAID))
    resume = setting.get("resume")
    if is_table(resume):
        setting["resume"] = str((file.parent / str(resume.get("from"))).resolve())
    return json.dumps(setting, sort_keys=True, default=str)


__all__ = ["OWN_SPECS", "Case", "Cases", "cases", "check_spec"]
