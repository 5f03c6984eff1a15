"""Parameters that several commands take, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

from checker.search.backends import Backend
from checker.search.limits import Limits
from checker.search.options import StorageName
from model.errors import FinaleError

#: A flag has no `--no-…` twin, and a list option takes one value each time it is given.
PLAIN = Parameter(negative=(), consume_multiple=False, show_default=False)

ProtocolsFolder: TypeAlias = Annotated[
    Path | None,
    Parameter(name="--protocols", help="A folder with Python files of protocols of your own."),
]
PropertyNames: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(name="--property", help="Only this property; may be given several times."),
]
BackendName: TypeAlias = Annotated[
    Backend,
    Parameter(
        help="Which search; auto changes to the native one where it pays. bmc asks a solver."
    ),
]
StepsLimit: TypeAlias = Annotated[
    int | None,
    Parameter(help="With --backend bmc: look for counterexamples of up to so many steps."),
]
AllProperties: TypeAlias = Annotated[
    bool, PLAIN, Parameter(help="Ask also the properties that are asked on request only.")
]
Strict: TypeAlias = Annotated[
    bool,
    PLAIN,
    Parameter(help="A violated property of which nothing is expected is a failure, too."),
]
ReductionNames: TypeAlias = Annotated[
    tuple[Literal["symmetry", "partial-order", "dead-variables"], ...],
    PLAIN,
    Parameter(
        name="--reduce",
        help="See fewer states, where that keeps the verdict; may be given several times.",
    ),
]
StorageOption: TypeAlias = Annotated[
    StorageName,
    Parameter(help="How a native search stores states: less memory costs time, or certainty."),
]
MasterOption: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--master",
        help="Where Spark runs: local[*] is this machine; spark://HOST:7077, yarn, k8s://…",
    ),
]
ConfOption: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(
        name="--conf", help="A setting of Spark's, as spark.driver.memory=8g; may be repeated."
    ),
]
TableName: TypeAlias = Annotated[
    str, Parameter(name="--table", help="The table of what lines tell, by engine and release.")
]
OwnLines: TypeAlias = Annotated[
    tuple[Path, ...],
    PLAIN,
    Parameter(help="A table of your own operators' lines (docs/pipeline.md)."),
]
LoggerLevels: TypeAlias = Annotated[
    tuple[str, ...],
    PLAIN,
    Parameter(help="To which level a logger was set, as Task=DEBUG, if it wrote nothing."),
]
SpecFile: TypeAlias = Annotated[Path, Parameter(help="A spec, a TOML file.")]


def require_seconds(flag: str, seconds: float) -> None:
    """A time that somebody can wait for. Raises `bad-value`."""
    if not 0 < seconds < float("inf"):
        advice = "write a number of seconds above zero"
        raise FinaleError("bad-value", f"{flag} is {seconds:g}", advice=advice)


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
    for key, value in given.items():
        if value is not None and not value > 0:
            raise FinaleError(
                "bad-limit",
                f"{key} cannot be {value}",
                advice="give a number above zero, or leave it out",
            )
    return Limits(states, seconds, megabytes and megabytes * 2**20, steps_max=steps)
