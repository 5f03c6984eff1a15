"""`finale prove`: properties that hold after any number of steps, or for jobs of any shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.proofs.needed import Explaining
from finale.checker.proofs.prove import (
    ProofMethod,
    ProofResult,
    Proving,
    does_not_apply,
    topics_of,
)
from finale.checker.report.layout import console, write
from finale.checker.report.proven import (
    head_lines,
    is_as_expected,
    result_json,
    result_lines,
    summary,
)
from finale.checker.report.why import why_json, why_lines
from finale.checker.review.change import read_under
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.search.run import chosen
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError
from finale.model.given import no_such_path
from finale.model.system import System

from . import completers
from .meter import Meter
from .output import document, say_json
from .parameters import (
    LIMITS,
    PLAIN,
    NoCompare,
    PropertyNames,
    ProtocolsFolder,
    SecondsLimit,
    SetValues,
    TextOrJson,
    VariantName,
    refuse_limits,
)


def prove(  # noqa: PLR0913 - one parameter a flag
    spec: Annotated[Path | None, Parameter(help="Spec, a TOML file; none with --all-jobs.")] = None,
    /,
    *,
    all_jobs: Annotated[
        bool, PLAIN, Parameter(help="Prove facts about jobs of any shape and size.")
    ] = False,
    properties: PropertyNames = (),
    by: Annotated[
        ProofMethod,
        Parameter(help="Method; auto tries to find an invariant, clause by clause."),
    ] = "auto",
    max_seconds: SecondsLimit = None,
    max_steps: Annotated[
        int | None,
        Parameter(group=LIMITS, help="With --by induction: maximal number of steps (default: 10)."),
    ] = None,
    given: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(help="Property that is assumed as an invariant and proven too; repeatable."),
    ] = (),
    why: Annotated[
        bool,
        PLAIN,
        Parameter(help="Print the guards and options that each proof needs; give a --property."),
    ] = False,
    protocol: Annotated[
        str | None,
        Parameter(
            name="--of",
            help="With --all-jobs: the protocol (default: final-checkpoint).",
            completer=completers.protocols,
        ),
    ] = None,
    variant: VariantName = None,
    set: SetValues = (),
    no_compare: NoCompare = False,
    protocols: ProtocolsFolder = None,
    unbounded: Annotated[
        bool,
        PLAIN,
        Parameter(help="Prove without bounds on ids, records and failures of the spec."),
    ] = False,
    format: TextOrJson = "text",
) -> int:
    """Prove properties for any number of steps of a spec, or facts about jobs of any shape."""
    refuse_limits({"--max-steps": max_steps, "--max-seconds": max_seconds})
    as_text = format == "text"
    if all_jobs:
        flags: dict[str, object] = {"a spec": spec, "--property": properties}
        flags |= {"--max-seconds": max_seconds, "--why": why, "--given": given}
        flags |= {"--set": set}
        _refuse_with("--all-jobs", flags)
        from .prove_without_bounds import prove_all

        return prove_all(protocol or "final-checkpoint", variant, protocols, as_text)
    _refuse_with("a spec", {"--of": protocol})
    if spec is None:
        raise FinaleError(
            "no-paths",
            "no spec is given",
            advice="name a spec: finale prove SPEC; or prove facts about all jobs: --all-jobs",
        )
    if unbounded:
        others: dict[str, object] = {"--max-steps": max_steps, "--given": given}
        _refuse_with("--unbounded", others | {"--by": by != "auto", "--why": why})
    known = catalogue(protocols, compares=not no_compare)
    if not spec.exists():
        raise no_such_path(spec, "Facts about all jobs are proven with --all-jobs")
    for name in (*properties, *given):
        check_property_name(name, known)
    claim = read_under(spec, known, variant, values_in(set))
    if unbounded:
        from .prove_without_bounds import prove_runs

        return prove_runs(claim, properties, Limits(seconds_max=max_seconds), as_text)
    limits = Limits(seconds_max=max_seconds, steps_max=max_steps)
    names = properties or [family.name for family in claim.asked]
    families = chosen(claim, [*names, *given])
    proving = Proving(claim.system(families), limits, by, given)
    _refuse_missing(proving.system, [*properties, *given])
    explaining = Explaining(claim, limits) if why else None
    return _told(claim, proving, explaining, properties, as_text)


def _refuse_with(what: str, given: dict[str, object]) -> None:
    """Raises `not-of-this-proof`."""
    for flag, value in given.items():
        if value:
            raise FinaleError(
                "not-of-this-proof",
                f"{flag} has no meaning with {what}",
                advice=f"leave out {flag}; --of belongs to --all-jobs, --property, --set and "
                "--max-seconds to a spec",
            )


def _refuse_missing(system: System, names: Sequence[str]) -> None:
    """Raises `does-not-apply` where there is nothing to prove of a name."""
    there = {name for name, _ in topics_of(system)}
    for name in names:
        if name not in there:
            raise does_not_apply(name)


def _told(
    spec: Spec,
    proving: Proving,
    explaining: Explaining | None,
    only: Sequence[str],
    as_text: bool,
) -> Exit:
    page, results = console(), list[ProofResult]()
    rows: list[dict[str, object]] = []
    if as_text:
        write(page, head_lines(spec, proving.system, page.width))
    for topic in proving.asked(only):
        with Meter(spec.file.name) as meter:
            result = proving.prove(topic, meter)
        results.append(result)
        rows.append(result_json(spec, proving.system, result))
        if as_text:
            write(page, result_lines(spec, proving.system, result, page.width))
        if explaining is not None and result.proven is not None:
            with Meter(spec.file.name) as meter:
                found = explaining.explain(result.proven, meter)
            rows[-1]["why"] = why_json(found)
            if as_text:
                write(page, why_lines(found, page.width))
    if as_text:
        write(page, [summary(spec, results)])
    else:
        say_json(document("prove") | {"proofs": rows})
    return exit_of(spec, results)


def exit_of(spec: Spec, results: Sequence[ProofResult]) -> Exit:
    """Whether all is as the spec expects; what it expects nothing of is as expected."""
    if any(is_as_expected(spec, each.verdict) is False for each in results):
        return Exit.FAILED
    is_open = any(each.verdict.word is Word.UNKNOWN for each in results)
    return Exit.LIMIT if is_open else Exit.AS_EXPECTED
