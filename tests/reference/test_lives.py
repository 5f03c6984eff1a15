"""Lives of jobs by chance: cut off, without room, damaged, stopped, changed, and with more files.

However it went, what came out at the end is what an independent computation says; or a start was
refused for a reason that it names.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.faulty import DiskFault, FaultyFiles, ProcessEnds
from finale.reference.formats.files import Files, MemoryFiles
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.runner import Orders, Runner
from tests.reference.small_jobs import copy_of, damage, expected, job_in, output

JOB = """
name = "life"
barriers = "{barriers}"
seconds = 1000
records = {records}
retained = {retained}
checkpoint-format = {version}
{timeout}
[operators.lines]
kind = "lines"
path = "texts/*"
parallelism = {lines}

[operators.words]
kind = "words"
from = ["lines"]
parallelism = {words}

[operators.counts]
kind = "{kind}"
from = ["words"]
parallelism = {counts}

[operators.out]
kind = "exactly-once"
from = ["counts"]
parallelism = {out}
"""
OPERATORS = ("lines", "words", "counts", "out")
#: A life may end with these: what is to be done is for the user to say.
REFUSED = {"output-ahead", "checkpoint-altered", "input-added"}
#: After these it goes on: with room, or as it was before.
PASSING = {"disk-full", "partly-finished"}


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 40)


class Life:
    """A job, its folder, and what happens to it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.texts = folder / "texts"
        self.files = MemoryFiles()
        self.numbers = dict.fromkeys(OPERATORS, 2)
        self.barriers = self.chance.choice(["aligned", "unaligned", "timeout"])
        self.counts = self.chance.random() < 0.5
        """Each word comes out with its count at the end, or as often as it is there at once."""
        self.met: Counter[str] = Counter()
        job_in(folder)
        for name in "abc":
            if self.chance.random() < 0.4:
                (self.texts / name).write_text(f"{name}\n")

    def go_on(self, *, calm: bool) -> str:
        """One start, and how it ended. Nothing more happens to one that is calm."""
        chance = self.chance
        if not calm:
            self._meet()
        orders = Orders(stop=None if calm else chance.choice([None, None, CheckpointKind.SUSPEND]))
        files: Files = self.files
        if not calm:
            files = FaultyFiles(files, chance.randint(0, 160), chance.choice(list(DiskFault)))
        before, tried = copy_of(self.files), self._job(calm=calm)
        try:
            runner = Runner(tried, files, orders)
            self.met["passed over"] += len(runner.start.refused)
            end = runner.run().end
        except ProcessEnds:
            return "cut"
        except FinaleError as error:
            if error.code in REFUSED:
                assert self.files.contents == before.contents
            return error.code
        assert end is not None
        return end.value

    def _meet(self) -> None:
        chance = self.chance
        if chance.random() < 0.15:
            (self.texts / f"n{chance.random()}").write_text("new all\n" * chance.randint(1, 5))
            self.met["file"] += 1
        names = [n for n in self.files.under("checkpoints") if n.endswith(".json")]
        if names and chance.random() < 0.15:
            damage(self.files, chance.choice(names))
            self.met["damage"] += 1
        if chance.random() < 0.5:
            self.numbers = {name: chance.randint(1, 3) for name in OPERATORS}

    def _job(self, *, calm: bool) -> JobFile:
        chance = self.chance
        file = self.folder / "job.toml"
        text = JOB.format(
            barriers=self.barriers,
            timeout="timeout = 0.001" if self.barriers == "timeout" else "",
            kind="count" if self.counts else "words",
            records=chance.choice([6, 10, 25]),
            retained=chance.randint(1, 3),
            version=chance.randint(1, 2),
            **self.numbers,
        )
        file.write_text(text)
        return read_job(file)

    def wanted(self) -> Counter[str]:
        words = expected(self.folder)
        return Counter(f"{w}\t{n}" for w, n in words.items()) if self.counts else words


def live(folder: Path, seed: int) -> Counter[str]:
    """One life, and what it met."""
    folder.mkdir()
    life = Life(folder, seed)
    for turn in range(12):
        end = life.go_on(calm=turn > 8)
        life.met[end] += 1
        if end in REFUSED:
            return life.met
        if end == "finished":
            break
        assert end in {"cut", "suspended", *PASSING}
    if life.met["finished"]:
        assert output(life.files) == life.wanted(), (seed, life.met)
    return life.met


@pytest.mark.parametrize("lives", [24, pytest.param(600, marks=pytest.mark.slow)])
def test_whatever_happens_nothing_is_lost_and_nothing_comes_twice(
    tmp_path: Path, lives: int
) -> None:
    met: Counter[str] = Counter()
    for seed in range(lives):
        met += live(tmp_path / str(seed), seed)
    assert met["finished"] > lives / 2
    assert min(met[each] for each in ("cut", "disk-full", "suspended", "file", "damage")) > 0
    if lives > 100:
        assert min(met[each] for each in (*REFUSED, *PASSING, "passed over")) > 0
