"""Which branches of the rules a change touches, by what its code and the code before it name.

The effect of a change often shows in rules that the change does not have. If it tells nobody of an
abort, the effect shows where tasks read the news of an abort.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from textwrap import dedent

from finale.model.language.explore import Branch

from .code import ChangedCode, ChangedMember, function_of

#: A name that more functions than this mention says nothing, such as the status of a task.
MENTIONS_MAX = 30


def branches_touched(code: ChangedCode, branches: Iterable[Branch]) -> frozenset[Branch]:
    """Return those branches that stand in a method that the change has, too, or in a function that
    mentions what the change does otherwise: a field that it writes, or a method that it calls.

    A method that is called otherwise stands for the fields that it writes.
    """
    by_file: dict[str, list[Branch]] = {}
    for each in branches:
        by_file.setdefault(each.file, []).append(each)
    functions = [(file, each) for file in by_file for each in _functions_in(file)]
    own = {each.member.name for each in code.methods}
    done = {name for each in code.methods for name in _done_otherwise(each)}
    done |= {
        name
        for _, each in functions
        if each.name in done - own
        for statement in _simple(each.body)
        for name in _done_in(statement)
    }
    mentions = [(file, each, done & _names_in(each)) for file, each in functions]
    common = {name for name in done if sum(name in some for _, _, some in mentions) > MENTIONS_MAX}
    return frozenset(
        branch
        for file, function, some in mentions
        if function.name in own or some - common
        for branch in by_file[file]
        if function.lineno <= branch.line <= (function.end_lineno or 0)
    )


def _done_otherwise(changed: ChangedMember) -> Iterator[str]:
    """The fields that the method or the one before it writes, and the methods that it calls, in
    statements that the other one does not have."""
    inherited = changed.member.inherited
    before = None if inherited is None else function_of(inherited[1])
    old = _simple(_body_of(inspect.getsource(before)) if before is not None else ())
    new = _simple(changed.body)
    both = {ast.dump(each) for each in old} & {ast.dump(each) for each in new}
    for each in (*old, *new):
        if ast.dump(each) not in both:
            yield from _done_in(each)


def _body_of(source: str) -> Sequence[ast.stmt]:
    function = ast.parse(dedent(source)).body[0]
    return function.body if isinstance(function, ast.FunctionDef) else ()


def _simple(body: Iterable[ast.stmt]) -> list[ast.AST]:
    """The statements of a body that hold no others, and the conditions of those that do."""
    found: list[ast.AST] = []
    for statement in body:
        inner = [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.stmt)]
        if inner:
            found += [e for e in ast.iter_child_nodes(statement) if isinstance(e, ast.expr)]
            found += _simple(inner)
        else:
            found.append(statement)
    return found


def _done_in(code: ast.AST) -> Iterator[str]:
    """The names of the fields that are written, and of the methods that are called."""
    for node in ast.walk(code):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield owner.attr if isinstance(owner, ast.Attribute) else node.func.attr


def _names_in(function: ast.FunctionDef) -> set[str]:
    return {each.attr for each in ast.walk(function) if isinstance(each, ast.Attribute)}


@cache
def _functions_in(file: str) -> Sequence[ast.FunctionDef]:
    tree = ast.parse(Path(file).read_bytes())
    return [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]


__all__ = ["branches_touched"]
