"""The page of assumptions, made from the marks in the rules (`docs/assumptions.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from finale.checker.reproduce.forcing import Kept
from finale.checker.spec.catalogue import Catalogue
from finale.model.language.assumptions import Assumption, Leaving
from finale.reference.flink.asked import asked_table
from finale.reference.flink.facts import facts_in
from finale.reference.flink.releases import HOOKS

FACTS = facts_in(HOOKS / "flink-2.3.toml")

HEAD = """# Assumptions

The rules of Flink's protocols take for granted that Flink's source does certain things. A task
ignores the barrier of an old checkpoint. Its mailbox is empty when it closes. Nothing comes between
a barrier and its snapshot. Each of these assumptions is marked in the rules, with the class and the
method of Flink that implements it. This page is made from the marks.

`finale weaken SPEC` leaves out each assumption in turn, and says which property falls without it.
Without some assumptions data are lost, or a job hangs: these are the places to read in Flink's
source, and to test. A spec can leave out assumptions, too: `without = ["is-past"]`.
[What the rules rest on](weakening.md) explains both.

The column *Left out* says what a rule does without the assumption. The last table says
[what a real Flink does](#asked-of-flink) with and without each assumption.
"""

ASKED = """## Asked of Flink

`finale reproduce SPEC --without NAME` drives a counterexample without the assumption on a real
Flink, twice. *As it is*, Flink must refuse the step: the assumption is *kept*. Then a method is
*forced* to return something else. If Flink now takes the step, this method keeps Flink from it.
[On the real Flink](flink.md#an-assumption) explains the verdicts. The rows come from
`reference/flink/asked.toml`, and the reasons also from the table `[unforced]` in
`reference/flink/flink-2.3.toml`.
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
    lines += [ASKED, *_asked(found)]
    return "\n".join(lines).rstrip() + "\n"


def reasons() -> Mapping[str, str]:
    """Return for each assumption that Flink was not asked about the reason."""
    return {**asked_table().unasked, **FACTS.unforced}


def _asked(found: Sequence[Assumption]) -> Iterator[str]:
    table, why = asked_table(), reasons()
    both = sum(each.forced == Kept.BY_METHOD.value for each in table.asked.values())
    yield f"Of {len(found)} assumptions, Flink {table.release} was asked about {len(table.asked)}."
    yield f"{both} of these are kept, and by the method that is named."
    yield ""
    yield "| Assumption | As it is | Forced | Method that was forced | How, or why not |"
    yield "|---|---|---|---|---|"
    for name in sorted(each.name for each in found):
        if name not in table.asked:
            yield f"| `{name}` | cannot be driven | | | {why[name]} |"
            continue
        row = table.asked[name]
        falls = f"`{row.property}`, " if row.property else ""
        how = f"`{row.spec}`, {falls}`{row.step}`: {row.saw}"
        method = FACTS.assumed[name].place
        yield f"| `{name}` | {row.as_it_is} | {row.forced} | `{method}` | {how} |"


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
