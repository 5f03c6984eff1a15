"""Overrides in a user's folder: what is not one, or cannot be, is told before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.overriding import changes, hidden_in
from finale.model.errors import FinaleError
from finale.model.language.entities import Entity
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.registry import PROTOCOLS
from finale.model.rules import Protocol

HEAD = '''"""A variant."""

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import *


class Mine(FinalCheckpoint):
    """FinalCheckpoint, and something is different."""

'''
TAIL = '\n\nVARIANTS = {"mine": Mine}\n'
LINE = 10


def loaded(folder: Path, body: str, tail: str = TAIL) -> type[Protocol]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (folder / "mine.py").write_text(HEAD + lines + tail)
    return catalogue(folder).variant("final-checkpoint", "mine")


@pytest.mark.parametrize(
    ("body", "code", "told"),
    [
        ("crashes = field(Bool, False)", "field-redeclared", "Failures"),
        ('crashes = field(Range(0, Bound("crashes")), 0)', "field-redeclared", "Failures"),
        ("crashes = 3", "field-redeclared", "Failures"),
        ("def crashes(self): return 3", "field-redeclared", "Failures"),
        ("restarts = field(Bool, False)", "field-redeclared", "TaskExecution.restarts"),
        ("tasks = field(Bool, False)", "field-redeclared", "JobProtocol.__init__ assigns"),
        ("def abort(self): pass", "override-differs", "(self, checkpoint"),
        ("def abort(self, checkpoint, why): pass", "override-differs", "(self, checkpoint, why)"),
        ("@rule\ndef fail_region(self): pass", "override-differs", "has fewer parameters than"),
        ("abort = 3", "override-differs", "cannot be called"),
        (
            "def _notify_abort(self, checkpoint, task): pass",
            "override-differs",
            "in another order",
        ),
        ("@rule\ndef abort(self, checkpoint): pass", "override-differs", "is a rule"),
        ("@rule\ndef newest_completed(self): pass", "override-differs", "is a helper"),
        ("def abrot(self, checkpoint): pass", "override-misspelt", '"abort"'),
        ("@step\ndef abort_it(self, checkpoint): pass", "override-misspelt", '"abort"'),
        ('ghots = ("effects",)', "override-misspelt", '"ghosts"'),
        ("savepoint_stored = True", "override-overwritten", "the option savepoint_stored"),
        ("checkpoints_after_finish = False", "override-overwritten", "never read"),
        ("def savepoint_stored(self): return True", "override-overwritten", "never read"),
        (
            "@property\ndef savepoint_stored(self): return True",
            "override-overwritten",
            "the option savepoint_stored",
        ),
        ("pass", "variant-changes-nothing", "final-checkpoint"),
        ("def quite_another(self): pass", "variant-changes-nothing", "final-checkpoint"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, body: str, code: str, told: str) -> None:
    with pytest.raises(FinaleError) as caught:
        loaded(tmp_path, body)
    assert caught.value.code == code
    assert told in caught.value.message
    place = caught.value.place
    assert place is not None
    assert place.file == str((tmp_path / "mine.py").resolve())
    line = LINE + body.startswith("@")
    assert (place.line, place.key) in {(line, None), (None, "VARIANTS")}


@pytest.mark.parametrize(
    "body",
    [
        'crashes = field(Range(0, Bound("crashes")), 1, ghost="crashes")',
        "def abort(self, checkpoint, why=None): pass",
        "def abort(self, *anything): pass",
        "acknowledges_snapshots = False",
        "def __init__(self, setting):\n    super().__init__(setting)\n    self.concurrent = 2",
        "def abort(self, checkpoint): self.abort_it(checkpoint)\ndef abort_it(self, one): pass",
        '@rule\ndef abort_one(self) -> None:\n    """It is aborted."""',
    ],
)
def test_what_is_no_mistake(tmp_path: Path, body: str) -> None:
    assert list(changes(loaded(tmp_path, body), FinalCheckpoint))


def test_a_queue_may_hold_more_and_not_less(tmp_path: Path) -> None:
    mine = """from finale.model.protocols.job import channels
from finale.model.protocols.committer import HandedOver

class Wider(channels.Channel):
    queue = field(Queue({}, Bound("checkpoints")), ())
"""
    assert loaded(tmp_path, "def abort(self, checkpoint): pass", TAIL + mine.format("HandedOver"))
    with pytest.raises(FinaleError) as caught:
        loaded(
            tmp_path,
            "def abort(self, checkpoint): pass",
            TAIL + mine.format("Union(channels.Data)"),
        )
    assert caught.value.code == "field-redeclared"


PARENT = """

class Parent(Entity):
    def __init__(self, other) -> None:
        super().__init__("parent")
        self.own = other
        other.theirs = self


class Held(Entity):
    held = field(Range(0, 2), 0)


"""


@pytest.mark.parametrize(
    ("declared", "fits"),
    [
        ("class Child(Held):\n    held = field(Range(0, 3), 0)", True),
        ("class Child(Held):\n    held = field(Range(-1, 2), 0)", True),
        ("class Child(Held):\n    held = field(Range(0, 1), 0)", False),
        ("class Child(Held):\n    held = field(Range(1, 3), 1)", False),
        ('class Child(Held):\n    held = field(Range(0, Bound("crashes")), 0)', False),
        ("class Child(Parent):\n    theirs = field(Bool, False)", True),
        ("class Child(Parent):\n    own = field(Bool, False)", False),
    ],
)
def test_what_a_field_may_take_the_place_of(tmp_path: Path, declared: str, fits: bool) -> None:
    """A range may hold more; what `__init__` assigns to another entity is no matter."""
    body, tail = "def abort(self, checkpoint): pass", TAIL + PARENT + declared + "\n"
    if fits:
        assert loaded(tmp_path, body, tail)
    else:
        with pytest.raises(FinaleError) as caught:
            loaded(tmp_path, body, tail)
        assert caught.value.code == "field-redeclared"


def test_the_protocol_itself_is_no_variant_of_it(tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as caught:
        loaded(
            tmp_path, "def abort(self, checkpoint): pass", '\nVARIANTS = {"mine": FinalCheckpoint}'
        )
    assert caught.value.code == "variant-changes-nothing"


def test_what_another_file_of_the_folder_uses_is_used(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("def also(one):\n    return one.abort_it()\n")
    body = "def complete(self, checkpoint): pass\ndef abort_it(self): return True"
    assert issubclass(loaded(tmp_path, body), FinalCheckpoint)
    (tmp_path / "other.py").unlink()
    with pytest.raises(FinaleError):
        loaded(tmp_path, body)


MIXED = """
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint


class Sooner(FinalCheckpoint):
    @step
    def finish_operators(self, task):
        {first}


class Mine(Sooner, StopWithSavepoint):
    {own}
"""


@pytest.mark.parametrize(
    ("first", "own", "hides"),
    [
        ("task.finish()", "pass", True),
        ("task.finish()", "finish_operators = StopWithSavepoint.finish_operators", False),
        ("super().finish_operators(task)", "pass", False),
    ],
)
def test_what_one_base_hides_of_another(tmp_path: Path, first: str, own: str, hides: bool) -> None:
    """Neither base inherits from the other, so nobody meant the one to replace the other's."""
    text = HEAD.partition("\n\nclass")[0] + MIXED.format(first=first, own=own) + TAIL
    (tmp_path / "mine.py").write_text(text)
    if not hides:
        assert catalogue(tmp_path).variant("stop-with-savepoint", "mine")
        return
    with pytest.raises(FinaleError) as caught:
        catalogue(tmp_path)
    assert caught.value.code == "override-hides"
    assert "Sooner.finish_operators hides StopWithSavepoint.finish_oper" in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line == text[: text.index("class Mine")].count("\n") + 1


def test_no_class_of_the_repository_hides_what_another_does() -> None:
    known = catalogue()
    for key, variant in known.variants:
        known.variant(key, variant)
    kinds, left = set[type](), [Entity]
    while left:
        below = [each for each in left.pop().__subclasses__() if each not in kinds]
        kinds |= {each for each in below if each.__module__.startswith("finale.model.")}
        left += below
    assert len(kinds) > len(known.variants)
    assert [each for kind in kinds for each in hidden_in(kind)] == []


def test_all_variants_change_something() -> None:
    known = catalogue()
    for key in (entry.key for entry in PROTOCOLS):
        for variant in known.variants_of(key):
            assert any(changes(known.variant(key, variant), known.protocol(key))), variant
