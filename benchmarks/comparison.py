"""All engines on all models, round by round, and the table of medians."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table

from .measuring import Engine, Failed, Sample, checked
from .models import Model

HEADINGS = ("states/s", "transitions/s", "bytes a state", "search s", "compile s", "start s")
CAPTION = (
    "finale: from the spec; tables grow, every write is checked against its domain. SPIN: gcc -O2 "
    "-DSAFETY -DNOREDUCE, pan -m10000000 -w24. Properties: well-formed, no-deadlock and all safety "
    "properties of the spec in every state. Bytes: ours the most at any time, growth and "
    "all else of the process since building included; SPIN's at the end, its table of 2^24 "
    "slots included, its stack not. Search: without start and compiling."
)
#: A search that takes less has no rate: the clock of a process is not finer.
SECONDS_MIN = 0.02

Key = tuple[str, str]
"""A model and an engine, by name."""


@dataclass
class Comparison:
    """What was measured, and what failed. `ok` only where all that was asked was measured.

    `rounds` are those that came to their end: fewer than asked for if `interrupted`.
    """

    rounds: int = 0
    interrupted: bool = False
    samples: dict[Key, list[Sample]] = field(default_factory=dict[Key, list[Sample]])
    failures: dict[Key, str] = field(default_factory=dict[Key, str])

    @property
    def ok(self) -> bool:
        """Whether something was measured and nothing failed."""
        return bool(self.samples) and not self.failures and not self.interrupted


def compare(
    engines: Sequence[Engine],
    models: Sequence[Model],
    rounds: int,
    progress: Callable[[str], None] = print,
) -> Comparison:
    """Each round runs every engine on every model: what disturbs one disturbs all.

    An engine that fails on a model, or counts anything else than is known, is not asked again.
    """
    found = Comparison()
    try:
        for number in range(1, rounds + 1):
            _measure(found, number, engines, models, progress)
            found.rounds = number
    except KeyboardInterrupt:
        found.interrupted = True
    return found


def _measure(
    found: Comparison,
    number: int,
    engines: Sequence[Engine],
    models: Sequence[Model],
    progress: Callable[[str], None],
) -> None:
    for model in models:
        for engine in engines:
            key = model.name, engine.name
            if key in found.failures or not engine.can(model):
                continue
            try:
                with tempfile.TemporaryDirectory() as folder:
                    sample = checked(engine.measure(model, Path(folder)), model)
            except Failed as failure:
                found.failures[key] = str(failure)
                found.samples.pop(key, None)
                progress(f"round {number}: {' · '.join(key)}: FAILED: {failure}")
                continue
            found.samples.setdefault(key, []).append(sample)
            progress(f"round {number}: {' · '.join(key)}: {sample.searching:.3f} CPU s")


def table(found: Comparison) -> Table:
    """Medians, each of its own column."""
    begun = ", and of one that was interrupted" if found.interrupted else ""
    shown = Table(
        title=f"per CPU second, medians of {found.rounds} rounds{begun}",
        caption=CAPTION,
        title_justify="left",
        caption_justify="left",
    )
    shown.add_column("model", no_wrap=True)
    shown.add_column("engine", no_wrap=True)
    for heading in HEADINGS:
        shown.add_column(heading, justify="right")
    before = ""
    for model, engine in sorted(found.samples, key=lambda key: key[0]):
        samples = found.samples[model, engine]
        searching = statistics.median(each.searching for each in samples)
        counts = samples[0].counts
        if before and before != model:
            shown.add_section()
        shown.add_row(
            "" if before == model else model,
            engine,
            _rate(counts.states, searching),
            _rate(counts.transitions, searching),
            f"{statistics.median(each.bytes for each in samples) / counts.states:,.0f}",
            f"{searching:.3f}",
            f"{statistics.median(each.compiling for each in samples):.2f}",
            f"{statistics.median(each.startup for each in samples):.2f}",
        )
        before = model
    return shown


def ratios(found: Comparison, ours: str, theirs: str) -> list[str]:
    """How many times as fast one engine is as another, model by model.

    Its search against the other's search, and against the other's whole run: what that spends on
    clearing the table it was told to have is start to one reader and search to another.
    """
    lines: list[str] = []
    for model, engine in sorted(found.samples):
        other = found.samples.get((model, theirs))
        if engine != ours or other is None:
            continue
        mine = statistics.median(each.searching for each in found.samples[model, ours])
        search = statistics.median(each.searching for each in other)
        whole = statistics.median(each.searching + each.startup for each in other)
        if min(mine, search) >= SECONDS_MIN:
            told = f"{search / mine:.1f} times its search, {whole / mine:.1f} times its whole run"
            lines.append(f"{model}: {ours} against {theirs}: {told}")
    return lines


def _rate(count: int, seconds: float) -> str:
    return f"{count / seconds:,.0f}" if seconds >= SECONDS_MIN else "too short"
