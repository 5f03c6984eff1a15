"""Parameters that several commands take, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

#: A flag has no `--no-…` twin, and a list option takes one value each time it is given.
PLAIN = Parameter(negative=(), consume_multiple=False, show_default=False)

ProtocolsFolder: TypeAlias = Annotated[
    Path | None,
    Parameter(name="--protocols", help="A folder with Python files of protocols of your own."),
]
SpecFile: TypeAlias = Annotated[Path, Parameter(help="A spec, a TOML file.")]
