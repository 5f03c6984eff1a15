"""`finale show`: the job, options, rules and properties of a spec, without a check."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from finale.checker.report.about import about_lines
from finale.checker.report.layout import console, write
from finale.checker.report.lifecycle import life_cycles
from finale.checker.report.lifecycle_drawing import legend_lines, life_cycle_lines, mermaid
from finale.checker.report.rule import rule_text
from finale.checker.review.change import read_under
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import values_in
from finale.model.errors import FinaleError

from .output import to_file_or_stdout
from .parameters import OUTPUT, PLAIN, ProtocolsFolder, SetValues, SpecFile, VariantName


def show(
    spec: SpecFile,
    /,
    *,
    lifecycle: Annotated[
        bool, PLAIN, Parameter(help="Draw life cycles; each edge names its rules.")
    ] = False,
    format: Annotated[
        Literal["text", "mermaid"], Parameter(group=OUTPUT, help="Format of life cycles.")
    ] = "text",
    rule: Annotated[
        str | None,
        Parameter(help="Show the body of this rule, what it overrides, and what it calls."),
    ] = None,
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Show the job, options, rules and properties of a spec."""
    if format == "mermaid" and not lifecycle:
        raise FinaleError(
            "usage",
            "--format mermaid is for life cycles",
            advice="add --lifecycle",
        )
    if rule is not None and lifecycle:
        raise FinaleError("usage", "--rule and --lifecycle are two pages", advice="give one")
    claim = read_under(spec, catalogue(protocols), variant, values_in(set))
    if rule is not None:
        page = console()
        write(page, rule_text(claim.instance(), rule, page.width))
        return 0
    system = claim.system()
    page = console()
    if not lifecycle:
        write(page, about_lines(claim, system, page.width))
        return 0
    cycles = life_cycles(system)
    if not cycles:
        raise FinaleError(
            "no-life-cycle",
            f'nothing in the protocol "{claim.protocol.key}" has a status',
            advice='a life cycle is read from an enumeration field called "status"',
        )
    if format == "mermaid":
        to_file_or_stdout(mermaid(cycles, f"{claim.protocol.key}: {claim.title}"), None)
        return 0
    for cycle in cycles:
        write(page, [*life_cycle_lines(cycle, page.width), ""])
    write(page, ["The rules:", *legend_lines(cycles, system, page.width)])
    return 0
