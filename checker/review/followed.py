"""Says which lines of a method ran, given the branches that completed runs took.

A branch tells of the statements around it. Those before it ran, and those behind it run unless an
outcome leaves the method. Nothing tells of a loop without a branch whether it had an item, nor of
what is behind a loop that can return whether the loop came to its end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from finale.model.language.explore import Branch


@dataclass
class Followed:
    """The lines of a method that ran, and the `open` ones: the branches do not tell of these."""

    file: str
    taken: AbstractSet[Branch]
    ran: set[int] = field(default_factory=set[int])
    open: set[int] = field(default_factory=set[int])
    crowded: AbstractSet[int] = frozenset()
    """Lines with more than one statement or expression that branches: which one took an outcome
    is not known."""


def followed(file: str, body: Sequence[ast.stmt], taken: AbstractSet[Branch]) -> Followed:
    """Return which lines ran of a method that was called."""
    found = Followed(file, {each for each in taken if each.file == file})
    seen, crowded = set[int](), set[int]()
    for line in _branching(body):
        (crowded if line in seen else seen).add(line)
    found.crowded = crowded
    _block(body, found)
    return found


def has_taken(file: str, body: Sequence[ast.stmt], taken: AbstractSet[Branch]) -> bool:
    """Whether some run took a branch in some statements."""
    first, last = (body[0].lineno, body[-1].end_lineno or 0) if body else (0, -1)
    return any(each.file == file and first <= each.line <= last for each in taken)


def lines_of(body: Iterable[ast.stmt]) -> Iterator[int]:
    """The lines of all statements, and of the cases of a `match`."""
    return (each.start for each in heads_of(body))


def heads_of(body: Iterable[ast.stmt]) -> Iterator[range]:
    """The lines of each statement, and of each case of a `match`, up to the statements in it.

    A `require(False)` is none of them, nor is a case that does nothing else: no run reaches these.
    """
    for node in body:
        if is_text(node) or _blocks(node):
            continue
        cases = node.cases if isinstance(node, ast.Match) else []
        inside: Sequence[ast.stmt] = getattr(node, "body", ())
        first = [each.pattern.lineno for each in cases] or [each.lineno for each in inside]
        yield _head(node.lineno, first[0] if first else (node.end_lineno or 0) + 1)
        yield from heads_of([*inside, *getattr(node, "orelse", ())])
        for case in cases:
            if not _blocks(case.body[0]):
                yield _head(case.pattern.lineno, case.body[0].lineno)
            yield from heads_of(case.body)


def _head(first: int, end: int) -> range:
    return range(first, max(first + 1, end))


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring, `...` or an annotation: nothing runs."""
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _blocks(node: ast.stmt) -> bool:
    """Whether a statement is `require(False)`."""
    match node:
        case ast.Expr(ast.Call(ast.Name("require"), [ast.Constant(False)])):
            return True
        case _:
            return False


def _branching(body: Iterable[ast.stmt]) -> Iterator[int]:
    """The line of each test, as the language notes its outcomes."""
    for statement in body:
        for node in ast.walk(statement):
            match node:
                case ast.If() | ast.IfExp():
                    yield node.test.lineno
                case ast.match_case():
                    yield node.pattern.lineno
                case _:
                    pass


def _block(body: Sequence[ast.stmt], found: Followed) -> bool | None:
    """Note what ran of some statements that were begun. Whether a run came to their end; None if
    that is not known."""
    goes_on: bool | None = True
    for number, node in enumerate(body):
        if goes_on is not True and not has_taken(found.file, body[number:], found.taken):
            if goes_on is None:
                found.open |= set(lines_of(body[number:]))
            return goes_on
        if not is_text(node):
            found.ran.add(node.lineno)
            goes_on = _statement(node, found)
    return goes_on


def _statement(node: ast.stmt, found: Followed) -> bool | None:
    """The same of one statement."""
    match node:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return False
        case ast.If():
            line = node.test.lineno
            outcomes = ((node.body, line, True), (node.orelse, line, False))
            return _joined([_outcome(*each, found) for each in outcomes])
        case ast.Match():
            last = node.cases[-1]
            is_whole = last.guard is None and _takes_all(last.pattern)
            ends = list[bool | None]([] if is_whole else [None])
            for number, case in enumerate(node.cases):
                line = case.pattern.lineno
                later = {each.pattern.lineno for each in node.cases[number:]}
                if number == 0 or any(each.line in later for each in found.taken):
                    found.ran.add(line)
                elif not is_whole:
                    found.open.add(line)
                ends.append(_outcome(case.body, line, True, found))
            return _joined(ends)
        case ast.For():
            _perhaps(node.body, found)
            inner = [each for part in node.body for each in ast.walk(part)]
            if any(isinstance(each, ast.Return) for each in inner):
                _perhaps(node.orelse, found)
                return None
            if node.orelse and any(isinstance(each, ast.Break) for each in inner):
                return True if _perhaps(node.orelse, found) else None
            return _block(node.orelse, found)
        case ast.FunctionDef():
            _perhaps(node.body, found)
            return True
        case _:
            inside = [*getattr(node, "body", ()), *getattr(node, "orelse", ())]
            _perhaps(inside, found)
            return None if inside else True


def _outcome(body: Sequence[ast.stmt], line: int, outcome: bool, found: Followed) -> bool | None:
    """What ran of the statements behind one outcome; False if no run took it."""
    if line in found.crowded:
        return _perhaps([each for each in body if each.lineno > line], found)
    is_taken = Branch(found.file, line, outcome) in found.taken
    return _block(body, found) if is_taken else False


def _perhaps(body: Sequence[ast.stmt], found: Followed) -> bool | None:
    """What ran of statements that may have been begun or not: only a branch in them tells."""
    if has_taken(found.file, body, found.taken):
        return _block(body, found)
    found.open |= set(lines_of(body))
    return None


def _joined(ends: Sequence[bool | None]) -> bool | None:
    """Whether one of several ways came to its end."""
    return True if True in ends else None if None in ends else False


def _takes_all(pattern: ast.pattern) -> bool:
    """Whether a pattern is `_`, or a name."""
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


__all__ = ["Followed", "followed", "has_taken", "heads_of"]
