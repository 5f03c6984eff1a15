"""`finale explain`: what a name means that specs, traces, pages and errors use."""

from __future__ import annotations

import difflib
from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from finale.checker.report.layout import Cell, columns, console, joined, write
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError

from .explaining import Explanation, explained, names
from .output import document, say_json
from .parameters import ProtocolsFolder, TextOrJson

#: A name is offered if it is so similar to the one that nobody knows, from 0 to 1.
SIMILARITY_MIN = 0.75
NAMES_MAX = 3


def explain(
    *name: Annotated[
        str,
        Parameter(
            help="Variant, property, rule id, hazard, error, assumption, protocol, release, rule, "
            "option, or a word of the glossary."
        ),
    ],
    protocols: ProtocolsFolder = None,
    format: TextOrJson = "text",
) -> int:
    """Say what a name means: a property, a rule id, a hazard, a variant, an error, a word."""
    if not name:
        raise FinaleError(
            "usage",
            "no name is given",
            advice="name what a trace, a spec or an error shows: finale explain PL-4",
        )
    known = catalogue(protocols)
    asked = " ".join(name)
    found = explained(asked, known)
    if not found and len(name) > 1:  # several names, each of one word
        each_alone = [explained(word, known) for word in name]
        found = [one for some in each_alone for one in some] if all(each_alone) else []
    if not found:
        near = difflib.get_close_matches(asked, names(known), NAMES_MAX, SIMILARITY_MIN)
        meant = " or ".join(f'"{each}"' for each in near)
        raise FinaleError(
            "unknown-name",
            f'nothing is called "{asked}"',
            advice=f"did you mean {meant}?"
            if near
            else "finale list shows names of protocols, properties, options and rules; names of "
            "your own are loaded with --protocols DIR",
        )
    if format == "json":
        meanings = [asdict(each) | {"rows": dict(each.rows)} for each in found]
        say_json(document("explain") | {"meanings": meanings})
        return 0
    page = console()
    for position, each in enumerate(found):
        write(page, [*([""] if position else []), *_lines(each, page.width)])
    return 0


def _lines(meaning: Explanation, width: int) -> list[Cell]:
    head = joined([Text(meaning.name, "bold cyan"), Text(meaning.kind), Text(meaning.where, "dim")])
    rows = [[Text(label, "dim"), Text(text)] for label, text in meaning.rows]
    return [head, *columns(rows, width, indent=2)]
