"""Weakened properties claim less, and a spec that expects a fall tells them from the property."""

from __future__ import annotations

import ast
from dataclasses import replace

from tests.mutation.mutants import ROOT
from tests.mutation.properties.__main__ import PAGE
from tests.mutation.properties.judging import judge, meets
from tests.mutation.properties.mutants import Weaker, all_weaker, weaker_of
from tests.mutation.properties.weakening import Weakener

SOURCE = '''
def claim(state, task, record):
    """A claim."""
    when(task.a or not (task.b and task.c))
    last = task.n == 1 and task.done
    if task.x:
        return all(asks(each) for each in task.inputs)
    return last or before(lambda: task.d < task.e)


def asks(each):
    return each.f and not each.g
'''


def test_each_operator_finds_its_places_in_the_right_sense() -> None:
    tree = ast.parse(SOURCE)
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    found = {
        (each.operator, ast.unparse(each.place), ast.unparse(each.after))
        for each in Weakener(functions).of_property(functions["claim"])
    }
    assert found == {
        ("never-applies", "task.a or not (task.b and task.c)", "False"),
        ("drop-disjunct", "task.a or not (task.b and task.c)", "task.a"),
        ("drop-disjunct", "task.a or not (task.b and task.c)", "not (task.b and task.c)"),
        ("drop-conjunct", "task.b and task.c", "task.b"),
        ("drop-conjunct", "task.b and task.c", "task.c"),
        ("claims-nothing", "all((asks(each) for each in task.inputs))", "True"),
        ("all-any", "all", "any"),
        ("claims-nothing", "each.f and (not each.g)", "True"),
        ("drop-conjunct", "each.f and (not each.g)", "each.f"),
        ("drop-conjunct", "each.f and (not each.g)", "not each.g"),
        ("claims-nothing", "last or before(lambda: task.d < task.e)", "True"),
        ("drop-conjunct", "task.n == 1 and task.done", "task.n == 1"),
        ("drop-conjunct", "task.n == 1 and task.done", "task.done"),
        ("loosen", "task.n == 1", "task.n <= 1"),
        ("loosen", "task.n == 1", "task.n >= 1"),
        ("loosen", "task.d < task.e", "task.d <= task.e"),
    }


def test_mutants_are_python_and_have_names_of_their_own() -> None:
    everyone = all_weaker()
    assert len({each.mutant.id for each in everyone}) == len(everyone) > 400
    for each in everyone:
        source = (ROOT / each.mutant.file).read_bytes()
        changed = each.mutant.applied(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))


def test_the_page_judges_all_that_are_drawn_today() -> None:
    everyone = all_weaker()
    total = f"{len(everyone)} mutants of {len({each.property for each in everyone})} properties:"
    assert total in PAGE.read_text()


def one(property_name: str, module: str, after: str) -> Weaker:
    return next(e for e in weaker_of(property_name, module) if e.mutant.after == after)


def test_what_claims_nothing_is_told_and_what_claims_the_same_is_not() -> None:
    weaker = one("restores-newest", "checkpoints", "(True)")
    mutant = weaker.mutant
    same = replace(weaker, mutant=replace(mutant, after=mutant.before))
    name = meets("restores-newest")[0]
    told = judge(name, [weaker, same])
    assert (told[mutant.id].kind, told[mutant.id].said) == ("differs", "holds")
    assert told[same.mutant.id].kind == "survives"
