"""What a user waits for at the command line: with an empty cache, with a full one, after a change.

Times are wall time of the whole command, medians. `final-checkpoint/figure` with one rule that a
variant overrides has the cache of its base.
"""

from __future__ import annotations

import atexit
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from rich.table import Table

ROOT = Path(__file__).parent.parent
FINALE = Path(sys.executable).with_name("finale")
#: Specs that the figures of the documentation are about.
SPECS = ("final-checkpoint/pair", "final-checkpoint/figure", "unaligned/fan-in")
VARIED = ("final-checkpoint/pair", "final-checkpoint/figure")
#: Exit codes of a check with verdicts: a variant need not do what the spec expects.
ANSWERED = (0, 1)

VARIANTS = '''"""Variants that override one rule: the first changes nothing, the second waits."""

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.rules import exists, require, rule


class Same(FinalCheckpoint):
    """As the protocol."""

    @rule
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1: a checkpoint that all have acknowledged completes."""
        super().complete(checkpoint)


class Later(FinalCheckpoint):
    """A checkpoint completes only after a task has reported that it is finished."""

    @rule
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1: a checkpoint that all have acknowledged completes."""
        require(exists(self.tasks, lambda task: task.reported_finished))
        super().complete(checkpoint)


VARIANTS = {"same": Same, "later": Later}
'''


def waited(cache: Path, *words: str) -> float:
    """The wall time of a command, in seconds."""
    environment = {**os.environ, "FINALE_CACHE": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each run compiles modules
    began = time.perf_counter()
    command = [str(FINALE), "check", *words]
    done = subprocess.run(command, check=False, capture_output=True, cwd=ROOT, env=environment)
    if done.returncode not in ANSWERED:
        raise RuntimeError(done.stderr.decode())
    return time.perf_counter() - began


def rows(rounds: int, *, whole: bool) -> Iterator[tuple[str, float, float | None]]:
    """What was asked, with the seconds it takes with an empty cache, and with a full one."""
    for name in SPECS:
        spec = f"specs/{name}.toml"
        yield name, *_medians(rounds, spec)
    for name in VARIED:
        yield f"{name}, one rule overridden", _after_a_change(rounds, name, "same"), None
        yield f"{name}, one rule changed", _after_a_change(rounds, name, "later"), None
    if whole:
        yield "specs/ (all that are not slow)", *_medians(1, "specs")


@contextmanager
def empty_cache() -> Generator[Path]:
    """A cache with the compiled loops of the native search, which are compiled once a version."""
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name) / "cache"
        shutil.copytree(_loops(), cache)
        yield cache


@cache
def _loops() -> Path:
    folder = Path(tempfile.mkdtemp())
    waited(folder, f"specs/{SPECS[0]}.toml", "--backend", "native")
    for file in folder.glob("finale.sqlite*"):
        file.unlink()
    atexit.register(shutil.rmtree, folder)
    return folder


def _medians(rounds: int, *words: str) -> tuple[float, float]:
    cold, warm = list[float](), list[float]()
    for _ in range(rounds):
        with empty_cache() as cache:
            cold.append(waited(cache, *words))
            warm.append(waited(cache, *words))
    return statistics.median(cold), statistics.median(warm)


def _after_a_change(rounds: int, name: str, variant: str) -> float:
    spec = ROOT / "specs" / f"{name}.toml"
    times = list[float]()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder, empty_cache() as cache:
            own = Path(folder) / "protocols"
            own.mkdir()
            (own / "variants.py").write_text(VARIANTS)
            varied = Path(folder) / "varied.toml"
            text = spec.read_text()
            start = text.index("protocol")
            end = text.index("\n", start) + 1
            varied.write_text(f'{text[:end]}variant = "{variant}"\n{text[end:]}')
            waited(cache, str(spec))
            times.append(waited(cache, str(varied), "--protocols", str(own)))
    return statistics.median(times)


def measured(rounds: int, *, whole: bool = False) -> Table:
    """The table of commands."""
    page = Table(title="finale check, wall time of the whole command in seconds")
    page.add_column("spec")
    page.add_column("empty cache", justify="right")
    page.add_column("full cache", justify="right")
    for name, cold, warm in rows(rounds, whole=whole):
        page.add_row(name, f"{cold:.2f}", "" if warm is None else f"{warm:.2f}")
    return page


__all__ = ["measured"]
