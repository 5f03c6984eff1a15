"""A search that is spread over owners tells what the search in process tells, in the same words."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.spreading import Alone
from finale.checker.search.distributed.bucket import LevelResult, LevelTask
from finale.checker.search.distributed.explored import Explored
from finale.checker.search.distributed.files import LEVELS, MAIL, Manifest, SearchFolder
from finale.checker.search.distributed.local import Local, hand_over
from finale.checker.search.distributed.program import (
    CompiledProgram,
    SystemProgram,
    program_from,
    program_of,
)
from finale.checker.search.distributed.search import Spread
from finale.checker.search.limits import Limits
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.search import check as check_natively
from finale.checker.search.verdict import Report, Word
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.protocols.yardstick import Yardstick
from finale.model.system import System
from tests.agreement.test_back_ends import SMALL
from tests.protocols.specs import audits, built
from tests.zoo import ZOO
from tests.zoo.animal import Animal

#: The spread search is compared on specs up to the first size, in the slow tests up to the other.
STATES_QUICK, STATES_MAX = 40, 100_000


def handed_over(
    system: System, folder: SearchFolder, here: int, owners: int
) -> tuple[NativeMachine, SystemProgram, Manifest] | None:
    """A search after so many states in process; none if that was all there is."""
    machine = NativeMachine(system)
    local = Local(machine, Limits(), None, states_here=here)
    local.run()
    if not local.is_outgrown:
        return None
    program = program_of(machine)
    return machine, program, hand_over(local, folder, program, owners)


def spread(system: System, path: Path, here: int, owners: int) -> Report | None:
    folder = SearchFolder(path)
    with folder.led():
        begun = handed_over(system, folder, here, owners)
        if begun is None:
            return None
        machine, program, manifest = begun
        assert program_from(folder.program()) == program
        search = Spread(folder, manifest, Limits())
        search.run(Alone(folder, CompiledProgram(program, level=0)))
        return Explored(machine, search).report()


def assert_told_alike(system: System, found: Report, wanted: Report) -> None:
    assert replace(found.statistics, seconds=0) == replace(wanted.statistics, seconds=0)
    assert found.dead_branches == wanted.dead_branches
    assert found.exercised == wanted.exercised
    lively = {prop.name for prop in system.properties if prop.kind.is_liveness}
    for one, other in zip(found.verdicts, wanted.verdicts, strict=True):
        if one.property in lively:
            assert one.word is Word.UNKNOWN
        else:
            assert one == other


@pytest.fixture(autouse=True)
def is_looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small searches, too, are outgrown in the middle of a level."""
    monkeypatch.setattr("finale.checker.search.native.breadth_first.STATES_BETWEEN_LOOKS", 1)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a hundred searches would wait for the disk


@pytest.mark.parametrize(("here", "owners"), [(0, 3), (3, 2)])
@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_it_agrees_on_the_zoo(animal: Animal, here: int, owners: int, tmp_path: Path) -> None:
    system = build(animal.make(), animal.families)
    found, wanted = spread(system, tmp_path, here, owners), check_natively(system)
    assert found is not None or here
    if found is not None:
        assert_told_alike(system, found, wanted)


@pytest.mark.parametrize("spec", audits(STATES_MAX, quick=STATES_QUICK))
def test_it_agrees_on_specs(spec: Spec, tmp_path: Path) -> None:
    system = built(spec.file)
    found = spread(system, tmp_path, 20, 2)
    if found is not None:
        assert_told_alike(system, found, check_natively(system))


# --- killed and resumed --------------------------------------------------------------------------


class Killed(BaseException):
    """What a killed search is like to its files: nothing more is written."""


class KilledAt:
    """A crew that is killed in a level, after so many of its owners have done their work."""

    def __init__(self, crew: Alone, level: int, owners: int) -> None:
        self.crew, self.level, self.owners = crew, level, owners

    def __call__(self, order: LevelTask) -> list[LevelResult]:
        if order.level < self.level:
            return self.crew(order)
        for owner in range(self.owners):
            self.crew.done(order, owner)
        raise Killed


@pytest.mark.parametrize("owners_done", [0, 1, 3])
@pytest.mark.parametrize("level", [9, 10, 20, 33])
def test_a_search_that_was_killed_goes_on(level: int, owners_done: int, tmp_path: Path) -> None:
    system = build(Yardstick(SMALL))
    folder = SearchFolder(tmp_path)
    begun = handed_over(system, folder, 500, 3) if _made(folder) else None
    assert begun is not None
    machine, program, manifest = begun
    with pytest.raises(Killed), folder.led():
        Spread(folder, manifest, Limits()).run(
            KilledAt(Alone(folder, CompiledProgram(program, level=0)), level, owners_done)
        )
    # What a worker had half written when it was killed:
    (tmp_path / MAIL / f"{level:05}-002.abc.part").write_bytes(b"half")
    (tmp_path / LEVELS / f"{level + 4:05}-001.states").write_bytes(b"of another time")
    with folder.led():
        again = folder.manifest(program.identity)
        assert again is not None
        assert len(again.levels) == level
        search = Spread(folder, again, Limits())
        search.run(Alone(folder, CompiledProgram(program, level=0)))
    assert_told_alike(system, Explored(machine, search).report(), check_natively(system))
    assert {each.name[:5] for each in (tmp_path / LEVELS).iterdir()} == {
        f"{number:05}" for number in range(34)
    }


def _made(folder: SearchFolder) -> bool:
    with folder.led():
        return True


def test_any_worker_can_do_the_work_of_any_owner(tmp_path: Path) -> None:
    """Two workers change places all the time: what each does not know it reads first."""
    system = build(Yardstick(SMALL))
    folder = SearchFolder(tmp_path)
    with folder.led():
        begun = handed_over(system, folder, 100, 2)
        assert begun is not None
        machine, program, manifest = begun
        workers = (
            Alone(folder, CompiledProgram(program, level=0)),
            Alone(folder, CompiledProgram(program, level=0)),
        )

        def crew(order: LevelTask) -> list[LevelResult]:
            return [
                workers[(order.level // 3 + owner) % 2].done(order, owner) for owner in range(2)
            ]

        search = Spread(folder, manifest, Limits())
        search.run(crew)
    assert_told_alike(system, Explored(machine, search).report(), check_natively(system))


def test_limits_stop_it_and_it_goes_on(tmp_path: Path) -> None:
    system = build(Yardstick(SMALL))
    folder = SearchFolder(tmp_path)
    with folder.led():
        begun = handed_over(system, folder, 100, 2)
        assert begun is not None
        machine, program, manifest = begun
        few = Spread(folder, manifest, Limits(states_max=3_000))
        few.run(Alone(folder, CompiledProgram(program, level=0)))
        assert few.stopped == "the limit of 3000 states"
        assert 3_000 <= few.statistics.states < 8_839
        report = Explored(machine, few).report()
        assert not report.statistics.complete
        assert not report.dead_branches
        small = Spread(folder, few.manifest, Limits(memory_max=1 << 16))
        small.run(Alone(folder, CompiledProgram(program, level=0)))
        assert "MB of memory" in small.stopped
        rest = Spread(folder, small.manifest, Limits())
        rest.run(Alone(folder, CompiledProgram(program, level=0)))
    assert_told_alike(system, Explored(machine, rest).report(), check_natively(system))


# --- what is not to be trusted -------------------------------------------------------------------


def resume(folder: SearchFolder, program: SystemProgram) -> None:
    manifest = folder.manifest(program.identity)
    assert manifest is not None
    Spread(folder, manifest, Limits()).run(Alone(folder, CompiledProgram(program, level=0)))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("manifest.json", "resume-corrupted"),
        (f"{LEVELS}/00003.json", "resume-corrupted"),
        (f"{LEVELS}/00003-000.states", "resume-corrupted"),
    ],
)
def test_what_was_changed_is_refused(name: str, code: str, tmp_path: Path) -> None:
    system = build(Yardstick(SMALL))
    folder = SearchFolder(tmp_path)
    with folder.led():
        begun = handed_over(system, folder, 500, 1)
        assert begun is not None
        _, program, _ = begun
        content = bytearray((tmp_path / name).read_bytes())
        content[len(content) // 2] ^= 1
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FinaleError) as raised:
            resume(folder, program)
    assert raised.value.code == code


def test_folders_of_others_are_refused(tmp_path: Path) -> None:
    system = build(Yardstick(SMALL))
    folder = SearchFolder(tmp_path / "one")
    with folder.led():
        assert handed_over(system, folder, 500, 1)
        with pytest.raises(FinaleError) as raised:
            folder.manifest("another system")
        assert raised.value.code == "resume-foreign"
        with pytest.raises(FinaleError) as raised, SearchFolder(tmp_path / "one").led():
            pass
        assert raised.value.code == "resume-in-use"
    (tmp_path / "thesis.txt").write_text("dear to somebody")
    with pytest.raises(FinaleError) as raised, SearchFolder(tmp_path).led():
        pass
    assert raised.value.code == "resume-foreign"
    with pytest.raises(FinaleError) as raised, SearchFolder(tmp_path / "thesis.txt").led():
        pass
    assert raised.value.code == "resume-folder"
