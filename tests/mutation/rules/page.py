"""The page of mutants of rules: what was drawn, what became of it, and why survivors survive."""

from __future__ import annotations

import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.rules.judge import Outcome

ARGUED = Path(__file__).parent / "survivors.toml"
HEAD = """# Mutants of the protocols

How good are the specs at finding mistakes? `make rule-mutants` puts small mistakes into the rules
of the protocols and into the helpers that rules call, one at a time, and runs the specs that
explore what was changed, the likely and the cheap ones first, until one is no longer as it expects.
No other test is asked.

A mutant is *killed by a verdict* if a property is judged otherwise, or its counterexample has
another length. It is *killed by counts* if only the exact numbers of states, transitions or
depth differ. A mutant that *raises* is an error that any run shows. A mutant that no spec tells
*survives*: it is *equivalent* if no run of any job can show it; otherwise a spec or a property is
missing.

Mutants are drawn by seed from all changes that a fixed list of operators makes: a guard dropped, a
condition turned round or without one of its parts, a comparison shifted, a write left out, two
statements exchanged, another member of an enumeration, a default flipped, `any` for `all`, `add`
for `remove`. What lays out a job before anything is explored is left alone.
"""


def arguments() -> dict[str, dict[str, str]]:
    """By mutants: what a survivor `is`, and `why`."""
    return tomllib.loads(ARGUED.read_text(encoding="utf-8")) if ARGUED.exists() else {}


def written(
    mutants: Sequence[Mutant], outcomes: Mapping[str, Outcome], seed: int
) -> tuple[str, int]:
    """The page, and how many survivors nobody has argued."""
    argued = arguments()
    alive = [each for each in mutants if outcomes[each.id].kind == "survives"]
    lines = [HEAD, *_summary(mutants, outcomes, argued, seed)]
    for title, key in (("File", "file"), ("Operator", "operator")):
        lines += ["", f"## By {title.lower()}", "", *_table(title, mutants, outcomes, key)]
    lines += ["", "## Survivors", "", *_survivors(alive, argued)]
    return "\n".join(lines).rstrip() + "\n", sum(each.id not in argued for each in alive)


def _summary(
    mutants: Sequence[Mutant],
    outcomes: Mapping[str, Outcome],
    argued: Mapping[str, Mapping[str, str]],
    seed: int,
) -> Iterator[str]:
    kinds = Counter(outcomes[each.id].kind for each in mutants)
    alive = [each for each in mutants if outcomes[each.id].kind == "survives"]
    equal = sum(argued.get(each.id, {}).get("is") == "equivalent" for each in alive)
    killed = kinds["verdict"] + kinds["counts"] + kinds["hang"]
    other = killed + kinds["survives"] - equal
    yield (
        f"With seed {seed}, {len(mutants)} were drawn: {kinds['verdict']} are killed by a verdict, "
        f"{kinds['counts']} by counts, {kinds['hang']} by taking much longer, {kinds['raises']} "
        f"raise, {kinds['survives']} survive, of which {equal} are equivalent. Of those that are "
        f"neither equivalent nor raise **{100 * killed / max(other, 1):.1f} %** are killed."
    )


def _table(
    title: str, mutants: Sequence[Mutant], outcomes: Mapping[str, Outcome], key: str
) -> Iterator[str]:
    yield f"| {title} | Drawn | By a verdict | By counts | Raise | Survive |"
    yield "|---|---|---|---|---|---|"
    for value in sorted({getattr(each, key) for each in mutants}):
        own = [each for each in mutants if getattr(each, key) == value]
        kinds = Counter(outcomes[each.id].kind for each in own)
        numbers = [kinds["verdict"], kinds["counts"] + kinds["hang"], kinds["raises"]]
        row = [value, len(own), *numbers, kinds["survives"]]
        yield "| " + " | ".join(map(str, row)) + " |"


def _survivors(alive: Sequence[Mutant], argued: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for each in sorted(alive, key=lambda m: (m.file, m.line)):
        told = argued.get(each.id, {"is": "not argued", "why": ""})
        before, after = (" ".join(text.split()) for text in (each.before, each.after))
        yield f"- `{each.id}` {each.file}, `{each.function}`, {each.operator}: {told['is']}."
        yield f"  `{_short(before)}` → `{_short(after)}`"
        yield from textwrap.wrap(told["why"], 96, initial_indent="  ", subsequent_indent="  ")


def _short(text: str) -> str:
    return textwrap.shorten(text.replace("`", "'"), 70, placeholder=" …")
