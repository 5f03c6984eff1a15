"""`finale diff`: tells whether two specs are the same to an observer, and which run shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.compare.comparison import Comparison, Relation, compare, finer
from finale.checker.compare.lts import aut_of
from finale.checker.compare.observer import observer_in
from finale.checker.report.compared import comparison_json, comparison_lines
from finale.checker.report.layout import console, write
from finale.checker.review.change import changed
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import read_spec
from finale.checker.spec.releases import ReleaseConfig, release_named
from finale.checker.studies.across_releases import under_release
from finale.model.errors import FinaleError, Place

from .meter import Meter
from .output import document, say, say_json, to_file_or_stdout
from .parameters import (
    PLAIN,
    NoCompare,
    ProtocolsFolder,
    SecondsLimit,
    StatesLimit,
    TextOrJson,
    refuse_limits,
)

#: If nothing is seen, finer observers are asked about systems of at most so many states.
STATES_FINER = 50_000
#: The names of the files that `--aut` writes.
FILES = ("first.aut", "second.aut")


def diff(  # noqa: PLR0913 - each is an option of the command
    first: Annotated[Path, Parameter(help="Spec, a TOML file.")],
    second: Annotated[
        Path | None, Parameter(help="Spec to compare with (default: the first, changed).")
    ] = None,
    /,
    *,
    variant: Annotated[
        str | None, Parameter(help="Variant for the second spec; none removes its variant.")
    ] = None,
    release: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(help="Release for the second spec; given twice, for the first and the second."),
    ] = (),
    set: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(help="Key of the second spec with its value, options.NAME=VALUE; repeatable."),
    ] = (),
    observe: Annotated[
        str,
        Parameter(
            help="What is observed: effects, messages (with the effects), everything, or names of "
            "fields, entities and rules, separated by commas."
        ),
    ] = "effects",
    aut: Annotated[
        Path | None,
        Parameter(help="Existing folder for the two labelled transition systems, as .aut files."),
    ] = None,
    max_states: StatesLimit = None,
    max_seconds: SecondsLimit = None,
    format: TextOrJson = "text",
    no_compare: NoCompare = False,
    protocols: ProtocolsFolder = None,
) -> int:
    """Tell whether two specs are the same to an observer; show a shortest run that differs."""
    refuse_limits({"--max-states": max_states, "--max-seconds": max_seconds})
    if aut is not None and not aut.is_dir():
        raise FinaleError(
            "missing-folder",
            "there is no such folder",
            place=Place(str(aut)),
            advice="make it first, or check the name",
        )
    observer, known = observer_in(observe), catalogue(protocols, compares=not no_compare)
    one = read_spec(first, known)
    other = one if second is None else read_spec(second, known)
    if second is None and not (variant or release or set):
        raise FinaleError(
            "nothing-to-compare",
            "there is only one spec, and nothing changes it",
            place=Place(str(first)),
            advice="name a second spec, or give --variant, --release or --set",
        )
    one, other = _released(one, other, release)
    other = changed(other, known, variant, values_in(set))
    if second is None and _are_one(one, other):
        raise FinaleError(
            "nothing-to-compare",
            "what is given changes nothing: the spec has it already",
            place=Place(str(first)),
            advice="give another --variant, --release or --set; --variant none takes the spec's "
            "own variant away",
        )
    with Meter(first.name) as meter:
        found = compare(one, other, observer, Limits(max_states, max_seconds), meter)
        further = finer(found, Limits(STATES_FINER, max_seconds), meter)
    if aut is not None:
        _write_systems(found, aut)
    if format == "json":
        say_json(document("diff", 2) | comparison_json(found, further))
    else:
        page = console()
        write(page, comparison_lines(found, page.width, further))
    return _exit(found)


def _are_one(one: Spec, other: Spec) -> bool:
    same = one.setting == other.setting and one.under == other.under
    return same and one.protocol is other.protocol


def _released(one: Spec, other: Spec, names: tuple[str, ...]) -> tuple[Spec, Spec]:
    """The specs under releases. Raises `too-many-releases`, `no-release`, `unknown-release`."""
    if len(names) > 2:
        raise FinaleError(
            "too-many-releases",
            f"--release is given {len(names)} times",
            advice="give --release once, or once for each of the two specs",
        )
    releases = [ReleaseConfig(release_named(name)) for name in names]
    if len(releases) == 2:
        one = under_release(one, releases[0])
    return one, under_release(other, releases[-1]) if releases else other


def _write_systems(found: Comparison, folder: Path) -> None:
    """Write what the observer sees of each system, if both were explored."""
    if found.sides is None:
        return
    for side, name in zip(found.sides, FILES, strict=True):
        to_file_or_stdout(aut_of(side.lts, side.alphabet), folder / name)
        say(f"written to {folder / name}", stderr=True)


def _exit(found: Comparison) -> int:
    if found.relation is Relation.UNKNOWN:
        return Exit.LIMIT
    return Exit.AS_EXPECTED if found.is_same else Exit.FAILED
