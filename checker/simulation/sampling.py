"""Many random runs, and what happened on them.

Each enabled step is taken with the same probability, and so is each initial state. Run number n of
a sample has the seed of the sample plus n - 1, so that any run of it can be repeated alone. Only
`Random.random` is used: Python promises that a seed gives the same numbers in every version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import TypeVar

from finale.checker.search.verdict import Verdict
from finale.model.system import System
from finale.model.trace import Trace

from .judging import Findings, Judge
from .runs import End, Run

T = TypeVar("T")


@dataclass(frozen=True)
class SampledRun:
    """A random run: its seed, how it ended, and what is true on it."""

    seed: int
    trace: Trace
    end: End
    findings: Findings


def sampled(
    system: System, seed: int, runs: int, steps_max: int, look: Callable[[], None] = lambda: None
) -> Iterator[SampledRun]:
    """Return random runs, one for each seed from `seed` on, of at most `steps_max` steps.

    `look` is called before each step: what it raises ends the work.
    """
    judge = Judge(system)
    for each in range(seed, seed + runs):
        trace, end = random_run(system, each, steps_max, look)
        yield SampledRun(each, trace, end, judge.of(trace, end))


def random_run(
    system: System, seed: int, steps_max: int, look: Callable[[], None] = lambda: None
) -> tuple[Trace, End]:
    """Return the random run of a seed, and how it ended; `look` as for `sampled`."""
    chance = Random(seed)
    run = Run(system, one_of(system.initial, chance))
    for _ in range(steps_max):
        look()
        enabled = run.enabled
        end = run.end(enabled)
        if end is not None:
            return run.trace, end
        run.take(one_of(enabled, chance))
    return run.trace, run.end(run.enabled) or End.LIMIT


def one_of(choices: Sequence[T], chance: Random) -> T:
    """Return one of some choices, each with the same probability."""
    return choices[int(chance.random() * len(choices))]


@dataclass
class Sample:
    """What happened on random runs, counted run by run."""

    system: System
    lengths: list[int] = field(default_factory=list[int])
    taken: Counter[str] = field(default_factory=Counter[str])
    """How often each rule was taken."""
    on_runs: Counter[str] = field(default_factory=Counter[str])
    """On how many runs each rule was taken."""
    ends: Counter[End] = field(default_factory=Counter[End])
    violated: Counter[str] = field(default_factory=Counter[str])
    reached: Counter[str] = field(default_factory=Counter[str])
    tested: Counter[str] = field(default_factory=Counter[str])
    shortest: dict[str, tuple[int, Verdict]] = field(default_factory=dict[str, tuple[int, Verdict]])
    """For each violated property the run that shows it after the fewest steps, by its seed."""

    def add(self, run: SampledRun) -> None:
        """Count a run."""
        names = [self.system.rules[index].rule.name for index in run.trace.rules]
        self.lengths.append(len(names))
        self.taken.update(names)
        self.on_runs.update(set(names))
        self.ends[run.end] += 1
        self.violated.update(run.findings.violated.keys())
        self.reached.update(run.findings.reached.keys())
        self.tested.update(run.findings.tested)
        for name, verdict in run.findings.violated.items():
            known = self.shortest.get(name)
            if known is None or (verdict.steps or 0) < (known[1].steps or 0):
                self.shortest[name] = run.seed, verdict

    @property
    def median_length(self) -> float:
        """The median number of steps of a run."""
        return median(self.lengths)

    @property
    def never_taken(self) -> list[str]:
        """The rules that no run took, in the order of the protocol."""
        names = dict.fromkeys(ground.rule.name for ground in self.system.rules)
        return [name for name in names if name not in self.taken]
