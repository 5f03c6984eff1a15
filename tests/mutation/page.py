"""The page of mutants: what was drawn, what became of it, and why survivors survive."""

from __future__ import annotations

import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.mutation.bench import Verdict
from tests.mutation.bugs import bugs
from tests.mutation.mutants import ASIDE, ROOT, Mutant
from tests.mutation.specs import CUTS, LARGER, RUNS, SMALL

ARGUED = ROOT / "tests" / "mutation" / "survivors.toml"
HEAD = """# Mutants of the engine

How good is conformance at finding mistakes? `make mutants` puts one small mistake at a time into
the engine, and compares it with the model: in lock-step on small specs, then on larger ones,
then with each step interrupted at each of its micro-steps, then in random runs whose event logs the
model must accept. No other test is used. A mutant is *killed* if engine and model differ: only one
of them can take a step, a state looks different, a crash is neither like before its step nor like
after it, no run of the protocol explains a log, or a step never ends. A mutant that raises an error
is counted separately, because any test would find it.

Mutants are drawn by seed from all changes that a fixed list of operators can make to the files that
define the engine's behaviour: a negated condition or one without a part, `and` for `or`, `<` for
`<=`, a statement left out or exchanged with the next, another number or member of an enumeration,
`add` for `discard`, `any` for `all`, a filter left out. Code that only states a fact or a type, or
that describes an engine for a comparison, is not changed.

[tests/mutation](../tests/mutation) has the operators, the specs, and the bugs of the past that are
planted by hand. It writes this page. Its `survivors.toml` argues why a survivor survives. A mutant
is *equivalent* if no run of the engine can show it. It is *beyond* the model if only runs of a
user's job show it.
"""
LEFT = """
## What is left out

No spec and no random run gets to these functions, so that their mutants could not be killed here.
Tests of their own hold them ([tests/reference](../tests/reference)).
"""


def arguments() -> dict[str, dict[str, str]]:
    """By mutants: what a survivor `is`, and `why`."""
    return tomllib.loads(ARGUED.read_text())


def written(
    mutants: Sequence[Mutant], verdicts: Mapping[str, Verdict], seed: int
) -> tuple[str, int]:
    """The page, and how many survivors nobody has argued."""
    known = {bug.id for bug in bugs()}
    chosen = [mutant for mutant in mutants if mutant.id not in known]
    by_hand = [mutant for mutant in mutants if mutant.id in known]
    argued = arguments()
    lines = [HEAD, *_summary(chosen, verdicts, argued, seed)]
    lines += ["", "## By file", "", *table("File", chosen, verdicts, "file")]
    lines += ["", "## By operator", "", *table("Operator", chosen, verdicts, "operator")]
    lines += [LEFT, *_left_out()]
    lines += ["", "## Bugs of the past", "", *_bugs(by_hand, verdicts)]
    alive = [mutant for mutant in mutants if verdicts[mutant.id].kind == "survives"]
    lines += ["", "## Survivors", "", *_survivors(alive, argued)]
    return "\n".join(lines) + "\n", sum(mutant.id not in argued for mutant in alive)


def _summary(
    mutants: Sequence[Mutant],
    verdicts: Mapping[str, Verdict],
    argued: Mapping[str, Mapping[str, str]],
    seed: int,
) -> Iterator[str]:
    kinds = Counter(verdicts[mutant.id].kind for mutant in mutants)
    alive = [mutant for mutant in mutants if verdicts[mutant.id].kind == "survives"]
    equivalent = sum(argued.get(mutant.id, {}).get("is") == "equivalent" for mutant in alive)
    killed = kinds["differs"] + kinds["hang"]
    told = killed + kinds["survives"] - equivalent
    yield (
        f"With seed {seed}, {len(mutants)} were drawn: {killed} are killed "
        f"({kinds['hang']} of them by never ending), {kinds['crash']} raise an error, "
        f"{kinds['survives']} survive, of which {equivalent} are equivalent. "
        f"Of those that are neither equivalent nor raise an error "
        f"**{100 * killed / told:.1f} %** are killed; of all that are not equivalent "
        f"{100 * (killed + kinds['crash']) / (told + kinds['crash']):.1f} % are found. "
        f"They met {len(SMALL)} small specs. Those that survived, and of which it is not "
        f"argued why, met {len(LARGER)} larger ones, then {len(CUTS)} of which each step was cut "
        f"at each of its micro-steps, then {len(RUNS)} random runs."
    )


def table(
    head: str, mutants: Sequence[Mutant], verdicts: Mapping[str, Verdict], by: str
) -> Iterator[str]:
    """The rows of a table: how many mutants became what, by an attribute of theirs."""
    yield f"| {head} | Drawn | Killed | Raise | Survive |"
    yield "|---|---|---|---|---|"
    counted: dict[str, Counter[str]] = {}
    for mutant in mutants:
        counted.setdefault(getattr(mutant, by), Counter())[verdicts[mutant.id].kind] += 1
    for name, kinds in sorted(counted.items()):
        killed = kinds["differs"] + kinds["hang"]
        yield f"| {name} | {kinds.total()} | {killed} | {kinds['crash']} | {kinds['survives']} |"


def _left_out() -> Iterator[str]:
    yield "| Functions | Why |"
    yield "|---|---|"
    for why, names in ASIDE.items():
        yield f"| {', '.join(f'`{name}`' for name in names)} | {why} |"


def _bugs(mutants: Sequence[Mutant], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    yield "| Bug | Found by | What differs |"
    yield "|---|---|---|"
    for mutant in mutants:
        verdict = verdicts[mutant.id]
        said = textwrap.shorten(verdict.said.split(";")[0], 100, placeholder=" …")
        said = said.replace("|", "\\|")
        where = verdict.spec or "–"  # noqa: RUF001
        yield f"| {mutant.operator} | {where} | {said or verdict.kind} |"


def _survivors(mutants: Sequence[Mutant], argued: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield "| Where | Instead of | There is | | Why it survives |"
    yield "|---|---|---|---|---|"
    for mutant in mutants:
        why = argued.get(mutant.id, {})
        where = f"{mutant.file.removeprefix('reference/')} `{mutant.function}`"
        texts = [code(mutant.before), code(mutant.after)]
        said = why.get("is", "?"), why.get("why", f"not argued: {mutant.id}")
        yield f"| {' | '.join((where, *texts, *said))} |"


def code(text: str) -> str:
    """A text of a source in a cell of a table."""
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`"
