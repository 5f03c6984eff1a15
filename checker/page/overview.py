"""Builds the page about many specs: a table of specs and properties, and each spec on demand.

The table is there without scripts: one row for each spec with what is violated or not as expected.
With scripts a reader searches and filters it, sees the verdict on each property, and opens a spec:
the page has all of them packed. Parts that are alike are compressed together, so that a page about
hundreds of specs stays small; a group is small enough to be unpacked before a reader notices.
"""

from __future__ import annotations

import base64
import string
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import htpy as h
from markupsafe import Markup

from finale.checker.report.layout import counted
from finale.checker.report.places import portable_error, portable_file
from finale.checker.report.story import BUILT_IN_SENTENCES
from finale.checker.search.rows import CheckResult, Exit, Mistake, ResultRow, SpecResult
from finale.checker.search.verdict import Word
from finale.model.visible import visible

from .document import data, document, fixed
from .ids import ids_section
from .parts import badge, heading, listing, section, verdict_word

#: A group ends with the part that makes it longer than this.
CHARACTERS_MAX = 300_000


def packed(name: str, parts: Sequence[str]) -> h.Renderable:
    """Finished markup for the scripts of the page. They find each part by its number."""
    groups = list(_groups([visible(part, "\n") for part in parts]))
    texts = [
        h.script(id=f"{name}-{number}", type="text/plain")[Markup(_text(group))]
        for number, group in enumerate(groups)
    ]
    return h.fragment[texts, data(name, [len(group) for group in groups])]


def _groups(parts: Sequence[str]) -> Iterator[list[str]]:
    group, size = list[str](), 0
    for part in parts:
        group.append(part)
        size += len(part)
        if size > CHARACTERS_MAX:
            yield group
            group, size = [], 0
    if group:
        yield group


def _text(group: Sequence[str]) -> str:
    """Compress parts, joined by a character that no visible text has."""
    whole = "\0".join(group).encode()
    return base64.b64encode(zlib.compress(whole, 9)).decode("ascii")


#: The sign of each verdict, and the filter that finds it.
SIGNS = {
    "violated": "✗",
    "holds": "✓",
    "reached": "◇",
    "not reached": "○",
    "vacuous": "∅",
    "unknown": "?",
    "not-asked": "·",
    "does-not-apply": "·",
}
#: How the verdict of a spec is marked, by what its exit code would be.
_MARKS = {Exit.AS_EXPECTED: ("✓", "good"), Exit.FAILED: ("✗", "bad")}
#: So many properties of a spec are named in its row: a narrow screen and paper show no matrix.
NAMES_MAX = 6
COLUMNS = {"telling": "violated, unknown or claimed", "all": "all"}
ANY = "any verdict"
WRONG, FREE, EXPECTED = "not as expected", "nothing expected", "as expected"


@dataclass(frozen=True)
class Code:
    """What a cell of the table says: a verdict, and what the spec expected."""

    word: str
    state: str

    @property
    def drawn(self) -> tuple[str, str, str, str]:
        """What the script needs to draw it."""
        return self.word, self.state, self.tone, SIGNS[self.word]

    @property
    def tone(self) -> str:
        """How the cell is coloured: red is what is not as expected, and nothing else."""
        if self.state == WRONG:
            return "bad"
        if self.word == "violated":
            return "open" if self.state == FREE else "known"
        if self.word in ("holds", "reached"):
            return "good" if self.state == EXPECTED else "faint"
        return "faint"


def code_of(row: ResultRow) -> Code:
    """What the cell of a row says."""
    state = WRONG if not row.ok else FREE if row.expected is None else EXPECTED
    return Code(verdict_word(row), state)


def overview_page(
    found: CheckResult, details: Sequence[str], made_by: str, *, traces: bool = True
) -> str:
    """The page about many specs; `details` has the markup of each, in their order."""
    results = found.results
    order = sorted(range(len(results)), key=lambda n: (results[n].ok, results[n].exit.value))
    codes: dict[Code, str] = {}
    names = _properties(results)
    cells = [_cells(result, names, codes) for result in results]
    title = counted(len(results), "spec")
    body = [
        heading(title, *_facts(found), f"made by {made_by}"),
        h.noscript[h.p["Without scripts the page shows only this table."]],
        _mistakes(found.mistakes),
        _filters(names),
        _legend(codes),
        h.div("#specs.scroll.matrix", tabindex="0", role="region", aria_label="specs, properties")[
            h.table[
                h.thead[h.tr[h.th(scope="col")["spec"], h.th(".cells", scope="col")]],
                h.tbody[(fixed(_row(results[n], n, cells[n])) for n in order)],
            ]
        ],
        h.section("#details", hidden=True, tabindex="-1"),
        ids_section("".join(details), [result.spec for result in results]),
        data("properties", [[each, *sentence] for each, sentence in names.items()]),
        data(
            "codes", {sign: [c.word, c.state, c.tone, SIGNS[c.word]] for c, sign in codes.items()}
        ),
        packed("packed", details),
    ]
    return document(title, body, styles=("overview.css",), scripts=("overview.js",))


def _facts(found: CheckResult) -> Iterator[h.Node]:
    results = found.results
    wrong = sum(result.exit is Exit.FAILED for result in results)
    limited = sum(result.exit is Exit.LIMIT for result in results)
    yield f"{len(results) - wrong - limited} as expected"
    if wrong:
        yield badge(f"{wrong} not as expected", "bad")
    if limited:
        yield badge(f"{limited} undecided", "open")
    free = sum(row.is_unexpected for result in results for row in result.rows)
    if free:
        what = "property is" if free == 1 else "properties are"
        yield f"{free} {what} violated where nothing was expected"
    for why in dict.fromkeys(each.why for each in found.left_out):
        count = sum(each.why == why for each in found.left_out)
        yield f"{counted(count, 'spec')} left out: {why}"


def _mistakes(mistakes: Sequence[Mistake]) -> h.Node:
    if not mistakes:
        return None
    return section("Errors", map(_mistake, mistakes))


def _mistake(mistake: Mistake) -> h.Renderable:
    text = listing(portable_error(mistake.error))
    return text if mistake.file is None else h.fragment[h.p[portable_file(mistake.file)], text]


def _properties(results: Sequence[SpecResult]) -> dict[str, list[str]]:
    """The properties in the order of the specs, each with its sentence."""
    names: dict[str, list[str]] = {}
    for result in results:
        sentences = {each.name: each.sentence for each in result.spec.families} | BUILT_IN_SENTENCES
        for row in result.rows:
            if row.is_claim:
                names.setdefault(row.property, [sentences.get(row.property, "")])
    return names


def _cells(result: SpecResult, names: Mapping[str, object], codes: dict[Code, str]) -> str:
    """One character for each property: its code, or a space."""
    found: dict[str, str] = {}
    for row in result.rows:
        if row.is_claim:
            code = code_of(row)
            found[row.property] = codes.setdefault(code, string.ascii_letters[len(codes)])
    return "".join(found.get(name, " ") for name in names).rstrip()


def _filters(names: Mapping[str, object]) -> h.Renderable:
    words, ordered = (ANY, WRONG, *SIGNS), sorted(names)
    return h.form("#filters", hidden=True, role="search")[
        h.label["search ", h.input("#search", type="search", placeholder="file, title, property")],
        h.label["property ", _choice("property", {"": "any property"} | {n: n for n in ordered})],
        h.label["verdict ", _choice("verdict", {word: word for word in words})],
        h.label(".of-cells")["columns ", _choice("columns", COLUMNS)],
        h.output("#shown", aria_live="polite"),
    ]


def _choice(name: str, options: Mapping[str, str]) -> h.Renderable:
    return h.select(f"#{name}")[(h.option(value=value)[text] for value, text in options.items())]


def _legend(codes: Mapping[Code, str]) -> h.Renderable:
    shown = sorted(codes, key=lambda each: ([*SIGNS].index(each.word), each.state))
    return h.ul(".legend.signs", aria_label="Legend")[
        (
            h.li[h.i(class_=each.tone)[SIGNS[each.word]], f" {each.word}, {each.state}"]
            for each in shown
            if each.word not in ("not-asked", "does-not-apply")
        )
    ]


def _row(result: SpecResult, number: int, cells: str) -> h.Renderable:
    sign, tone = _MARKS.get(result.exit, ("!", "open"))
    said = {"good": "as expected", "bad": "not as expected", "open": "undecided"}[tone]
    return h.tr(data_spec=str(number + 1), data_cells=cells)[
        h.th(scope="row")[
            h.span(class_=["mark", tone], role="img", aria_label=said)[sign],
            " ",
            h.a(href=f"#s{number + 1}")[portable_file(result.spec.file)],
            h.div(".soft")[result.spec.title],
            h.div(".chips")[_chips(result)],
        ],
        h.td(".cells"),
    ]


def _chips(result: SpecResult) -> Iterator[h.Node]:
    telling = [
        row
        for row in result.rows
        if row.is_claim and (not row.ok or row.counterexample is not None)
    ]
    telling.sort(key=lambda row: (row.ok, row.word is not Word.VIOLATED))
    for row in telling[:NAMES_MAX]:
        code = code_of(row)
        yield h.span[h.i(class_=code.tone)[SIGNS[code.word]], f" {row.property} "]
    if len(telling) > NAMES_MAX:
        yield h.span[f"and {len(telling) - NAMES_MAX} more"]


__all__ = ["overview_page", "packed"]
