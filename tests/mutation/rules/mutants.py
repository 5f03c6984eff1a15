"""Draws mutants of the rules: the changes of `operators`, and those that only rules can have."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from tests.mutation import operators
from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.operators import Places

SEED = 147

#: What is explored: every protocol, and the parts that protocols are made of.
PATTERNS = ("model/protocols/*.py", "model/protocols/[!b]*/*.py", "model/protocols/barriers/*.py")
#: Lists of what there is; what they say is the subject of other tests.
LISTS = ("__init__.py", "registry.py", "releases.py")
#: What refuses a job, or lays it out before anything is explored: no rule and no helper of a rule.
#: Tests of bad input and of exact counts hold it.
ASIDE = (
    *("_refuse", "refuse_", "_not_", "_unknown", "__init__", "entities", "limits", "keeps"),
    *("_connect", "_pair", "_task_of", "_class_of", "bound_names", "left_behind", "_likeness"),
)
GUARDS = ("require", "within")
OTHER = {"add": "remove", "remove": "add", "put": "put_first", "put_first": "put"}


def files() -> list[str]:
    """The files that are changed, by their paths from the root."""
    found = {path for pattern in PATTERNS for path in ROOT.glob(pattern)}
    return sorted(p.relative_to(ROOT).as_posix() for p in found if p.name not in LISTS)


def mutants_of(file: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of one file."""
    alike: Counter[Mutant] = Counter()
    for each in operators.changes(source, _replaced):
        names = each.function.split(".")
        if any(name.startswith(ASIDE) for name in names) or _only_guards(each):
            continue
        mutant = Mutant(
            file=file,
            function=each.function,
            line=each.line,
            operator=each.operator,
            start=each.start,
            end=each.end,
            before=source[each.start : each.end].decode(),
            after=each.after,
            in_function=each.in_function,
        )
        key = replace(mutant, line=0, start=0, end=0)
        yield replace(mutant, ordinal=alike[key])
        alike[key] += 1


def _only_guards(change: operators.Change) -> bool:
    """Whether two guards are exchanged: both must hold in either order."""
    statements = [line.strip() for line in change.after.splitlines()]
    return change.operator == "swap-statements" and all(
        line.startswith(GUARDS) for line in (statements[0], statements[-1])
    )


@cache
def all_mutants() -> tuple[Mutant, ...]:
    """Every mutant of every file."""
    return tuple(m for file in files() for m in mutants_of(file, (ROOT / file).read_bytes()))


def drawn(count: int, seed: int = SEED) -> list[Mutant]:
    """As many of all mutants; a change of the rules leaves the others drawn."""

    def rank(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed} {mutant.id}".encode()).hexdigest()

    return sorted(all_mutants(), key=rank)[:count]


def _replaced(node: ast.AST) -> Places:
    match node:
        case ast.Call(func=ast.Name(id="require"), args=[_, _, *_] as guards):
            for index in range(len(guards)):
                left = [*guards[:index], *guards[index + 1 :]]
                yield "drop-guard", node, ast.Call(node.func, left, node.keywords)
        case ast.Attribute(attr=name) if name in OTHER:
            yield "other-method", node, ast.Attribute(node.value, OTHER[name], ast.Load())
        case ast.Attribute(value=ast.Name(id=kind), attr=name) if name in _members().get(kind, ()):
            members = _members()[kind]
            other = members[(members.index(name) + 1) % len(members)]
            yield "member", node, ast.Attribute(node.value, other, ast.Load())
        case ast.AnnAssign(annotation=annotation, value=ast.Constant(value=str()) as value):
            words = [each.value for each in ast.walk(annotation) if isinstance(each, ast.Constant)]
            yield from (("default", value, ast.Constant(w)) for w in words if w != value.value)
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            yield "constant", node, ast.Constant(number + 1)
        case _:
            yield from operators.replaced(node)


@cache
def _members() -> Mapping[str, tuple[str, ...]]:
    """The members of every enumeration of the protocols, by its name."""
    found: dict[str, tuple[str, ...]] = {}
    for file in files():
        for node in ast.walk(ast.parse((ROOT / file).read_bytes())):
            if isinstance(node, ast.ClassDef) and any("Enum" in ast.unparse(b) for b in node.bases):
                targets = [each.targets[0] for each in node.body if isinstance(each, ast.Assign)]
                found[node.name] = tuple(t.id for t in targets if isinstance(t, ast.Name))
    return {name: members for name, members in found.items() if len(members) > 1}
