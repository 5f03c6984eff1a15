"""A verdict that holds within small bounds and falls in larger ones is found, and marked."""

from __future__ import annotations

from pathlib import Path

from checker.review.change import Change
from checker.search.rows import Exit
from checker.spec.catalogue import catalogue
from tests.review.reviewing import reviewed

COUNTER = '''"""A counter."""

from dataclasses import dataclass

from model.rules import Bound, Protocol, Range, always, field, reachable, rule, within


@dataclass(frozen=True)
class Bounds:
    ticks: int = 2


class Counter(Protocol):
    """Counts."""

    key = "counter"
    Bounds = Bounds
    count = field(Range(0, Bound("ticks")), 0)
    wrong = field(Range(0, 1), 0)

    @rule
    def tick(self) -> None:
        """It ticks."""
        within(self.count, self.bounds.ticks)
        self.count += 1
        self.note()

    def note(self) -> None:
        pass


class Odd(Counter):
    """Goes wrong at the third tick."""

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


@reachable
def counts(state: Counter) -> bool:
    """It counts."""
    return state.count > 0


PROTOCOLS = (Counter,)
VARIANTS = {"odd": Odd}
PROPERTIES = (right, small, counts)
'''


def test_a_bound_that_hides_a_violation(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER)
    file = tmp_path / "counter.toml"
    file.write_text('title = "It counts"\nprotocol = "counter"\n')
    known = catalogue(tmp_path)
    found = reviewed(Change("counter", "odd"), [file], known=known, stability=60.0)
    assert not found.findings
    assert found.stability is not None
    assert (found.stability.searched, found.stability.of) == (1, 1)
    flips = [
        (each.property, each.larger.bound, each.larger.value, each.trace.length, each.is_new)
        for each in found.stability.flips
    ]
    assert flips == [("right", "ticks", 3, 3, True), ("small", "ticks", 3, 3, False)]
    assert found.exit is Exit.FAILED
    assert reviewed(Change("counter", "odd"), [file], known=known).exit is Exit.AS_EXPECTED
