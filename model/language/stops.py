"""How a run of a rule can end before its end: blocked, or at fault."""

from __future__ import annotations

import sys
from pathlib import Path

from model.errors import Place

_LANGUAGE = str(Path(__file__).parent)
_VALUES = str(Path(__file__).parent.parent / "values.py")


class Stop(Exception):
    """A run of a rule ended before its end; the subclasses say how."""


class BlockedHere(Stop):
    """The rule is not enabled; `bound` names the bound that alone forbids it."""

    def __init__(self, bound: str | None = None) -> None:
        super().__init__()
        self.bound = bound


class FaultHere(Stop):
    """The rule did what no rule may do in a reachable state, such as a put into a full queue."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = caller()


def caller() -> Place:
    """The nearest line on the stack that is not of the language itself."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_LANGUAGE) and file != _VALUES:
            break
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)
