"""Lists the next smaller settings of a spec: less of the job, fewer faults, options by default.

A spec's table is first written out (`plain_table`): the job vertex by vertex, a release as options,
the sizes as numbers, and each bound that is not the least one. Each step then takes something away
or makes a number smaller, so no sequence of steps goes on forever.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields
from typing import Any

from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import varied, without
from finale.checker.spec.typed import in_toml, is_list, is_table, limits_of
from finale.checker.spec.writing import job_table
from finale.model.language.protocol import Protocol

Table = Mapping[str, object]
_Job = dict[str, dict[str, object]]
#: What a vertex has beside its inputs, each with what is usual; the usual is left out.
_USUAL = ("kind", "sink", "bounded", "union_state")
_USUAL_OF_EDGES = ("pattern", "broadcast", "overtakes", "again")


@dataclass(frozen=True)
class Step:
    """A smaller setting: what is taken away, of which part, and the whole table without it.

    `part` is "job", "options", "bounds", "sizes" or "observe". `is_whole` says that the thing is
    gone, and not merely smaller.
    """

    part: str
    name: str
    what: str
    table: Table
    is_whole: bool = True


def plain_table(spec: Spec) -> Table:
    """Return what a spec says about its setting, written out; nothing is expected."""
    assert spec.table is not None
    table = dict(without(spec.table, ("search", "expect", "release", "slow")))
    kind = spec.protocol.Bounds
    large = {name: spec.setting.bounds[name] for name in _large(kind)}
    bounds = _unusual(kind, spec.setting.bounds) | large
    options = _unusual(spec.protocol.Options, spec.setting.options)
    tables: dict[str, object] = {"options": options, "bounds": bounds}
    tables["sizes"] = dict(spec.setting.sizes)
    if spec.setting.job is not None:
        tables["job"] = job_table(spec.setting.job)
    tables["observe"] = dict.fromkeys(sorted(spec.setting.observe), True)
    return {**without(table, tables), **{name: each for name, each in tables.items() if each}}


def _unusual(kind: type, given: Mapping[str, object]) -> dict[str, object]:
    defaults = {each.name: each.default for each in fields(kind)}
    return {
        name: value.value if isinstance(value, enum.Enum) else value
        for name, value in given.items()
        if name not in defaults or value != defaults[name]
    }


def _large(kind: type) -> Iterator[str]:
    """The numbers whose defaults are not the least: a table without them could still be smaller."""
    for each in fields(kind):
        if isinstance(each.default, int) and each.default > _least(kind, each):
            yield each.name


def _least(kind: type, declared: Field[Any]) -> int:
    """The least number that means something: 0 only where it is the default."""
    return max(limits_of(kind, declared)[0], 0 if declared.default == 0 else 1)


def steps(table: Table, protocol: type[Protocol]) -> Iterator[Step]:
    """Yield the smaller settings of a written-out table, those that take most away first."""
    yield from _options(table, protocol.Options)
    yield from _numbers(table, "bounds", protocol.Bounds)
    yield from _vertices(table)
    yield from _subtasks_and_records(table)
    yield from _kinds(table)
    yield from _numbers(table, "sizes", protocol.Sizes)
    for name in _of(table, "observe"):
        left = _gone(table, "observe", name)
        yield Step("observe", name, f"the history {name}", left)


def _of(table: Table, name: str) -> Mapping[str, object]:
    value = table.get(name, {})
    assert is_table(value)
    return value


def _gone(table: Table, part: str, name: str) -> Table:
    return {**table, part: without(_of(table, part), (name,))}


def _options(table: Table, kind: type) -> Iterator[Step]:
    """Each option by default; a number above its default comes down to it one by one, too."""
    defaults = {each.name: each.default for each in fields(kind)}
    for name, value in _of(table, "options").items():
        what = f"{name} = {in_toml(value)}"
        yield Step("options", name, what, _gone(table, "options", name))
        default = defaults.get(name)
        if isinstance(value, int) and isinstance(default, int) and default < value - 1:
            changed = varied(table, [(f"options.{name}", value - 1)])
            yield Step("options", name, f"{what}, with {value - 1}", changed, is_whole=False)


def _numbers(table: Table, part: str, kind: type) -> Iterator[Step]:
    """Smaller numbers: the least one, then one less. A default that is smaller comes first.

    A bound by default is left out if no number is smaller. Sizes are always written.
    """
    declared = {each.name: each for each in fields(kind)}
    for name, value in _of(table, part).items():
        own = declared.get(name)
        if own is None or not isinstance(value, int):
            continue
        what = f"{name} = {value}"
        default = own.default if isinstance(own.default, int) else None
        least = _least(kind, own)
        if default is not None and default < value:
            if part == "sizes" or default > least:
                changed = varied(table, [(f"{part}.{name}", default)])
                yield Step(part, name, f"{what}, with {default}", changed, is_whole=False)
            else:
                yield Step(part, name, what, _gone(table, part, name), is_whole=default == 0)
        for number in dict.fromkeys((least, value - 1)):
            if least <= number < value and number != default:
                changed = varied(table, [(f"{part}.{name}", number)])
                yield Step(part, name, f"{what}, with {number}", changed, is_whole=False)


# --- the job -------------------------------------------------------------------------------------


def _job(table: Table) -> _Job:
    return {name: dict(_of(_of(table, "job"), name)) for name in _of(table, "job")}


def _with(table: Table, job: Mapping[str, object]) -> Table:
    return {**table, "job": job}


def _vertices(table: Table) -> Iterator[Step]:
    """The job without a vertex: whoever read the vertex reads what the vertex has read."""
    for gone in _job(table):
        what = f"the vertex {gone}"
        for keeps_sink in (False, True):
            job = _job(table)
            before = job.pop(gone)
            inputs = _inputs(before)
            for each in job.values():
                _take_over(each, gone, inputs)
            if keeps_sink:
                if "sink" not in before or not inputs:
                    continue
                for name in map(_name_of, inputs):
                    job[name].setdefault("sink", before["sink"])
            if job and not any(each.get("from") == [] for each in job.values()):
                yield Step("job", gone, what, _with(table, job))


def _inputs(vertex: Mapping[str, object]) -> list[object]:
    given = vertex.get("from", [])
    assert is_list(given)
    return list(given)


def _name_of(edge: object) -> str:
    return str(edge["vertex"]) if is_table(edge) else str(edge)


def _take_over(vertex: dict[str, object], gone: str, inputs: list[object]) -> None:
    if "from" not in vertex:
        return
    kept = [each for each in _inputs(vertex) if _name_of(each) != gone]
    if len(kept) == len(_inputs(vertex)):
        return
    known = set(map(_name_of, kept))
    vertex["from"] = kept + [each for each in inputs if _name_of(each) not in known]


def _subtasks_and_records(table: Table) -> Iterator[Step]:
    for name, vertex in _job(table).items():
        count = vertex.get("parallelism", 1)
        assert isinstance(count, int)
        for fewer in dict.fromkeys((1, count - 1)):
            if 0 < fewer < count:
                own = {**vertex, "parallelism": fewer}
                for key in ("records", "bounded"):
                    value = own.get(key)
                    if isinstance(value, list):
                        own[key] = value[:fewer]
                what = f"parallelism = {count} of {name}"
                yield Step("job", name, what, _put(table, name, own), is_whole=fewer == 1)
        yield from _records(table, name, vertex)


def _records(table: Table, name: str, vertex: dict[str, object]) -> Iterator[Step]:
    for key in ("records", "chained"):
        value = vertex.get(key, 0)
        each = [n for n in (value if is_list(value) else [value]) if isinstance(n, int)]
        for place, number in enumerate(each):
            for fewer in dict.fromkeys((0, number - 1)):
                if 0 <= fewer < number:
                    less = [*each[:place], fewer, *each[place + 1 :]]
                    own = {**vertex, key: less[0] if isinstance(value, int) else less}
                    what = f"the records of {name}" if key == "records" else f"records in {name}"
                    yield Step("job", name, what, _put(table, name, own), is_whole=fewer == 0)


def _kinds(table: Table) -> Iterator[Step]:
    for name, vertex in _job(table).items():
        for key in _USUAL:
            if key in vertex:
                what = f"{key} = {in_toml(vertex[key])} of {name}"
                yield Step("job", name, what, _put(table, name, without(vertex, (key,))))
        inputs = _inputs(vertex)
        for place, edge in enumerate(inputs):
            for key in _USUAL_OF_EDGES:
                if is_table(edge) and key in edge:
                    plain = [*inputs[:place], without(edge, (key,)), *inputs[place + 1 :]]
                    what = f"{key} of {_name_of(edge)}→{name}"
                    yield Step("job", name, what, _put(table, name, {**vertex, "from": plain}))
            if len(inputs) > 1:
                fewer = [*inputs[:place], *inputs[place + 1 :]]
                what = f"the edge {_name_of(edge)}→{name}"
                yield Step("job", name, what, _put(table, name, {**vertex, "from": fewer}))


def _put(table: Table, name: str, vertex: Mapping[str, object]) -> Table:
    return _with(table, {**_of(table, "job"), name: vertex})


__all__ = ["Step", "Table", "plain_table", "steps"]
