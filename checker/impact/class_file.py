"""Reads a class file: its methods, their instructions with all constants resolved, and its names.

Nothing is run. What the file says is taken as data: a file that ends early, or that points outside
itself, is an error with a code.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from finale.model.errors import FinaleError, Place

MAGIC = b"\xca\xfe\xba\xbe"
PRIVATE, STATIC, BRIDGE, SYNTHETIC, ABSTRACT = 0x2, 0x8, 0x40, 0x1000, 0x400

# How the operands of an instruction are laid out: bytes, an index of a constant, a jump.
_BYTES, _SHORT_INDEX, _INDEX, _JUMP, _FAR_JUMP = range(5)
_LAYOUT: dict[int, tuple[int, int]] = {
    **dict.fromkeys((0x10, 0xBC, 0xA9, *range(0x15, 0x1A), *range(0x36, 0x3B)), (_BYTES, 1)),
    **dict.fromkeys((0x11, 0x84), (_BYTES, 2)),
    0x12: (_SHORT_INDEX, 1),
    **dict.fromkeys((0x13, 0x14, 0xBB, 0xBD, 0xC0, 0xC1, *range(0xB2, 0xB9)), (_INDEX, 2)),
    **dict.fromkeys((0xB9, 0xBA), (_INDEX, 4)),
    0xC5: (_INDEX, 3),
    **dict.fromkeys((0xC6, 0xC7, *range(0x99, 0xA9)), (_JUMP, 2)),
    **dict.fromkeys((0xC8, 0xC9), (_FAR_JUMP, 4)),
}
_TABLE_SWITCH, _LOOKUP_SWITCH, _WIDE, _IINC = 0xAA, 0xAB, 0xC4, 0x84
_LDC, _LDC_W = 0x12, 0x13

# The kinds of entries in the table of constants.
_UTF8, _INTEGER, _FLOAT, _LONG, _DOUBLE, _CLASS, _STRING = 1, 3, 4, 5, 6, 7, 8
_HANDLE, _METHOD_TYPE, _DYNAMIC, _INVOKE_DYNAMIC, _MODULE, _PACKAGE = 15, 16, 17, 18, 19, 20
_MEMBERS = (9, 10, 11)
_NAME_AND_TYPE = 12
_FORMATS = {_INTEGER: ">i", _FLOAT: ">f", _LONG: ">q", _DOUBLE: ">d"}

_unsigned = struct.Struct(">H").unpack_from
_signed = struct.Struct(">h").unpack_from
_word = struct.Struct(">i").unpack_from
_length = struct.Struct(">I").unpack_from


@dataclass(frozen=True)
class Member:
    """A field or method that an instruction names."""

    owner: str
    name: str
    descriptor: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}{self.descriptor}"


@dataclass(frozen=True)
class Handle:
    """A method that a bootstrap names, as a lambda does."""

    member: Member


@dataclass(frozen=True)
class Dynamic:
    """An instruction whose meaning a bootstrap method makes: a lambda, or a text that is joined."""

    name: str
    descriptor: str
    bootstrap: Member
    arguments: tuple[Constant, ...]


@dataclass(frozen=True)
class Text:
    """A text constant."""

    value: str


@dataclass(frozen=True)
class ClassName:
    """A class that an instruction names."""

    name: str


Constant = Text | ClassName | Member | Handle | Dynamic | int | float | str


@dataclass(frozen=True)
class Jump:
    """The numbers of the instructions that can be next, and the values that lead there."""

    targets: tuple[int, ...]
    keys: tuple[int, ...] = ()


@dataclass(frozen=True)
class Instruction:
    """An instruction, with its constant, its numbers or its targets."""

    code: int
    operand: Constant | Jump | bytes | None = None


@dataclass(frozen=True)
class Catch:
    """A range of instructions with a handler; `type` is empty for any exception."""

    start: int
    end: int
    handler: int
    type: str


@dataclass(frozen=True)
class Method:
    """A method with its code; an abstract one has none."""

    name: str
    descriptor: str
    access: int
    instructions: tuple[Instruction, ...]
    catches: tuple[Catch, ...]

    @property
    def is_synthetic(self) -> bool:
        """Whether the compiler made the method."""
        return bool(self.access & (SYNTHETIC | BRIDGE))


@dataclass(frozen=True)
class ClassFile:
    """A class: its names, the method that it stands in if it is local, and its methods."""

    name: str
    parent: str
    interfaces: tuple[str, ...]
    access: int
    enclosing: tuple[str, str]
    methods: tuple[Method, ...]

    @property
    def above(self) -> tuple[str, ...]:
        """The superclass and the interfaces."""
        return (self.parent, *self.interfaces) if self.parent else self.interfaces


def class_in(data: bytes, file: str) -> ClassFile:
    """Read a class file. Raises `bad-class-file`."""
    if data[:4] != MAGIC:
        raise _unreadable(file, "the file is no class file")
    try:
        return _Reader(data).read()
    except (struct.error, IndexError, ValueError, KeyError, AttributeError, TypeError):
        raise _unreadable(file, "the class file is damaged, or of a newer Java") from None
    except RecursionError:
        raise _unreadable(file, "the constants of the class file refer to each other") from None


def _unreadable(file: str, what: str) -> FinaleError:
    return FinaleError(
        "bad-class-file",
        what,
        place=Place(file),
        advice="build it again, or download the jar again",
    )


class _Reader:
    """Reads one class file from its beginning to its end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 8
        self.entries: list[tuple[int, ...] | bytes | None] = []
        self.known: dict[int, Constant] = {}
        self.bootstraps: list[tuple[int, tuple[int, ...]]] = []

    def read(self) -> ClassFile:
        self._constants()
        access, this, above, count = (self._next() for _ in range(4))
        interfaces = tuple(self._class(self._next()) for _ in range(count))
        for _ in range(self._next()):  # fields
            self.at += 6
            self._attributes()
        raw: list[tuple[int, str, str, dict[str, tuple[int, int]]]] = []
        for _ in range(self._next()):
            flags, name, kind = self._next(), self._utf(self._next()), self._utf(self._next())
            raw.append((flags, name, kind, self._attributes()))
        found = self._attributes()
        if "BootstrapMethods" in found:
            self._bootstraps(found["BootstrapMethods"][0])
        enclosing = ("", "")
        if "EnclosingMethod" in found:
            start = found["EnclosingMethod"][0]
            method = self._u2(start + 2)
            inside = self._pair(method)[0] if method else ""
            enclosing = (self._class(self._u2(start)), inside)
        methods = tuple(
            Method(name, kind, flags, *self._code(attributes))
            for flags, name, kind, attributes in raw
        )
        parent = self._class(above) if above else ""
        return ClassFile(self._class(this), parent, interfaces, access, enclosing, methods)

    # --- numbers and constants -------------------------------------------------------------------

    def _u2(self, at: int) -> int:
        value: int = _unsigned(self.data, at)[0]
        return value

    def _next(self) -> int:
        self.at += 2
        return self._u2(self.at - 2)

    def _constants(self) -> None:
        count = self._next()
        self.entries = [None] * count
        index = 1
        while index < count:
            kind, at = self.data[self.at], self.at + 1
            if kind == _UTF8:
                size = self._u2(at)
                self.entries[index] = self.data[at + 2 : at + 2 + size]
                self.at = at + 2 + size
            elif kind in _FORMATS:
                self.entries[index] = (kind, at)
                self.at = at + struct.calcsize(_FORMATS[kind])
            elif kind in (_CLASS, _STRING, _METHOD_TYPE, _MODULE, _PACKAGE):
                self.entries[index] = (kind, self._u2(at))
                self.at = at + 2
            elif kind == _HANDLE:
                self.entries[index] = (kind, self._u2(at + 1))
                self.at = at + 3
            elif kind in (*_MEMBERS, _NAME_AND_TYPE, _DYNAMIC, _INVOKE_DYNAMIC):
                self.entries[index] = (kind, self._u2(at), self._u2(at + 2))
                self.at = at + 4
            else:
                raise ValueError(kind)
            index += 2 if kind in (_LONG, _DOUBLE) else 1

    def _utf(self, index: int) -> str:
        entry = self.entries[index]
        if not isinstance(entry, bytes):
            raise ValueError(index)
        return entry.decode("utf-8", "replace")

    def _entry(self, index: int) -> tuple[int, ...]:
        entry = self.entries[index]
        if not isinstance(entry, tuple):
            raise ValueError(index)
        return entry

    def _class(self, index: int) -> str:
        return self._utf(self._entry(index)[1])

    def _pair(self, index: int) -> tuple[str, str]:
        entry = self._entry(index)
        return self._utf(entry[1]), self._utf(entry[2])

    def constant(self, index: int) -> Constant:
        """Resolve a constant."""
        if index not in self.known:
            self.known[index] = self._resolved(self._entry(index))
        return self.known[index]

    def _resolved(self, entry: tuple[int, ...]) -> Constant:
        kind = entry[0]
        if kind in _FORMATS:
            value: int | float = struct.unpack_from(_FORMATS[kind], self.data, entry[1])[0]
            return value
        if kind == _CLASS:
            return ClassName(self._utf(entry[1]))
        if kind == _STRING:
            return Text(self._utf(entry[1]))
        if kind in _MEMBERS:
            return Member(self._class(entry[1]), *self._pair(entry[2]))
        if kind == _HANDLE:
            return Handle(cast(Member, self.constant(entry[1])))
        if kind in (_DYNAMIC, _INVOKE_DYNAMIC):
            bootstrap, arguments = self.bootstraps[entry[1]]
            made_by = cast(Handle, self.constant(bootstrap)).member
            given = tuple(self.constant(each) for each in arguments)
            return Dynamic(*self._pair(entry[2]), made_by, given)
        return self._utf(entry[1])

    # --- attributes and code ---------------------------------------------------------------------

    def _attributes(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for _ in range(self._next()):
            name = self._utf(self._next())
            size: int = _length(self.data, self.at)[0]
            found[name] = (self.at + 4, size)
            self.at += 4 + size
        if self.at > len(self.data):
            raise ValueError(self.at)
        return found

    def _bootstraps(self, at: int) -> None:
        count, at = self._u2(at), at + 2
        for _ in range(count):
            method, size = self._u2(at), self._u2(at + 2)
            arguments = tuple(self._u2(at + 4 + 2 * each) for each in range(size))
            self.bootstraps.append((method, arguments))
            at += 4 + 2 * size

    def _code(
        self, attributes: Mapping[str, tuple[int, int]]
    ) -> tuple[tuple[Instruction, ...], tuple[Catch, ...]]:
        if "Code" not in attributes:
            return (), ()
        start = attributes["Code"][0]
        size: int = _length(self.data, start + 4)[0]
        base = start + 8
        found: list[Instruction] = []
        numbers: dict[int, int] = {}
        at = base
        while at < base + size:
            numbers[at - base] = len(found)
            instruction, at = self._instruction(at, base)
            found.append(instruction)
        numbers[size] = len(found)
        instructions = tuple(_numbered(each, numbers) for each in found)
        catches: list[Catch] = []
        table = base + size
        for number in range(self._u2(table)):
            row = table + 2 + 8 * number
            first, last, handler, kind = (self._u2(row + 2 * each) for each in range(4))
            name = self._class(kind) if kind else ""
            catches.append(Catch(numbers[first], numbers[last], numbers[handler], name))
        return instructions, tuple(catches)

    def _instruction(self, at: int, base: int) -> tuple[Instruction, int]:
        code = self.data[at]
        if code == _WIDE:
            wide = 6 if self.data[at + 1] == _IINC else 4
            return Instruction(self.data[at + 1], self.data[at + 2 : at + wide]), at + wide
        if code in (_TABLE_SWITCH, _LOOKUP_SWITCH):
            return self._switch(code, at, base)
        if code not in _LAYOUT:
            return Instruction(code), at + 1
        layout, size = _LAYOUT[code]
        after = at + 1 + size
        if layout == _SHORT_INDEX:
            return Instruction(_LDC_W, self.constant(self.data[at + 1])), after
        if layout == _INDEX:
            return Instruction(code, self.constant(self._u2(at + 1))), after
        if layout == _JUMP:
            target: int = at - base + _signed(self.data, at + 1)[0]
            return Instruction(code, Jump((target,))), after
        if layout == _FAR_JUMP:
            target = at - base + _word(self.data, at + 1)[0]
            return Instruction(code - 33, Jump((target,))), after
        return Instruction(code, self.data[at + 1 : after]), after

    def _switch(self, code: int, at: int, base: int) -> tuple[Instruction, int]:
        row = at + 1
        row += -(row - base) % 4
        default, first, second = (_word(self.data, row + 4 * each)[0] for each in range(3))
        here = at - base
        if code == _TABLE_SWITCH:
            if second - first > len(self.data):
                raise ValueError(second)
            keys = tuple(range(first, second + 1))
            jumps = [_word(self.data, row + 12 + 4 * n)[0] for n in range(len(keys))]
            after = row + 12 + 4 * len(keys)
        else:
            if not 0 <= first <= len(self.data):
                raise ValueError(first)
            keys = tuple(_word(self.data, row + 8 + 8 * n)[0] for n in range(first))
            jumps = [_word(self.data, row + 12 + 8 * n)[0] for n in range(first)]
            after = row + 8 + 8 * first
        targets = (*(here + jump for jump in jumps), here + default)
        return Instruction(_TABLE_SWITCH, Jump(targets, keys)), after


def _numbered(instruction: Instruction, numbers: Mapping[int, int]) -> Instruction:
    operand = instruction.operand
    if not isinstance(operand, Jump):
        return instruction
    targets: Sequence[int] = [numbers[each] for each in operand.targets]
    return Instruction(instruction.code, Jump(tuple(targets), operand.keys))


__all__ = [
    "ABSTRACT", "PRIVATE", "STATIC", "SYNTHETIC", "Catch", "ClassFile", "ClassName", "Constant",
    "Dynamic", "Handle", "Instruction", "Jump", "Member", "Method", "Text", "class_in",
]  # fmt: skip
