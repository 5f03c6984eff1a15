"""`finale reproduce`: drives a real Flink along a counterexample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.report.layout import console, write
from finale.checker.report.places import shown_file
from finale.checker.report.reproduced import heading_lines, run_json, run_lines, total_line
from finale.checker.reproduce.causes import causes
from finale.checker.reproduce.ordering import NotTakeable, order_of
from finale.checker.reproduce.verdicts import PROBES, SEEN_AT, JudgedRun, Reproduction, judged
from finale.checker.review.change import read_under
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError, Place
from finale.reference.flink.facts import EngineFacts, facts_of
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import ORDER_FILE, Order
from finale.reference.flink.releases import release_of
from finale.reference.flink.run import prepared_folder, run_order, write_file
from finale.reference.flink.toolchain import find_jdk

from . import completers
from .claims import claims_under
from .forced import ForcedDrive
from .orders import OrdersDrive, refuse_with_orders
from .output import document, say, say_json
from .parameters import OUTPUT, SETTING, ProtocolsFolder, SetValues, TextOrJson, VariantName
from .trace import row_to_tell, searched, tell_other_expectations


def reproduce(  # noqa: PLR0913 - one parameter a flag
    spec: Annotated[
        Path,
        Parameter(
            help="Spec with a violated property, or with --orders a spec whose properties hold."
        ),
    ],
    /,
    *,
    property: Annotated[
        str | None,
        Parameter(
            help="Property whose counterexample is taken (default: as finale trace).",
            completer=completers.properties,
        ),
    ] = None,
    flink: Annotated[
        str | None,
        Parameter(
            help="Folder of a Flink distribution, or a release that is installed (default: the "
            "installed release)."
        ),
    ] = None,
    times: Annotated[int, Parameter(help="Number of runs, one after the other.")] = 1,
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="Folder for the order, the logs and the outcomes (default: reproduction).",
        ),
    ] = None,
    orders: Annotated[
        int | None,
        Parameter(
            help="Drive Flink along this number of dangerous orders of a spec whose properties "
            "hold, and say whether Flink does damage in one. Another order replaces one that Flink "
            "does not take. Not with --property or --times."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        Parameter(help="Seed of the random runs that --orders chooses from (default: 1)."),
    ] = None,
    as_written: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Take the options of the spec alone, and not those of the release of Flink.",
        ),
    ] = False,
    without: Annotated[
        str | None,
        Parameter(
            group=SETTING,
            help="Drive Flink twice along a counterexample without this assumption: as it is, and "
            "with the method forced that the assumption names. Not with --orders or --times.",
        ),
    ] = None,
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
    format: TextOrJson = "text",
) -> int:
    """Drive a real Flink along a counterexample, and say whether the damage is seen."""
    for flag, given in (("--times", times), ("--orders", orders)):
        if given is not None and given < 1:
            raise FinaleError(
                "bad-limit", f"{flag} is {given}", advice="give a number of runs above zero"
            )
    if orders is not None:
        refuse_with_orders(property, times)
    elif seed is not None:
        raise FinaleError(
            "usage",
            "--seed is for --orders: a counterexample depends on no seed",
            advice="leave it out, or give --orders",
        )
    if without is not None and (orders is not None or times != 1):
        raise FinaleError(
            "usage",
            "--without drives Flink twice along one counterexample",
            advice="leave out --orders and --times",
        )
    known = catalogue(protocols)
    if property is not None:
        check_property_name(property, known)
    written = read_under(spec, known, variant, values_in(set))
    release = release_of(flink)
    facts = facts_of(release)
    folder = output or Path("reproduction")
    values = values_in(set)
    claims = claims_under(spec, known, variant, values, None if as_written else release, facts)
    if orders is not None:
        drive = OrdersDrive(claims[0], release, facts, folder, orders, 1 if seed is None else seed)
        return drive.run(as_text=format == "text")
    if without is not None:
        forced = ForcedDrive(claims, without, property, release, facts, folder)
        return forced.run(as_text=format == "text")
    try:
        name, left = _orders(claims, property, facts)
    except NotTakeable as why:
        return _not_takeable(str(why), format, written.file, property)
    find_jdk()
    prepared_folder(folder)
    page = console()
    done: list[JudgedRun] = []
    others: list[JudgedRun] = []
    order, claim = left.pop(0)
    with Jvms(release) as jvms:
        while len(done) < times:
            write_file(folder / ORDER_FILE, order.to_json())
            if format == "text" and not done:
                write(page, heading_lines(written, name, len(order.steps), release.version))
            number = len(done) + 1
            run = run_order(order, jvms, folder / f"run-{number}")
            left_over = causes(claim, order, release)
            verdict = judged(run, name, left_over, of_release=claim.under is not None)
            if format == "text":
                write(page, run_lines(number, verdict, page.width))
            if verdict.verdict is Reproduction.NOT_TAKEN and left and not done:
                order, claim = left.pop(0)
                aside = folder / f"not-taken-{len(others) + 1}"
                (folder / "run-1").rename(aside)
                others.append(replace(verdict, run=replace(run, folder=aside)))
                (folder / ORDER_FILE).rename(aside / ORDER_FILE)
                if format == "text":
                    say(f"this order and its run are in {shown_file(aside)}")
                    write(page, ["", "another counterexample of the same property:"])
                continue
            done.append(verdict)
    if format == "json":
        about = {"spec": shown_file(written.file), "property": name}
        runs = {"flink": release.version, "runs": [run_json(each) for each in done]}
        runs |= {"others": [run_json(each) for each in others]}
        say_json(document("reproduce") | about | runs)
    elif times > 1:
        write(page, ["", total_line(done)])
    return _code(done)


def _orders(
    claims: Sequence[Spec], name: str | None, facts: EngineFacts
) -> tuple[str, list[tuple[Order, Spec]]]:
    """The property, and the orders of its counterexamples, without repetitions.

    Beside each order stands the claim whose counterexample it is. Raises `no-trace`, and
    `NotTakeable` if Flink can take none of them.
    """
    found: dict[str, tuple[Order, Spec]] = {}
    why: NotTakeable | None = None
    for claim in claims:
        result = searched(claim, name, "auto", ())
        rows = [row for row in result.rows if row.trace is not None]
        if claim is not claims[-1] and not any(row.word is Word.VIOLATED for row in rows):
            continue
        if claim is claims[-1] and found and not rows:
            continue
        row = row_to_tell(result, name)
        tell_other_expectations(result, row)
        if row.word is not Word.VIOLATED:
            raise FinaleError(
                "no-trace",
                f"{row.property} is not violated: there is no damage that Flink could do",
                place=Place(str(claim.file)),
                advice="name a violated property with --property; finale check tells the verdicts",
            )
        name = row.property
        if name in SEEN_AT and not facts.takes(SEEN_AT[name]):
            raise NotTakeable(f"this release has no hook that shows the damage of {name}")
        assert row.trace is not None
        assert result.system is not None
        try:
            probe = PROBES.get(name, "")
            order = replace(order_of(claim, result.system, row.trace, facts), probe=probe)
        except NotTakeable as error:
            why = error
            continue
        found.setdefault(order.to_json(), (order, claim))
    if not found:
        assert why is not None
        raise why
    assert name is not None
    return name, list(found.values())


def _not_takeable(why: str, format: TextOrJson, file: Path, name: str | None) -> Exit:
    if format == "json":
        none: list[object] = []
        about = {"spec": shown_file(file), "property": name, "not_taken": why, "runs": none}
        say_json(document("reproduce") | about)
    else:
        say(f"not taken: {why}")
    return Exit.LIMIT


def _code(done: list[JudgedRun]) -> Exit:
    verdicts = {each.verdict for each in done}
    rejected = any(each.log.rejected for each in done)
    if Reproduction.NOT_REPRODUCED in verdicts or rejected:
        return Exit.FAILED
    undecided = {Reproduction.NOT_TAKEN, Reproduction.NOT_SEEN}
    return Exit.LIMIT if undecided & verdicts else Exit.AS_EXPECTED
