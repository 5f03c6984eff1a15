"""`finale schema`: a JSON schema of specs, for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.schema import spec_schema

from .output import format_of, say, to_file_or_stdout
from .parameters import OUTPUT, ProtocolsFolder


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
    format_of(output, None, ("json",))
    text = json.dumps(spec_schema(catalogue(protocols)), indent=1) + "\n"
    to_file_or_stdout(text, output)
    if output is not None:
        say(f"written to {output}", stderr=True)
    return 0
