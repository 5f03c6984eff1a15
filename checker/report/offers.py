"""A page in Markdown: what a protocol offers to a rule that somebody writes.

Everything on it is read from the code: the fields of each entity with their domains, what else
entities have, the helpers, the rules that can be overridden, the options and bounds.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from typing import Any, cast

from finale._face import public_name
from finale.checker.spec.meanings import first_paragraph, meanings
from finale.checker.spec.typed import option_word
from finale.model.domains import Domain, Enum
from finale.model.language.build import rule_names, rule_of
from finale.model.language.decorators import mark_of
from finale.model.language.entities import Entity, fields_of
from finale.model.language.protocol import Protocol

from .places import shown_file
from .rule import bodies

#: How a helper that is marked is called on the page; one without a mark runs in line.
ROLES = {"define": "reads", "step": "writes"}
INTRODUCTION = (
    "A rule is a method of the protocol: `self` is the protocol, and the parameters are entities. "
    "A rule reads a field, `task.status`, and writes it, `task.status = …`. It calls helpers of "
    "the protocol, `self.…`, and of entities, `task.…`. A variant can override every rule and "
    "helper on this page."
)
GENERATED = (
    "Finale has generated this page from its code. The page docs/rules.md of Finale describes the "
    "rule language, and what a rule does with a value of each domain."
)
#: Attributes of a protocol that the page shows in sections of their own, or that are no business of
#: a rule.
ELSEWHERE = ("variables", "setting", "options", "bounds", "sizes")


#: Said of entities that are there only if a spec asks for them.
ALL_HISTORY = (
    "All of this is history: it is there only if `[observe]` asks for it. Rules of yours may write "
    "it, and may not ask whether it is there. What a task is, its vertex says: "
    "`task.subtask.vertex.is_sink`."
)


def offers_page(protocol: Protocol) -> str:
    """Return the page of a protocol in some setting: its entities are those of that setting."""
    kind = type(protocol)
    parts = [
        f"# What `{kind.key}` offers to a rule",
        f"{first_paragraph(kind.__doc__)}",
        INTRODUCTION,
        GENERATED,
        *_rules(kind),
        *_entity(kind, (), protocol, "The protocol itself: `self`", kind.ghosts),
        *_entities(protocol),
        *_declared("Options: `self.options`", kind.Options, None),
        *_declared("Bounds: `self.bounds`", kind.Bounds, kind.bound_names()),
        *_declared("Sizes: `self.sizes`", kind.Sizes, None),
        *_history(kind),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" | ".join(_cell(cell) for cell in row) for row in rows]
    if not lines:
        return ""
    ruled = [" | ".join(head), " | ".join("---" for _ in head), *lines]
    return "\n".join(f"| {line} |" for line in ruled)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


# --- rules ---------------------------------------------------------------------------------------


def _rules(kind: type[Protocol]) -> Iterator[str]:
    yield "## Rules that a variant can override"
    yield "`finale show SPEC --rule NAME` prints the body of a rule, and what the rule calls."
    rows: list[Sequence[str]] = []
    for name in rule_names(kind):
        body = bodies(kind, name)[0]
        rows.append([_code(_call(name, body.parameters)), rule_of(kind, name).sentence, body.place])
    yield _table(["Rule", "What it does", "Where"], rows)


def _call(name: str, parameters: Mapping[str, str]) -> str:
    given = ", ".join(f"{each}: {annotation}" for each, annotation in parameters.items())
    return f"{name}({given})"


# --- entities ------------------------------------------------------------------------------------


def _entities(protocol: Protocol) -> Iterator[str]:
    """Each class of entities, those that others inherit from first."""
    found: dict[type[Entity], list[Entity]] = {}
    for entity in protocol.entities():
        found.setdefault(type(entity), []).append(entity)
    listed: list[type[Entity]] = []
    bare = type(protocol)(replace(protocol.setting, observe=frozenset()))
    lasting = {entity.name for entity in bare.entities()}
    for kind in sorted(found, key=lambda each: len(each.__mro__)):
        base = [each for each in listed if issubclass(kind, each)]
        names = ", ".join(entity.name for entity in found[kind])
        title = f"`{kind.__name__}`: here {names}"
        first = found[kind][0]
        yield from _entity(kind, base, first, title, protocol.ghosts)
        if first.name not in lasting:
            yield ALL_HISTORY
        listed.append(kind)


def _entity(
    kind: type[Entity],
    bases: Sequence[type[Entity]],
    example: Entity,
    title: str,
    ghosts: Collection[str],
) -> Iterator[str]:
    """The section of one class: what the classes `bases`, listed before, do not have already."""
    known = {name for base in bases for name in dir(base)}
    yield f"## {title}"
    yield first_paragraph(kind.__doc__)
    if bases:
        yield f"It has everything that `{bases[-1].__name__}` has."
    yield f"Defined in {shown_file(inspect.getsourcefile(kind) or '')}."
    rows = [row for row in _fields(kind, ghosts) if row[0].strip("`") not in known]
    if rows:
        yield "### Fields: they are the state"
        yield _table(["Field", "Domain", "At first", "Meaning"], rows)
    if fixed := _fixed(example, bases):
        yield "### Fixed: a rule reads it, and it never changes"
        yield _table(["Name", "Here"], fixed)
    if helpers := _helpers(kind, known):
        yield "### Helpers"
        yield _table(["Helper", "Kind", "What it does"], helpers)


def _fields(kind: type[Entity], ghosts: Collection[str]) -> Iterator[Sequence[str]]:
    told, written = meanings(kind), _as_written(kind)
    for each in fields_of(kind):
        domain, initial = written.get(each.name, ("", ""))
        when = "" if each.ghost is None else "Only in settings that need it."
        if each.ghost in ghosts:
            when = f"History: only with `[observe] {each.ghost} = true`."
        meaning = " ".join(filter(None, [told.get(each.name, ""), _members(each.domain), when]))
        yield [_code(each.name), _code(domain), _code(initial), meaning]


def _members(domain: Domain[Any]) -> str:
    """The members of an enumeration, as a rule writes them."""
    if not isinstance(domain, Enum):
        return ""
    members = list(cast("Domain[object]", domain).values())
    return f"One of {', '.join(_code(str(each)) for each in members)}. {_import_of(members[0])}"


def _import_of(member: object) -> str:
    """A sentence with the import of the enumeration of a member."""
    kind = type(member)
    module, name = public_name(kind) or (kind.__module__, kind.__name__)
    return f"Import: {_code(f'from {module} import {name}')}."


def _as_written(kind: type) -> dict[str, tuple[str, str]]:
    """The domain and the initial value of each field, as the source says them."""
    found: dict[str, tuple[str, str]] = {}
    for base in reversed(kind.__mro__[:-1]):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except OSError:
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(func=ast.Name(id="field"), args=[domain, initial, *_]),
                ):
                    found[name] = ast.unparse(domain), ast.unparse(initial)
                case _:
                    pass
    return found


def _fixed(example: Entity, bases: Sequence[type[Entity]]) -> list[Sequence[str]]:
    """The attributes of an entity that are no fields. They are those of its base, if it has one."""
    if bases:
        return []
    names = [name for name in vars(example) if not name.startswith("_")]
    left = [name for name in names if name not in ELSEWHERE]
    return [[_code(name), _kind_text(vars(example)[name])] for name in left]


def _kind_text(value: object) -> str:
    """What a value is, in a few words."""
    match value:
        case tuple() if value:
            parts = cast("tuple[object, ...]", value)
            kinds = dict.fromkeys(map(_kind_text, parts))
            return f"{len(parts)} × {' or '.join(kinds)}"  # noqa: RUF001 - the sign is meant
        case bool() | int():
            return _code(repr(value))
        case str():
            return _code(value)
        case tuple() | list() | dict() if not value:
            return "empty"
        case _:
            return _code(type(value).__name__)


def _helpers(kind: type[Entity], known: set[str]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for name in sorted(set(dir(kind)) - known):
        chain = [] if name.startswith("__") or name in vars(Entity) else bodies(kind, name)
        if not chain or any(body.owner in (Entity, Protocol) for body in chain):
            continue
        mark = mark_of(chain[0].function)
        is_private = name.startswith("_")
        if (mark is not None and mark.role == "rule") or (mark is None and is_private):
            continue
        sentences = (first_paragraph(body.function.__doc__) for body in chain)
        sentence = next(filter(None, sentences), "")
        if is_private and not sentence:
            sentence = f"A part of {', '.join(map(_code, _callers(kind, name)))}."
        if not sentence:
            continue
        is_property = isinstance(vars(chain[0].owner)[name], property)
        call = name if is_property else _call(name, chain[0].parameters)
        role = ROLES[mark.role] if mark is not None else "in line"
        rows.append([_code(call), role, sentence])
    return rows


def _callers(kind: type, name: str) -> list[str]:
    """The other methods that call a method or pass it on, by their names."""
    call = re.compile(rf"\.{name}\b")
    return sorted(
        {
            each
            for base in kind.__mro__
            for each, value in vars(base).items()
            if inspect.isfunction(value) and each != name
            if call.search(inspect.getsource(value))
        }
    )


# --- settings ------------------------------------------------------------------------------------


def _declared(title: str, declares: type, names: Sequence[str] | None) -> Iterator[str]:
    told = meanings(declares)
    rows = [
        [
            _code(each.name),
            "" if each.default is MISSING else _code(option_word(each.default)),
            told.get(each.name, ""),
        ]
        for each in fields(declares)
        if names is None or each.name in names
    ]
    if rows:
        yield f"## {title}"
        yield _table(["Name", "Default", "Meaning"], rows)


def _history(kind: type[Protocol]) -> Iterator[str]:
    if kind.ghosts:
        yield "## History"
        told = ", ".join(_code(each) for each in kind.ghosts)
        yield f"`self.observes(NAME)` says whether the state records a history: {told}."
