"""Shows what a rule finally is: its body, the body that it overrides, and what both call."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from finale.model.errors import FinaleError, Place, nearest
from finale.model.language.build import rule_names
from finale.model.language.decorators import mark_of
from finale.model.language.entities import fields_of
from finale.model.language.observing import sound_kind
from finale.model.language.protocol import Protocol

from .layout import BELOW, columns, flow, paragraph
from .places import shown_place

#: So many calls deep a page goes: each helper has a page of its own.
DEPTH_MAX = 1


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
        return shown_place(self.spot)

    @property
    def spot(self) -> Place:
        """The file and the first line, as Python has them."""
        code = inspect.unwrap(self.function).__code__
        return Place(code.co_filename, code.co_firstlineno)

    @property
    def source(self) -> str:
        """The text, decorators included."""
        return textwrap.dedent(inspect.getsource(inspect.unwrap(self.function)))

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters after `self`, each with its annotation as it is written."""
        definition = ast.parse(self.source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        given = definition.args.args[1:]
        return {each.arg: ast.unparse(each.annotation) for each in given if each.annotation}

    @property
    def returns(self) -> str:
        """The annotation of what the body returns."""
        definition = ast.parse(self.source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        return "None" if definition.returns is None else ast.unparse(definition.returns)

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
        if function is not None and not base.__module__.startswith("finale.model.language"):
            found.append(Body(base, function))
    return found


def _function(value: object) -> Callable[..., Any] | None:
    value = value.fget if isinstance(value, property) else value
    value = value.__func__ if isinstance(value, staticmethod) else value
    return value if inspect.isfunction(value) else None


def called(protocol: Protocol, first: Sequence[Body]) -> list[tuple[int, Body]]:
    """What the bodies call, each followed by what it calls in turn: with its depth, and once.

    Listed are the methods of the protocol and of its entities, `DEPTH_MAX` calls deep.
    """
    entities = _entity_kinds(protocol)
    stored = {each.name for kind in (type(protocol), *entities) for each in fields_of(kind)}
    found: dict[str, tuple[int, Body]] = {}

    def follow(kind: type, body: Body, depth: int) -> None:
        for name, of in body.calls():
            own = of in ("self", None)
            for other in (kind,) if own else () if of in stored else (type(protocol), *entities):
                known = bodies(other, name)
                # What is not marked is of interest if the protocol's own class has it.
                if known and (own or mark_of(vars(known[0].owner)[name])):
                    for each in known[1:2] if of is None else known[:1]:
                        if each.name not in found and each not in first:
                            found[each.name] = depth, each
                            if depth < DEPTH_MAX:
                                follow(other, each, depth + 1)

    for body in first:
        follow(type(protocol), body, 0)
    return list(found.values())


def _entity_kinds(protocol: Protocol) -> tuple[type, ...]:
    return tuple(dict.fromkeys(type(each) for each in protocol.entities()))


def _helpers(protocol: Protocol) -> dict[str, type]:
    """The helpers that are marked, by their names: of the protocol first, then of its entities."""
    found: dict[str, type] = {}
    for kind in (type(protocol), *_entity_kinds(protocol)):
        for base in kind.__mro__:
            for name, value in vars(base).items():
                if mark_of(value) is not None:
                    found.setdefault(name, kind)
    return found


def _cited(protocol: Protocol, id: str) -> list[Body]:
    """The rules and helpers whose sentence begins with a rule id."""
    found = (bodies(kind, name)[:1] for name, kind in _helpers(protocol).items())
    return [b for [b] in found if re.search(rf"\b{re.escape(id)}\b[^:]*:", sentence_of(b))]


def rule_text(protocol: Protocol, name: str, width: int) -> list[Text]:
    """A page about one rule or helper of a protocol, or about a rule id such as "PL-2.4".

    Raises `unknown-rule`.
    """
    kind, helpers = type(protocol), _helpers(protocol)
    if name not in helpers:
        cited = _cited(protocol, name)
        if not cited:
            raise FinaleError(
                "unknown-rule",
                f'{kind.key} has no rule or helper "{name}", and none that cites "{name}"',
                advice=nearest(name, [*rule_names(kind), *helpers]),
            )
        rows = [[Text(b.name, "bold"), Text(sentence_of(b)), Text(b.place, "dim")] for b in cited]
        return [Text(f"{name} is in", "bold cyan"), *columns(rows, width, indent=2)]
    chain = bodies(helpers[name], name)
    lines: list[Text] = []
    for number, body in enumerate(chain):
        lines += [Text(), *_heading(body, "overrides" if number else "", width)]
        lines += [Text(f"  {line}") for line in body.source.rstrip().splitlines()]
    below = called(protocol, chain)
    if below:
        lines += [Text(), Text("calls", "bold cyan")]
        for depth, each in below:
            lines += _called_lines(each, _places(each, kind), width, 2 + 2 * depth)
        lines += [
            Text(),
            Text("--rule also takes the name of a helper, or a rule id", "dim"),
        ]
    return lines[1:]


def _called_lines(body: Body, places: str, width: int, indent: int) -> list[Text]:
    """A helper with its place, and its sentence below them."""
    parts = [Text(body.name, "bold"), Text(places, "dim")]
    head = flow(parts, width, indent=indent, separator="  ")
    sentence = sentence_of(body)
    below = paragraph(Text(sentence), width, indent=indent + BELOW) if sentence else []
    return [*head, *below]


def _heading(body: Body, word: str, width: int) -> list[Text]:
    head = Text(f"{word} " if word else "", "bold cyan").append(body.name, "bold")
    return paragraph(head.append(f"  {body.place}", "dim"), width)


def sentence_of(body: Body) -> str:
    """The sentence of a rule or helper, on one line."""
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
