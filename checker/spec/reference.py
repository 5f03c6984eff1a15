"""What a spec can say: each word of a spec with a sentence, from the code that reads it.

`finale explain` prints these words, and `docs/spec-reference.md` has tables of them. Editors have
the same sentences from `finale schema`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import get_type_hints

from finale.model.topology.parts import OperatorKind, Pattern
from finale.model.topology.parts import Sink as SinkWord
from finale.model.topology.table import SHAPES, SHEET_NAMES

from . import job_schema, schema
from .catalogue import Catalogue
from .meanings import meanings
from .typed import words_of


@dataclass(frozen=True)
class SpecWord:
    """A word of a spec: a key, or a value that a key can have.

    `table` is the heading of the words that it stands among, and `kind` what one of these is.
    `values` are those of an option, and `protocols` are those that have the word: none if all have.
    """

    table: str
    kind: str
    name: str
    meaning: str
    values: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()


def spec_words(known: Catalogue) -> Iterator[SpecWord]:
    """Yield all words, in the order in which a spec has them."""
    yield from _keys("Keys", "key of a spec", schema.MEANINGS)
    yield from _keys("Keys of a job", "key of a job", job_schema.MEANINGS)
    yield from _values("Kinds of vertices", "kind of vertex", OperatorKind)
    yield from _values("Sinks", "sink", SinkWord)
    yield from _values("Patterns", "pattern", Pattern)
    yield from _shapes()
    yield from _declared(known, "Bounds", "bound")
    yield from _declared(known, "Sizes", "size")
    yield from _histories(known)
    yield from _declared(known, "Options", "option")


def _keys(table: str, kind: str, sentences: Mapping[str, str]) -> Iterator[SpecWord]:
    for name, sentence in sentences.items():
        yield SpecWord(table, kind, name, sentence)


def _values(table: str, kind: str, words: type[Enum]) -> Iterator[SpecWord]:
    told = meanings(words)
    for each in words:
        yield SpecWord(table, kind, str(each.value), told[each.name])


def _shapes() -> Iterator[SpecWord]:
    letters = {name: letter for letter, name in SHEET_NAMES.items()}
    for name, vertices in SHAPES.items():
        read = ", ".join(
            f"{vertex} reads {' and '.join(inputs)}" if inputs else f"{vertex} is a source"
            for vertex, inputs in vertices.items()
        )
        also = f" Also called {letters[name]}." if name in letters else ""
        yield SpecWord("Shapes", "shape of a job", name, f"{read}.{also}")


def _declared(known: Catalogue, table: str, kind: str) -> Iterator[SpecWord]:
    """The fields of a class that protocols declare, once for each meaning."""
    found: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for key in known.protocols:
        protocol = known.protocol(key)
        declares = getattr(protocol, table)
        told, hints = meanings(declares), get_type_hints(declares)
        offered = protocol.bound_names() if table == "Bounds" else None
        for each in fields(declares):
            if offered is None or each.name in offered:
                values = words_of(hints[each.name]) if table == "Options" else ()
                said = each.name, told.get(each.name, ""), values
                found.setdefault(said, []).append(key)
    for (name, meaning, values), keys in found.items():
        yield SpecWord(table, kind, name, meaning, values, tuple(keys))


def _histories(known: Catalogue) -> Iterator[SpecWord]:
    found: dict[tuple[str, str], list[str]] = {}
    for key in known.protocols:
        ghosts = known.protocol(key).ghosts
        for name in ghosts:
            sentence = ghosts[name] if isinstance(ghosts, Mapping) else ""
            found.setdefault((name, sentence), []).append(key)
    for (name, sentence), keys in found.items():
        yield SpecWord("History", "history", name, sentence, protocols=tuple(keys))


__all__ = ["SpecWord", "spec_words"]
