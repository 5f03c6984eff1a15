"""What a spec declares of its effects, and how it starts: neither of them changes what it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.compare.comparison import Comparison, Relation, compare
from finale.checker.compare.observed import START
from finale.checker.compare.observer import Observer
from finale.checker.report.compared import comparison_json, comparison_lines
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import varied
from finale.checker.spec.reading import spec_of
from finale.model.errors import FinaleError

FILE = '''"""A number goes down, then up, and a set grows."""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.rules import AnyOf, Entity, Protocol, Range, Set, define, field, require, rule


@dataclass(frozen=True)
class Sizes:
    pass


class Base(Protocol):
    """A number goes down, then up, and a set grows."""

    key = "base"
    Options = Bounds = Sizes = Sizes
    number = field(Range(-1, 2), 0, effect=True)
    done = field(Set(Range(0, 1)), frozenset())

    def entities(self) -> Sequence[Entity]:
        return ()

    @define
    def terminal(self) -> bool:
        return self.done.has(1)

    @rule
    def down(self) -> None:
        """Down."""
        require(self.number == 0)
        self.number = -1

    @rule
    def up(self) -> None:
        """Up."""
        require(self.number == -1)
        self.number = 1

    @rule
    def end(self) -> None:
        """The end."""
        require(self.number == 1, not self.done.has(1))
        self.done.add(1)


class Low(Base):
    """One value is seen."""

    number = field(Range(-1, 2), 0, effect=(-1,))


class High(Base):
    """Another value is seen."""

    number = field(Range(-1, 2), 0, effect=(1,))


class Outside(Base):
    """A value is seen that bounds rule out."""

    number = field(Range(-1, 2), 0, effect=(7,))


class Unseen(Base):
    """Nothing is seen."""

    number = field(Range(-1, 2), 0, effect=())


class Ends(Base):
    """The full set is seen."""

    done = field(Set(Range(0, 1)), frozenset(), effect=(frozenset({1}),))


class Held(Base):
    """One value is an effect; all values are messages."""

    number = field(Range(-1, 2), 0, effect=(1,), messages="held")


class StartsLow(Base):
    """It starts with another value."""

    number = field(Range(-1, 2), -1, effect=True)


class StartsLowSeen(Base):
    """It starts with the one value that is seen."""

    number = field(Range(-1, 2), -1, effect=(-1,))


class StartsAny(Base):
    """It starts with one of two values."""

    number = field(Range(-1, 2), AnyOf((-1, 0)), effect=True)


PROTOCOLS = (Base,)
PROPERTIES = ()
VARIANTS = {
    each.__name__.lower(): each
    for each in (Low, High, Outside, Unseen, Ends, Held, StartsLow, StartsLowSeen, StartsAny)
}
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("declared")
    (found / "mine.py").write_text(FILE)
    (found / "spec.toml").write_text('title = "Declared"\nprotocol = "base"\n')
    return found


def compared(folder: Path, first: str, second: str, word: str = "effects") -> Comparison:
    known, (table, lines) = catalogue(folder), toml_in(folder / "spec.toml")

    def spec(variant: str) -> Spec:
        changed = varied(table, [("variant", variant)] if variant else [])
        return spec_of(folder / "spec.toml", changed, lines, known)

    return compare(spec(first), spec(second), Observer((word,)))


def seen_in(found: Comparison) -> set[str]:
    """What can be seen of the first system."""
    assert found.sides is not None
    side = found.sides[0]
    return {side.alphabet.texts[each] for each in side.lts.label.tolist()} - {""}


@pytest.mark.parametrize("second", ["low", "high", "outside", "unseen", "ends", "held"])
@pytest.mark.parametrize("first", ["", "low", "ends"])
def test_the_same_behaviour_is_the_same_whatever_is_declared(
    first: str, second: str, folder: Path
) -> None:
    found = compared(folder, first, second)
    assert found.relation is Relation.SAME
    text = " ".join(line.plain for line in comparison_lines(found, 100))
    assert "number" in text


@pytest.mark.parametrize(
    ("first", "second", "word", "observed"),
    [
        ("low", "", "effects", {"number 0 → -1", "number -1 → 1"}),
        ("unseen", "low", "effects", {"number -1", "number is no longer -1"}),
        ("low", "high", "effects", {"number -1", "number 1"}),
        ("outside", "outside", "effects", set()),
        ("held", "held", "effects", {"number 1"}),
        ("held", "held", "messages", {"number 0 → -1", "number -1 → 1"}),
    ],
)
def test_what_one_of_two_specs_declares_is_seen_in_both(
    first: str, second: str, word: str, observed: set[str], folder: Path
) -> None:
    for pair in ((first, second), (second, first)):
        seen = seen_in(compared(folder, *pair, word))
        assert {each for each in seen if each.startswith("number")} == observed


def test_some_values_of_a_set_are_seen(folder: Path) -> None:
    assert "done {1}" in seen_in(compared(folder, "ends", "ends"))


def test_a_declaration_of_no_values_declares_nothing(folder: Path) -> None:
    with pytest.raises(FinaleError) as caught:
        compared(folder, "unseen", "unseen")
    assert caught.value.code == "nothing-observed"


@pytest.mark.parametrize(
    ("first", "second", "lost", "gained"),
    [
        ("", "startslow", "the run starts, number 0", "the run starts, number -1"),
        ("low", "startslowseen", "the run starts, number not seen", "the run starts, number -1"),
        ("", "startsany", None, "the run starts, number -1"),
        ("startsany", "", "the run starts, number -1", None),
    ],
)
def test_a_start_that_differs_is_told(
    first: str, second: str, lost: str | None, gained: str | None, folder: Path
) -> None:
    found = compared(folder, first, second)
    for difference, text in ((found.lost, lost), (found.gained, gained)):
        if text is None:
            assert difference is None
        else:
            assert difference is not None
            assert (difference.observation, difference.has_same_start) == (text, False)
    document = comparison_json(found)
    assert (document["lost"] is None, document["gained"] is None) == (lost is None, gained is None)
    text = "\n".join(line.plain for line in comparison_lines(found, 120))
    assert "cannot start like this" in text
    assert "it can start with" in text
    for start in (lost, gained):
        assert start is None or f"      ● {start}\n" in text + "\n"


def test_a_start_that_both_have_is_told_where_there_are_others(folder: Path) -> None:
    found = compared(folder, "startsany", "startsany")
    assert {"the run starts, number 0", "the run starts, number -1"} <= seen_in(found)
    assert START not in seen_in(found)
