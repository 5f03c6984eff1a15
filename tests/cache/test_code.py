"""What a rule is made from: all code that runs while it is explored, and no line number."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, TypeVar

import pytest

from finale.checker.cache.code import CHANGING, NotCacheable, Reach
from finale.checker.search.run import chosen
from finale.model.expressions import Expression
from finale.model.language.bindings import BoundRule
from finale.model.language.build import Parts, build, world_of
from finale.model.language.entities import World
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol, Setting
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.system import GroundRule, Property
from tests.cache.ways.code import CODE
from tests.cache.ways.form import Way
from tests.cache.ways.values import VALUES
from tests.protocols.specs import FILES, ROOT, spec_of

T = TypeVar("T")
NUMBERS_OF_PACKAGES = itertools.count(1)


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


def loaded(folder: Path, **texts: str) -> list[ModuleType]:
    """Modules as if they were Finale's own: only these are followed."""
    folder.mkdir()
    package = ModuleType(f"finale.model.protocols.tried_{next(NUMBERS_OF_PACKAGES)}")
    package.__path__ = [str(folder)]
    sys.modules[package.__name__] = package
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return [import_module(f"{package.__name__}.{name}") for name in texts]


def keys_of(folder: Path, base: str, numbers: str, variant: str = "") -> dict[str, bytes]:
    """The digests of what the rules and the property reach, by name."""
    module, _ = loaded(folder, counting=base, numbers=numbers)
    kind = module.VARIANTS[variant] if variant else module.Counting
    protocol = kind(Setting())
    world = world_of(protocol, protocol.keeps())
    reach = Reach(protocol, world.entities[1:])
    found = {name: reach.reached(reach.named(name)).digest for name in ("rise", "fall")}
    return found | {
        "stays-low": reach.reached(reach.function(module.stays_low.mark.function)).digest,
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


# --- what a key sees of a value ------------------------------------------------------------------

#: Of these values a key sees all.
SEEN = (
    "a constant of the module",
    "a nested tuple",
    "a dict in a dict",
    "a frozenset",
    "a dataclass",
    "a property of a dataclass",
    "a function that calls a function",
    "a closure",
    "a class attribute",
    "an attribute of a member",
    "a method of an enumeration",
)


def key_of_value(folder: Path, each: Way, *, after: bool) -> bytes | None:
    """The digest of a function that reads what a way keeps; None if the key cannot see it."""
    text = each.texts(after=after)["count.py"]
    head, _, rest = text.partition("class Counter(Entity)")
    guard = next(line for line in rest.splitlines() if "require(self.counter.n < " in line)
    limit = guard.strip().removeprefix("require(self.counter.n < ").removesuffix(")")
    reader = f"\n\ndef read(self):\n    return {limit}\n"
    (module,) = loaded(folder, kept=head + reader)
    protocol = TwoPhaseCommit(Setting())
    try:
        reach = Reach(protocol, world_of(protocol, protocol.keeps()).entities[1:])
        return reach.reached(reach.function(module.read)).digest
    except NotCacheable:
        return None


#: No code of Finale's does this, as the test after this one says.
NOT_SEEN = "an abstract class"
WAYS = [each for each in (*VALUES, *CODE) if each.name != NOT_SEEN]


def test_finale_registers_no_class() -> None:
    texts = (file.read_text() for file in (ROOT / "model").rglob("*.py"))
    assert not any(".register(" in text for text in texts)


@pytest.mark.parametrize("each", WAYS, ids=lambda each: each.name)
def test_a_key_sees_a_value_or_there_is_none(each: Way, tmp_path: Path) -> None:
    try:
        before = key_of_value(tmp_path / "before", each, after=False)
    except ImportError:
        pytest.skip("a way that no module of Finale's can take")
    after = key_of_value(tmp_path / "after", each, after=True)
    assert before is None or before != after


def test_a_key_sees_plain_values(tmp_path: Path) -> None:
    kept = {each.name: each for each in [*VALUES, *CODE]}
    for number, name in enumerate(SEEN):
        assert key_of_value(tmp_path / str(number), kept[name], after=False) is not None, name
