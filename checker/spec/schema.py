"""A JSON schema of specs, for editors: the keys, words and numbers that `reading.py` accepts.

The schema says what a spec can be as far as keys and the types of their values go. Whether a job,
its bounds and a property make sense together is for the reader to say: an editor that finds no
mistake has not checked the spec. Keys and words come from the tables by which the reader reads
(`reading`, `typed`, `job_schema`), so that the two cannot differ.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import TypeAlias

from finale.model.language.protocol import Protocol
from finale.model.protocols.releases import RELEASES

from .catalogue import Catalogue
from .job_schema import job_definitions, job_schema
from .meanings import meanings, summary
from .reading import (
    BUILT_IN,
    COUNT_KEYS,
    COUNTERS,
    EXPECT_KEYS,
    KEYS,
    RELEASE,
    RESUME_KEYS,
    VERDICTS,
    VERDICTS_WITH_TRACE,
)
from .releases import topic_of
from .typed import choices_of, limits_of, option_word

Schema: TypeAlias = dict[str, object]

#: The draft that editors for TOML understand, with `if` and `then`.
DRAFT = "http://json-schema.org/draft-07/schema#"
#: A text with at least one visible character.
TEXT: Mapping[str, object] = {"type": "string", "pattern": r"\S"}
_WHOLE_RELEASE = f"^{RELEASE.pattern}$"
COUNT: Mapping[str, object] = {"type": "integer", "minimum": 0}
#: The tables of a spec that a protocol declares, by the name of the class that declares them.
DECLARED = {"options": "Options", "sizes": "Sizes", "bounds": "Bounds"}

MEANINGS = {
    "title": "The claim in one sentence.",
    "cites": "Where the claim comes from: texts and rule ids.",
    "fixed_in": "Releases that came with the fix of the bug.",
    "protocol": "A key of finale list protocols.",
    "variant": "A variant of the protocol.",
    "release": "A release of Flink whose options the protocol has.",
    "slow": "Whether only --slow checks this spec.",
    "without": "Assumptions that are left out: names of docs/assumptions.md.",
    "options": "Options of the protocol; the others have their defaults.",
    "job": "The job: its vertices, or a standard shape.",
    "sizes": "How large the system is, for protocols without a job.",
    "bounds": "How much is explored.",
    "observe": "The history that the state records, for the properties that read it.",
    "resume": "The spec whose snapshots are the initial states.",
    "search": "The exact counts of the full search. finale check --record writes them.",
    "expect": "The expected verdict of one property.",
}


def spec_schema(catalogue: Catalogue) -> Schema:
    """Return the schema of all specs that the protocols of a catalogue allow."""
    kinds = {key: catalogue.protocol(key) for key in catalogue.protocols}
    variants = [catalogue.variant(*names) for names in catalogue.variants]
    every = [*kinds.values(), *variants]
    tables: dict[str, Schema] = {
        "title": dict(TEXT),
        "cites": {"type": "array", "items": {"type": "string"}},
        "fixed_in": {"type": "array", "items": {"type": "string", "pattern": _WHOLE_RELEASE}},
        "protocol": _words(kinds, [summary(kind) for kind in kinds.values()]),
        "variant": _words(dict.fromkeys(variant for _, variant in catalogue.variants)),
        "release": _words(name for each in RELEASES for name in (each.key, each.name)),
        "slow": {"type": "boolean"},
        "without": {"type": "array", "items": _words(_assumptions(every))},
        "options": _any_of_each(_table(kind, "options") for kind in every),
        "job": job_schema(),
        "sizes": _any_of_each(_table(kind, "sizes") for kind in every),
        "bounds": _any_of_each(_table(kind, "bounds") for kind in every),
        "observe": _any_of_each(_observed(kind) for kind in every),
        "resume": _object({key: dict(TEXT) for key in RESUME_KEYS}, RESUME_KEYS),
        "search": _search(),
        "expect": {"type": "array", "items": _expectation(catalogue)},
    }
    described = {key: {"description": MEANINGS[key]} | tables[key] for key in KEYS}
    schema = _object(described, ("title", "protocol"))
    about = {"$schema": DRAFT, "title": "A spec of Finale"}
    each = [_if_protocol(key, catalogue) for key in kinds]
    return about | schema | {"allOf": each, "definitions": job_definitions()}


def _assumptions(kinds: Iterable[type[Protocol]]) -> Iterable[str]:
    """The names of all assumptions, each once."""
    return dict.fromkeys(name for kind in kinds for name in kind.assumptions())


# --- each key ------------------------------------------------------------------------------------


def _object(properties: Mapping[str, object], required: Sequence[str] = ()) -> Schema:
    """A table that has these keys and no others."""
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return made | ({"required": list(required)} if required else {})


def _words(words: Iterable[str], docs: Sequence[str] = ()) -> Schema:
    """One of some words; editors that know `x-taplo` show what each of them means."""
    made: Schema = {"enum": list(words)}
    return made | ({"x-taplo": {"docs": {"enumValues": list(docs)}}} if docs else {})


def _search() -> Schema:
    counts: Schema = {key: dict(COUNT) for key in COUNT_KEYS}
    return _object(counts | {"counted_by": _words(COUNTERS)}, COUNT_KEYS)


def _expectation(catalogue: Catalogue) -> Schema:
    families = catalogue.properties
    docs = [""] * len(BUILT_IN) + [each.sentence for each in families.values()]
    values: dict[str, Schema] = {
        "property": _words([*BUILT_IN, *families], docs),
        "verdict": _words(VERDICTS),
        "steps": {"description": "The exact length of the trace.", **COUNT},
    }
    row = _object({key: values[key] for key in EXPECT_KEYS}, ("property", "verdict"))
    with_trace = {"properties": {"verdict": _words(VERDICTS_WITH_TRACE)}}
    return row | {"if": {"required": ["steps"]}, "then": with_trace}


def _releases(key: str) -> object:
    """The releases that have a protocol; false for a protocol that no release has."""
    topic = topic_of(key)
    found = [each for each in RELEASES if topic and each.protocols.get(topic) == key]
    return _words(name for each in found for name in (each.key, each.name)) if found else False


def _observed(kind: type[Protocol]) -> Schema:
    ghosts = kind.ghosts
    told = ghosts if isinstance(ghosts, Mapping) else {}
    return _object({name: {"type": "boolean"} | _says(told.get(name)) for name in ghosts})


def _says(sentence: str | None) -> Schema:
    return {"description": sentence} if sentence else {}


def _table(kind: type[Protocol], table: str) -> Schema:
    """The options, sizes or bounds that a protocol declares, with their defaults."""
    return _declared(getattr(kind, DECLARED[table]), table == "options")


@cache  # most variants declare what their protocol does
def _declared(declares: type, are_options: bool) -> Schema:
    told, hints = meanings(declares), typing.get_type_hints(declares)
    properties: Schema = {}
    required: list[str] = []
    for each in fields(declares):
        choices = choices_of(hints[each.name]) if are_options else ()
        low, high = limits_of(declares, each)
        value = _words_or_truth([written for written, _ in choices]) or {
            "type": "integer", "minimum": low, "maximum": high,
        }  # fmt: skip
        if each.default is MISSING:
            required.append(each.name)
        else:
            word = option_word(each.default)
            value |= {
                "default": next((w for w, _ in choices if option_word(w) == word), each.default)
            }
        properties[each.name] = value | _says(told.get(each.name))
    return _object(properties, required)


def _words_or_truth(values: Sequence[object]) -> Schema:
    """The schema of some values: nothing for no values."""
    if values and all(isinstance(each, bool) for each in values):
        return {"type": "boolean"}
    return {"enum": list(values)} if values else {}


def _any_of_each(tables: Iterable[Schema]) -> Schema:
    """A table with each key that some protocol has, for editors that list keys.

    Which of them the protocol of the spec takes is said beside it, protocol by protocol.
    """
    found: dict[str, list[Schema]] = {}
    for table in tables:
        properties = typing.cast("Mapping[str, Schema]", table["properties"])
        for name, value in properties.items():
            known = found.setdefault(name, [])
            if value not in known:
                known.append(value)
    return _object({name: v[0] if len(v) == 1 else _one_of(v) for name, v in found.items()})


def _one_of(values: Sequence[Schema]) -> Schema:
    said = dict.fromkeys(str(each["description"]) for each in values if "description" in each)
    return {"anyOf": list(values)} | _says("; or: ".join(said))


# --- what depends on the protocol ----------------------------------------------------------------


def _if_protocol(key: str, catalogue: Catalogue) -> Schema:
    """What a spec of one protocol has, and what those of its variants have that differ."""
    kind = catalogue.protocol(key)
    base = _of_kind(kind)
    others: list[tuple[list[str], Schema]] = []
    variants = catalogue.variants_of(key)
    for variant in variants:
        own = _of_kind(catalogue.variant(key, variant))
        same = next((names for names, schema in others if schema == own), None)
        if same is not None:
            same.append(variant)
        elif own != base:
            others.append(([variant], own))
    rest: Schema = base
    for names, schema in others:
        rest = {"if": _has("variant", {"enum": names}), "then": schema, "else": rest}
    properties = {"variant": _words(variants) if variants else False, "release": _releases(key)}
    then = {"allOf": [{"properties": properties}, rest]}
    return {"if": _has("protocol", {"const": key}), "then": then}


def _has(key: str, value: Schema) -> Schema:
    return {"required": [key], "properties": {key: value}}


def _of_kind(kind: type[Protocol]) -> Schema:
    tables: Schema = {name: _without_docs(_table(kind, name)) for name in DECLARED}
    required = [name for name in DECLARED if "required" in typing.cast(Schema, tables[name])]
    tables["observe"] = _observed(kind)
    if not kind.needs_job:
        tables["job"] = False
    if not kind.starts_from_snapshots:
        tables["resume"] = False
    if kind.needs_job:
        required.append("job")
    made: Schema = {"properties": tables}
    return made | ({"required": required} if required else {})


def _without_docs(table: Schema) -> Schema:
    """A table without what it says to a reader, which stands beside it already."""
    properties = typing.cast("Mapping[str, Schema]", table["properties"])
    left = {
        name: {k: v for k, v in value.items() if k not in ("description", "default")}
        for name, value in properties.items()
    }
    return table | {"properties": left}
