"""Comparisons of small systems: each answer, the runs shown, the limits, files for other tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.compare.comparison import Comparison, Relation, compare, finer
from finale.checker.compare.lts import aut_of
from finale.checker.compare.observed import START, STUCK
from finale.checker.compare.observer import Observer, observer_in
from finale.checker.search.backends import FEW
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import varied
from finale.checker.spec.reading import read_spec, spec_of
from finale.model.errors import FinaleError
from finale.model.trace import replay

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "specs"
PING = """title = "A ping is answered"
protocol = "ping-pong"
"""

PAIR = """title = "Two tasks"
protocol = "final-checkpoint"

[job]
shape = "pair"
"""


@pytest.fixture(scope="module")
def ping(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    file = tmp_path_factory.mktemp("ping") / "ping.toml"
    file.write_text(PING)
    return read_spec(file, catalogue(ROOT / "tests" / "cli" / "inputs" / "protocols"))


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return catalogue()


def changed(spec: Spec, *values: tuple[str, object]) -> Spec:
    assert spec.table is not None
    return spec_of(spec.file, varied(spec.table, values), spec.lines, spec.catalogue)


def seen(found: Comparison) -> tuple[list[str], list[str]]:
    """What is lost and gained: the observations of the runs."""
    runs = (found.lost, found.gained)
    texts = [[text for _, text in run.run.observations] if run else [] for run in runs]
    return texts[0], texts[1]


def test_a_spec_is_the_same_as_itself(ping: Spec) -> None:
    found = compare(ping, ping, observer_in("everything"))
    assert found.relation is Relation.SAME
    assert (found.lost, found.gained) == (None, None)


def test_more_is_less_the_other_way_round(ping: Spec) -> None:
    lossy = changed(ping, ("options.lossy", True), ("bounds.losses", 1))
    watched = Observer(("A.status",))
    more, less = compare(ping, lossy, watched), compare(lossy, ping, watched)
    assert (more.relation, less.relation) == (Relation.MORE, Relation.LESS)
    assert seen(more) == ([], [START, "A.status IDLE → WAITING", STUCK])
    assert seen(less) == (seen(more)[1], [])


def test_the_other_side_goes_along_as_far_as_it_can(ping: Spec) -> None:
    forgets = changed(ping, ("variant", "forgets"))
    found = compare(ping, forgets, Observer(("A",)))
    assert found.relation is Relation.BOTH
    for difference in (found.lost, found.gained):
        assert difference is not None
        run, other = difference.run, difference.other
        own = [text for _, text in run.observations]
        its = [text for _, text in other.observations]
        assert its == own[:-1]
        assert difference.observation == own[-1]
        assert difference.observation not in difference.instead
    assert found.gained is not None
    assert found.gained.instead == ("A.status WAITING → IDLE", "A.status WAITING → DONE")


def test_runs_are_runs_of_their_systems(ping: Spec) -> None:
    found = compare(ping, changed(ping, ("variant", "forgets")), Observer(("A",)))
    assert found.sides is not None
    first, second = (side.system for side in found.sides)
    assert found.lost is not None
    assert found.gained is not None
    for run, system in (
        (found.lost.run, first),
        (found.lost.other, second),
        (found.gained.run, second),
        (found.gained.other, first),
    ):
        replay(system, run.trace)


def test_a_reachable_fault_is_seen_as_the_end(ping: Spec) -> None:
    room = changed(ping, ("bounds.room", 2))
    found = compare(room, changed(room, ("variant", "answers-twice")), Observer(("A.status",)))
    assert found.gained is not None
    assert found.gained.observation == "the fault put-into-full-queue ends the run"
    assert found.gained.run.trace.fault is not None


def test_silent_loops_are_told_from_silent_decisions(ping: Spec) -> None:
    again = changed(ping, ("variant", "asks-again"))
    found = compare(ping, again, Observer(("B→A",)))
    assert found.relation is Relation.UNOBSERVABLE
    assert found.only_divergence
    further = finer(found)
    assert further is not None
    assert further.observer == Observer(("B→A", "everything"))
    assert further.relation is Relation.MORE


def test_no_finer_observer_is_asked_where_a_difference_is_seen(ping: Spec) -> None:
    found = compare(ping, changed(ping, ("variant", "forgets")), Observer(("A",)))
    assert finer(found) is None


def test_the_limits_make_the_answer_unknown(ping: Spec) -> None:
    found = compare(ping, ping, Observer(("A",)), Limits(states_max=5))
    assert (found.relation, found.why) == (Relation.UNKNOWN, "the limit of 5 states")
    found = compare(ping, ping, Observer(("A",)), Limits(seconds_max=1e-6))
    assert (found.relation, found.why) == (Relation.UNKNOWN, "the limit of 1e-06 seconds")


def test_specs_that_watch_other_things_are_refused(ping: Spec) -> None:
    with pytest.raises(FinaleError) as caught:
        compare(
            ping,
            replace(ping, setting=changed(ping, ("observe.answers", True)).setting),
            Observer(("B.answers",)),
        )
    assert caught.value.code == "incomparable"


def test_both_searches_give_the_same_system(known: Catalogue, monkeypatch: object) -> None:
    """The readable and the native search number states alike, so the files are equal."""
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    spec = read_spec(SPECS / "final-checkpoint" / "pair.toml", known)
    texts = []
    for states in (1_000_000, 10):
        monkeypatch.setattr("finale.checker.compare.explored.FEW", replace(FEW, states=states))
        sides = compare(spec, spec, observer_in("messages")).sides
        assert sides is not None
        texts.append(aut_of(sides[0].lts, sides[0].alphabet))
    assert texts[0] == texts[1]
    assert texts[0].startswith("des (128,")


def test_ids_that_are_given_again_have_no_numbers(known: Catalogue, tmp_path: Path) -> None:
    file = tmp_path / "pair.toml"
    file.write_text(f"{PAIR}[bounds]\nlive_checkpoints = 2\n")
    again = read_spec(file, known)
    found = compare(again, again)
    assert found.relation is Relation.SAME
    assert found.sides is not None
    texts = found.sides[0].alphabet.texts
    assert "Checkpoint.status COMPLETED" in texts
    assert not any("cp1" in text or "cp2" in text for text in texts)


def test_the_history_of_effects_is_kept_by_itself(known: Catalogue, tmp_path: Path) -> None:
    file = tmp_path / "pair.toml"
    file.write_text(PAIR)
    spec = read_spec(file, known)
    sides = compare(spec, spec).sides
    assert sides is not None
    assert sides[0].view.names == {"K.sink.visible", "cp1.status"}
    assert "K.sink.visible[S#1] 0 → 1" in sides[0].alphabet.texts


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("stop-with-savepoint/pipeline-fails.toml", "stop1.status FAILED"),
        ("stop-with-savepoint/pipeline-fails.toml", "stop1.status SUCCEEDED"),
        ("restore/new-operator-refused.toml", "refused"),
    ],
)
def test_users_see_what_becomes_of_requests_and_starts(
    known: Catalogue, name: str, seen: str
) -> None:
    spec = read_spec(SPECS / name, known)
    sides = compare(spec, spec).sides
    assert sides is not None
    assert seen in {*sides[0].alphabet.texts, *sides[0].view.names}


def test_other_fairness_is_told_and_never_seen(known: Catalogue) -> None:
    hangs = read_spec(SPECS / "connector" / "broken" / "producer-hangs.toml", known)
    found = compare(changed(hangs, ("variant", "none")), hangs)
    assert found.relation is Relation.SAME
    assert found.other_fairness == ("deliver",)
    assert finer(found) is None


ENDS = '''"""A run shows a value and ends, or shows another value."""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.rules import Entity, Protocol, Range, define, field, require, rule


@dataclass(frozen=True)
class Sizes:
    pass


class Ends(Protocol):
    """Two ways to show the value 1, and then the end."""

    key = "ends"
    Options = Bounds = Sizes = Sizes
    at = field(Range(0, 4), 0)
    shown = field(Range(0, 2), 0, effect=True)

    def entities(self) -> Sequence[Entity]:
        return ()

    @define
    def terminal(self) -> bool:
        return self.at == 4

    @rule
    def left(self) -> None:
        """Goes left."""
        require(self.at == 0)
        self.at = 1

    @rule
    def right(self) -> None:
        """Goes right."""
        require(self.at == 0)
        self.at = 2

    @rule
    def left_on(self) -> None:
        """Shows the value."""
        require(self.at == 1)
        self.at = 3
        self.shown = 1

    @rule
    def right_on(self) -> None:
        """Shows the value."""
        require(self.at == 2)
        self.at = 3
        self.shown = 1

    @rule
    def end(self) -> None:
        """The end."""
        require(self.at == 3)
        self.at = 4


class Differs(Ends):
    """On the left another value is shown, and on the right the run is stuck."""

    @rule
    def left_on(self) -> None:
        """Shows another value."""
        require(self.at == 1)
        self.at = 3
        self.shown = 2

    @rule
    def right_on(self) -> None:
        """Nothing."""
        require(False)


PROTOCOLS = (Ends,)
PROPERTIES = ()
VARIANTS = {"differs": Differs}
'''


def own(folder: Path, module: str, protocol: str) -> Spec:
    """A spec of a protocol that a user wrote."""
    (folder / "mine.py").write_text(module)
    file = folder / "spec.toml"
    file.write_text(f'title = "Mine"\nprotocol = "{protocol}"\n')
    return read_spec(file, catalogue(folder))


def test_an_ending_is_no_step(tmp_path: Path) -> None:
    """One step and the end come before two steps."""
    ends = own(tmp_path, ENDS, "ends")
    found = compare(ends, changed(ends, ("variant", "differs")))
    assert found.gained is not None
    assert seen(found)[1] == [START, STUCK]
    assert found.gained.run.trace.length == 1


ASKS = '''"""Values that print alike: a member that is called as no value is."""

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    Entity, Enum, Nothing, Option, Protocol, Range, define, field, require, rule,
)


@dataclass(frozen=True)
class Sizes:
    pass


class Answer(enum.Enum):
    """Answers; the values do not matter."""

    yes = 1
    nothing = 2
    Nothing = 3


class Asks(Protocol):
    """A question is answered once."""

    key = "asks"
    Options = Bounds = Sizes = Sizes
    done = field(Range(0, 1), 0)
    answer = field(Option(Enum(Answer)), Answer.yes, effect=True)
    other = field(Range(0, 1), 0, effect=True)

    def entities(self) -> Sequence[Entity]:
        return ()

    def endings(self) -> Mapping[str, Callable[[], object]]:
        return {
            "tau": lambda: self.other == 1,
            "the run is stuck": lambda: self.done == 1,
        }

    @define
    def terminal(self) -> bool:
        return self.done == 1

    @rule
    def answers(self, how: Annotated[Answer, Option(Enum(Answer))]) -> None:
        """The answer is a word."""
        require(self.done == 0, how == Answer.Nothing)
        self.done = 1
        self.answer = Answer.nothing


class Forgets(Asks):
    """The answer is forgotten."""

    @rule
    def answers(self, how: Annotated[Answer, Option(Enum(Answer))]) -> None:
        """There is no answer."""
        require(self.done == 0, how == Answer.Nothing)
        self.done = 1
        self.answer = Nothing


class Otherwise(Asks):
    """The rule takes no value where it took the member."""

    @rule
    def answers(self, how: Annotated[Answer, Option(Enum(Answer))]) -> None:
        """The answer is a word."""
        require(self.done == 0, how == Nothing)
        self.done = 1
        self.answer = Answer.nothing


class StartsWithout(Asks):
    """There is no answer from the start."""

    answer = field(Option(Enum(Answer)), Nothing, effect=True)


class StartsWith(Asks):
    """The answer is a word from the start."""

    answer = field(Option(Enum(Answer)), Answer.nothing, effect=True)


class Stuck(Asks):
    """Nothing can happen."""

    @rule
    def answers(self, how: Annotated[Answer, Option(Enum(Answer))]) -> None:
        """Never."""
        require(self.done == 1)
        self.done = 0


class Both(Asks):
    """Two fields change at once."""

    @rule
    def answers(self, how: Annotated[Answer, Option(Enum(Answer))]) -> None:
        """Both change."""
        require(self.done == 0, how == Answer.Nothing)
        self.done = 1
        self.answer = Answer.nothing
        self.other = 1


PROTOCOLS = (Asks,)
PROPERTIES = ()
VARIANTS = {
    "forgets": Forgets,
    "otherwise": Otherwise,
    "starts-without": StartsWithout,
    "starts-with": StartsWith,
    "stuck": Stuck,
    "both": Both,
}
'''


def by_variants(folder: Path, one: str, other: str, observer: Observer) -> Comparison:
    asks = own(folder, ASKS, "asks")
    first, second = (changed(asks, ("variant", each)) for each in (one, other))
    return compare(first, second, observer)


def assert_files_differ(found: Comparison) -> None:
    """The labels of the files are as many as the observations: other tools see them by text."""
    assert found.sides is not None
    one, other = (aut_of(side.lts, side.alphabet) for side in found.sides)
    assert one != other


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("none", "forgets", "effects"),
        ("starts-with", "starts-without", "effects"),
        ("none", "otherwise", "answers"),
        ("none", "stuck", "other"),
    ],
)
def test_values_that_print_alike_are_told_apart(
    tmp_path: Path, one: str, other: str, words: str
) -> None:
    found = by_variants(tmp_path, one, other, observer_in(words))
    assert found.relation is Relation.BOTH
    assert found.lost is not None
    assert found.gained is not None
    assert found.lost.observation != found.gained.observation
    assert_files_differ(found)


def test_the_text_says_which_value_it_is(tmp_path: Path) -> None:
    found = by_variants(tmp_path, "none", "forgets", Observer())
    lost, gained = seen(found)
    assert lost[-1] == "answer yes → Answer.nothing"
    assert gained[-1] == "answer yes → nothing"


def test_the_order_of_fields_is_not_seen(tmp_path: Path) -> None:
    lines = ASKS.splitlines(keepends=True)
    at = next(place for place, line in enumerate(lines) if line.startswith("    other = field"))
    lines[at - 1 : at + 1] = lines[at], lines[at - 1]
    specs = []
    for name, module in (("one", ASKS), ("other", "".join(lines))):
        (tmp_path / name).mkdir()
        specs.append(changed(own(tmp_path / name, module, "asks"), ("variant", "both")))
    assert compare(specs[0], specs[1]).relation is Relation.SAME


def test_an_ending_that_is_called_as_silence_is_in_the_format(tmp_path: Path) -> None:
    sides = by_variants(tmp_path, "none", "both", Observer()).sides
    assert sides is not None
    text = aut_of(sides[1].lts, sides[1].alphabet)
    assert '"tau (2)"' in text
    assert '"tau"' not in text
