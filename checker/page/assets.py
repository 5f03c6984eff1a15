"""Reads the styles and scripts of this room."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """The text of a file of this room."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


__all__ = ["asset"]
