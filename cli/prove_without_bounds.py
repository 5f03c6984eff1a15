"""`finale prove` without bounds: facts about all jobs, and properties of runs with unbounded ids.

Both look at a window of a job or run. If a rule reads what the window does not have, nothing is
asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from finale.checker.proofs.all_jobs.fact import (
    Fact,
    FactProven,
    FactRefuted,
    FactUndecided,
    Outcome,
    prove,
)
from finale.checker.proofs.all_jobs.facts import groups_of
from finale.checker.proofs.unbounded.prove import prove_unbounded
from finale.checker.report.layout import console, paragraph, write
from finale.checker.report.places import shown_file, shown_place
from finale.checker.report.proofs import (
    compared_line,
    fact_lines,
    group_line,
    is_as_expected,
    names_in,
    summary_line,
    verdict_of,
)
from finale.checker.report.unbounded import (
    clause_lines,
    head_lines,
    proven_json,
    result_lines,
    sum_line,
)
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.layout import READS_LAYOUT
from finale.model.language.protocol import Protocol

from .meter import Meter
from .output import document, say_json


def prove_all(protocol: str, variant: str | None, protocols: Path | None, as_text: bool) -> int:
    """Prove facts about all jobs, or draw the smallest job that refutes one."""
    known = catalogue(protocols)
    kind = known.protocol(protocol) if variant is None else known.variant(protocol, variant)
    try:
        return _prove(known, kind, as_text)
    except FinaleError as error:
        return _not_asked(error, {"protocol": kind.key}, "prove-all-jobs", as_text)


def _prove(known: Catalogue, kind: type[Protocol], as_text: bool) -> int:
    rows: list[dict[str, object]] = []
    outcomes: list[tuple[Fact, Outcome]] = []
    page = console()
    with known.blaming_user_code():
        groups = list(groups_of(kind))
    for group in groups:
        if as_text:
            write(page, [group_line(group.title, group.facts)])
        with known.blaming_user_code():
            compared = group.compare()
        if as_text:
            write(page, [compared_line(compared)])
        for fact in group.facts:
            with known.blaming_user_code():
                outcome = prove(fact)
            outcomes.append((fact, outcome))
            rows.append({"of": group.title, "compared": compared, **_row(fact, outcome)})
            if as_text:
                write(page, fact_lines(fact, outcome, page.width))
        if as_text:
            write(page, [""])
    return _closed(outcomes, rows, as_text)


def _closed(
    outcomes: list[tuple[Fact, Outcome]], rows: list[dict[str, object]], as_text: bool
) -> Exit:
    wrong = sum(not is_as_expected(fact, outcome) for fact, outcome in outcomes)
    verdicts = Counter(verdict_of(outcome) for _, outcome in outcomes)
    proven, refuted, undecided = (verdicts[word] for word in ("proven", "refuted", "unknown"))
    if as_text:
        write(console(), [summary_line(proven, refuted, undecided, wrong)])
    else:
        say_json(document("prove-all-jobs") | {"facts": rows, "ok": not wrong})
    if wrong > undecided:
        return Exit.FAILED
    return Exit.LIMIT if undecided else Exit.AS_EXPECTED


def _row(fact: Fact, outcome: Outcome) -> dict[str, object]:
    row: dict[str, object] = {
        "fact": fact.name,
        "cites": fact.cites,
        "sentence": fact.sentence,
        "methods": fact.of,
        "verdict": verdict_of(outcome),
        "expected": "proven" if fact.holds else "refuted",
        "seconds": round(outcome.seconds, 3),
    }
    match outcome:
        case FactProven(queries=queries):
            row["queries"] = queries
        case FactRefuted(graph=graph):
            names = names_in(graph)
            row["case"] = graph.case
            row["nodes"] = dict(zip(names, graph.marks, strict=True))
            row["edges"] = [[names[one], names[other], *words] for one, other, words in graph.edges]
        case FactUndecided(why=why, nodes=nodes):
            row |= {"why": why, "nodes_tried": nodes}
    return row


def prove_runs(spec: Spec, names: Sequence[str], limits: Limits, as_text: bool) -> Exit:
    """Print the clauses and what follows from them; 0 where all that is asked is proven."""
    try:
        with Meter(spec.file.name) as meter:
            proven = prove_unbounded(spec.protocol, spec.setting, names, limits, meter)
    except FinaleError as error:
        return _not_asked(error, {"spec": shown_file(spec.file)}, "prove-unbounded", as_text)
    if as_text:
        page = console()
        write(page, head_lines(spec, page.width))
        lines = [*clause_lines(proven, page.width), *result_lines(proven, page.width)]
        write(page, [*lines, sum_line(proven)])
    else:
        say_json(document("prove-unbounded") | proven_json(spec, proven))
    return Exit.AS_EXPECTED if proven.is_decided else Exit.LIMIT


def _not_asked(error: FinaleError, head: dict[str, object], command: str, as_text: bool) -> Exit:
    """Print which code reads which value of the layout, and where. Raises any other error."""
    if error.code != READS_LAYOUT:
        raise error
    if not as_text:
        place = error.place
        row: dict[str, object] = {"verdict": "not-asked", "why": error.message}
        if place is not None:
            row |= {"rule": place.rule, "file": place.file, "line": place.line}
        say_json(document(command) | head | row)
        return Exit.LIMIT
    page = console()
    write(
        page, [Text("Not asked: a rule reads what a window and a run do not have alike.", "bold")]
    )
    where = shown_place(error.place) if error.place is not None else ""
    write(
        page,
        paragraph(
            Text(f"{where}: {error.message}" if where else error.message), page.width, indent=4
        ),
    )
    write(page, paragraph(Text(error.advice, "dim"), page.width, indent=4))
    return Exit.LIMIT
