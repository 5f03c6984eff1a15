"""What observers see: groups of fields, names, rules that one system lacks, and finer observers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.compare.comparison import Comparison, Relation, compare, finer
from finale.checker.compare.observer import GROUPS, Observer
from finale.checker.report.compared import comparison_json, comparison_lines
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import varied
from finale.checker.spec.reading import spec_of
from finale.model.errors import FinaleError
from tests.cli.running import run
from tests.compare.test_refactorings import SPEC

TWICE = '''"""A sink shows each record twice."""

from collections.abc import Mapping

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId, add_effect
from finale.model.protocols.sinks import Sink, TwoPhaseSink
from finale.model.rules import step
from finale.model.topology import Sink as SinkKind


class TwiceSink(TwoPhaseSink):
    """A sink that shows each record twice."""

    @step
    def commit(self, transaction: CheckpointId) -> None:
        """Each record becomes visible twice."""
        for record in self.data:
            add_effect(self.visible, record, self.content[transaction][record])
        super().commit(transaction)


class Twice(FinalCheckpoint):
    """FinalCheckpoint with this sink."""

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.TWO_PHASE: TwiceSink}


VARIANTS = {"changed": Twice}
'''

TWO = '''"""Two fields change, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.rules import Entity, Protocol, Range, define, field, require, rule


@dataclass(frozen=True)
class Sizes:
    pass


class Two(Protocol):
    """Two fields change, in any order."""

    key = "two"
    Options = Bounds = Sizes = Sizes
    out = field(Range(0, 1), 0, effect=True)
    inside = field(Range(0, 1), 0)

    def entities(self) -> Sequence[Entity]:
        return ()

    @define
    def terminal(self) -> bool:
        return self.out == 1 and self.inside == 1

    @rule
    def show(self) -> None:
        """Shows."""
        require(self.out == 0)
        self.out = 1

    @rule
    def work(self) -> None:
        """Works."""
        require(self.inside == 0)
        self.inside = 1

    @rule
    def rest(self) -> None:
        """Is never enabled."""
        require(False)


class Changed(Two):
    """Works before it shows, in a rule of another name; it has one more field."""

    more = field(Range(0, 1), 0)

    @rule
    def show(self) -> None:
        """Shows."""
        require(self.out == 0, self.inside == 1)
        self.out = 1

    @rule
    def work(self) -> None:
        """Nothing any more."""
        require(False)

    @rule
    def toil(self) -> None:
        """Works."""
        require(self.inside == 0)
        self.inside = 1


PROTOCOLS = (Two,)
PROPERTIES = ()
VARIANTS = {"changed": Changed}
'''
TWO_SPEC = 'title = "Two"\nprotocol = "two"\n'


def compared(folder: Path, module: str, text: str, *words: str) -> Comparison:
    """Compare a spec without and with the variant of a module."""
    (folder / "mine.py").write_text(module)
    file = folder / "spec.toml"
    file.write_text(text)
    known, (table, lines) = catalogue(folder), toml_in(file)
    first, second = (
        spec_of(file, each, lines, known)
        for each in (table, varied(table, [("variant", "changed")]))
    )
    return compare(first, second, Observer(words))


@pytest.mark.parametrize(
    "words",
    [*((group,) for group in GROUPS), ("effects", "everything"), ("K.sink.visible",), ("K.sink",)],
    ids=",".join,
)
def test_whoever_watches_effects_sees_a_record_twice(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    assert compared(tmp_path, TWICE, SPEC, *words).relation is Relation.BOTH


def test_an_observer_of_a_rule_hears_of_effects(tmp_path: Path) -> None:
    found = compared(tmp_path, TWICE, SPEC, "close")
    assert found.relation is Relation.SAME
    further = finer(found)
    assert further is not None
    assert further.observer == Observer(("close", "effects"))


@pytest.mark.parametrize("word", ["inside", "rest"])
def test_the_advice_names_an_observer_who_sees_the_difference(word: str, tmp_path: Path) -> None:
    found = compared(tmp_path, TWO, TWO_SPEC, word)
    assert found.relation is Relation.SAME
    further = finer(found)
    assert further is not None
    advice = " ".join(line.plain for line in comparison_lines(found, 100, further))
    [given] = re.findall(r"--observe (\S+)", advice)
    assert comparison_json(found, further)["finer"] == given.split(",")
    assert not compared(tmp_path, TWO, TWO_SPEC, *given.split(",")).is_same


def test_a_finer_group_takes_the_place_of_a_coarser_one() -> None:
    observers = Observer(("inside", "effects", "work")).finer
    assert observers == (
        Observer(("inside", "work", "messages")),
        Observer(("inside", "work", "everything")),
    )
    assert Observer(("everything",)).finer == ()


@pytest.mark.parametrize(("rule", "answer"), [("work", Relation.LESS), ("toil", Relation.MORE)])
def test_a_rule_that_only_one_system_takes_is_watched(
    rule: str, answer: Relation, tmp_path: Path
) -> None:
    found = compared(tmp_path, TWO, TWO_SPEC, rule)
    assert found.relation is Relation.BOTH
    run = found.lost if answer is Relation.LESS else found.gained
    assert run is not None
    assert run.observation == f"{rule}()"


def test_a_rule_that_no_system_takes_is_a_rule(tmp_path: Path) -> None:
    assert compared(tmp_path, TWO, TWO_SPEC, "rest").relation is Relation.SAME


@pytest.mark.parametrize("words", [("more",), ("everything", "more")], ids=",".join)
def test_a_field_that_only_one_system_has_is_refused(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(FinaleError) as caught:
        compared(tmp_path, TWO, TWO_SPEC, *words)
    assert (caught.value.code, caught.value.message) == (
        "incomparable",
        "only one of the two specs has more",
    )


def test_a_word_that_neither_system_has_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as caught:
        compared(tmp_path, TWO, TWO_SPEC, "toill")
    assert caught.value.code == "unknown-observed"
    assert 'did you mean "toil"?' in str(caught.value.advice)


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(states_max=5), "the limit of 5 states of both systems together"),
        (Limits(seconds_max=1e-6), "the limit of 1e-06 seconds"),
    ],
    ids=["states", "seconds"],
)
def test_a_limit_leaves_open_what_finer_observers_see(
    limits: Limits, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.checker.search.limits.SECONDS_MIN", 1e-9)
    found = compared(tmp_path, TWO, TWO_SPEC, "rest")
    further = finer(found, limits)
    assert further is not None
    assert (further.relation, further.why) == (Relation.UNKNOWN, why)
    page = " ".join(line.plain.strip() for line in comparison_lines(found, 200, further))
    assert (
        f"Whether an observer of {further.observer} sees a difference is unknown, because of "
        f"{why}: give --observe rest,{further.observer.words[-1]}" in page
    )
    document = comparison_json(found, further)
    assert (document["finer"], document["finer_unknown"]) == (None, why)


def test_nothing_is_left_open_if_no_observer_is_finer(tmp_path: Path) -> None:
    found = compared(tmp_path, TWO, TWO_SPEC, "rest")
    finest = replace(found, observer=Observer(("everything",)))
    assert finer(finest, Limits(states_max=1)) is None


def test_the_command_says_that_the_systems_have_too_many_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(TWO)
    (tmp_path / "spec.toml").write_text(TWO_SPEC)
    monkeypatch.setattr("finale.cli.diff.STATES_FINER", 5)
    command = "diff spec.toml --variant changed --protocols . --observe rest"
    ran = run(command, tmp_path, columns=200)
    assert ran.exit == 0
    assert (
        "  Whether an observer of rest, everything sees a difference is unknown, because of the "
        "limit of 5 states of both systems together: give --observe rest,everything\n"
    ) in ran.stdout
