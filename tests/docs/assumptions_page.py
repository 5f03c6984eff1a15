"""The page of assumptions, made from the marks in the rules (`docs/assumptions.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from finale.checker.spec.catalogue import Catalogue
from finale.model.language.assumptions import Assumption, Leaving

HEAD = """# Assumptions

The rules of Flink's protocols take for granted that Flink's source does certain things. A task
ignores the barrier of an old checkpoint. Its mailbox is empty when it closes. Nothing comes between
a barrier and its snapshot. Each of these assumptions is marked in the rules, with the class and the
method of Flink that implements it. This page is made from the marks.

`finale weaken SPEC` leaves out each assumption in turn, and says which property falls without it.
Without some assumptions data are lost, or a job hangs: these are the places to read in Flink's
source, and to test. A spec can leave out assumptions, too: `without = ["is-past"]`.
[What the rules rest on](weakening.md) explains both.

The column *Left out* says what a rule does without the assumption.
"""

TITLES: Mapping[Leaving, str] = {
    Leaving.GUARD: "Guards",
    Leaving.STEP: "Steps",
    Leaving.AT_ONCE: "Atomic steps",
}


def assumptions_in(catalogue: Catalogue) -> tuple[Assumption, ...]:
    """Return the assumptions of all protocols, each once, in the order of the protocols."""
    found: dict[str, Assumption] = {}
    for key in catalogue.protocols:
        for name, each in catalogue.protocol(key).assumptions().items():
            known = found.get(name, each)
            methods = dict.fromkeys((*known.methods, *each.methods))
            found[name] = replace(known, methods=tuple(methods))
    return tuple(found.values())


def assumptions_page(catalogue: Catalogue) -> str:
    """Return the page as Markdown."""
    found = assumptions_in(catalogue)
    lines = [HEAD]
    for leaving, title in TITLES.items():
        own = [each for each in found if each.leaving is leaving]
        lines += [f"## {title}", "", *_table(own), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(found: Sequence[Assumption]) -> Iterator[str]:
    yield "| Assumption | What the rules assume | In Flink | Left out |"
    yield "|---|---|---|---|"
    for each in sorted(found, key=lambda each: each.name):
        methods = ", ".join(f"`{method}`" for method in each.methods)
        yield f"| `{each.name}` | {each.sentence} | {methods} | {_left_out(each)} |"


def _left_out(assumption: Assumption) -> str:
    if assumption.leaving is not Leaving.GUARD:
        words: str = assumption.leaving.value
        return words
    return "always true" if assumption.without is True else "always false"
