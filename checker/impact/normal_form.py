"""Writes the code of a method in a form that does not depend on the compiler.

Two versions of javac compile one source differently. The form leaves out these differences:

- constants stand where they are used, and targets of jumps are labels in the order of the code
- texts that are joined are one `concat`, be it a `StringBuilder` or an `invokedynamic`
- a lambda stands in the method that makes it, and an accessor is the access that it makes
- calls of private methods and checks for null have one form
- `String.valueOf` of an object, and numbers of lambdas and of anonymous classes are left out
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .class_file import (
    SYNTHETIC,
    Catch,
    ClassFile,
    ClassName,
    Constant,
    Dynamic,
    Handle,
    Instruction,
    Jump,
    Member,
    Method,
    Text,
)

Lookup = Callable[[str], ClassFile | None]

#: The instructions by their numbers, from 0 on.
_MNEMONICS = """
nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1
fconst_0 fconst_1 fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc ldc iload lload fload dload aload
iload_0 iload_1 iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3
dload_0 dload_1 dload_2 dload_3 aload_0 aload_1 aload_2 aload_3 iaload laload faload daload aaload
baload caload saload istore lstore fstore dstore astore istore_0 istore_1 istore_2 istore_3 lstore_0
lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2 fstore_3 dstore_0 dstore_1 dstore_2 dstore_3
astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore aastore bastore castore sastore
pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub lsub fsub dsub imul
lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg ishl lshl ishr lshr iushr
lushr iand land ior lor ixor lxor iinc i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s
lcmp fcmpl fcmpg dcmpl dcmpg ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge
if_icmpgt if_icmple if_acmpeq if_acmpne goto jsr ret switch switch ireturn lreturn freturn dreturn
areturn return getstatic putstatic getfield putfield invoke invokespecial invokestatic invoke
invokedynamic new newarray anewarray arraylength athrow checkcast instanceof monitorenter
monitorexit wide multianewarray ifnull ifnonnull goto jsr
"""
_NAMES = _MNEMONICS.split()
_CODES = {name: code for code, name in reversed(list(enumerate(_NAMES)))}
_POP, _POP2, _DUP, _NEW = (_CODES[each] for each in ("pop", "pop2", "dup", "new"))
_SPECIAL, _STATIC, _VIRTUAL = 0xB7, 0xB8, 0xB6
_SIGNED = frozenset((0x10, 0x11))
_CONSTANTS = range(0x02, 0x15)
_LOADS = range(0x15, 0x2E)
_STORES = range(0x36, 0x4F)
_RETURNS = range(0xAC, 0xB2)
_COPIES = range(0x5A, 0x60)
_PUTS = (0xB3, 0xB5)
_BUILDER = "java/lang/StringBuilder"
_NUMBERED = re.compile(r"\$\d+")
#: The name of a lambda: it has the name of the method around it.
LAMBDA = re.compile(r"lambda\$(.*?)\$(?:[0-9a-f]+\$)?\d+")
#: A class that the compiler adds to the parameters of a private constructor.
_MARKER = re.compile(r"L[\w/$]+\$\d+;\)V$")
#: A call that newer compilers write before texts are joined.
_AS_TEXT = Member("java/lang/String", "valueOf", "(Ljava/lang/Object;)Ljava/lang/String;")
#: What stands in a text for a value that is joined to it, or that a logger fills in.
HOLE = "{}"
#: Lambdas in lambdas, and accessors of accessors, are folded to this depth.
DEPTH_MAX = 12


@dataclass(frozen=True)
class Body:
    """The code of a method in the normal form, the methods that it calls, and its texts."""

    lines: tuple[str, ...] = ()
    calls: frozenset[tuple[str, str]] = frozenset()
    texts: tuple[str, ...] = ()


@dataclass
class _Line:
    """A line of the form: the number of its instruction, and where the instruction can go."""

    number: int
    text: str
    targets: tuple[int, ...] = ()
    constant: str | None = None


def plain_name(name: str) -> str:
    """Return the name of a class without the numbers of anonymous classes."""
    return _NUMBERED.sub("$#", name)


def body_of(kind: ClassFile, method: Method, lookup: Lookup) -> Body:
    """Return the normal form of a method of a class."""
    return _Writer(kind, lookup, folds=True).body(method) or (
        _Writer(kind, lookup, folds=False).body(method) or Body()
    )


@dataclass
class _Writer:
    """Writes one method, and those that are folded into it."""

    kind: ClassFile
    lookup: Lookup
    folds: bool
    depth: int = 0
    lines: list[_Line] = field(default_factory=list[_Line])
    calls: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    texts: list[str] = field(default_factory=list[str])
    builders: list[list[str]] = field(default_factory=list[list[str]])

    def body(self, method: Method) -> Body | None:
        """Write a method. Return nothing if a text that is joined has no end."""
        code = method.instructions
        targets = {
            each for one in code if isinstance(one.operand, Jump) for each in one.operand.targets
        }
        at = 0
        while at < len(code):
            at += self._instruction(code, at, targets)
        if self.builders:
            return None
        lines = _labelled(self.lines, method.catches)
        return Body(tuple(lines), frozenset(self.calls), tuple(self.texts))

    def _instruction(self, code: Sequence[Instruction], at: int, targets: set[int]) -> int:
        """Write the instruction at a position, and return how many were read."""
        one, operand = code[at], code[at].operand
        following = code[at + 1] if at + 1 < len(code) else None
        if self.folds and self._begins_text(code, at):
            self.builders.append([])
            return 3
        if isinstance(operand, Member) and operand.owner == _BUILDER and self.builders:
            if operand.name == "append":
                self.builders[-1].append(self._appended(operand, at, targets))
                return 1
            if operand.name == "toString":
                self._joined("".join(self.builders.pop()), at)
                return 1
        if isinstance(operand, Dynamic):
            self._dynamic(operand, at)
            return 1
        if isinstance(operand, Member) and one.code >= _VIRTUAL:
            return self._call(one, operand, at, following)
        if isinstance(operand, Text):
            self.texts.append(operand.value)
        self._plain(one, at)
        return 1

    def _begins_text(self, code: Sequence[Instruction], at: int) -> bool:
        """Whether a StringBuilder is made here that no variable keeps."""
        if code[at].operand != ClassName(_BUILDER) or code[at].code != _NEW or at + 3 >= len(code):
            return False
        made, after = code[at + 2].operand, code[at + 3]
        is_empty = made == Member(_BUILDER, "<init>", "()V") and code[at + 1].code == _DUP
        return is_empty and after.code not in _STORES and after.code not in (*_RETURNS, *_PUTS)

    def _appended(self, member: Member, at: int, targets: set[int]) -> str:
        """The part of a text that is joined: a constant, or a hole."""
        last = self.lines[-1] if self.lines else None
        if last is None or last.constant is None or last.number != at - 1 or at in targets:
            return HOLE
        self.lines.pop()
        if member.descriptor.startswith("(C)") and last.constant.lstrip("-").isdigit():
            return chr(int(last.constant) % 0x10000)
        return last.constant

    def _joined(self, text: str, at: int) -> None:
        self.texts.append(text)
        self.lines.append(_Line(at, f'concat "{text}"'))

    def _dynamic(self, dynamic: Dynamic, at: int) -> None:
        if dynamic.bootstrap.owner == "java/lang/invoke/StringConcatFactory":
            recipe, *constants = dynamic.arguments if dynamic.arguments else (Text("\1" * 2),)
            text = recipe.value if isinstance(recipe, Text) else ""
            for each in constants:
                text = text.replace("\2", _constant(each), 1)
            self._joined(text.replace("\1", HOLE), at)
            return
        handles = [each.member for each in dynamic.arguments if isinstance(each, Handle)]
        folded = [each for each in handles if self._lambda(each) is not None]
        shown = ["lambda" if each in folded else _member(each) for each in handles]
        for each in handles:
            self.calls.add((each.owner, each.name))
        told = " ".join([dynamic.name, _class_text(dynamic.descriptor), *shown])
        self.lines.append(_Line(at, f"make {told}"))
        for each in folded:
            self._fold(self.kind, self._lambda(each), at, indent="  ")

    def _lambda(self, member: Member) -> Method | None:
        """The lambda of this class that a handle names."""
        if member.owner != self.kind.name or not member.name.startswith("lambda$"):
            return None
        return _method(self.kind, member)

    def _fold(self, kind: ClassFile, method: Method | None, at: int, indent: str = "") -> None:
        """Write the code of another method here."""
        if method is None or self.depth >= DEPTH_MAX:
            return
        for folds in (True, False):
            writer = _Writer(kind, self.lookup, folds, self.depth + 1)
            body = writer.body(method)
            if body is not None:
                self.calls |= body.calls
                self.texts += body.texts
                self.lines += [_Line(at, f"{indent}{line}") for line in body.lines]
                return

    def _call(
        self, one: Instruction, member: Member, at: int, following: Instruction | None
    ) -> int:
        pops = following is not None and following.code in (_POP, _POP2)
        self.calls.add((member.owner, member.name))
        if pops and (member.owner, member.name) in (
            ("java/lang/Object", "getClass"),
            ("java/util/Objects", "requireNonNull"),
        ):
            self.lines.append(_Line(at, "check for null"))
            return 2
        if member == _AS_TEXT:
            return 1
        if one.code == _STATIC and member.name.startswith(("access$", "$values")):
            owner = self.lookup(member.owner) if member.owner != self.kind.name else self.kind
            target = None if owner is None else _method(owner, member)
            if owner is not None and target is not None and target.access & SYNTHETIC:
                return self._accessed(owner, target, at, pops)
        if one.code == _SPECIAL and member.name == "<init>":
            last = self.lines[-1] if self.lines else None
            marker = _MARKER.search(member.descriptor)
            if marker and last is not None and last.text == "aconst_null":
                self.lines.pop()
                shown = f"{member.descriptor[: marker.start()]})V"
                member = Member(member.owner, member.name, shown)
            self.lines.append(_Line(at, f"invokespecial {_member(member)}"))
            return 1
        name = "invokestatic" if one.code == _STATIC else "invoke"
        self.lines.append(_Line(at, f"{name} {_member(member)}"))
        return 1

    def _accessed(self, owner: ClassFile, method: Method, at: int, pops: bool) -> int:
        """Write what an accessor does, in place of its call."""
        is_values = method.name.startswith("$values")
        kept = [
            each
            for each in method.instructions
            if each.code not in _RETURNS
            and (is_values or (each.code not in _LOADS and each.code not in _COPIES))
        ]
        inner = Method(method.name, method.descriptor, method.access, tuple(kept), ())
        if not any(isinstance(each.operand, Jump) for each in kept):
            self._fold(owner, inner, at)
        puts = any(each.code in _PUTS for each in kept)
        return 2 if pops and puts else 1

    def _plain(self, one: Instruction, at: int) -> None:
        name = _NAMES[one.code] if one.code < len(_NAMES) else str(one.code)
        constant: str | None = None
        match one.operand:
            case None:
                text = name
                if one.code in _CONSTANTS and name.startswith("iconst"):
                    constant = name.removeprefix("iconst_").replace("m1", "-1")
            case Jump(targets, keys):
                self.lines.append(_Line(at, " ".join([name, *map(str, keys)]), targets))
                return
            case bytes() as raw:
                text = f"{name} {_numbers(one.code, raw)}"
                if one.code in _SIGNED:
                    constant = str(_numbers(one.code, raw))
            case operand:
                constant = _constant(operand) if one.code in _CONSTANTS else None
                shown = f'"{constant}"' if isinstance(operand, Text) else _constant(operand)
                text = f"{name} {shown}"
        self.lines.append(_Line(at, text, constant=constant))


def _numbers(code: int, raw: bytes) -> str:
    if code == _CODES["iinc"]:
        half = len(raw) // 2
        step = int.from_bytes(raw[half:], "big", signed=True)
        return f"{int.from_bytes(raw[:half], 'big')} {step}"
    return str(int.from_bytes(raw, "big", signed=code in _SIGNED))


def _method(kind: ClassFile, member: Member) -> Method | None:
    named = (member.name, member.descriptor)
    return next((each for each in kind.methods if (each.name, each.descriptor) == named), None)


def _class_text(text: str) -> str:
    return _NUMBERED.sub("$#", text)


def _member(member: Member) -> str:
    name = LAMBDA.sub(r"lambda$\1", member.name)
    gap = "" if member.descriptor.startswith("(") else " "
    return f"{_class_text(member.owner)}.{name}{gap}{_class_text(member.descriptor)}"


def _constant(constant: Constant) -> str:
    match constant:
        case Text(value):
            return value
        case ClassName(name):
            return _class_text(name)
        case Member() as member:
            return _member(member)
        case Handle(member):
            return _member(member)
        case Dynamic() as dynamic:
            return f"{dynamic.name}{dynamic.descriptor}"
        case _:
            return str(constant)


def _labelled(lines: Sequence[_Line], catches: Sequence[Catch]) -> list[str]:
    """Write labels before the lines that jumps and handlers lead to."""
    places: dict[int, int] = {}
    wanted = {each for line in lines for each in line.targets}
    kept = [each for each in catches if each.type or not each.start <= each.handler < each.end]
    wanted |= {number for each in kept for number in (each.start, each.end, each.handler)}
    numbers = [line.number for line in lines]
    position = 0
    for number in sorted(wanted):
        while position < len(numbers) and numbers[position] < number:
            position += 1
        places[number] = position
    labels = {place: f"L{index}" for index, place in enumerate(sorted(set(places.values())), 1)}
    found: list[str] = []
    for place, line in enumerate(lines):
        if place in labels:
            found.append(f"{labels[place]}:")
        leads = "".join(f" {labels[places[each]]}" for each in line.targets)
        found.append(f"{line.text}{leads}")
    if len(lines) in labels:
        found.append(f"{labels[len(lines)]}:")
    for each in kept:
        start, end, handler = (labels[places[n]] for n in (each.start, each.end, each.handler))
        found.append(f"catch {each.type or 'any'} from {start} to {end} at {handler}")
    return found


__all__ = ["HOLE", "LAMBDA", "Body", "body_of", "plain_name"]
