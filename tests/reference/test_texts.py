"""Real text, and much of it: what comes out is what plain Python counts."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from finale.reference.formats.jobfile import read_job
from finale.reference.runner import Orders, RunProgress, run

from .test_cuts import MODES

ROOT = Path(__file__).parents[2]
JOB = """
barriers = "{mode}"
seconds = {seconds}

[operators.lines]
kind = "lines"
path = "texts/**/*"
parallelism = 2

[operators.words]
kind = "words"
from = ["lines"]
parallelism = 2

[operators.counts]
kind = "count"
from = ["words"]
parallelism = 2

[operators.out]
kind = "exactly-once"
from = ["counts"]
"""


def counted(folder: Path, mode: str, seconds: float, orders: Orders) -> RunProgress:
    """Count the words of all texts in a folder, twice, and compare."""
    (folder / "job.toml").write_text(JOB.format(mode=mode, seconds=seconds))
    ended = run(read_job(folder / "job.toml"), folder / "state", None, orders)
    wanted: Counter[str] = Counter()
    for file in (folder / "texts").rglob("*"):
        if file.is_file():
            with file.open(encoding="utf-8", newline="\n") as lines:
                wanted.update(word for line in lines for word in line.lower().split())
    outputs = [file.read_text() for file in (folder / "state" / "output").iterdir()]
    found = [line.rsplit("\t", 1) for text in outputs for line in text.splitlines()]
    assert len(found) == len(wanted)
    assert {word: int(count) for word, count in found} == wanted
    return ended


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("orders", [Orders(), Orders(seed=7), Orders(threads=True)])
def test_the_words_of_these_documents(tmp_path: Path, mode: str, orders: Orders) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "texts" / "docs")
    shutil.copy(ROOT / "README.md", tmp_path / "texts")
    ended = counted(tmp_path, mode, 0.01, orders)
    assert ended.records > 1_000
    assert ended.bytes == sum(f.stat().st_size for f in (tmp_path / "texts").rglob("*.*"))


@pytest.mark.slow
def test_the_words_of_two_hundred_megabytes(tmp_path: Path) -> None:
    chance = random.Random(200)
    alphabet = "abcdefghijklmnopqrstuvwxyzäöüéßж"
    vocabulary = ["".join(chance.choices(alphabet, k=chance.randint(2, 11))) for _ in range(20_000)]
    (tmp_path / "texts").mkdir()
    for number in range(4):
        with (tmp_path / "texts" / f"{number}.txt").open("w", encoding="utf-8") as file:
            while file.tell() < 50_000_000:
                lines = (chance.choices(vocabulary, k=chance.randint(1, 18)) for _ in range(2_000))
                file.writelines(" ".join(line) + "\n" for line in lines)
    began = time.process_time()
    ended = counted(tmp_path, "aligned", 3.0, Orders())
    seconds = time.process_time() - began
    assert ended.bytes > 200_000_000
    assert ended.completed > 2
    print(f"{ended.bytes / 1e6 / seconds:.1f} MB for each second of a core, with the comparison")
