"""The line of every key of a TOML text, against what the standard reader reads."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.checker.spec.key_lines import KeyLines, KeyPath

VALUES = (
    "1", "true", "-1.5e3", "2026-11-20 10:00:00", '"a text"', '""', '"with \\" and # and [ and ="',
    "'literal \\'", '"""\nthree\n"quoted" lines # and ]\n"""', "'''\n[no.table]\n'''",
    '"""ends with two quotes"""""', "[]", "[1, 2]", "[\n  1, # one\n  2,\n]", "[[1], [], [2, 3]]",
    "{}", "{ a = 1, b = [2], c = { d = '}' } }", "[{ a = 1 }, { a = ']' }]", '[ "]", "," ]',
    '{ "quoted key" = 1, dotted.key = "x" }',
)  # fmt: skip
KEYS = ("plain{n}", '"quoted {n}"', "'literal{n}'", "dotted{n}.inner", '"with.dot{n}" . more')
HEADERS = ("[table{n}]", "[ 'table{n}' . inner ] # comment", "[[array{n}]]\n[[array{n}]]")
BLANKS = ("", "\n", "# comment [not.a.table]\n", "\n   # indented = 1\n\n")


def paths(value: object, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The path of everything in a document."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from paths(inner, (*path, position))


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A TOML text: pairs, then tables and arrays of tables, each key with a number of its own."""
    numbers = itertools.count()

    def written(templates: tuple[str, ...], ending: st.SearchStrategy[str]) -> str:
        template = draw(st.sampled_from(templates)).format(n=next(numbers))
        return f"{draw(st.sampled_from(BLANKS))}{template}{draw(ending)}\n"

    values = st.sampled_from(VALUES).map(lambda value: f" = {value}")
    parts: list[str] = []
    for has_header in (False, *draw(st.lists(st.just(True), max_size=3))):
        if has_header:
            parts.append(written(HEADERS, st.just("")))
        parts += [written(KEYS, values) for _ in range(draw(st.integers(0, 3)))]
    return "".join(parts)


@given(documents())
def test_every_key_has_a_line(text: str) -> None:
    found = KeyLines(text).lines
    assert set(found) == set(paths(tomllib.loads(text)))
    lines = text.splitlines()
    for path, line in found.items():
        if isinstance(path[-1], str):
            assert path[-1] in lines[line - 1]


@pytest.mark.parametrize("value", VALUES)
def test_what_comes_after_a_value_is_found(value: str) -> None:
    text = f"before = 0\nvalue = {value}\nafter = 1\n[table]\ninner = 2\n"
    found = KeyLines(text)
    assert set(found.lines) == set(paths(tomllib.loads(text)))
    assert found.of("value") == 2
    assert found.of("after") == 3 + value.count("\n")
    assert found.of("table", "inner") == 5 + value.count("\n")


def test_a_key_that_is_absent_has_the_line_of_what_is_around_it() -> None:
    found = KeyLines('title = "x"\n[bounds]\na = 1\n\n[[expect]]\nproperty = "p"\n[[expect]]\n')
    assert found.of("bounds", "b") == 2
    assert found.of("expect", 1, "property") == 7
    assert found.of("options", "b") is None
    assert found.of_dotted("expect.property") == 6
    assert found.of_dotted("bounds.a.b.c") == 3
    assert found.of_dotted("nothing") is None
