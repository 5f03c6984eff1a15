"""The parameters that several commands share, and what their values mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_type_hints

from cyclopts import Group, Parameter

from finale.checker.search.backends import Backend
from finale.checker.search.limits import Limits
from finale.checker.search.options import StorageName
from finale.model.errors import FinaleError, Place
from finale.model.given import no_such_path

from . import completers
from .project import PROJECT_FILES

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

#: A flag has no `--no-…` form, and a list option takes one value each time it is given.
PLAIN = Parameter(negative=(), consume_multiple=False, show_default=False)

#: The panels of flags in a command's help, in their order. Flags of one command stand before them.
ASKED = Group("Which specs and properties", sort_key=1)
SETTING = Group("In which setting", sort_key=2)
LIMITS = Group("Limits", sort_key=3)
SEARCH = Group("How the work is done", sort_key=4)
SPARK = Group("On Spark", sort_key=5)
ON_FLINK = Group("On a real Flink", sort_key=5)
OUTPUT = Group("Output", sort_key=6)

TextOrJson: TypeAlias = Annotated[
    Literal["text", "json"], Parameter(group=OUTPUT, name="--format", help="Output format.")
]
ProtocolsFolder: TypeAlias = Annotated[
    Path | None,
    Parameter(
        group=SETTING,
        name="--protocols",
        help="Folder with Python files that define your protocols.",
    ),
]
NoCompare: TypeAlias = Annotated[
    bool,
    Parameter(
        group=SEARCH,
        name="--no-compare",
        negative="",
        show_default=False,
        help="Do not compare the code of --protocols with plain Python (docs/refused.md).",
    ),
]
NoCache: TypeAlias = Annotated[
    bool,
    PLAIN,
    Parameter(
        group=SEARCH,
        negative="",
        help="Work out everything anew, and keep nothing (docs/cache.md).",
    ),
]
OutputPath: TypeAlias = Annotated[
    Path | None,
    Parameter(
        group=OUTPUT,
        name=("--output", "-o"),
        help="File to write into (default: standard output).",
    ),
]
PropertyNames: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(
        group=ASKED,
        name="--property",
        help="Only this property; repeatable (default: all).",
        completer=completers.properties,
    ),
]
BackendName: TypeAlias = Annotated[
    Backend,
    Parameter(
        group=SEARCH,
        help="Search to use. auto starts with the readable search and changes to the native one "
        "for large state spaces; bmc asks a solver.",
    ),
]
StatesLimit: TypeAlias = Annotated[
    int | None,
    Parameter(group=LIMITS, help="Maximal number of states of a search (default: no limit)."),
]
SecondsLimit: TypeAlias = Annotated[
    float | None, Parameter(group=LIMITS, help="Time limit in seconds (default: no limit).")
]
StepsLimit: TypeAlias = Annotated[
    int | None,
    Parameter(group=LIMITS, help="Maximal length of a counterexample; only with --backend bmc."),
]
VariantName: TypeAlias = Annotated[
    str | None,
    Parameter(
        group=SETTING,
        name="--variant",
        help="Variant to use instead of the spec's own: a variant of the spec's protocol, or of a "
        "protocol that this one extends. The word none: no variant.",
    ),
]
WithoutNames: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(
        group=SETTING,
        name="--without",
        help="Assumption of the rules to leave out; repeatable (docs/assumptions.md).",
    ),
]
SetValues: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(
        group=SETTING,
        name="--set",
        help="Key of the spec with another value for this run: options.NAME=VALUE, bounds.NAME=3, "
        "job.VERTEX.records=2; repeatable. The spec then expects nothing.",
    ),
]
Minimise: TypeAlias = Annotated[
    bool,
    PLAIN,
    Parameter(
        group=OUTPUT,
        help="Shrink the setting of a counterexample, and say which of its faults and options the "
        "counterexample needs.",
    ),
]
AllProperties: TypeAlias = Annotated[
    bool,
    PLAIN,
    Parameter(group=ASKED, help="Also check the properties that are checked only on request."),
]
Strict: TypeAlias = Annotated[
    bool,
    Parameter(
        group=ASKED,
        negative="--no-strict",  # the project file can set it
        show_default=False,
        help="Fail also if a property is violated that the spec expects nothing of (default: the "
        "project file decides).",
    ),
]
ReductionNames: TypeAlias = Annotated[
    tuple[Literal["symmetry", "partial-order", "dead-variables"], ...],
    PLAIN,
    Parameter(
        group=SEARCH,
        name="--reduce",
        help="Reduction that visits fewer states and keeps the verdicts; repeatable.",
    ),
]
StorageOption: TypeAlias = Annotated[
    StorageName,
    Parameter(
        group=SEARCH,
        help="Storage of states in a native search. compressed takes less memory and more time; "
        "hashed takes the least memory and can miss states.",
    ),
]
MasterOption: TypeAlias = Annotated[
    str | None,
    Parameter(
        group=SPARK,
        name="--master",
        help="Spark master: local[*] is this machine; also spark://HOST:7077, yarn, k8s://…",
    ),
]
ConfOption: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(
        group=SPARK,
        name="--conf",
        help="Spark setting, such as spark.driver.memory=8g; repeatable.",
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    Parameter(
        group=SEARCH,
        name="--workers",
        help="Number of processes that work at once (default: one for each core).",
    ),
]
TableName: TypeAlias = Annotated[
    str, Parameter(name="--table", help="Table of log lines, named by engine and release.")
]
OwnLines: TypeAlias = Annotated[
    tuple[Path, ...],
    PLAIN,
    Parameter(help="Table with log lines of your own operators (docs/pipeline.md)."),
]
LoggerLevels: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(help="Level of a logger that wrote nothing, such as Task=DEBUG; repeatable."),
]
ZoneName: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--timezone",
        help="Zone of times that tell none, such as Europe/Berlin or +01:00 (default: UTC).",
    ),
]
SpecFile: TypeAlias = Annotated[Path, Parameter(help="Spec, a TOML file.")]


def given_flags(flags: DataclassInstance) -> dict[str, object]:
    """The flags of a command that have other values than their defaults, by their names."""
    hints = get_type_hints(type(flags), include_extras=True)
    given: dict[str, object] = {}
    for option in fields(flags):
        value = getattr(flags, option.name)
        if value != option.default:
            parts = getattr(hints[option.name], "__metadata__", ())
            named = [part.name for part in parts if isinstance(part, Parameter)]
            names = [*chain.from_iterable(filter(None, named))]
            given[names[0] if names else f"--{option.name.replace('_', '-')}"] = value
    return given


def words_of(flags: DataclassInstance, without: Collection[str] = ()) -> list[str]:
    """The words of a command line that give the same flags, but for some of them."""
    words: list[str] = []
    for flag, given in given_flags(flags).items():
        if flag not in without:
            for value in given if isinstance(given, tuple) else (given,):
                words += [flag] if value is True else [flag, str(value)]
    return words


def require_seconds(flag: str, seconds: float) -> None:
    """Refuse a time that is not a positive number of seconds. Raises `bad-value`."""
    if not 0 < seconds < float("inf"):
        advice = "write a number of seconds above zero"
        raise FinaleError("bad-value", f"{flag} is {seconds:g}", advice=advice)


#: As many megabytes are still a number of bytes of 64 bits.
LIMIT_MAX = 2**40


def refuse_limits(given: Mapping[str, float | None]) -> None:
    """Refuse limits that are not above zero, or that no machine can reach. Raises `bad-limit`."""
    for flag, value in given.items():
        if isinstance(value, int) and value > LIMIT_MAX:
            told = f"{flag} cannot be {value}: no machine has so much"
            raise FinaleError("bad-limit", told, advice="leave it out")
        if value is not None and not value > 0:
            advice = "give a number above zero, or leave it out"
            raise FinaleError("bad-limit", f"{flag} cannot be {value}", advice=advice)


def limits_of(
    states: int | None,
    seconds: float | None,
    megabytes: int | None,
    threads: int | None,
    steps: int | None,
) -> Limits:
    """Limits as the command line gives them. Raises `bad-limit`."""
    given = {
        "--max-states": states,
        "--max-seconds": seconds,
        "--max-memory": megabytes,
        "--threads": threads,
        "--max-steps": steps,
    }
    refuse_limits(given)
    return Limits(states, seconds, megabytes and megabytes * 2**20, steps_max=steps)


def _is_spec(file: Path) -> bool:
    return file.name not in PROJECT_FILES and not file.is_dir()


def specs_in(path: Path) -> Iterator[Path]:
    """A spec, or all specs below a folder, sorted. Raises `no-such-path`, `no-specs`."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.toml") if _is_spec(file))
        if not files:
            raise FinaleError(
                "no-specs",
                "the folder has no spec in it",
                place=Place(str(path)),
                advice="specs are files that end in .toml",
            )
        yield from files
    elif not path.exists():
        raise no_such_path(path)
    else:
        yield path
