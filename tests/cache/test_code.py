"""What a rule is made from: all code that runs while it is explored, and no line number."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

import pytest

from finale.checker.cache.code import CHANGING, NotCacheable, Reach
from finale.checker.search.run import chosen
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.expressions import Expression
from finale.model.language.bindings import BoundRule
from finale.model.language.build import Parts, build, world_of
from finale.model.language.entities import World
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.system import GroundRule, Property
from tests.protocols.specs import FILES, ROOT, spec_of

T = TypeVar("T")


class Watched(Parts):
    """Explores each part, and takes note of code that ran and is not reached by the part."""

    def __init__(self) -> None:
        self.missing: set[tuple[str, str]] = set()

    def begin(self, protocol: Protocol, world: World) -> None:
        self.reach = Reach(protocol, world.entities[1:])

    def rule(self, bound: BoundRule, explore: Callable[[], GroundRule]) -> GroundRule:
        return self.watched(self.reach.named(bound.rule.name), explore)

    def property(self, family: Family, rules: Any, explore: Callable[[], Property]) -> Property:
        return self.watched(self.reach.function(family.mark.function), explore)

    def condition(self, name: str, explore: Callable[[], Expression]) -> Expression:
        return self.watched(self.reach.named(name), explore)

    def watched(self, roots: set[int], explore: Callable[[], T]) -> T:
        reached, ran = self.reach.reached(roots), set[CodeType]()

        def watch(frame: FrameType, event: str, _: object) -> None:
            module = frame.f_globals.get("__name__") or ""
            if event == "call" and module.startswith(CHANGING):
                ran.add(frame.f_code)

        sys.setprofile(watch)
        try:
            made = explore()
        finally:
            sys.setprofile(None)
        for code in ran:
            if not reached.has(code.co_filename, code.co_firstlineno):
                self.missing.add((code.co_filename, code.co_qualname))
        return made


def missing_in(file: Path) -> set[tuple[str, str]]:
    spec, watched = spec_of(file), Watched()
    build(spec.instance(), chosen(spec, ()), None, watched)
    return watched.missing


def shown(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").as_posix()


SOME = random.Random(18).sample([file for file in FILES if "resume" not in file.stem], 12)


@pytest.mark.parametrize("file", SOME, ids=shown)
def test_all_code_that_runs_is_reached(file: Path) -> None:
    assert missing_in(file) == set()


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=shown)
def test_all_code_that_runs_is_reached_everywhere(file: Path) -> None:
    assert missing_in(file) == set()


# --- a protocol of its own -----------------------------------------------------------------------

BASE = '''
"""Two counters."""
from dataclasses import dataclass

from finale.rules import Bound, Entity, Protocol, Range, always, define, field, require, rule, when

from .numbers import STEP, more


class Counter(Entity):
    """Counts."""

    value = field(Range(0, Bound("most")), 0)

    @property
    def is_low(self) -> bool:
        return self.value < 2


@dataclass(frozen=True)
class Bounds:
    """How far."""

    #: the largest value
    most: int = 4


class Counting(Protocol):
    """Counts up and down."""

    key = "counting"
    Bounds = Bounds
    floor = 0

    def entities(self):
        return self.counters

    def __init__(self, setting):
        super().__init__(setting)
        self.counters = (Counter("a"), Counter("b"))

    @define
    def may_fall(self, counter: Counter) -> bool:
        return counter.value > self.floor

    @define
    def asked_by_nobody(self) -> bool:
        return True

    @rule
    def rise(self, counter: Counter) -> None:
        """A low counter rises."""
        require(counter.is_low)
        counter.value = more(counter.value)

    @rule
    def fall(self, counter: Counter) -> None:
        """A counter falls."""
        require(self.may_fall(counter))
        counter.value -= STEP


@always
def stays_low(protocol: Counting, counter: Counter) -> bool:
    """A counter that has risen is low."""
    when(counter.value > 0)
    return counter.value < 3


PROTOCOLS = (Counting,)
PROPERTIES = (stays_low,)
'''
NUMBERS = '''
"""Numbers."""
from finale.model.rules import define

STEP = 1


@define
def more(value: int) -> int:
    return value + 1
'''
SPEC = 'title = "T"\nprotocol = "counting"\n'


def keys_of(folder: Path, base: str, numbers: str, variant: str = "") -> dict[str, bytes]:
    """The digests of what the rules and the property reach, by name."""
    folder.mkdir()
    (folder / "counting.py").write_text(base)
    (folder / "numbers.py").write_text(numbers)
    (folder / "spec.toml").write_text(SPEC + (variant and f'variant = "{variant}"\n'))
    spec = read_spec(folder / "spec.toml", catalogue(folder))
    protocol = spec.instance()
    world = world_of(protocol, protocol.keeps())
    reach = Reach(protocol, world.entities[1:])
    found = {name: reach.reached(reach.named(name)).digest for name in ("rise", "fall")}
    own = next(each for each in spec.families if each.name == "stays-low")
    return found | {
        "stays-low": reach.reached(reach.function(own.mark.function)).digest,
        "world": reach.instance,
    }


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("counter.value -= STEP", "counter.value -= 2 * STEP", {"fall"}),
        ("counter.value > self.floor", "counter.value >= self.floor", {"fall"}),
        ("floor = 0", "floor = 1", {"fall"}),
        ("return self.value < 2", "return self.value < 1", {"rise"}),
        ("return counter.value < 3", "return counter.value < 2", {"stays-low"}),
        ("most: int = 4", "most: int = 5", {"rise", "fall", "stays-low", "world"}),
        ("Range(0, Bound", "Range(-1, Bound", {"world"}),
        ('"""Two counters."""', '"""Two\ncounters."""\n\n\n', set[str]()),
        ('Counter("b")', 'Counter("c")', {"world"}),
    ],
)
def test_a_change_is_seen_where_it_is_used(
    old: str, new: str, changed: set[str], tmp_path: Path
) -> None:
    assert old in BASE
    before = keys_of(tmp_path / "before", BASE, NUMBERS)
    after = keys_of(tmp_path / "after", BASE.replace(old, new), NUMBERS)
    assert {name for name in before if before[name] != after[name]} == changed


VARIANTS = """

class Marker:
    pass

class Plain(Counting):
    @define
    def asked_by_nobody(self) -> bool:
        return False

class Lower(Counting):
    @define
    def may_fall(self, counter: Counter) -> bool:
        return super().may_fall(counter) and counter.value > 1

class Higher(Counting):
    @define
    def may_fall(self, counter: Counter) -> bool:
        return super().may_fall(counter) or counter.value > 2

class LowerHigher(Lower, Higher):
    pass

class HigherLower(Higher, Lower):
    pass

class Marked(Plain, Marker):
    pass

VARIANTS = {
    "plain": Plain, "lower": Lower, "marked": Marked,
    "lower-higher": LowerHigher, "higher-lower": HigherLower,
}
"""


@pytest.mark.parametrize(
    ("line", "first", "second", "changed"),
    [
        ("counter.value -= STEP", "", "plain", set[str]()),
        ("counter.value -= STEP", "", "lower", {"fall"}),
        ("counter.value -= STEP", "lower-higher", "higher-lower", {"fall"}),
        ("counter.value -= STEP", "", "marked", set[str]()),
        ("counter.value -= isinstance(self, Marker)", "", "marked", {"fall"}),
        ("counter.value -= isinstance(counter, Marker)", "", "plain", set[str]()),
        ("counter.value -= len(type(self).__name__)", "", "plain", {"fall"}),
    ],
)
def test_a_variant_shares_what_it_leaves_alone(
    line: str, first: str, second: str, changed: set[str], tmp_path: Path
) -> None:
    base = BASE.replace("counter.value -= STEP", line) + VARIANTS
    before = keys_of(tmp_path / "before", base, NUMBERS, first)
    after = keys_of(tmp_path / "after", base, NUMBERS, second)
    assert {name for name in before if before[name] != after[name]} == changed


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [("STEP = 1", "STEP = 2", "fall"), ("value + 1", "value + 2", "rise")],
)
def test_a_change_of_another_file_is_seen(old: str, new: str, changed: str, tmp_path: Path) -> None:
    before = keys_of(tmp_path / "before", BASE, NUMBERS)
    after = keys_of(tmp_path / "after", BASE, NUMBERS.replace(old, new))
    assert {name for name in before if before[name] != after[name]} == {changed}


WRAPPED = BASE.replace(
    "from .numbers import STEP, more\n",
    """import functools
from .numbers import STEP, more

NAMES = ("va", "lue")


def twice(function):
    @functools.wraps(function)
    def both(self, counter):
        function(self, counter)
        require(counter.value < 4)
    return both
""",
).replace("    @rule\n    def fall", "    @twice\n    @rule\n    def fall")


def test_a_further_name_of_a_member_is_part_of_an_enumeration(tmp_path: Path) -> None:
    text = BASE.replace(
        "class Counting",
        """class Way(enum.Enum):
    UP = 0
    RISE = 0
    DOWN = 1


class Counting""",
    ).replace('"""Two counters."""', '"""Two counters."""\nimport enum')
    text = text.replace("require(counter.is_low)", "require(counter.is_low, Way.UP == Way.UP)")
    before = keys_of(tmp_path / "before", text, NUMBERS)
    after = keys_of(tmp_path / "after", text.replace("    RISE = 0\n", ""), NUMBERS)
    assert {name for name in before if before[name] != after[name]} == {"rise"}


def test_a_decorator_of_a_user_is_part_of_what_it_wraps(tmp_path: Path) -> None:
    before = keys_of(tmp_path / "before", WRAPPED, NUMBERS)
    changed = WRAPPED.replace("counter.value < 4)", "counter.value < 3)")
    after = keys_of(tmp_path / "after", changed, NUMBERS)
    assert {name for name in before if before[name] != after[name]} == {"fall"}


def test_a_name_that_is_put_together_may_be_any(tmp_path: Path) -> None:
    text = WRAPPED.replace(
        "counter.value -= STEP", "counter.value -= getattr(self, ''.join(NAMES))"
    )
    before = keys_of(tmp_path / "before", text, NUMBERS)
    after = keys_of(tmp_path / "after", text.replace("floor = 0", "floor = 1"), NUMBERS)
    assert "fall" in {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize(
    "line",
    ["open('/etc/hostname')", "eval('1')", "time.time()", "random.random()", "now()", "drawn()"],
)
def test_what_cannot_be_followed_is_not_kept(line: str, tmp_path: Path) -> None:
    imports = """import random
import time
from random import random as drawn
from time import time as now
from .numbers"""
    text = BASE.replace("from .numbers", imports)
    text = text.replace(
        "        counter.value -= STEP", f"        {line}\n        counter.value -= 1"
    )
    with pytest.raises(NotCacheable):
        keys_of(tmp_path / "folder", text, NUMBERS)
