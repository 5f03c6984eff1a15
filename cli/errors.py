"""Mistakes of the user on stderr, as `FinaleError` writes them."""

from __future__ import annotations

import os
import sys
import textwrap

from cyclopts import CycloptsError, MissingArgumentError, UnknownCommandError

from checker.report.places import shown_file
from model.errors import FinaleError, Place

from .output import say


def print_error(error: FinaleError) -> None:
    """The code, the place, what is wrong and what to do."""
    place = error.place
    # Code is found by us; all other files are called as they were given.
    if place is not None and place.file is not None and place.file.endswith(".py"):
        error.place = Place(shown_file(place.file), place.line, place.key, place.rule)
    tell(str(error))


def tell(text: str) -> None:
    """Write on stderr; on a terminal no wider than that, but in a pipe as it is."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or sys.maxsize
        folded = textwrap.TextWrapper(
            width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
        text = "\n".join(folded.fill(line) for line in text.splitlines())
    say(text, stderr=True)


def print_if_ours(error: Exception) -> bool:
    """Print a mistake of the user; False for any other exception."""
    if isinstance(error, FinaleError):
        print_error(error)
    return isinstance(error, FinaleError)


def print_usage_error(error: CycloptsError) -> None:
    """A command line that is not one, in the same form."""
    error.verbose = False
    command = " ".join(["finale", *(error.command_chain or ())])
    message = " ".join(str(error).split()) + _choices(error)
    if isinstance(error, UnknownCommandError):
        message = message.partition(" Available commands")[0]  # of which it lists a few
    advice = f"{command} --help lists what it takes"
    print_error(FinaleError("usage", message.rstrip("."), advice=advice))


def _choices(error: CycloptsError) -> str:
    """What may be given for a parameter that is missing, if it is one of few words."""
    if not isinstance(error, MissingArgumentError) or error.argument is None:
        return ""
    words = error.argument.get_choices() or ()
    return " Choose from: " + ", ".join(f'"{word}"' for word in words) if words else ""


def unwritable_output(error: OSError) -> FinaleError:
    """The output goes where there is no room."""
    return FinaleError(
        "unwritable",
        f"the output cannot be written: {error.strerror}",
        advice="make room, or send it elsewhere",
    )


def out_of_memory() -> FinaleError:
    """What was given is larger than this machine."""
    return FinaleError(
        "out-of-memory",
        "there is not enough memory for what was given",
        advice="give less at once, or a machine with more memory",
    )
