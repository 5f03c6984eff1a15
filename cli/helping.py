"""`finale help`: the help of a command, or of all commands."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter


def show_help(
    *command: Annotated[str, Parameter(help="Command (default: the list of commands).")],
) -> int:
    """Print the help of a command."""
    from .main import app

    app([*command, "--help"])
    return 0
