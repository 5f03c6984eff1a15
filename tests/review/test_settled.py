"""A limit that ends the search of one side makes no verdict new, and no page another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.cache.store import Store
from finale.checker.report.review import review_json, review_lines
from finale.checker.review.change import Change
from finale.checker.review.pair import pair_of
from finale.checker.review.review import Review
from finale.checker.review.verdicts import Direction
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from tests.cli.running import run
from tests.review.reviewing import reviewed, said

#: The protocol has 51 times the states of its variant "quiet", and does the same mistakes.
TICKER = '''"""A ticker with noise."""

from dataclasses import dataclass

from finale.model.rules import (
    WEAK, Bool, Bound, Protocol, Range, always, field, reachable, require, rule, when,
    leads_to, within
)


@dataclass(frozen=True)
class Bounds:
    ticks: int = 13


class Ticker(Protocol):
    """Ticks, and makes noise."""

    key = "ticker"
    Bounds = Bounds
    count = field(Range(0, Bound("ticks")), 0)
    noise = field(Range(0, 50), 0)
    wrong = field(Bool, False)
    lost = field(Bool, False)

    def terminal(self) -> bool:
        return self.count == 12

    @rule(fair=WEAK)
    def tick(self) -> None:
        """It ticks."""
        require(self.count < 12)
        within(self.count, self.bounds.ticks)
        self.count += 1
        self.note()

    def note(self) -> None:
        if self.count == 12:
            self.wrong = True

    @rule
    def make_noise(self) -> None:
        """It makes noise."""
        require(self.noise < 50)
        self.noise += 1


class Quiet(Ticker):
    """Makes no noise."""

    @rule
    def make_noise(self) -> None:
        """It makes noise."""
        require(False)
        self.noise += 1


class Still(Ticker):
    """Makes no noise, and is right."""

    def note(self) -> None:
        pass

    @rule
    def make_noise(self) -> None:
        """It makes noise."""
        require(False)
        self.noise += 1


class Right(Ticker):
    """Is right."""

    key = "right"

    def note(self) -> None:
        pass


class Other(Right):
    """Makes no noise, and does something of its own that is wrong."""

    @rule
    def make_noise(self) -> None:
        """It makes noise."""
        require(self.count == 11)
        self.wrong = True


class Late(Right):
    """Is wrong with three ticks."""

    def note(self) -> None:
        if self.bounds.ticks == 3:
            self.wrong = True


class Silent(Right):
    """Does not tick."""

    def terminal(self) -> bool:
        return self.count == 0

    @rule(fair=WEAK)
    def tick(self) -> None:
        """It ticks."""
        require(False)
        self.count += 1


@always(witness="ticks")
def right(state: Ticker) -> bool:
    """Nothing is wrong."""
    return not state.wrong


@leads_to
def is_found(state: Ticker) -> bool:
    """What is wrong becomes right."""
    when(state.wrong)
    return not state.wrong


@reachable
def ticks(state: Ticker) -> bool:
    """It ticks."""
    return state.count > 0


@reachable
def ends(state: Ticker) -> bool:
    """It ticks to the end."""
    return state.count == 12


PROTOCOLS = (Ticker, Right)
VARIANTS = {"quiet": Quiet, "still": Still, "other": Other, "late": Late, "silent": Silent}
PROPERTIES = (right, is_found, ticks, ends)
'''


def spec_in(path: Path, protocol: str = "ticker", bounds: str = "") -> Path:
    (path / "mine").mkdir(exist_ok=True)
    (path / "mine" / "ticker.py").write_text(TICKER)
    file = path / "ticker.toml"
    file.write_text(f'title = "It ticks"\nprotocol = "{protocol}"\n{bounds}')
    return file


def told(found: Review) -> str:
    lines = [line.plain for line in review_lines(found, 200)]
    return "\n".join(lines[:-1]) + lines[-1].rpartition(" · ")[0]  # without the time


def test_the_run_of_the_change_settles_what_a_limit_left_open(tmp_path: Path) -> None:
    """The protocol falls as well: by its last state, by its loop, and in its witness."""
    file = spec_in(tmp_path)
    known = catalogue(tmp_path / "mine")
    found = reviewed(Change("ticker", "quiet"), [file], known=known, states_max=40)
    (tried,) = found.tried
    base = {each.property: each for each in tried.pair.base.verdicts}
    assert tried.pair.base.stopped
    assert {base[name].how for name in ("right", "is-found", "ends")} == {"replayed"}
    assert base["is-found"].word is Word.VIOLATED
    assert {each.direction for each in found.findings} == {Direction.DECIDED}
    assert "no new violation" in told(found)
    assert found.exit is Exit.LIMIT


def test_the_run_of_the_protocol_settles_what_is_open_with_the_change(tmp_path: Path) -> None:
    file = spec_in(tmp_path)
    known = catalogue(tmp_path / "mine")
    found = reviewed(Change("ticker", "quiet"), [file], known=known)
    base, changed = found.tried[0].case.base, found.tried[0].case.changed
    swapped = replace(found.tried[0].case, base=changed, changed=base)
    pair = pair_of(swapped, frozenset(), Limits(40))
    assert pair.changed.stopped
    verdicts = {each.property: each for each in pair.changed.verdicts}
    assert verdicts["right"].word is Word.VIOLATED


def test_a_run_that_the_protocol_does_not_have_settles_nothing(tmp_path: Path) -> None:
    file = spec_in(tmp_path, "right")
    known = catalogue(tmp_path / "mine")
    found = reviewed(Change("right", "other"), [file], known=known, states_max=40)
    (tried,) = found.tried
    base = {each.property: each for each in tried.pair.base.verdicts}
    assert base["right"].word is Word.UNKNOWN
    names = {said(each)[1]: said(each)[0] for each in found.findings}
    assert names["right"] == "violated, and unknown without the change"
    assert "no new violation · " in told(found)
    assert "violated, and unknown without the change" in told(found).splitlines()[-1]
    assert found.exit is Exit.LIMIT
    whole = reviewed(Change("right", "other"), [file], known=known)
    assert ("newly violated", "right") in {said(each)[:2] for each in whole.findings}
    assert whole.exit is Exit.FAILED


@pytest.mark.parametrize(
    ("protocol", "variant"), [("ticker", "quiet"), ("ticker", "still"), ("right", "other")]
)
@pytest.mark.parametrize("bounds", ["", "[bounds]\nticks = 11\n"])
def test_the_page_does_not_depend_on_what_the_cache_has(
    protocol: str, variant: str, bounds: str, tmp_path: Path
) -> None:
    file = spec_in(tmp_path, protocol, bounds)
    pages = list[str]()
    for is_warm in (False, True):
        store = Store(tmp_path / f"cache {is_warm}")
        known = catalogue(tmp_path / "mine", store)
        change = Change(protocol, variant)
        if is_warm:
            reviewed(change, [file], known=known, plain=catalogue(None, store), stability=60.0)
        for _ in range(2):
            found = reviewed(
                change,
                [file],
                known=known,
                plain=catalogue(None, store),
                stability=60.0,
                states_max=40,
            )
            pages.append(told(found))
            assert review_json(found)["exit"] == Exit.LIMIT
    assert pages == pages[:1] * 4


def test_a_larger_bound_in_which_the_protocol_falls_too(tmp_path: Path) -> None:
    """It holds at 11 and falls at 12, and the search of the protocol comes to its limit."""
    file = spec_in(tmp_path, bounds="[bounds]\nticks = 11\n")
    known = catalogue(tmp_path / "mine")
    found = reviewed(Change("ticker", "quiet"), [file], known=known, stability=60.0, states_max=40)
    assert not found.new_flips
    assert not found.unsettled_flips
    assert "right (ticks = 12)" in told(found)
    command = f"review quiet --protocols mine --specs {file.name} --max-states 40"
    assert run(command, tmp_path).exit == Exit.LIMIT


def test_remarks_and_table_are_one_account(tmp_path: Path) -> None:
    """A setting shows nothing, and a larger bound does: the remark says just this."""
    file = spec_in(tmp_path, "right", "[bounds]\nticks = 2\n")
    known = catalogue(tmp_path / "mine")
    found = reviewed(Change("right", "late"), [file], known=known, stability=60.0)
    assert "1 new violation" in told(found) or "2 new violations" in told(found)
    assert [each.kind for each in found.remarks][:1] == ["only-larger-bounds"]
    assert "changes nothing" not in told(found)
    assert not found.is_same
    assert review_json(found)["same"] is False
    alone = reviewed(Change("right", "late"), [file], known=known)
    assert [each.kind for each in alone.remarks][:1] == ["changes-nothing"]


def test_a_lost_state_and_a_property_that_becomes_vacuous_fail(tmp_path: Path) -> None:
    file = spec_in(tmp_path, "right")
    ran = run(f"review silent --protocols mine --specs {file.name} --stability 0", tmp_path)
    assert "no new violation · 2 no longer reached · 1 now vacuous" in ran.stdout
    assert ran.exit == Exit.FAILED


def test_each_direction_has_an_exit_code() -> None:
    exits = {each.name: each.exit for each in Direction}
    assert {name for name, code in exits.items() if code is Exit.FAILED} == {
        "VIOLATED",
        "UNREACHED",
        "VACUOUS",
    }
    assert {name for name, code in exits.items() if code is Exit.LIMIT} == {
        "UNSETTLED",
        "UNREACHED_OR_NOT",
        "VACUOUS_OR_NOT",
        "UNKNOWN",
        "UNASKED",
    }
