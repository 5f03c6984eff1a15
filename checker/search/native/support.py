"""Whether machine code can be compiled here; loads what compiles it only to find out."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

#: Anything but nothing in this variable of the environment: nothing is compiled.
PORTABLE_VARIABLE = "FINALE_PORTABLE"


@cache
def why_not() -> str:
    """Why no machine code can be compiled here, as part of a sentence; empty where it can."""
    if os.environ.get(PORTABLE_VARIABLE):
        return f"{PORTABLE_VARIABLE} is set"
    if find_spec("numba") is None:
        return "numba is not installed"
    try:
        from .code import target_machine

        target_machine(0)
    except (ImportError, OSError, RuntimeError) as error:
        told = str(error).splitlines() or [type(error).__name__]
        return f"llvmlite does not work: {told[0]}"
    return ""


__all__ = ["PORTABLE_VARIABLE", "why_not"]
