"""Finds what a name means: a variant, a property, an id, an error, a rule, an option, a word.

Nothing is written here that stands elsewhere. Variants, properties, rules and options are explained
by their docstrings; ids, errors, assumptions and words by the tables of the pages in `docs`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from finale import model
from finale.checker.logs.regularities.assumptions import ASSUMPTIONS, NECESSARY
from finale.checker.report.story import BUILT_IN_SENTENCES
from finale.checker.report.validated import KnownHazard
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.doc_tables import page_text, tables_in
from finale.checker.spec.files import toml_in
from finale.checker.spec.meanings import first_paragraph, summary
from finale.checker.spec.reading import can_apply
from finale.checker.spec.reference import spec_words
from finale.checker.spec.typed import is_list, is_table
from finale.checker.studies.effects import effect_of
from finale.model.language.build import rule_names
from finale.model.language.decorators import ids_in
from finale.model.language.protocol import Protocol
from finale.model.protocols.registry import PROTOCOLS
from finale.model.protocols.releases import RELEASES

from .completers import PROTOCOL

_ROOT = Path(model.__file__).resolve().parent.parent
SPECS = _ROOT / "specs"
#: The pages whose tables explain names, and what a row of a page is.
PAGES = {
    "rule-reference": "id",
    "hazards": "hazard",
    "assumptions": "assumption",
    "errors": "error",
    "glossary": "word",
    "specs": "exit code",
}
#: How docs/hazards.md judges what Flink does today.
OF_TODAY = ("a bug", "a limit", "a contract")
#: The columns of that page with the specs, and with what a log has.
SHOWN_BY, IN_A_LOG = "Shown by", "In a log"
DASH = "–"  # noqa: RUF001 - a dash
#: A table explains names if its first column is one of these.
_NAMING = ("Id", "Assumption", "Code", "Word")


@dataclass(frozen=True)
class Explanation:
    """What a name means, in rows of a label and a text."""

    name: str
    kind: str
    rows: tuple[tuple[str, str], ...]
    where: str = ""
    """The page and its section."""


def explained(name: str, known: Catalogue) -> list[Explanation]:
    """Return all meanings of a name, those of the user's own code first."""
    every = list(_all_of(SOURCES, known))
    found = [each for each in every if is_called(name, each.name)]
    found = found or [each for each in _all_of(OF_RULES, known) if is_called(name, each.name)]
    return found or [each for each in every if _begins_with(name, each.name)]


def _all_of(sources: Iterable[Source], known: Catalogue) -> Iterator[Explanation]:
    for source in sources:
        yield from source(known)


def names(known: Catalogue) -> list[str]:
    """Return all names that can be explained, those of the user's own code first."""
    return list(dict.fromkeys(each.name for each in _all_of((*SOURCES, *OF_RULES), known)))


def is_called(asked: str, name: str) -> bool:
    """Whether two names are the same but for their case, and for words in the plural."""
    return asked.casefold() == name.casefold() or _singular(asked) == _singular(name)


def _begins_with(asked: str, name: str) -> bool:
    """Whether a line that a command prints begins with words that are explained: not decided with
    checkpoints = 1."""
    return " " in name and f"{_singular(asked)} ".startswith(f"{_singular(name)} ")


@cache
def _singular(name: str) -> str:
    """Plain words without articles and endings of plurals: branches not taken, branch not taken."""
    words = [word for word in name.casefold().split() if word not in ("a", "an", "the")]
    return " ".join(
        re.sub(r"(?<=ch|sh|ss)es$|(?<!s)s$", "", word) if word.isalpha() else word for word in words
    )


Rows = tuple[tuple[str, str], ...]


def _variants(known: Catalogue) -> Iterator[Explanation]:
    """All variants, the user's own first."""
    built_in = {(entry.key, variant) for entry in PROTOCOLS for variant in entry.variants}
    for key, name in sorted(known.variants, key=lambda each: each in built_in):
        kind = known.variant(key, name)
        rows: Rows = (("Is", summary(kind)),)
        falls: str | None = getattr(kind, "must_fall", None)
        if falls:
            rows += (("Violates", falls),)
        own = "" if (key, name) in built_in else "your "
        yield Explanation(name, f"{own}variant of {key}", rows)


def _protocols(known: Catalogue) -> Iterator[Explanation]:
    for key in known.protocols:
        kind = known.protocol(key)
        rows = (("Is", summary(kind)), ("More", f"finale list options --of {key}"))
        yield Explanation(key, "protocol", rows)


def _properties(known: Catalogue) -> Iterator[Explanation]:
    """The properties by their names."""
    for name, sentence in BUILT_IN_SENTENCES.items():
        yield Explanation(name, "property of every spec", (("Says", sentence),))
    for family in known.properties.values():
        kinds = [key for key in known.protocols if can_apply(family, known.protocol(key))]
        rows: Rows = (("Says", family.sentence), ("Kind", family.kind.value))
        if not family.kind.is_reachability:
            rows += (("If it falls", effect_of(family.name, family).value),)
        rows += (("Asked of", ", ".join(kinds) or "no protocol"),)
        if family.needs:
            rows += (("Needs", f'[observe] with "{family.needs}"'),)
        if family.on_request:
            rows += (("Asked", "only on request: name it, or add --all-properties"),)
        yield Explanation(family.name, "property", rows)


def _cited(known: Catalogue) -> Iterator[Explanation]:
    """The rules and properties that cite an id."""
    citing: dict[str, dict[str, list[str]]] = {}
    for family in known.properties.values():
        for name in ids_in(family.sentence):
            citing.setdefault(name, {}).setdefault("Properties", []).append(family.name)
    kind = known.protocol(PROTOCOL)
    for rule in rule_names(kind):
        for name in ids_in(_sentence(kind, rule)):
            citing.setdefault(name, {}).setdefault("Rules", []).append(rule)
    for name, found in citing.items():
        rows = tuple((label, ", ".join(each)) for label, each in found.items())
        yield Explanation(name, f"cited in {PROTOCOL}" if "Rules" in found else "cited", rows)


def _rules(known: Catalogue) -> Iterator[Explanation]:
    """Each rule where it is first written."""
    found: dict[tuple[str, str], list[str]] = {}
    for key in known.protocols:
        kind = known.protocol(key)
        for rule in rule_names(kind):
            found.setdefault((rule, _sentence(kind, rule)), []).append(key)
    for (rule, sentence), keys in found.items():
        rows = (("Does", sentence), ("Rule of", ", ".join(keys)))
        yield Explanation(rule, "rule", rows)


def _sentence(kind: type[Protocol], rule: str) -> str:
    return first_paragraph(getattr(kind, rule).__doc__)


def _spec_words(known: Catalogue) -> Iterator[Explanation]:
    """What a spec can say: keys and their values, bounds, options."""
    for each in spec_words(known):
        rows: Rows = (("Means", each.meaning),)
        if each.values:
            rows += (("Values", " | ".join(each.values)),)
        if each.protocols:
            rows += (("Protocols", ", ".join(each.protocols)),)
        yield Explanation(each.name, each.kind, rows, f"docs/spec-reference.md, {each.table}")


def _releases(_: Catalogue) -> Iterator[Explanation]:
    for release in RELEASES:
        rows = (("Stands for", f"{release.name}: versions {release.versions}"),)
        yield Explanation(release.key, "release", rows)
        yield Explanation(release.name, "release", rows)


def _pages(_: Catalogue) -> Iterator[Explanation]:
    for page, kind in PAGES.items():
        yield from _in_page(page, kind)


@cache
def _in_page(page: str, kind: str) -> tuple[Explanation, ...]:
    return tuple(rows_of(page_text(page), kind, f"docs/{page}.md"))


@cache
def known_hazards() -> Mapping[str, KnownHazard]:
    """Return the hazards of today's Flink by their ids."""
    falls = dict[str, frozenset[str]]()
    causes = dict[str, str]()
    for hazard in _in_page("hazards", PAGES["hazards"]):
        rows = dict(hazard.rows)
        if rows.get("Judgement") in OF_TODAY:
            files = [SPECS / f"{text}.toml" for label, text in hazard.rows if label == SHOWN_BY]
            falls[hazard.name] = frozenset(chain.from_iterable(map(_violated_in, files)))
        if rows.get(IN_A_LOG, DASH) != DASH:
            causes[hazard.name] = rows[IN_A_LOG]
    return {name: KnownHazard(names, causes.get(name, "")) for name, names in falls.items()}


def _of_lines(_: Catalogue) -> Iterator[Explanation]:
    """What lines of a log can contradict: `finale validate` names it like a property."""
    for each in ASSUMPTIONS:
        told = (("Claims", each.sentence), ("Rests on", each.rests_on))
        yield Explanation(each.name, "assumption about lines of a log", told)
    claim = "Each run writes certain lines before others, and none of them is missing."
    yield Explanation(NECESSARY, "assumption about lines of a log", (("Claims", claim),))


def _violated_in(spec: Path) -> Iterator[str]:
    """The properties that a spec expects to be violated."""
    table, _ = toml_in(spec)
    rows = table.get("expect")
    for row in rows if is_list(rows) else ():
        if is_table(row) and row.get("verdict") == Word.VIOLATED.value:
            yield str(row["property"])


def rows_of(text: str, kind: str, page: str) -> Iterator[Explanation]:
    """Yield the rows of all tables of a page that explain names.

    A row without a name continues the row above it. A table can have two such tables side by side.
    """
    for section, (header, *rows) in tables_in(text):
        if header[0] not in _NAMING:
            continue
        width = len(header) // header.count(header[0])
        found: dict[str, list[tuple[str, str]]] = {}
        for start in range(0, len(header), width):
            name = ""
            for row in rows:
                name = row[start] or name
                own = zip(header[start : start + width], row[start : start + width], strict=True)
                found.setdefault(name, []).extend(pair for pair in list(own)[1:] if pair[1])
        for cell, about in found.items():
            for name in _names(cell):
                yield Explanation(name, kind, tuple(about), f"{page}, {section}")


def _names(cell: str) -> Iterator[str]:
    """The names of a cell: `no-release`, `no-resume`; confirmation (notification)."""
    for part in re.split(r", |\(|\)", cell):
        if part.strip():
            yield part.strip().strip("`")


Source = Callable[[Catalogue], Iterator[Explanation]]
#: Where names are looked up, in this order.
SOURCES: Sequence[Source] = (
    _variants, _properties, _pages, _cited, _protocols, _spec_words, _releases, _of_lines
)  # fmt: skip
#: Where a name is looked up that stands nowhere else.
OF_RULES: Sequence[Source] = (_rules,)
