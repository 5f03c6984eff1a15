"""Returns the docstring of each field of a declared class.

A sentence is a docstring below the field, or a comment `#: …` above it.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from functools import cache

from finale.model.language.protocol import Protocol


def meanings(kind: type) -> dict[str, str]:
    """The sentence of each field that has one, those of base classes included."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base is not object:
            found |= _own(base)
    return found


def first_paragraph(text: str | None) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join((text or "").strip().split("\n\n")[0].split())


def summary(kind: type[Protocol]) -> str:
    """Return the summary of a protocol: the first sentence of its file or class.

    A file of several protocols, or of planted mistakes, says less than the class.
    """
    module = sys.modules[kind.__module__]
    protocols = [
        each
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, Protocol)
        and each.__module__ == module.__name__
    ]
    first, second = module.__doc__, kind.__doc__
    if len(protocols) > 1 or "must_fall" in vars(kind):
        first, second = second, first
    return first_paragraph(first) or first_paragraph(second)


@cache  # protocols share the classes of their options and bounds
def _own(kind: type) -> dict[str, str]:
    try:
        source = textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError):
        return {}
    lines = source.splitlines()
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.ClassDef)
    found: dict[str, str] = {}
    name = ""
    for statement in definition.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                comment = _comment_above(lines, statement.lineno)
                if comment:
                    found[name] = comment
            case ast.Expr(value=ast.Constant(value=str(text))) if name:
                found[name] = first_paragraph(text)
            case _:
                name = ""
    return found


def _comment_above(lines: list[str], line: int) -> str:
    above: list[str] = []
    for text in reversed(lines[: line - 1]):
        if not text.strip().startswith("#:"):
            break
        above.insert(0, text.strip()[2:].strip())
    return " ".join(above)
