"""Repeats verdicts with each bound one larger: a verdict that changes depended on the bound.

A verdict holds within the bounds of a spec. A bound that is too small can hide a counterexample:
elements that do not fit into a channel keep the step that emits them from being enabled. This
module makes one bound of a spec larger by one, asks the same properties again, and compares.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from finale.checker.search.backends import Backend
from finale.checker.search.limits import Limits, ProgressListener
from finale.checker.search.rows import SEARCH, ResultRow
from finale.checker.search.run import run
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
from finale.checker.spec.claim import Resumption, Spec
from finale.model.errors import FinaleError
from finale.model.language.protocol import Setting
from finale.model.topology import Job, Vertex

RECORDS = "records"
#: What can be made larger: the records of a job's sources, and bounds of that name.
BOUNDS = ("channel", RECORDS, "checkpoints")
#: The bound that stands for another if it is above zero.
_INSTEAD = {"checkpoints": "live_checkpoints"}


@dataclass(frozen=True)
class Larger:
    """A spec with one bound that is larger by one. `before` is what the bound was."""

    bound: str
    before: str
    after: str
    spec: Spec


@dataclass(frozen=True)
class Repeated:
    """The outcome with one larger bound: the properties whose verdict changed, by their rows.

    `undecided` are the properties that a limit left without a verdict, and `stopped` is that limit.
    `refused` is the code of the error if the protocol cannot have the larger bound.
    """

    larger: Larger
    changed: tuple[ResultRow, ...] = ()
    undecided: tuple[str, ...] = ()
    states: int = 0
    stopped: str = ""
    refused: str = ""


def holding(spec: Spec) -> frozenset[str]:
    """The properties that a spec expects to hold, with the two that are always expected."""
    expected = {name: each.verdict for name, each in spec.expectations.items()}
    expected = {WELL_FORMED: Word.HOLDS, NO_DEADLOCK: Word.HOLDS} | expected
    return frozenset(name for name, word in expected.items() if word == Word.HOLDS)


def larger(spec: Spec, bounds: Collection[str] = BOUNDS) -> Iterator[Larger]:
    """The spec with each of these bounds one larger, if its protocol has that bound.

    If a spec bounds live checkpoints, these take the place of its checkpoints. The spec of a job
    that a resumed one starts from gets the larger bound, too: what it leaves behind may differ.
    """
    for bound in bounds:
        name = _name_of(spec, bound)
        if name is not None:
            made = _resized(spec, bound)
            yield Larger(name, _value(spec, name), _value(made, name), made)


def _used(spec: Spec) -> Mapping[str, int]:
    """The bounds that mean something to a protocol, as it uses them."""
    instance = spec.instance()
    return {name: int(getattr(instance.bounds, name)) for name in spec.protocol.bound_names()}


def _name_of(spec: Spec, bound: str) -> str | None:
    """The name of a bound in a spec; None if nothing there is bounded by it."""
    used = _used(spec)
    if used.get(_INSTEAD.get(bound, bound)):
        return _INSTEAD.get(bound, bound)
    has_records = bound == RECORDS and spec.setting.job is not None
    return bound if bound in used or has_records else None


def _value(spec: Spec, name: str) -> str:
    job = spec.setting.job
    used: Mapping[str, int] = {} if name == RECORDS and job is not None else _used(spec)
    return str(used[name]) if name in used else _records(job.vertices if job else ())


def _resized(spec: Spec, bound: str) -> Spec:
    name = _name_of(spec, bound)
    if spec.resumption is not None:
        resumption = Resumption(_resized(spec.resumption.first, bound))
        setting = replace(spec.setting, former=resumption.former())
        spec = replace(spec, setting=setting, resumption=resumption)
    if name is None:
        return spec
    setting, job = spec.setting, spec.setting.job
    if name == RECORDS and job is not None:
        made = replace(setting, job=_with_records(job))
    else:
        made = replace(setting, bounds={**setting.bounds, name: _used(spec)[name] + 1})
    return replace(spec, setting=_with_room(spec, made))


def _with_records(job: Job) -> Job:
    """A job with one record more at each subtask of a source, and at each chained source."""
    vertices = (
        replace(
            vertex,
            records=tuple(count + 1 for count in vertex.records),
            chained=tuple(count + 1 for count in vertex.chained),
        )
        for vertex in job.vertices
    )
    return Job(tuple(vertices), job.edges)


def _with_room(spec: Spec, setting: Setting) -> Setting:
    """A setting whose channels hold what one step emits: more records or ids can need more room."""
    try:
        spec.protocol(setting)
    except FinaleError as error:
        if error.code != "channel-too-small":
            raise
        return replace(setting, bounds={**setting.bounds, "channel": 0})
    return setting


def _records(vertices: tuple[Vertex, ...]) -> str:
    counts = [count for each in vertices for count in (*each.records, *each.chained)]
    return "+".join(str(count) for count in counts)


def repeat(
    larger: Larger,
    verdicts: Mapping[str, str],
    limits: Limits | None = None,
    progress: ProgressListener | None = None,
    backend: Backend = "auto",
) -> Repeated:
    """Ask again for verdicts, by property, with a larger bound."""
    spec = replace(larger.spec, counts=None, expectations={})
    try:
        result = run(spec, limits, progress, verdicts.keys(), backend)
    except FinaleError as error:
        return Repeated(larger, refused=error.code)
    rows = [row for row in result.rows if row.property != SEARCH]
    open_ones = [row for row in rows if result.report.stopped and row.word == "unknown"]
    changed = [r for r in rows if r not in open_ones and r.word != verdicts[r.property]]
    return Repeated(
        larger,
        tuple(changed),
        tuple(row.property for row in open_ones),
        result.report.statistics.states,
        result.report.stopped,
    )


__all__ = ["BOUNDS", "Larger", "Repeated", "holding", "larger", "repeat"]
