"""The JSON schema of specs says what the reader says, as far as keys and types of values go."""

from __future__ import annotations

import copy
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.reading import KEYS, spec_of
from finale.checker.spec.schema import spec_schema
from finale.model.errors import FinaleError
from tests.cli.running import HERE as CLI
from tests.cli.test_transcripts import sections

ROOT = CLI.parent.parent
SPECS = sorted((ROOT / "specs").rglob("*.toml"))
KNOWN = catalogue()
MUTANTS = 800
#: What a mutant puts in the place of a value.
VALUES: tuple[Any, ...] = (
    0, 1, -1, 5000, True, False, "x", "", [], [1], ["S"], {}, {"a": 1}, 2.5, "violated", "vacuous",
    "two-phase", "records",
)  # fmt: skip
NAMES = ("unknown", "records", "title", "steps", "sink", "variant", "slow", "release", "resume")
#: Mistakes of keys and types that a schema can say. All other ones are for the reader.
OF_KEYS = {
    "bad-bound", "bad-bounded", "bad-chained", "bad-edge", "bad-from", "bad-kind", "bad-option",
    "bad-parallelism", "bad-pattern", "bad-records", "bad-shape", "bad-sink", "bad-size",
    "bad-value", "bad-vertex", "job-missing", "job-not-taken", "missing-key", "missing-option",
    "no-release", "no-resume", "release-without-protocol", "unknown-bound", "unknown-key",
    "unknown-observation", "unknown-option", "unknown-property", "unknown-protocol",
    "unknown-release", "unknown-size", "unknown-variant", "unknown-verdict",
}  # fmt: skip


@pytest.fixture(scope="module")
def schema() -> Draft7Validator:
    made = spec_schema(KNOWN)
    Draft7Validator.check_schema(made)
    return Draft7Validator(made)


def table_of(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def told(file: Path, table: dict[str, Any], known: Catalogue) -> FinaleError | None:
    """What the reader finds wrong with a table."""
    try:
        spec_of(file, table, KeyLines(""), known)
    except FinaleError as error:
        return error
    return None


def test_it_has_each_key_of_a_spec_and_says_what_it_means() -> None:
    properties = spec_schema(KNOWN)["properties"]
    assert isinstance(properties, dict)
    assert tuple(properties) == KEYS
    assert all(each["description"].endswith(".") for each in properties.values())


def test_each_spec_of_the_repository_is_valid(schema: Draft7Validator) -> None:
    assert len(SPECS) > 690
    assert [file for file in SPECS if not schema.is_valid(table_of(file))] == []


def places(table: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value in a table."""
    if path:
        yield path
    pairs = (
        table.items()
        if isinstance(table, dict)
        else enumerate(table)
        if isinstance(table, list)
        else ()
    )
    for key, value in pairs:
        yield from places(value, (*path, key))


def mutant(table: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A table in which one value or key is another, is gone, or has a neighbour."""
    table = copy.deepcopy(table)
    *way, last = chance.choice(list(places(table)))
    owner: Any = table
    for key in way:
        owner = owner[key]
    how = chance.choice(["value", "gone", "neighbour", "key"])
    if how == "gone":
        del owner[last]
    elif how == "neighbour" and isinstance(owner, dict):
        owner[chance.choice(NAMES)] = copy.deepcopy(chance.choice(VALUES))
    elif how == "key" and isinstance(owner, dict):
        owner[f"{last}x"] = owner.pop(last)
    else:
        owner[last] = copy.deepcopy(chance.choice(VALUES))
    return table


def test_it_refuses_what_the_reader_refuses_for_a_key_or_a_type(schema: Draft7Validator) -> None:
    """And nothing else: no reader accepts what the schema refuses."""
    chance = random.Random(19)
    codes: set[str] = set()
    refused = 0
    for _ in range(MUTANTS):
        file = chance.choice(SPECS)
        table = mutant(table_of(file), chance)
        error, valid = told(file, table, KNOWN), schema.is_valid(table)
        if valid:
            # The length of a list, which depends on the parallelism, is beyond a schema.
            assert error is None or error.code not in OF_KEYS or "subtask(s)" in str(error), table
        else:
            assert error is not None, table
            assert error.code in OF_KEYS, error
            codes.add(error.code)
            refused += 1
    assert MUTANTS // 2 < refused < MUTANTS
    assert len(codes) >= 20, OF_KEYS - codes


BAD = sorted((CLI / "transcripts" / "bad").glob("*.txt"))


def bad_specs() -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    """The bad specs among the transcripts: file, code, table, and whether it needs protocols."""
    for file in BAD:
        command, parts = sections(file.read_text(encoding="utf-8"))
        code = parts["stderr"].partition("]")[0].removeprefix("error[")
        text = parts.get("spec.toml")
        # With --release the flag is wrong, and not the spec.
        is_of_spec = command.startswith("check spec.toml") and "--release" not in command
        if text is not None and is_of_spec and code in OF_KEYS:
            yield file.stem, code, tomllib.loads(text), "--protocols" in command


def test_it_refuses_the_bad_specs_of_the_transcripts(schema: Draft7Validator) -> None:
    protocols = CLI / "inputs" / "protocols"
    own = Draft7Validator(spec_schema(catalogue(protocols)))
    found = list(bad_specs())
    accepted = [
        name for name, _, table, is_own in found if (own if is_own else schema).is_valid(table)
    ]
    assert accepted == []
    assert len({code for _, code, _, _ in found}) >= 15, found


PROTOCOL = '''
"""A protocol with an option that must be given, and a variant with one more."""
from dataclasses import dataclass
from typing import Annotated, Literal
from finale.model.domains import Range as Limits
from finale.model.rules import Bool, Protocol, field, require, rule
@dataclass(frozen=True)
class Options:
    must: Literal["a", "b"]
    few: Annotated[int, Limits(0, 3)] = 1
@dataclass(frozen=True)
class MoreOptions(Options):
    more: bool = False
class Switch(Protocol):
    """A switch."""
    key = "switch"
    Options = Options
    on = field(Bool, False)
    @rule
    def press(self) -> None:
        """Somebody presses it."""
        require(not self.on)
        self.on = True
class Other(Switch):
    Options = MoreOptions
    @rule
    def press(self) -> None:
        """Somebody presses it."""
        require(not self.on or self.options.more)
        self.on = not self.on
class Same(Switch):
    @rule
    def press(self) -> None:
        """Somebody presses it twice."""
        super().press()
PROTOCOLS = (Switch,)
VARIANTS = {"other": Other, "same": Same}
'''


@pytest.mark.parametrize(
    ("further", "good"),
    [
        ('options.must = "a"', True),
        ("", False),
        ('options.must = "c"', False),
        ('options = { must = "a", few = 3 }', True),
        ('options = { must = "a", few = 4 }', False),
        ('options = { must = "a", more = true }', False),
        ('variant = "other"\noptions = { must = "a", more = true }', True),
        ('variant = "same"\noptions = { must = "a", more = true }', False),
        ('variant = "same"\noptions = { must = "b" }', True),
        ('variant = "third"\noptions = { must = "b" }', False),
        ('options.must = "a"\njob.shape = "pair"', False),
        ('options.must = "a"\nresume.from = "x.toml"', False),
        ('options.must = "a"\nrelease = "V4"', False),
        ('options.must = "a"\nobserve.effects = true', False),
        ('options.must = "a"\nexpect = [{ property = "no-deadlock", verdict = "holds" }]', True),
        (
            'options.must = "a"\n'
            'expect = [{ property = "no-deadlock", verdict = "vacuous", steps = 3 }]',
            False,
        ),
    ],
)
def test_it_knows_the_protocols_of_a_user(further: str, good: bool, tmp_path: Path) -> None:
    (tmp_path / "switch.py").write_text(PROTOCOL, encoding="utf-8")
    known = catalogue(tmp_path)
    table = tomllib.loads(f'title = "A switch"\nprotocol = "switch"\n{further}\n')
    error = told(tmp_path / "spec.toml", table, known)
    assert (error is None) is good, error
    assert Draft7Validator(spec_schema(known)).is_valid(table) is good
