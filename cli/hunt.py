"""`finale hunt`: looks for violations of a release's rules that no spec describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.cache.code import digest
from finale.checker.cache.store import users_store
from finale.checker.hunt.hunting import (
    Hunting,
    NewSignature,
    known_settings,
    new_signatures,
    signatures_of,
)
from finale.checker.hunt.journal import FOUND, Journal
from finale.checker.hunt.settings import settings, spec_in
from finale.checker.hunt.signature import Signature
from finale.checker.report.hunted import Hunted, hunted_json, hunted_lines
from finale.checker.report.layout import console, grouped, write
from finale.checker.report.minimised import smallest_text
from finale.checker.report.places import command
from finale.checker.review.cases import OWN_SPECS
from finale.checker.search.limits import Limits
from finale.checker.search.processes import processors
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.spec.releases import release_named
from finale.checker.spec.writing import spec_text
from finale.model.errors import FinaleError

from . import completers
from .errors import print_error, tell
from .meter import Meter
from .minimising import shrunk
from .output import OutputFile, document, say_json
from .parameters import LIMITS, OUTPUT, PLAIN, TextOrJson, Workers, refuse_limits, specs_in

#: Limits of each search, if the user gives none.
STATES_OF_ONE, SECONDS_OF_ONE = 300_000, 20.0
#: Time limit in seconds to shrink the setting of one finding.
SECONDS_TO_SHRINK = 30.0
#: So many characters the name of a found spec has.
NAME_MAX = 80


def hunt(  # noqa: PLR0913 - one parameter a flag
    *protocols: Annotated[
        str, Parameter(help="Protocols to hunt in (default: all that the release has).")
    ],
    output: Annotated[
        Path,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="Folder for the results; the same folder continues a hunt.",
        ),
    ] = Path("finale-hunt"),
    release: Annotated[
        str, Parameter(help="Release of Flink.", completer=completers.releases)
    ] = "flink-main",
    known: Annotated[
        tuple[Path, ...],
        PLAIN,
        Parameter(
            help="Specs, or folders of specs, whose violations are known; repeatable (default: "
            "the specs of Finale)."
        ),
    ] = (),
    max_total_seconds: Annotated[
        float | None,
        Parameter(
            group=LIMITS,
            help="Time after which no further settings are searched (default: no limit).",
        ),
    ] = None,
    max_states: Annotated[
        int, Parameter(group=LIMITS, help="Maximal number of states of each search.")
    ] = STATES_OF_ONE,
    max_seconds: Annotated[
        float, Parameter(group=LIMITS, help="Time limit in seconds of each search.")
    ] = SECONDS_OF_ONE,
    workers: Workers = None,
    format: TextOrJson = "text",
) -> int:
    """Search many small settings of a release, and list violations that no spec describes."""
    refuse_limits({"--workers": workers, "--max-seconds": max_seconds, "--max-states": max_states})
    refuse_limits({"--max-total-seconds": max_total_seconds})
    own = release_named(release)
    catalogued = catalogue(None, users_store())
    chosen = list(dict.fromkeys(protocols or own.protocols.values()))
    for name in chosen:
        catalogued.protocol(name)
    files = [file for path in known or (OWN_SPECS,) for file in specs_in(path)]
    described = list(known_settings(files, chosen))
    plan = settings(chosen, own.name)
    with Journal(output) as journal:
        tell(
            f"hunting in {', '.join(chosen)}: first {grouped(len(described))} settings of specs, "
            f"whose violations are known, then {grouped(len(plan))} new settings"
        )
        limits = Limits(max_states, max_seconds)
        with Meter("settings of specs") as meter:
            look = meter.tell_many
            hunting = Hunting(catalogued, journal, limits, workers or processors(), look)
            interrupted = hunting.hunt(described, None)
        known_results = list(hunting.results(described))
        with Meter("new settings") as meter:
            hunting = replace(hunting, look=meter.tell_many)
            interrupted = interrupted or hunting.hunt(plan, max_total_seconds)
        results = list(hunting.results(plan))
    signatures = signatures_of(known_results)
    unknown = len(described) - len(known_results)  # their violations would be called new
    findings = () if unknown else new_signatures(results, signatures, catalogued)
    commands = _reproductions(findings, output / FOUND, catalogued, not interrupted)
    refused = [each.refused for _, each in results if each.refused]
    found = Hunted(
        list(zip(findings, commands, strict=True)),
        len(signatures),
        len(results) - len(refused),
        len(refused),
        sum(bool(each.stopped) for _, each in results),
        len(plan) - len(results),
        unknown,
        sum(bool(each.stopped) for _, each in known_results),
        interrupted,
    )
    if format == "json":
        say_json(document("hunt") | hunted_json(found))
    else:
        page = console()
        write(page, hunted_lines(found, page.width))
    if found.is_all_refused:
        print_error(_all_refused(refused))
    return found.exit


def _all_refused(why: Sequence[str]) -> FinaleError:
    return FinaleError(
        "all-refused",
        f"the protocol refuses all {grouped(len(why))} settings of a hunt, the first one with: "
        f"{why[0]}",
        advice="name another protocol, or write specs of this one",
    )


def _reproductions(
    findings: Sequence[NewSignature], folder: Path, known: Catalogue, is_shrinking: bool
) -> Iterator[str]:
    """Write a spec for each finding; yield the commands that show them.

    The spec is the smallest setting, or, after an interrupt, the setting in which it was found.
    """
    for finding in findings:
        signature, name = finding.signature, file_name(finding.signature)
        file, as_found = folder / f"{name}.toml", folder / f"{name}-as-found.toml"
        if not file.exists():
            file = file if is_shrinking else as_found
            with OutputFile(file) as output:
                output.write(_smallest(finding, folder, known) if is_shrinking else _own(finding))
        yield command("trace", read_spec(file, known), "--property", signature.property)


def file_name(signature: Signature) -> str:
    """The signature as the name of a file, which no other signature has."""
    words = (signature.property, *signature.environment, *signature.decisive)
    name = "-".join(words).replace("_", "-")
    return name if len(name) <= NAME_MAX else f"{name[: NAME_MAX - 9]}-{digest(words).hex()[:8]}"


def _own(finding: NewSignature) -> str:
    """The setting in which a finding was found as a spec."""
    expect = {"property": finding.signature.property, "verdict": "violated"}
    return spec_text({**finding.setting.table, "expect": [expect]})


def _smallest(finding: NewSignature, folder: Path, known: Catalogue) -> str:
    """The smallest setting of a finding as a spec."""
    name = finding.signature.property
    spec = spec_in(finding.setting, folder, known)
    return smallest_text(shrunk(spec, name, known, SECONDS_TO_SHRINK))
