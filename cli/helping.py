"""`finale help`, `completion` and `schema`: what users, shells and editors learn of Finale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from .output import format_of, say, to_file_or_stdout
from .parameters import OUTPUT, ProtocolsFolder


def show_help(
    *command: Annotated[str, Parameter(help="Command (default: the list of commands).")],
) -> int:
    """Print the help of a command."""
    from .main import app

    app([*command, "--help"])
    return 0


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Shell that runs the script.")],
    /,
) -> int:
    """Print a script that completes command lines in a shell."""
    from .main import app

    to_file_or_stdout(app.generate_completion(prog_name="finale", shell=shell), None)
    return 0


def schema(
    *,
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT, name=("--output", "-o"), help="File to write (default: standard output)."
        ),
    ] = None,
    protocols: ProtocolsFolder = None,
) -> int:
    """Print a JSON schema of specs, for editors."""
    from finale.checker.spec.catalogue import catalogue
    from finale.checker.spec.schema import spec_schema

    format_of(output, None, ("json",))
    text = json.dumps(spec_schema(catalogue(protocols)), indent=1) + "\n"
    to_file_or_stdout(text, output)
    if output is not None:
        say(f"written to {output}", stderr=True)
    return 0
