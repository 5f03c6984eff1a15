"""Tries what is proven: random runs of the protocol itself, in settings that no window has.

A window has few ids, in fixed places. A guard refuses rules of a user that read such a place. This
is a second means, which knows nothing of windows and guards: it runs the rules with more ids,
records and failures, and looks whether a proven property is violated. Finale's own rules are tried
so in its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from finale.checker.search.verdict import Verdict
from finale.checker.simulation.sampling import sampled
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol, Setting
from finale.model.system import System

#: How much larger a setting is: ids, records of each source, failures.
LARGER = ((2, 0, 0), (3, 1, 1), (5, 2, 0))
RUNS = 60
STEPS_MAX = 150


def refuse_refuted(
    kind: type[Protocol],
    setting: Setting,
    proven: Sequence[Family],
    look: Callable[[], None] = lambda: None,
) -> None:
    """Run a protocol at random, and look whether proven properties are violated.

    Raises `proof-refuted`, and what `look` raises.
    """
    for larger in _larger(setting, proven):
        system = build(kind(larger), proven, look)
        for run in sampled(system, 1, RUNS, STEPS_MAX, look):
            violated = run.findings.violated
            for family in proven:
                if family.name in violated:
                    raise _refuted(family, larger, violated[family.name], system)


def _refuted(family: Family, setting: Setting, verdict: Verdict, system: System) -> FinaleError:
    assert verdict.trace is not None
    taken = ", ".join(str(system.rules[number]) for number in verdict.trace.rules)
    assert setting.job is not None
    bounds = [f"{name} = {value}" for name, value in sorted(setting.bounds.items())]
    sources = [each for each in setting.job.vertices if each.is_source]
    records = [f"records of {each.name} = {list(each.records)}" for each in sources]
    return FinaleError(
        "proof-refuted",
        f"{family.name} was proven for runs of any length, and this run violates it: {taken} "
        f"({', '.join([*bounds, *records])})",
        advice="this is a defect of Finale, and no verdict is given: please send this message "
        "and the files of --protocols to the authors of Finale; finale check of a spec with these "
        "bounds and records finds the run",
    )


def _larger(setting: Setting, families: Collection[Family]) -> Iterator[Setting]:
    assert setting.job is not None
    needs = frozenset(each.needs for each in families if each.needs is not None)
    for ids, records, failures in LARGER:
        more = {"checkpoints": ids, "failures": failures}
        bounds = {k: v for k, v in setting.bounds.items() if k != "live_checkpoints"}
        vertices = tuple(
            replace(each, records=tuple(n + records for n in each.records))
            if each.is_source
            else each
            for each in setting.job.vertices
        )
        yield replace(
            setting,
            bounds=bounds | more,
            observe=needs,
            job=replace(setting.job, vertices=vertices),
        )
