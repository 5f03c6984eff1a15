"""Prints mistakes of the user on stderr."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence

from cyclopts import CoercionError, CycloptsError, MissingArgumentError, UnknownCommandError

from finale.checker.report.places import shown_file
from finale.model.errors import FinaleError, Place

from .output import say

#: What the types of flags are called.
NUMBERS: dict[object, str] = {int: "whole number", float: "number"}


def print_error(error: FinaleError) -> None:
    """Print the code, the place, what is wrong and what to do."""
    place = error.place
    # Code is found by us; all other files are called as they were given.
    if place is not None and place.file is not None and place.file.endswith(".py"):
        error.place = Place(shown_file(place.file), place.line, place.key, place.rule)
    if error.code == "unknown-variant":
        _name_project(error)
    tell(str(error))


def _name_project(error: FinaleError) -> None:
    """Add to the advice which project below the current folder may have an unknown variant."""
    from .project import project_below_with

    named = re.search(r'variant "(.*?)"', error.message)
    further = "" if named is None else project_below_with(named[1])
    error.advice = f"{further}; otherwise: {error.advice}" if further else error.advice


def tell(text: str) -> None:
    """Print on stderr. Fold long lines on a terminal, but not in a pipe."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or sys.maxsize
        folded = textwrap.TextWrapper(
            width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
        text = "\n".join(folded.fill(line) for line in text.splitlines())
    say(text, stderr=True)


def print_if_ours(error: BaseException) -> bool:
    """Print a mistake of the user; False for any other exception."""
    if isinstance(error, FinaleError):
        print_error(error)
    return isinstance(error, FinaleError)


def print_usage_error(error: CycloptsError) -> None:
    """Print a mistake in the command line in the same form."""
    error.verbose = False
    command = " ".join(["finale", *(error.command_chain or ())])
    message = _usage_of(error) or " ".join(str(error).split())
    if isinstance(error, UnknownCommandError):
        message = message.partition(" Available commands")[0]  # of which it lists a few
    advice = f"{command} --help lists what it takes"
    print_error(FinaleError("usage", message.rstrip(".") + _choices(error), advice=advice))


def _usage_of(error: CycloptsError) -> str:
    """What is wrong in a command line, in the words of its help; empty for what cyclopts says."""
    argument = error.argument
    if argument is None:
        return ""
    if isinstance(error, MissingArgumentError):
        is_flag = argument.field_info.is_keyword_only or error.keyword is not None
        name = argument.name if is_flag else argument.name.lstrip("-").upper()
        return f"{name} has no value" if error.keyword is not None else f"{name} is missing"
    if isinstance(error, CoercionError) and error.token and error.target_type in NUMBERS:
        kind = NUMBERS[error.target_type]
        return f'{argument.name} cannot be "{error.token.value}", which is no {kind}'
    return ""


def tell_former(renamed: Mapping[str, str]) -> None:
    """Print a line about each former name of a command line."""
    for old, new in renamed.items():
        tell(f"note: `{old}` has a new name: write `{new}`")


def _choices(error: CycloptsError) -> str:
    """Return the choices of a missing parameter, if the parameter has choices."""
    if not isinstance(error, MissingArgumentError) or error.argument is None:
        return ""
    words = error.argument.get_choices() or ()
    return "; choose from " + ", ".join(f'"{word}"' for word in words) if words else ""


def unwritable_output(error: OSError) -> FinaleError:
    """Return the error for output that finds no room."""
    return FinaleError(
        "unwritable",
        f"the output cannot be written: {error.strerror}",
        advice="free some space, or write to another place",
    )


def refused_name(name: str, why: str) -> FinaleError:
    """Return the error for a file or folder that the file system does not even look for."""
    return FinaleError(
        "refused-name",
        f"the file system refuses this name: {why}",
        place=Place(name.strip("'")),
        advice="name another file or folder, or ask for the right to read the folders above",
    )


def empty_argument(given: Sequence[str]) -> FinaleError:
    """Return the error for an argument without a character: a path that is empty would be the
    current folder."""
    place = list(given).index("")
    behind = f" behind {given[place - 1]}" if place else ""
    return FinaleError(
        "empty-argument",
        f"the argument{behind} is empty",
        advice="give it a value, or leave it out; a variable of the shell may have none",
    )


def lost_folder() -> FinaleError:
    """Return the error for a working folder that was deleted."""
    return FinaleError(
        "missing-folder",
        "the current folder was deleted",
        advice="change to a folder that is there",
    )


def out_of_memory() -> FinaleError:
    """Return the error for input that is larger than the memory of this machine."""
    return FinaleError(
        "out-of-memory",
        "this machine has not enough memory for the input",
        advice="give less input, or use a machine with more memory",
    )
