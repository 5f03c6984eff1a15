"""What a change defines: its classes wherever they are made, and no class of another variant."""

from __future__ import annotations

from pathlib import Path

from finale.checker.report.about import overrides_words
from finale.checker.review.change import Change
from finale.checker.review.review import Review
from finale.checker.spec.catalogue import catalogue
from tests.review.reviewing import reviewed
from tests.review.test_review import SPEC, STOP

HEAD = '''"""Variants."""

from functools import cached_property

from finale.model.rules import WEAK, Bool, Entity, define, field, require, rule, step

from .stop import Stop, Worker

'''


def reviewed_in(path: Path, body: str, variant: str, protocol: str = STOP) -> Review:
    (path / "mine").mkdir(exist_ok=True)
    (path / "mine" / "stop.py").write_text(protocol)
    (path / "mine" / "v.py").write_text(HEAD + body)
    (path / "stop.toml").write_text(SPEC)
    known = catalogue(path / "mine")
    found = reviewed(Change("stop", variant), [path / "stop.toml"], known=known)
    assert not found.errors
    return found


def told(found: Review) -> list[str]:
    kinds = ("unreached", "unused-class")
    return [each.message for each in found.remarks if each.kind in kinds]


FACTORY = '''
def make(number):
    class Halts(Stop):
        """Some workers halt."""

        halted = field(Bool, False)

        @rule(fair=WEAK)
        def stop(self, worker: Worker) -> None:
            """A worker stops."""
            require(not worker.stopped)
            if number > 7:
                self.halted = True
            worker.stopped = True

    return Halts


class Further(make(2)):
    """A variant of a variant."""

    @rule(fair=WEAK)
    def stop(self, worker: Worker) -> None:
        """A worker stops."""
        super().stop(worker)


VARIANTS = {"one": make(1), "nine": make(9), "further": Further}
'''


def test_a_class_that_a_function_makes(tmp_path: Path) -> None:
    found = reviewed_in(tmp_path, FACTORY, "one")
    assert [str(each) for each in found.code.members] == ["Halts.halted", "Halts.stop"]
    assert told(found) == ["no run reached line 21 of Halts.stop"]
    found = reviewed_in(tmp_path, FACTORY, "further")
    assert [str(each.of.member) for each in found.coverage.methods] == [
        "Halts.stop",
        "Further.stop",
    ]
    assert told(found) == ["no run reached line 21 of Halts.stop"]
    assert overrides_words(found.code.methods[1].member) == "overrides Halts"


MIXIN = '''
class Halting:
    """A class beside the entities."""

    @rule(fair=WEAK)
    def halt(self, worker: Worker) -> None:
        """A worker halts."""
        require(not worker.stopped)
        if self.twice(1) > 7:
            worker.stopped = False
        worker.stopped = self.always(worker) and self.ever

    @staticmethod
    def twice(number: int) -> int:
        if number > 100:
            return 0
        return number + number


class Halts(Halting, Stop):
    """Workers halt."""

    @classmethod
    def always(cls, worker: Worker) -> bool:
        return True

    @cached_property
    def ever(self) -> bool:
        return True

    @staticmethod
    def unused(number: int) -> int:
        return number


VARIANTS = {"halts": Halts}
'''


def test_a_class_beside_the_entities_and_methods_of_other_kinds(tmp_path: Path) -> None:
    found = reviewed_in(tmp_path, MIXIN, "halts")
    assert [(each.role, str(each.member)) for each in found.code.methods] == [
        ("rule", "Halting.halt"),
        ("method", "Halting.twice"),
        ("method", "Halts.always"),
        ("method", "Halts.unused"),
    ]
    assert [str(each) for each in found.code.values] == ["Halts.ever"]
    assert told(found) == [
        "no run reached line 18 of Halting.halt",
        "no run reached line 24 of Halting.twice",
    ]


ENTITIES = '''
class Shy(Worker):
    """Made by one variant."""

    @property
    def is_shy(self) -> bool:
        return True


class Idle(Worker):
    """Made by nobody."""

    @property
    def is_idle(self) -> bool:
        return True


KINDS = (Shy,)


def workers():
    return tuple(kind(name) for kind in KINDS for name in ("a", "b"))


class ShyWorkers(Stop):
    """Workers are shy."""

    def __init__(self, setting):
        super().__init__(setting)
        self.workers = workers()


class Early(Stop):
    """The second worker stops first."""

    @rule(fair=WEAK)
    def stop(self, worker: Worker) -> None:
        """A worker stops."""
        require(not worker.stopped)
        worker.stopped = True


VARIANTS = {"shy": ShyWorkers, "early": Early}
'''
NO_IDLE = ["no entity has the class Idle: the protocol makes none"]


def test_an_entity_of_another_variant_is_not_of_the_change(tmp_path: Path) -> None:
    """A class that nothing names may be one that the change has forgotten."""
    assert told(reviewed_in(tmp_path, ENTITIES, "early")) == NO_IDLE
    found = reviewed_in(tmp_path, ENTITIES, "shy")
    assert "Shy.is_shy" in {str(each.of.member) for each in found.coverage.methods}
    assert told(found) == NO_IDLE


def test_an_entity_beside_the_protocol_in_one_file(tmp_path: Path) -> None:
    body = ENTITIES.partition("VARIANTS")[0]
    protocol = STOP.replace("PROTOCOLS", f'{body}\n\nVARIANTS = {{"shy": ShyWorkers}}\nPROTOCOLS')
    found = reviewed_in(tmp_path, "", "shy", protocol)
    methods = {str(each.of.member) for each in found.coverage.methods}
    assert methods == {"Shy.is_shy", "ShyWorkers.__init__"}
