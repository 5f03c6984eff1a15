"""The ways in which a rule can stop early: blocked, at fault, or by a Python exception."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from traceback import walk_tb
from types import FrameType

from finale.model.errors import FinaleError, Place

_MODEL = Path(__file__).parent.parent
_INNER = tuple(
    [str(Path(__file__).parent) + os.sep]
    + [str(_MODEL / name) for name in ("values.py", "scalars.py", "records.py", "structures.py")]
)

#: What a rule may come to in some states only, and plain Python also raises: a fault of the rule.
FAULTS = (AssertionError, LookupError, ArithmeticError, ValueError)

#: How Python's own messages call what a protocol's author did not name.
_PLAIN_WORDS = {
    "SymbolicInt": "number of the state",
    "SymbolicBool": "truth value of the state",
    "SymbolicEnum": "enumeration member of the state",
    "SymbolicRef": "entity of the state",
    "SymbolicRecord": "record of the state",
    "SymbolicOption": "option of the state",
    "SymbolicQueue": "Queue",
    "SymbolicSet": "Set",
    "SymbolicArray": "Array",
    "SymbolicMap": "PerEntity",
}


class EarlyEnd(Exception):
    """A run of a rule ended before its end; the subclasses say how."""


class BlockedHere(EarlyEnd):
    """The rule is not enabled; `bound` names the bound that alone forbids it."""

    def __init__(self, bound: str | None = None) -> None:
        super().__init__()
        self.bound = bound


class FaultHere(EarlyEnd):
    """The rule did what no rule may do in a reachable state, such as a put into a full queue."""

    def __init__(self, code: str, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = caller() if place is None else place


def is_inner(file: str) -> bool:
    """Whether a file is part of the language, and not of what is written in it."""
    return file.startswith(_INNER)


def frame_above(levels: int) -> FrameType:
    """The frame so many levels above the caller's; `inspect` would read the source of each."""
    return sys._getframe(levels + 1)  # pyright: ignore[reportPrivateUsage]


def caller_line() -> tuple[str, int]:
    """File and line of the nearest frame that is not of the language itself."""
    frame = frame_above(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INNER):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def caller() -> Place:
    """The place of the nearest frame that is not of the language itself."""
    return Place(*caller_line())


def line_of(error: BaseException) -> tuple[Place, bool]:
    """The last line of a protocol that an exception went through; whether it was raised there."""
    place, raised_there = Place(), False
    for frame, line in walk_tb(error.__traceback__):
        raised_there = not is_inner(frame.f_code.co_filename)
        if raised_there:
            place = Place(frame.f_code.co_filename, line)
    return place, raised_there


def fault_of(error: Exception) -> FaultHere:
    """Return the fault for an exception of FAULTS; re-raise assertions of the language itself."""
    place, raised_there = line_of(error)
    if not isinstance(error, AssertionError):
        return FaultHere("rule-raises", _described(error), place)
    if not raised_there:
        raise error
    return FaultHere("assertion-failed", str(error) or "an assertion of the rule is false", place)


def mistake_of(error: Exception) -> FinaleError:
    """The coded error that any other Python exception in a rule is."""
    if isinstance(error, RecursionError):
        return endless(line_of(error)[0])
    advice = "a rule only reads and writes fields, tests them, and calls helpers"
    if isinstance(error, NameError):
        advice = import_advice(error, "define the name in the file of the rule, or import it there")
    return FinaleError("rule-raises", _described(error), place=line_of(error)[0], advice=advice)


def import_advice(error: NameError, otherwise: str) -> str:
    """Return the import of an unknown name that a public module has, else another advice."""
    from finale._face import import_of  # only mistakes pay for it

    line = import_of(error.name) if isinstance(error.name, str) else None
    return otherwise if line is None else f"write {line}"


def endless(place: Place | None) -> FinaleError:
    """Return the error for helpers in an endless recursion."""
    return FinaleError(
        "endless-recursion",
        "helpers call each other in an endless recursion",
        place=place,
        advice="recursion may follow the topology, never the state: its depth must be known",
    )


def _described(error: Exception) -> str:
    message = str(error)
    for word, plain in _PLAIN_WORDS.items():
        message = message.replace(word, plain)
    return f"{type(error).__name__}: {message}"
