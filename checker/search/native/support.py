"""Tells whether machine code can be compiled here, and if not, why."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

#: If this environment variable is set and not empty, Finale compiles no machine code.
NO_NATIVE = "FINALE_NO_NATIVE"


@cache
def why_not() -> str:
    """Return why no machine code can be compiled here, as part of a sentence; empty if it can."""
    if os.environ.get(NO_NATIVE):
        return f"{NO_NATIVE} is set"
    if find_spec("numba") is None:
        return "numba is not installed"
    try:
        from .code import target_machine

        target_machine(0)
    except (ImportError, OSError, RuntimeError) as error:
        told = str(error).splitlines() or [type(error).__name__]
        return f"llvmlite does not work: {told[0]}"
    return ""
