"""docs/defaults.md: a row for each option of each protocol, and the row says what the code says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.meanings import meanings
from finale.checker.spec.typed import in_toml
from finale.model.language.protocol import Protocol
from finale.model.protocols.registry import PROTOCOLS
from finale.model.protocols.releases import RELEASES
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "defaults.md"
WORDS = {"same", "more", "less", "intended", "older", "later", "contract", "own"}
#: What must be said of an option that is not as in Flink.
NEED_A_REASON = {"more", "less", "intended", "later"}
ID = re.compile(r"^([A-Z0-9]+-?[0-9.]+)[:,]")


@dataclass(frozen=True)
class Row:
    """A row of the page: what it says of an option."""

    option: str
    default: str
    rule: str
    word: str
    where: str
    why: str


@dataclass(frozen=True)
class Option:
    """An option where it first appears, or where its default is another one."""

    protocol: str
    name: str
    default: str
    meaning: str


def rows_in(text: str) -> dict[tuple[str, str], Row]:
    """The rows of a page, by protocol and option."""
    found: dict[tuple[str, str], Row] = {}
    protocol = ""
    for line in text.splitlines():
        if line.startswith("## "):
            protocol = line.removeprefix("## ")
        elif line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            row = Row(cells[0].strip("`"), cells[1].strip("`"), *cells[2:])
            assert (protocol, row.option) not in found
            found[protocol, row.option] = row
    return found


def options() -> Iterator[Option]:
    """All options; one that a protocol inherits with its default is the other protocol's."""
    known: list[type[Protocol]] = []
    kinds = sorted((catalogue().protocol(each.key) for each in PROTOCOLS), key=_bases)
    for kind in kinds:
        others = [each.Options for each in known if issubclass(kind.Options, each.Options)]
        inherited = {(f.name, f.default) for other in others for f in fields(other)}
        said = meanings(kind.Options)
        for each in fields(kind.Options):
            if (each.name, each.default) not in inherited:
                yield Option(kind.key, each.name, _word(each.default), said[each.name])
        known.append(kind)


def _bases(kind: type[Protocol]) -> int:
    return len(kind.Options.__mro__)


def _word(value: Any) -> str:
    return in_toml(getattr(value, "value", value))


OPTIONS = tuple(options())
ROWS = rows_in(PAGE.read_text(encoding="utf-8"))


def complaints(known: tuple[Option, ...], rows: dict[tuple[str, str], Row]) -> Iterator[str]:
    """What is missing on a page, superfluous, or otherwise in the code."""
    for option in known:
        place = option.protocol, option.name
        row = rows.get(place)
        if row is None:
            yield f"{place}: no row"
            continue
        rule = ID.match(option.meaning)
        if row.default != option.default:
            yield f"{place}: the default is {option.default}, and not {row.default}"
        if row.rule != (rule[1] if rule else ""):
            yield f"{place}: the code cites {rule and rule[1]}, and not {row.rule!r}"
        if row.word not in WORDS:
            yield f"{place}: {row.word!r} is no comparison"
        if (row.word == "own") == bool(row.where):
            yield f"{place}: no class and method of Flink, or one too many"
        if row.word in NEED_A_REASON and not row.why:
            yield f"{place}: no reason"
        yield from _against_presets(option, row)
    for place in rows.keys() - {(each.protocol, each.name) for each in known}:
        yield f"{place}: there is no such option"


def _against_presets(option: Option, row: Row) -> Iterator[str]:
    """A default is as in a release if the preset of that release says so, and only then."""
    having = [each for each in RELEASES if option.protocol in each.protocols.values()]
    if not having or option.name not in having[-1].options:
        return
    preset = _word(having[-1].options[option.name])
    if (row.word in ("same", "older")) != (preset == option.default):
        yield f"{option.protocol}, {option.name}: {having[-1].name} has {preset}, not {row.word}"


def test_each_option_has_a_row_that_is_as_in_the_code() -> None:
    assert not list(complaints(OPTIONS, ROWS))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"default": "false"}, "the default is true"),
        ({"rule": "PL-1"}, "the code cites PL-2.1"),
        ({"word": "perhaps"}, "is no comparison"),
        ({"where": ""}, "no class and method"),
        ({"word": "more", "why": ""}, "no reason"),
        ({"word": "less", "why": "because"}, "flink-main has true"),
    ],
)
def test_a_row_that_is_otherwise_is_found(change: dict[str, str], complaint: str) -> None:
    place = "final-checkpoint", "checkpoints_after_finish"
    rows = {**ROWS, place: Row(**{**vars(ROWS[place]), **change})}
    assert complaint in " ".join(complaints(OPTIONS, rows))


def test_a_missing_and_a_superfluous_row_are_found() -> None:
    place = "stop-with-savepoint", "stops_for_aborted"
    rows = {each: row for each, row in ROWS.items() if each != place}
    assert list(complaints(OPTIONS, rows)) == [f"{place}: no row"]
    rows = {**ROWS, ("pipeline", "retries"): ROWS[place]}
    assert list(complaints(OPTIONS, rows)) == ["('pipeline', 'retries'): there is no such option"]
