"""What a rule finally is: its body, the body that it overrides, and what both call, with places."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from model.errors import FinaleError, nearest
from model.language.build import rule_names
from model.language.decorators import mark_of
from model.language.entities import fields_of
from model.language.observing import sound_kind
from model.language.protocol import Protocol

from .layout import columns, paragraph
from .places import shown_file


@dataclass(frozen=True)
class Body:
    """One body of a rule or helper, in the class that defines it."""

    owner: type
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        """The body's name with that of its class."""
        return f"{self.owner.__qualname__}.{self.function.__name__}"

    @property
    def place(self) -> str:
        """The file and the first line."""
        code = inspect.unwrap(self.function).__code__
        return f"{shown_file(code.co_filename)}:{code.co_firstlineno}"

    @property
    def source(self) -> str:
        """The text, decorators included."""
        return textwrap.dedent(inspect.getsource(inspect.unwrap(self.function)))

    def calls(self) -> Iterator[tuple[str, str | None]]:
        """What the body reads or calls of others: the name, and of what; None is of `super()`."""
        for node in ast.walk(ast.parse(self.source)):
            if isinstance(node, ast.Attribute):
                of = node.value
                if isinstance(of, ast.Name | ast.Attribute):
                    yield node.attr, of.id if isinstance(of, ast.Name) else of.attr
                elif isinstance(of, ast.Call) and ast.unparse(of) == "super()":
                    yield node.attr, None


def bodies(kind: type, name: str) -> list[Body]:
    """The bodies of a method in a class and its bases, the last override first."""
    found: list[Body] = []
    for base in kind.__mro__:
        function = _function(vars(base).get(name))
        if function is not None and not base.__module__.startswith("model.language"):
            found.append(Body(base, function))
    return found


def _function(value: object) -> Callable[..., Any] | None:
    value = value.fget if isinstance(value, property) else value
    value = value.__func__ if isinstance(value, staticmethod) else value
    return value if inspect.isfunction(value) else None


def called(protocol: Protocol, first: Sequence[Body]) -> list[Body]:
    """The methods of the protocol and of its entities that the bodies call, and what those call."""
    entities = tuple(dict.fromkeys(type(each) for each in protocol.entities()))
    stored = {each.name for kind in (type(protocol), *entities) for each in fields_of(kind)}
    found: dict[str, Body] = {}
    pending: list[tuple[type, Body]] = [(type(protocol), body) for body in first]
    while pending:
        kind, body = pending.pop(0)
        inner: list[tuple[type, Body]] = []
        for name, of in body.calls():
            own = of in ("self", None)
            for other in (kind,) if own else () if of in stored else (type(protocol), *entities):
                known = bodies(other, name)
                # What is not marked is of interest if the protocol's own class has it.
                if known and (own or mark_of(vars(known[0].owner)[name])):
                    inner += [(other, each) for each in (known[1:2] if of is None else known[:1])]
        for other, each in inner:
            if each.name not in found and each not in first:
                found[each.name] = each
                pending.append((other, each))
    return list(found.values())


def rule_text(protocol: Protocol, name: str, width: int) -> list[Text]:
    """A page about one rule of a protocol. Raises `unknown-rule`."""
    kind = type(protocol)
    known = rule_names(kind)
    if name not in known:
        raise FinaleError(
            "unknown-rule",
            f'{kind.key} has no rule "{name}"',
            advice=nearest(name, known),
        )
    chain = bodies(kind, name)
    lines: list[Text] = []
    for number, body in enumerate(chain):
        lines += [Text(), *_heading(body, "overrides" if number else "", width)]
        lines += [Text(f"  {line}") for line in body.source.rstrip().splitlines()]
    rows = [
        [Text(each.name, "bold"), Text(_sentence(each)), Text(_places(each, kind), "dim")]
        for each in called(protocol, chain)
    ]
    if rows:
        lines += [Text(), Text("calls", "bold cyan"), *columns(rows, width, indent=2)]
    return lines[1:]


def _heading(body: Body, word: str, width: int) -> list[Text]:
    head = Text(f"{word} " if word else "", "bold cyan").append(body.name, "bold")
    return paragraph(head.append(f"  {body.place}", "dim"), width)


def _sentence(body: Body) -> str:
    mark = mark_of(body.function)
    text = mark.sentence if mark else (body.function.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(text.split())


def _places(body: Body, kind: type[Protocol]) -> str:
    """Where a body is; if a variant overrides a helper, also where the overridden one is."""
    sound = sound_kind(kind)
    if not issubclass(body.owner, sound) or body.owner is sound:
        return body.place
    below = bodies(sound, body.function.__name__)
    return f"{body.place} overrides {below[0].name} {below[0].place}" if below else body.place


__all__ = ["rule_text"]
