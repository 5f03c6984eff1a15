"""`finale help` and `finale completion`: what users and shells learn about the commands."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from .output import to_file_or_stdout


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
