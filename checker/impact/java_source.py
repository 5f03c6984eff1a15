"""Reads a source file of Java: its classes, what is above them, and the tokens of each method.

Layout and comments do not matter. Nothing is compiled: a call leads to a class if the receiver is a
class, `this`, or a variable whose declaration the file has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language, Node, Parser
from tree_sitter_java import language

from finale.model.errors import FinaleError, Place

from .normal_form import HOLE, Body

_TYPES = frozenset(
    f"{kind}_declaration" for kind in ("class", "interface", "enum", "record", "annotation_type")
)
_CONSTRUCTORS = ("constructor_declaration", "compact_constructor_declaration")
_VARIABLES = ("field_declaration", "formal_parameter", "local_variable_declaration", "resource")
#: Tokens that are one word, though the parser looks into them.
_WHOLE = ("string_literal", "character_literal")
#: What stands in front of a declaration, and changes no code.
_IN_FRONT = ("modifiers", "type_parameters", "throws")
#: After and before these, no space is written.
_TIGHT_AFTER = frozenset("([.!@~") | {"::"}
_TIGHT_BEFORE = frozenset(")].,;") | {"(", "[", "::", "++", "--"}
_LINE_ENDS = frozenset("{};")

Method = tuple[str, str, Body]
"""The name of a method, its signature, and its code."""


@dataclass
class SourceClass:
    """A class of a file: the types above it, and its methods."""

    name: str
    above: tuple[str, ...]
    methods: list[Method] = field(default_factory=list[Method])


@dataclass(frozen=True)
class SourceFile:
    """The classes of a file, the outermost first, by their names in class files."""

    classes: Mapping[str, SourceClass]


def source_in(text: bytes, name: str, place: str) -> SourceFile:
    """Read a file whose first class has a name. Raises `bad-source`."""
    root = _parser().parse(text).root_node
    if root.has_error:
        wrong = next(each for each in _all(root) if each.is_error or each.is_missing)
        raise FinaleError(
            "bad-source",
            "this is no source of Java, or is newer than what Finale parses",
            place=Place(place, wrong.start_point.row + 1),
            advice="name a revision that compiles; or compare builds, with their folders",
        )
    return SourceFile(_Reading(root, name.rpartition("/")[0]).classes)


@cache
def _parser() -> Parser:
    return Parser(Language(language()))


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode(errors="replace")


def _field(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


class _Reading:
    """The work on one file."""

    def __init__(self, root: Node, package: str) -> None:
        self.package = package
        self.imports = dict(map(_import, _children(root, "import_declaration")))
        self.classes: dict[str, SourceClass] = {}
        self.declared: dict[str, frozenset[str]] = {}
        nodes: list[tuple[Node, str]] = []
        waiting = [(each, f"{package}/") for each in root.children if each.type in _TYPES]
        while waiting:  # all names of the file are known before code is read
            node, before = waiting.pop(0)
            name = f"{before}{_text(_field(node, 'name'))}"
            nodes.append((node, name))
            members = _members(node)
            waiting += [(each, f"{name}$") for each in members if each.type in _TYPES]
            self.declared[name] = frozenset(_text(_field(each, "name")) for each in members)
        for node, name in nodes:
            self._class(node, name)

    def _class(self, node: Node, name: str) -> None:
        members = _members(node)
        above = [self._type(each, name) for head in node.children for each in _heads(head)]
        made = self.classes[name] = SourceClass(name, tuple(above))
        fields = self._variables(each for each in members if each.type == "field_declaration")
        shared: dict[str, list[Node]] = {"<clinit>": [], "<init>": []}
        for each in members:
            match each.type:
                case "method_declaration":
                    made.methods.append(self._method(each, name, fields))
                case kind if kind in _CONSTRUCTORS:
                    made.methods.append(self._method(each, name, fields))
                case "static_initializer" | "enum_constant" | "constant_declaration":
                    shared["<clinit>"].append(each)
                case "block":
                    shared["<init>"].append(each)
                case "field_declaration" if _is_set(each):
                    shared["<clinit>" if _is_static(each) else "<init>"].append(each)
        for called, nodes in shared.items():
            if nodes:
                made.methods.append((called, called, self._body(nodes, name, fields)))

    def _method(self, node: Node, owner: str, fields: Mapping[str, str]) -> Method:
        is_method = node.type == "method_declaration"
        name = _text(_field(node, "name")) if is_method else "<init>"
        parameters = _field(node, "parameters")
        types = [] if parameters is None else [_field(each, "type") for each in parameters.children]
        shown = ", ".join(_laid(each)[0] for each in types if each is not None)
        known = {**fields, **self._variables(_all(node), owner)}
        signature = f"{name}({shown}) {_text(_field(node, 'type'))}".rstrip()
        body = _field(node, "body")
        return name, signature, self._body([] if body is None else [body], owner, known)

    def _body(self, nodes: list[Node], owner: str, known: Mapping[str, str]) -> Body:
        every = [each for node in nodes for each in _all(node)]
        calls = (self._call(each, owner, known) for each in every)
        texts = [text for node in nodes for text in _texts(node)]
        lines = [line for node in nodes for line in _laid(node)]
        return Body(tuple(lines), frozenset(filter(None, calls)), tuple(texts))

    def _variables(self, nodes: Iterator[Node], owner: str = "") -> dict[str, str]:
        """The types of variables, by their names."""
        found: dict[str, str] = {}
        for node in nodes:
            kind = _field(node, "type") if node.type in _VARIABLES else None
            if kind is not None:
                for each in (node, *_children(node, "variable_declarator")):
                    if name := _text(_field(each, "name")):
                        found[name] = self._type(kind, owner)
        return found

    def _call(self, node: Node, owner: str, known: Mapping[str, str]) -> tuple[str, str] | None:
        """The class and the method that a call names."""
        match node.type:
            case "method_invocation":
                receiver, name = _field(node, "object"), _text(_field(node, "name"))
            case "method_reference":
                receiver, name = node.children[0], _text(node.children[-1]).replace("new", "<init>")
            case "object_creation_expression":
                kind = _field(node, "type")
                return None if kind is None else (self._type(kind, owner), "<init>")
            case _:
                return None
        if receiver is None or receiver.type == "this":
            return self._around(owner, name), name
        if receiver.type == "field_access" and _text(_field(receiver, "object")) == "this":
            receiver = _field(receiver, "field")
        text = _text(receiver)
        if text in known:
            return known[text], name
        return (self._named(text, owner), name) if text[:1].isupper() and text.isalnum() else None

    def _around(self, owner: str, method: str) -> str:
        """The class that an unqualified call leads to: the class itself, or one around it."""
        around = owner
        while around in self.declared:
            if method in self.declared[around]:
                return around
            around = around.rpartition("$")[0]
        return owner

    def _type(self, node: Node, owner: str) -> str:
        """The class of a type, without its parameters."""
        named = next((e for e in _all(node) if e.type.endswith("type_identifier")), None)
        return self._named(_text(named), owner)

    def _named(self, text: str, owner: str) -> str:
        first, *rest = text.replace(" ", "").split(".")
        around, found = owner, self.imports.get(first, f"{self.package}/{first}")
        while around:
            if f"{around}${first}" in self.declared:
                found = f"{around}${first}"
                break
            around = around.rpartition("$")[0]
        return "$".join([found, *rest])


def _children(node: Node, kind: str) -> list[Node]:
    return [each for each in node.children if each.type == kind]


def _members(node: Node) -> list[Node]:
    """The members of a class."""
    body = _field(node, "body")
    found: list[Node] = []
    for each in [] if body is None else body.children:
        found += each.children if each.type == "enum_body_declarations" else [each]
    return found


def _heads(node: Node) -> Iterator[Node]:
    """The types that a part of the head of a class names."""
    if node.type in ("superclass", "super_interfaces", "extends_interfaces"):
        for each in node.named_children:
            yield from each.named_children if each.type == "type_list" else (each,)


def _import(node: Node) -> tuple[str, str]:
    """The short name of an import, and its class."""
    parts = _text(node.named_children[0]).split(".")
    first = next((at for at, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return parts[-1], "/".join([*parts[:first], "$".join(parts[first:])])


def _is_static(node: Node) -> bool:
    return any("static" in _text(each).split() for each in _children(node, "modifiers"))


def _is_set(node: Node) -> bool:
    return any(_field(each, "value") for each in _children(node, "variable_declarator"))


def _tokens(node: Node) -> Iterator[str]:
    if node.type in _IN_FRONT or node.type.endswith("comment"):
        return
    if not node.children or node.type in _WHOLE:
        yield _text(node)
        return
    for child in node.children:
        yield from _tokens(child)


def _laid(node: Node) -> list[str]:
    """The tokens of a node in lines, laid out in one way."""
    lines, line, depth = list[str](), "", 0
    before = ""
    for token in _tokens(node):
        depth -= token == "}"
        tight = not line or before in _TIGHT_AFTER or token in _TIGHT_BEFORE
        line += token if tight else f" {token}"
        before = token
        if token in _LINE_ENDS:
            lines.append("  " * max(depth, 0) + line)
            line = ""
        depth += token == "{"
    return [*lines, line] if line else lines


def _texts(node: Node) -> Iterator[str]:
    """The texts of some code, with holes for the values that are joined to them."""
    has_text = any(each.type == "string_literal" for each in _all(node))
    if has_text and node.type in ("string_literal", "binary_expression"):
        yield _joined(node)
    elif has_text:
        for child in node.children:
            yield from _texts(child)


def _joined(node: Node) -> str:
    match node.type:
        case "string_literal" | "character_literal":
            return _text(node).strip("\"'")
        case "binary_expression" if _text(_field(node, "operator")) == "+":
            sides = (_field(node, "left"), _field(node, "right"))
            return "".join(_joined(each) for each in sides if each is not None)
        case _:
            return HOLE


__all__ = ["SourceClass", "SourceFile", "source_in"]
