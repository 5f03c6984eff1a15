"""A verdict that holds within small bounds and falls in larger ones is found, and marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.page.review import review_page
from finale.checker.report.review import command_of_flip, review_json, review_lines
from finale.checker.review.change import Change
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import catalogue
from tests.cli.running import run
from tests.review.reviewing import reviewed, said

COUNTER = '''"""A counter."""

from dataclasses import dataclass

from finale.model.errors import FinaleError
from finale.model.rules import (
    Bound, Protocol, Range, always, field, reachable, require, rule, within
)


@dataclass(frozen=True)
class Bounds:
    ticks: int = 2


@dataclass(frozen=True)
class Sizes:
    spare: int = 1


class Counter(Protocol):
    """Counts."""

    key = "counter"
    Bounds = Bounds
    Sizes = Sizes
    count = field(Range(0, Bound("ticks")), 0)
    wrong = field(Range(0, 1), 0)
    late = field(Range(0, 1), 0)

    @rule
    def tick(self) -> None:
        """It ticks."""
        within(self.count, self.bounds.ticks)
        self.count += 1
        self.note()
        self.mark()

    def note(self) -> None:
        pass

    def mark(self) -> None:
        self.late = 1


class Later(Counter):
    """Is late at the third tick, and not at the first."""

    def mark(self) -> None:
        if self.count == 3:
            self.late = 1


@dataclass(frozen=True)
class BoundsOfAsking(Bounds):
    asks: int = 2


class Asking(Counter):
    """Has a bound of its own, and goes wrong one above it."""

    Bounds = BoundsOfAsking
    asked = field(Range(0, Bound("asks")), 0)

    @rule
    def ask(self) -> None:
        """Somebody asks."""
        within(self.asked, self.bounds.asks)
        self.asked += 1
        if self.asked == 3:
            self.wrong = 1


class Odd(Counter):
    """Goes wrong at the third tick."""

    def note(self) -> None:
        if self.count == 3:
            self.wrong = 1


class Spins(Counter):
    """Goes wrong long after the third tick."""

    spin = field(Range(0, 50), 0)

    @rule
    def spins(self) -> None:
        """It spins."""
        require(self.count == 3, self.spin < 50)
        self.spin += 1
        if self.spin == 50:
            self.wrong = 1


class Busy(Spins):
    """Spins by itself, and is not wrong."""

    key = "busy"

    @rule
    def spins(self) -> None:
        """It spins."""
        require(self.count == 3, self.spin < 50)
        self.spin += 1


class Calm(Busy):
    """Is wrong at once."""

    def note(self) -> None:
        if self.count == 3:
            self.wrong = 1


@dataclass(frozen=True)
class OptionsOfStrict:
    lifted: bool = False


class Strict(Counter):
    """Cannot have a third tick, unless an option lifts that."""

    key = "strict"
    Options = OptionsOfStrict

    def __init__(self, setting):
        super().__init__(setting)
        if self.bounds.ticks > 2 and not self.options.lifted:
            raise FinaleError("too-many-ticks", "it has many ticks", advice="fewer")

    def note(self) -> None:
        if self.count == 3:
            self.wrong = 1


class Idle(Strict):
    """Notes nothing."""

    def note(self) -> None:
        pass


class Wild(Counter):
    """Is wrong within two ticks, but not within three."""

    key = "wild"

    def note(self) -> None:
        if self.bounds.ticks == 2:
            self.wrong = 1


class Tamed(Wild):
    """Is wrong at the third tick alone."""

    def note(self) -> None:
        if self.count == 3:
            self.wrong = 1


@always(witness="counts")
def right(state: Counter) -> bool:
    """Nothing is wrong."""
    return state.wrong == 0


@always(witness="counts")
def small(state: Counter) -> bool:
    """The counter stays small."""
    return state.count < 3


@always(witness="counts")
def in_time(state: Counter) -> bool:
    """The counter is not late."""
    return state.late == 0


@reachable
def counts(state: Counter) -> bool:
    """It counts."""
    return state.count > 0


PROTOCOLS = (Counter, Busy, Strict, Wild)
VARIANTS = {
    "odd": Odd, "later": Later, "asking": Asking, "spins": Spins, "idle": Idle,
    "tamed": Tamed, "calm": Calm,
}
PROPERTIES = (right, small, in_time, counts)
'''


def spec_in(path: Path, protocol: str = "counter") -> Path:
    (path / "counter.py").write_text(COUNTER)
    file = path / "counter.toml"
    file.write_text(f'title = "It counts"\nprotocol = "{protocol}"\n')
    return file


def test_a_bound_that_hides_a_violation(tmp_path: Path) -> None:
    file = spec_in(tmp_path)
    known = catalogue(tmp_path)
    found = reviewed(Change("counter", "odd"), [file], known=known, stability=60.0)
    assert not found.findings
    assert found.stability is not None
    assert (found.stability.searched, found.stability.of) == (1, 1)
    flips = [
        (each.property, each.larger.bound, each.larger.value, each.verdict.steps, each.is_new)
        for each in found.stability.flips
    ]
    assert flips == [("right", "ticks", 3, 3, True), ("small", "ticks", 3, 3, False)]
    assert [[each.property for each in same] for same in found.new_flips] == [["right"]]
    line = command_of_flip(found.new_flips[0][0])
    assert "--set bounds.ticks=3" in line
    told = run(line.removeprefix("finale "), tmp_path)
    assert "right is violated: 3 steps" in told.stdout
    text = "\n".join(each.plain for each in review_lines(found, 100))
    assert line in text
    again = "1 verdict flips without the change, too: small (ticks = 3)"
    assert again in text
    page = review_page([found], "Finale")
    assert again in page
    assert ">1 new violation<" in page
    assert ">1 of them only with a larger bound<" in page
    assert found.exit is Exit.FAILED
    assert reviewed(Change("counter", "odd"), [file], known=known).exit is Exit.AS_EXPECTED


def test_the_first_violation_may_need_a_larger_bound(tmp_path: Path) -> None:
    """`--first` leaves out what comes behind a violation, and nothing if there is none."""
    spec_in(tmp_path)
    ran = run("review odd --protocols . --specs counter.toml --first", tmp_path)
    assert ran.exit == 1
    assert "with larger bounds" in ran.stdout


def test_a_larger_bound_that_only_the_change_has(tmp_path: Path) -> None:
    """The protocol without the change is compared as it is."""
    file = spec_in(tmp_path)
    known = catalogue(tmp_path)
    found = reviewed(Change("counter", "asking"), [file], known=known, stability=60.0)
    assert found.stability is not None
    assert found.stability.searched == found.stability.of == 2
    ((flip,),) = found.new_flips
    assert (flip.property, flip.larger.bound, flip.larger.value) == ("right", "asks", 3)
    assert found.exit is Exit.FAILED


def test_a_mend_that_ends_with_a_bound_is_not_shown_as_stable(tmp_path: Path) -> None:
    """The protocol is late with each bound, and with the change only with the larger one."""
    file = spec_in(tmp_path)
    known = catalogue(tmp_path)
    found = reviewed(Change("counter", "later"), [file], known=known, stability=60.0)
    assert [(each.property, each.direction.name) for each in found.findings] == [
        ("in-time", "MENDED")
    ]
    assert [[each.property for each in same] for same in found.ends_of_mends] == [["in-time"]]
    assert not found.new_flips
    assert [[each.property for each in same] for same in found.old_flips] == [["small"]]
    text = "\n".join(each.plain for each in review_lines(found, 300))
    assert "!  in-time  mended in 1 of 1 settings · only up to ticks = 2" in text
    assert "!  in-time  mended up to ticks = 2, falls at 3 · 3 steps" in text
    assert "nothing else that holds falls" in text
    line = command_of_flip(found.ends_of_mends[0][0])
    assert line in text
    assert "in-time is violated: 3 steps" in run(line.removeprefix("finale "), tmp_path).stdout
    page = review_page([found], "Finale")
    assert "only up to ticks = 2" in page
    assert "mended up to a bound alone" in page
    told = review_json(found)["stability"]
    assert isinstance(told, dict)
    flips = {each["property"]: each for each in told["flips"]}
    assert flips["in-time"]["ends_a_mend"]
    assert not flips["in-time"]["also_without_the_change"]
    assert flips["small"]["also_without_the_change"]
    assert found.exit is Exit.AS_EXPECTED


def test_a_property_that_falls_twice_is_one_finding(tmp_path: Path) -> None:
    """With other bounds a second time, or in the setting of another spec already."""
    (tmp_path / "counter.py").write_text(COUNTER)
    known, files = catalogue(tmp_path), [tmp_path / f"{n}.toml" for n in (1, 2, 3)]
    for number, file in enumerate(files[:2], 1):
        text = f'title = "It counts"\nprotocol = "counter"\n[sizes]\nspare = {number}\n'
        file.write_text(text)
    found = reviewed(Change("counter", "odd"), files[:2], known=known, stability=60.0)
    (same,) = found.new_flips
    assert [each.property for each in same] == ["right", "right"]
    text = "\n".join(line.plain for line in review_lines(found, 300))
    assert "and with 1 other bound" in text
    assert "1 new violation" in text
    told = review_json(found)["stability"]
    assert isinstance(told, dict)
    assert len(told["flips"]) == 4
    files[2].write_text('title = "It counts"\nprotocol = "counter"\n[bounds]\nticks = 3\n')
    found = reviewed(Change("counter", "odd"), files, known=known, stability=60.0)
    assert [each.property for each in found.findings] == ["right"]
    assert not found.new_flips
    assert found.exit is Exit.FAILED


@pytest.mark.parametrize("states_max", [20, None])
def test_a_search_with_a_limit_is_not_complete_if_something_falls(
    states_max: int | None, tmp_path: Path
) -> None:
    """The property "small" falls at once, and "right" only behind the limit."""
    file = spec_in(tmp_path)
    found = reviewed(
        Change("counter", "spins"),
        [file],
        known=catalogue(tmp_path),
        stability=60.0,
        states_max=states_max,
    )
    assert found.stability is not None
    is_whole = states_max is None
    assert (found.stability.searched, found.stability.of) == (int(is_whole), 1)
    assert [[each.property for each in same] for same in found.old_flips] == [["small"]]
    assert bool(found.new_flips) == is_whole
    text = "\n".join(line.plain for line in review_lines(found, 100))
    assert "nothing that holds falls" not in text
    assert ("reached a limit" in text) == (not is_whole)


def test_a_larger_bound_that_only_the_change_can_have(tmp_path: Path) -> None:
    """The protocol without the change is compared with the smaller bound."""
    file = spec_in(tmp_path, "strict")
    known = catalogue(tmp_path)
    change = Change("strict", None, (("options.lifted", True),))
    found = reviewed(change, [file], known=known, stability=60.0)
    assert found.stability is not None
    assert (found.stability.searched, found.stability.of) == (1, 1)
    assert [same[0].property for same in found.new_flips] == ["right", "small"]
    assert found.exit is Exit.FAILED


def test_a_larger_bound_that_is_refused_is_not_searched(tmp_path: Path) -> None:
    file = spec_in(tmp_path, "strict")
    known = catalogue(tmp_path)
    found = reviewed(Change("strict", "idle"), [file], known=known, stability=60.0)
    assert found.stability is not None
    assert (found.stability.searched, found.stability.of) == (0, 1)
    text = "\n".join(line.plain for line in review_lines(found, 200))
    assert "reached a limit of time or states, or were refused" in text


@pytest.mark.parametrize("states_max", [20, None])
def test_a_flip_is_marked_if_the_verdict_without_the_change_is_unknown(
    states_max: int | None, tmp_path: Path
) -> None:
    """The change is wrong before the limit; the protocol has more states than that."""
    file = spec_in(tmp_path, "busy")
    found = reviewed(
        Change("busy", "calm"),
        [file],
        known=catalogue(tmp_path),
        stability=60.0,
        states_max=states_max,
    )
    assert bool(found.new_flips) == (states_max is None)
    ((flip,),) = found.new_flips or found.unsettled_flips
    assert flip.property == "right"
    assert flip.falls_before is (None if states_max else False)
    text = "\n".join(line.plain for line in review_lines(found, 200))
    told = "violated, and unknown without the change"
    assert (told in text) == (told in review_page([found], "Finale")) == bool(states_max)
    assert ("no new violation" in text) == bool(states_max)
    stability = review_json(found)["stability"]
    assert isinstance(stability, dict)
    flips = {each["property"]: each for each in stability["flips"]}
    assert flips["right"]["also_without_the_change"] is (None if states_max else False)
    assert found.exit is (Exit.LIMIT if states_max else Exit.FAILED)


def test_a_mend_that_ends_with_a_new_violation(tmp_path: Path) -> None:
    """With the larger bound the property holds without the change."""
    file = spec_in(tmp_path, "wild")
    known = catalogue(tmp_path)
    found = reviewed(Change("wild", "tamed"), [file], known=known, stability=60.0)
    ((flip,),) = found.new_flips
    assert (flip.property, flip.is_end_of_mend, flip.is_old) == ("right", True, False)
    text = "\n".join(line.plain for line in review_lines(found, 200))
    assert text.count("✗  right  holds at ticks = 2, falls at 3") == 1
    assert "mended up to" not in text
    assert found.exit is Exit.FAILED


def test_a_violation_is_not_new_if_the_verdict_without_the_change_is_unknown(
    tmp_path: Path,
) -> None:
    """Here the search of the protocol comes to a limit in the setting of the spec itself."""
    file = spec_in(tmp_path, "busy")
    file.write_text(f"{file.read_text()}[bounds]\nticks = 3\n")
    known = catalogue(tmp_path)
    for states_max in (20, None):
        found = reviewed(Change("busy", "calm"), [file], known=known, states_max=states_max)
        told = "violated, and unknown without the change" if states_max else "newly violated"
        assert (told, "right") in {said(each)[:2] for each in found.findings}
        text = "\n".join(line.plain for line in review_lines(found, 200))
        assert told in text
        assert told in review_page([found], "Finale")
        assert found.exit is (Exit.LIMIT if states_max else Exit.FAILED)
