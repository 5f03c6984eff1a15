"""`finale review`: tries a change on all settings of its protocol, and says what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated, Literal

from cyclopts import Parameter

from finale.checker.cache.store import users_store
from finale.checker.report.layout import console, counted, write
from finale.checker.report.review import review_json, review_lines
from finale.checker.report.review_markdown import review_markdown
from finale.checker.review.cases import OWN_SPECS, check_spec
from finale.checker.review.change import Change, change_named
from finale.checker.review.review import Review, Reviewer, Tried
from finale.checker.review.verdicts import Direction
from finale.checker.search.processes import processors
from finale.checker.search.rows import PRECEDENCE, Exit
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.grid import values_in
from finale.model.errors import FinaleError

from . import VERSION
from .errors import print_error, tell
from .meter import Meter
from .output import OutputFile, document, format_of, say, say_json, to_file_or_stdout
from .parameters import (
    LIMITS,
    OUTPUT,
    PLAIN,
    NoCache,
    NoCompare,
    ProtocolsFolder,
    Workers,
    limits_of,
    refuse_limits,
    specs_in,
)
from .project import PROJECT_FILES, counting

#: Searches with larger bounds take so many seconds by default.
SECONDS_OF_STABILITY = 60.0
#: The comparisons of what can happen take so many seconds.
SECONDS_OF_BEHAVIOURS = 30.0


def review(  # noqa: PLR0913 - one parameter a flag
    *variants: Annotated[
        str,
        Parameter(help="Variants to review (default: all of the --protocols folder)."),
    ],
    set: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(help="Review another value of an option: options.NAME=VALUE; repeatable."),
    ] = (),
    protocol: Annotated[
        str | None,
        Parameter(name="--of", help="Protocol of the variants, or of the options of --set."),
    ] = None,
    specs: Annotated[
        tuple[Path, ...],
        PLAIN,
        Parameter(
            help="Specs, or folders of specs, whose settings the change is tried on; repeatable "
            "(default: the specs of Finale, and those of the project file; without such a file "
            "those in the current folder and below its folder specs)."
        ),
    ] = (),
    format: Annotated[
        Literal["text", "json", "markdown"],
        Parameter(
            group=OUTPUT,
            name="--format",
            help="Output format; markdown is for a comment on a pull request.",
        ),
    ] = "text",
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="File to write the review into, besides the text: a page, or Markdown if the "
            "file ends in .md or with --format markdown.",
        ),
    ] = None,
    stability: Annotated[
        float,
        Parameter(
            group=LIMITS,
            help="Time limit in seconds of the searches with each bound one larger; 0 leaves them "
            "out.",
        ),
    ] = SECONDS_OF_STABILITY,
    first: Annotated[
        bool, PLAIN, Parameter(help="Stop at the first setting with a new violation.")
    ] = False,
    slow: Annotated[
        bool, PLAIN, Parameter(help="Also try the settings of specs that are marked slow.")
    ] = False,
    max_states: Annotated[
        int | None,
        Parameter(
            group=LIMITS,
            help="Maximal number of states of a search (default: no limit without the change; "
            "with it 20 times the states found without it, and at least 1,000,000).",
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        Parameter(
            group=LIMITS, help="Time limit in seconds of each single search (default: no limit)."
        ),
    ] = None,
    workers: Workers = None,
    no_cache: NoCache = False,
    no_compare: NoCompare = False,
    protocols: ProtocolsFolder = None,
) -> int:
    """Try a change on all settings of its protocol, and say which verdicts differ."""
    began = perf_counter()
    refuse_limits({"--workers": workers, "--max-seconds": max_seconds})
    if not stability >= 0:
        raise FinaleError(
            "bad-limit",
            f"--stability cannot be {stability:g}",
            advice="give a number of seconds, or 0 to leave larger bounds out",
        )
    store = None if no_cache else users_store()
    known = catalogue(protocols, store, compares=not no_compare)
    plain = catalogue(None, store)
    files = [file for path in specs for file in specs_in(path)] or default_specs()
    kinds: Sequence[Literal["html", "markdown"]] = ("html", "markdown")
    kind = format_of(output, kinds[1] if format == "markdown" else None, kinds)
    if output is not None:
        OutputFile(output).close()  # a name that cannot be written is an error before the work
    for path in specs:
        if not path.is_dir():
            check_spec(path, known)
    changes = list(_changes(variants, set, protocol, known, plain))
    reviews: list[Review] = []
    with Meter("settings") as meter:
        reviewer = Reviewer(
            known,
            plain,
            files,
            limits_of(max_states, max_seconds, None, None, None),
            workers or processors(),
            meter.tell_review,
            slow,
            stability,
            SECONDS_OF_BEHAVIOURS,
            _is_worse if first else _goes_on,
            began,
        )
        for change in changes:
            reviews.append(reviewer.review(change))
            if reviews[-1].interrupted:
                break
    try:
        _show(reviews, "text" if output is not None and format == "markdown" else format)
    finally:  # also if the reader of the text goes away, as `head` does
        if output is not None and any(each.tried for each in reviews):
            to_file_or_stdout(_written(reviews, kind), output)
            say(f"written to {output}", stderr=True)
    codes = {each.exit for each in reviews}
    return next((code for code in PRECEDENCE if code in codes), Exit.AS_EXPECTED)


def default_specs() -> list[Path]:
    """The specs of the project file, and those of Finale.

    Without such a file: those of the current folder and of its folder `specs`.
    """
    own = [file for path in counting().specs() for file in specs_in(path)]
    if not own:
        here = Path.cwd()
        own = [*sorted(here.glob("*.toml")), *sorted(here.glob("specs/**/*.toml"))]
        own = [file for file in own if file.name not in PROJECT_FILES]
    return list(dict.fromkeys([*own, *sorted(OWN_SPECS.rglob("*.toml"))]))


def _is_worse(tried: Tried) -> bool:
    return any(each.direction is Direction.VIOLATED for each in tried.differences)


def _goes_on(_: Tried) -> bool:
    return False


def _changes(
    variants: Sequence[str],
    given: Sequence[str],
    protocol: str | None,
    known: Catalogue,
    plain: Catalogue,
) -> Iterator[Change]:
    """Yield the changes that are asked for. Raises `nothing-to-review`, `bad-set`."""
    values = values_in(given)
    for key, _ in values:
        if not key.startswith("options."):
            raise FinaleError(
                "bad-set",
                f"{key} is not an option, and a change of a protocol has no other values",
                advice="write --set options.NAME=VALUE",
            )
    own = [pair for pair in known.variants if pair not in plain.variants]
    if variants:
        for name in variants:
            yield change_named(name, known, protocol, values)
    elif values:
        if protocol is None:
            raise FinaleError(
                "nothing-to-review",
                "--set changes options, and the protocol is missing",
                advice="add --of; finale list protocols lists them",
            )
        known.protocol(protocol)
        yield Change(protocol, None, values)
    elif own:
        for key, name in own:
            if protocol in (None, key):
                yield Change(key, name)
    else:
        raise FinaleError(
            "nothing-to-review",
            "no change is given",
            advice="name a variant, or a folder with variants: --protocols DIR",
        )


def _written(reviews: Sequence[Review], format: Literal["html", "markdown"]) -> str:
    """What a file has in it."""
    if format == "markdown":
        return review_markdown(reviews)
    from finale.checker.page.review import review_page  # HTML costs start-up time

    return review_page(reviews, f"finale {VERSION}")


def _show(reviews: Sequence[Review], format: Literal["text", "json", "markdown"]) -> None:
    if format == "json":
        say_json(document("review") | {"reviews": [review_json(each) for each in reviews]})
        return
    for number, each in enumerate(reviews):
        told: dict[tuple[str, str, str], list[FinaleError]] = {}
        for error in each.errors.values():
            told.setdefault((error.code, error.message, error.advice), []).append(error)
        for first, *others in told.values():
            print_error(first)
            if others:
                tell(f"  the same in {counted(len(others), 'more setting')}")
        page = console()
        if each.tried and format == "text":
            write(page, [*([""] if number else []), *review_lines(each, page.width)])
    if format == "markdown":
        to_file_or_stdout(review_markdown([each for each in reviews if each.tried]), None)
