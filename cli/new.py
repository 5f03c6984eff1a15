"""`finale new`: a folder to begin a review in: a variant, a spec, a CI file, a page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

from cyclopts import Parameter

from finale.checker.report.layout import columns, console, write
from finale.checker.report.rule import bodies
from finale.checker.report.scaffold import (
    CI_FILE,
    PAGE_FILE,
    SPEC_FILE,
    TABLES,
    VARIANT,
    VARIANT_FILE,
    files_of,
)
from finale.checker.search.limits import INTERRUPTED, Limits
from finale.checker.search.rows import SpecResult
from finale.checker.search.run import run
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.grid import values_in, varied
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.reading import Spec, spec_of
from finale.model.errors import FinaleError, Place, nearest
from finale.model.language.build import rule_names
from finale.model.language.protocol import Protocol
from finale.model.topology.table import SHAPES

from . import completers
from .meter import Meter
from .parameters import LIMITS, PLAIN, SETTING, refuse_limits
from .project import OWN_FILE

#: A rule that a change often concerns; of a protocol without it, the first rule that a run takes.
RULE = "apply_acknowledgement"
#: The history that most properties about records need.
HISTORY = "effects"
#: The base is searched for its verdicts no longer than this.
STATES_MAX, SECONDS_MAX = 100_000, 60.0
MEANINGS = {
    VARIANT_FILE: "the change: edit the rule",
    SPEC_FILE: "the claim: a job, bounds, expected verdicts",
    CI_FILE: "a workflow of GitHub that checks the claim",
    PAGE_FILE: "what the protocol offers to a rule",
    PurePosixPath(OWN_FILE): "what finale check takes if you name nothing",
}
PROJECT = f"""\
# In this folder and below it, finale check and report take these specs if you name none, and
# each command takes these protocols.
protocols = "{VARIANT_FILE.parent}"
specs = ["{SPEC_FILE.parent}"]
# A violation that a spec does not expect fails the check, here as in the workflow of GitHub.
strict = true
"""


def new(
    folder: Annotated[Path, Parameter(help="Folder to write; it must be new or empty.")],
    /,
    *,
    protocol: Annotated[
        str, Parameter(name="--of", help="Protocol to change.", completer=completers.protocols)
    ] = completers.PROTOCOL,
    rule: Annotated[
        str | None,
        Parameter(
            help=f"Rule or helper to override (default: {RULE}, or a rule that the job takes).",
            completer=completers.rules,
        ),
    ] = None,
    set: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(
            group=SETTING,
            name="--set",
            help="Key of the spec that is written, with its value: job.shape=fan-in, "
            "options.NAME=VALUE, bounds.NAME=2; repeatable (default: the smallest job that the "
            "protocol takes).",
        ),
    ] = (),
    max_seconds: Annotated[
        float, Parameter(group=LIMITS, help="Time limit in seconds for the search of the protocol.")
    ] = SECONDS_MAX,
) -> int:
    """Begin a review: write a variant, a spec, a CI file, and a page of what a rule can use."""
    refuse_limits({"--max-seconds": max_seconds})
    _refuse_full(folder)
    known = catalogue()
    kind = known.protocol(protocol)
    names = rule_names(kind)
    if rule is not None and rule not in names:
        _refuse_if_no_helper(kind, rule, names)
    spec, setting = _smallest(protocol, known, _values(set))
    with Meter(protocol) as meter:
        result = run(spec, Limits(STATES_MAX, max_seconds), meter)
    if result.report.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    files = files_of(spec.instance(), rule or _rule_of(result, names), setting, result)
    files |= {PurePosixPath(OWN_FILE): PROJECT}
    _write({folder / name: text for name, text in files.items()})
    review = f"finale review {VARIANT} -o review.html"
    page = console()
    rows = [[str(folder / name), MEANINGS[name]] for name in files]
    inside = shlex.quote(str(folder))
    check = f"cd {inside} && finale check"
    write(
        page,
        [*columns(rows, page.width), "", f"next: {check}", f"then change the rule, and: {review}"],
    )
    return 0


def _refuse_if_no_helper(kind: type[Protocol], name: str, rules: list[str]) -> None:
    """Raise `unknown-rule` if a name is no method of the protocol that a variant can override."""
    found = bodies(kind, name)
    is_value = bool(found) and isinstance(vars(found[0].owner)[name], property)
    if not found or is_value or name.startswith("__"):
        message = f'{kind.key} has no rule or helper "{name}"'
        raise FinaleError("unknown-rule", message, advice=nearest(name, rules))


def _refuse_full(folder: Path) -> None:
    """Raise `directory-not-empty` for a folder with files, and for a file."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FinaleError(
            "directory-not-empty",
            "a review begins in a new or empty folder",
            place=Place(str(folder)),
            advice="name another folder: nothing is overwritten",
        )


def _values(given: Sequence[str]) -> tuple[tuple[str, object], ...]:
    """The keys of `--set` with their values. Raises `bad-set` for a key outside the setting."""
    values = values_in(given)
    for key, _ in values:
        if key.split(".")[0] not in TABLES:
            raise FinaleError(
                "bad-set",
                f'finale new sets no "{key}": a key begins with {", ".join(TABLES)}',
                advice=f"write the key into {SPEC_FILE} afterwards",
            )
    return values


def _smallest(
    key: str, known: Catalogue, values: Iterable[tuple[str, object]]
) -> tuple[Spec, Mapping[str, object]]:
    """A spec of a protocol on the first standard job that the protocol takes, and its tables."""
    kind = known.protocol(key)
    observe = {HISTORY: True} if HISTORY in kind.ghosts else {}
    shapes = list(SHAPES) if kind.needs_job else [""]
    for position, shape in enumerate(shapes):
        job = {"job": {"shape": shape}} if shape else {}
        setting = varied({**job, "observe": observe}, values)
        table = {"title": key, "protocol": key, **setting}
        try:
            return spec_of(Path(key), table, KeyLines(""), known), setting
        except FinaleError:
            if position == len(shapes) - 1:
                raise
    raise AssertionError("there are standard shapes")


def _rule_of(result: SpecResult, names: list[str]) -> str:
    taken = [name for name in names if name in result.report.exercised] or names
    return RULE if RULE in taken else taken[0]


def _write(texts: Mapping[Path, str]) -> None:
    """Write files that are not there yet: all of them, or none. Raises `unwritable`."""
    written: list[Path] = []
    for file, text in texts.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as new_file:
                written.append(file)
                new_file.write(text)
        except OSError as error:
            for each in written:
                each.unlink(missing_ok=True)
            raise FinaleError(
                "unwritable",
                f"the file cannot be written: {error.strerror}",
                place=Place(str(file)),
                advice="check the name, and whether you may write there",
            ) from None
