"""The page of weakened properties: how many, what became of them, and why survivors survive."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.mutation.bench import Verdict
from tests.mutation.mutants import ROOT
from tests.mutation.page import code, table
from tests.mutation.properties.judging import STATES_MAX, meets
from tests.mutation.properties.mutants import Weaker

ARGUED = ROOT / "tests" / "mutation" / "properties" / "survivors.toml"
HEAD = f"""# Mutants of the properties

Does each part of each property matter? `python -m tests.mutation.properties` weakens each property
in one place at a time: a consequent loses a conjunct or claims nothing, a comparison admits more,
`all` becomes `any`, an antecedent gets narrower or never applies. The functions that a property
calls in its file are weakened too.

Each weakened property is checked in the specs that expect the property to fall, if they have up to
{STATES_MAX:,} states and are not slow, those with few states first. The mutant is *killed* by the
first spec in which the property no longer falls, or falls after another number of steps. A mutant
that raises an error is counted separately. A survivor shows that a spec or a broken variant is
missing, unless it is *equivalent*: then no run of any protocol shows the difference, and
`survivors.toml` argues why. `reachable` properties are witnesses, and are not weakened.

[tests/mutation/properties](../tests/mutation/properties) has the operators and the arguments. The
command writes this page. It stores its verdicts, and continues from them after an interruption.
"""


def arguments() -> dict[str, dict[str, str]]:
    """By mutants: what a survivor `is`, and `why`."""
    return tomllib.loads(ARGUED.read_text())


def written(
    mutants: Sequence[Weaker], verdicts: Mapping[str, Verdict], unjudged: int
) -> tuple[str, int]:
    """The page, and how many survivors nobody has argued; so many mutants are not judged."""
    argued = arguments()
    alive = [each for each in mutants if verdicts[each.mutant.id].kind == "survives"]
    changed = [each.mutant for each in mutants]
    lines = [HEAD, _summary(mutants, alive, verdicts, argued)]
    if unjudged:
        lines += [
            "",
            f"{unjudged} more are not killed, and have not met all their specs yet.",
        ]
    lines += ["", "## By operator", "", *table("Operator", changed, verdicts, "operator")]
    lines += ["", "## By file", "", *table("File", changed, verdicts, "file")]
    lines += ["", "## Survivors", "", *_survivors(alive, argued)]
    return "\n".join(lines) + "\n", sum(each.mutant.id not in argued for each in alive)


def _summary(
    mutants: Sequence[Weaker],
    alive: Sequence[Weaker],
    verdicts: Mapping[str, Verdict],
    argued: Mapping[str, Mapping[str, str]],
) -> str:
    kinds = Counter(verdicts[each.mutant.id].kind for each in mutants)
    equivalent = sum(argued.get(each.mutant.id, {}).get("is") == "equivalent" for each in alive)
    killed = kinds["differs"]
    matter = killed + kinds["survives"] - equivalent
    properties = {each.property for each in mutants}
    unasked = sorted(name for name in properties if not meets(name))
    return (
        f"{len(mutants)} mutants of {len(properties)} properties: {killed} are killed, "
        f"{kinds['crash']} raise an error, {kinds['survives']} survive, of which {equivalent} are "
        f"equivalent. Of those that are neither equivalent nor raise an error "
        f"**{100 * killed / max(matter, 1):.1f} %** are killed. "
        f"{_without_specs(unasked)}"
    )


def _without_specs(names: Sequence[str]) -> str:
    if not names:
        return "Each property is expected to fall in some spec of that size."
    return f"No spec of that size expects these properties to fall: {', '.join(names)}."


def _survivors(alive: Sequence[Weaker], argued: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield "| Property | Line | Instead of | There is | | Why it survives |"
    yield "|---|---|---|---|---|---|"
    for each in alive:
        mutant = each.mutant
        why = argued.get(mutant.id, {})
        file = mutant.file.removeprefix("model/properties/").removesuffix(".py")
        where = each.property, f"{file}:{mutant.line}"
        said = why.get("is", "?"), why.get("why", f"not argued: {mutant.id}")
        yield f"| {' | '.join((*where, code(mutant.before), code(mutant.after), *said))} |"
