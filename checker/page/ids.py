"""Lists the ids that a page cites (`PL-4`, `S7`), each with its sentences.

A script of the page links each id in a text to this list, and shows the sentence on hover.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import htpy as h

from finale.checker.spec.claim import Spec
from finale.checker.spec.meanings import first_paragraph
from finale.model.language.decorators import ids_in

from .parts import section

#: So many sentences of an id are listed: those of the protocol's own class come first.
SENTENCES_MAX = 3


def ids_section(markup: str, specs: Sequence[Spec]) -> h.Node:
    """The ids that markup cites, if the protocols or properties of some specs say what they are."""
    known = _sentences(specs)
    cited = sorted((each for each in ids_in(markup) if each in known), key=_order)
    if not cited:
        return None
    rows = ([_id(each), h.dd[(h.div[text] for text in known[each])]] for each in cited)
    return section("Ids", h.dl(".ids")[rows])


def _id(name: str) -> h.Renderable:
    return h.dt(id=f"id-{name}", data_id=name, tabindex="-1")[name]


def _order(name: str) -> tuple[str, int, str]:
    letters = name.rstrip("0123456789")
    digits = name[len(letters) :]
    return letters, int(digits or 0), name


def _sentences(specs: Sequence[Spec]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in dict.fromkeys(_texts(specs)):
        for name in ids_in(text):
            sentences = found.setdefault(name, [])
            if len(sentences) < SENTENCES_MAX:
                sentences.append(text)
    return found


def _texts(specs: Iterable[Spec]) -> Iterator[str]:
    """The first paragraphs of rules, helpers and properties."""
    for spec in specs:
        for kind in (spec.protocol, *spec.protocol.parts):
            for base in kind.__mro__:
                for value in vars(base).values():
                    if callable(value) or isinstance(value, property):
                        yield first_paragraph(value.__doc__)
        yield from (family.sentence for family in spec.families)


__all__ = ["ids_section"]
