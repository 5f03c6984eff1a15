"""Reads the styles and scripts of this room, and turns parts into texts once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import htpy as h
from markupsafe import Markup


@cache
def asset(name: str) -> str:
    """The text of a file of this room."""
    return files("finale.checker.page").joinpath(name).read_text(encoding="utf-8")


def fixed(part: h.Renderable) -> Markup:
    """A part as finished markup. What is around a large part need not go through it again."""
    return Markup(str(part))


__all__ = ["asset", "fixed"]
