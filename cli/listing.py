"""`finale list`: the names that specs can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from typing import Annotated, Literal, get_type_hints

from cyclopts import Parameter
from rich.text import Text

from finale.checker.report.about import property_lines, rule_lines
from finale.checker.report.layout import columns, console, joined, paragraph, write
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.meanings import meanings, summary
from finale.checker.spec.reading import can_apply
from finale.checker.spec.typed import option_word, words_of
from finale.model.errors import FinaleError
from finale.model.language.build import rule_names, rule_of
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.protocols.registry import RULE_IDS, cited_ids
from finale.model.system import Rule

from . import completers
from .parameters import ProtocolsFolder


def listing(
    what: Annotated[
        Literal["protocols", "properties", "options", "rules"],
        Parameter(help="What to list. Without --of, options and rules are listed by name only."),
    ],
    /,
    *,
    protocol: Annotated[
        str | None,
        Parameter(
            name="--of",
            help="Protocol whose entries are listed (default: all).",
            completer=completers.protocols,
        ),
    ] = None,
    variant: Annotated[
        str | None,
        Parameter(help="With --of: variant of the protocol.", completer=completers.variants),
    ] = None,
    protocols: ProtocolsFolder = None,
) -> int:
    """List protocols, properties, options or rules."""
    known = catalogue(protocols)
    kinds = _chosen(known, protocol, variant)
    page = console()
    match what:
        case "protocols":
            for kind in kinds:
                write(page, [*_heading(kind, variant), *_protocol(kind, known, page.width)])
        case "properties":
            write(page, _properties(kinds, known, page.width))
        case "options" | "rules" if protocol is None:
            named = _option_names if what == "options" else rule_names
            for kind in kinds:
                names = ", ".join(named(kind)) or f"no {what}"
                write(page, [*_heading(kind, variant), *paragraph(names, page.width, indent=2)])
            more = f"finale list {what} --of NAME says what each is"
            write(page, ["", Text(more, "dim")])
        case "options":
            for kind in kinds:
                write(page, [*_heading(kind, variant), *_options(kind, page.width), ""])
        case "rules":
            for kind in kinds:
                lines = rule_lines(rules_of(kind), page.width, {})
                write(page, [*_heading(kind, variant), *lines, *_covered(kind, page.width), ""])
    return 0


def _option_names(kind: type[Protocol]) -> list[str]:
    return [declared.name for declared in fields(kind.Options)]


def _chosen(known: Catalogue, key: str | None, variant: str | None) -> list[type[Protocol]]:
    if variant is None:
        return [known.protocol(each) for each in (known.protocols if key is None else (key,))]
    if key is None:
        raise FinaleError(
            "usage",
            f'--variant "{variant}" is given without its protocol',
            advice="add --of: `finale list protocols` shows the variants of each",
        )
    return [known.variant(known.protocol(key).key, variant)]


def rules_of(kind: type[Protocol]) -> list[Rule]:
    """The rules of a protocol, without building a system."""
    return [rule_of(kind, name) for name in rule_names(kind)]


def _covered(kind: type[Protocol], width: int) -> list[Text]:
    """The ids of the fact sheet's rules that it models, in the sheet's order."""
    cited = cited_ids(kind)
    ids = [name for name in RULE_IDS if name in cited]
    return columns([[Text("covers:", "dim"), Text(" ".join(ids))]], width, indent=2) if ids else []


def _heading(kind: type[Protocol], variant: str | None) -> list[Text]:
    name = kind.key if variant is None else f"{kind.key}, variant {variant}"
    return [Text(name, "bold cyan")]


def _protocol(kind: type[Protocol], known: Catalogue, width: int) -> Iterator[Text]:
    yield from columns([[Text(summary(kind))]], width, indent=2)
    runs = "a job" if kind.needs_job else ", ".join(f.name for f in fields(kind.Sizes))
    facts = [
        ("runs on", runs or "itself"),
        ("bounds", ", ".join(kind.bound_names())),
        ("history", ", ".join(kind.ghosts)),
    ]
    yield from columns([[Text(a, "dim"), Text(b)] for a, b in facts if b], width, indent=2)
    rows: list[list[Text]] = []
    for name in known.variants_of(kind.key):
        variant = known.variant(kind.key, name)
        falls: str | None = getattr(variant, "must_fall", None)
        remark = Text(f"violates {falls}" if falls else "", "dim")
        sentence = joined([Text(summary(variant)), remark])
        rows.append([Text(name, "red"), sentence])
    if rows:
        yield Text("  variants", "dim")
    yield from columns(rows, width, indent=4)
    yield Text()


def _properties(kinds: Sequence[type[Protocol]], known: Catalogue, width: int) -> Iterator[Text]:
    groups: dict[tuple[str, ...], list[Family]] = {}
    for family in known.properties.values():
        judged = tuple(kind.key for kind in kinds if can_apply(family, kind))
        if judged or len(kinds) == len(known.protocols):
            groups.setdefault(judged, []).append(family)
    for judged, families in groups.items():
        yield from paragraph(Text(", ".join(judged) or "no protocol", "bold cyan"), width)
        yield from property_lines(families, width)
        yield Text()
    yield Text("every protocol", "bold cyan")
    yield from property_lines((), width, built_in=True)


def _options(kind: type[Protocol], width: int) -> list[Text]:
    told = meanings(kind.Options)
    hints = get_type_hints(kind.Options)
    rows: list[list[Text]] = []
    for declared in fields(kind.Options):
        standard = "" if declared.default is MISSING else option_word(declared.default)
        words = Text(" | ").join(
            Text(word, "bold" if word == standard else "")
            for word in words_of(hints[declared.name])
        )
        words = joined([words, Text(f"default {standard}" if standard else "")])
        rows.append([Text(declared.name), words, Text(told.get(declared.name, ""))])
    return columns(rows, width, indent=2) or [Text("  no options", "dim")]
