"""Reads a matrix: a spec, and the axes along which it is varied.

base       = "specs/final-checkpoint/pair.toml"    beside the matrix
properties = ["commit-completeness"]               all that the spec asks, if left out

[axes]                                             keys of the spec, with their values
variant = ["none", "waits-for-lost-ack"]           "none" takes the key away
options.finish_race = ["abort", "retrigger"]
job = ["pair", "chain"]                            names of [jobs.…]
bounds.checkpoints = [1, 2]

[jobs.pair]
shape = "pair"

[[exclude]]                                        combinations that are left out
job = "chain"
bounds.checkpoints = 2

[limits]                                           of each cell
seconds = 60
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import EXPECTED, Axis, Point, size_of, word_of
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.reading import check_property_name
from finale.checker.spec.typed import is_list, is_table
from finale.model.errors import FinaleError, Place, nearest

KEYS = ("title", "base", "properties", "axes", "jobs", "exclude", "limits")
LIMIT_KEYS = ("states", "seconds", "megabytes")
#: What a spec says of itself, or expects: not to be varied.
FIXED = ("title", "cites", "slow", "protocol", *EXPECTED)
#: The maximal number of cells.
CELLS_MAX = 100_000


@dataclass(frozen=True)
class Matrix:
    """A valid matrix. `excluded` are settings left out: of each axis named, some of its words."""

    file: Path
    title: str
    base: Path
    properties: tuple[str, ...]
    axes: tuple[Axis, ...]
    jobs: Mapping[str, Mapping[str, object]]
    excluded: tuple[Mapping[str, frozenset[str]], ...]
    limits: Limits
    lines: KeyLines

    def excludes(self, point: Point) -> bool:
        """Whether the matrix leaves a point out."""
        words = dict(point.words)
        return any(all(words[key] in some for key, some in each.items()) for each in self.excluded)

    def values_of(self, point: Point) -> Iterator[tuple[str, object]]:
        """The values of a point, with jobs in place of their names."""
        for key, value in point.values:
            yield key, self.jobs[str(value)] if key == "job" else value

    def axis(self, key: str) -> Axis:
        """The axis of that key. Raises `unknown-axis`."""
        for axis in self.axes:
            if axis.key == key:
                return axis
        known = [axis.key for axis in self.axes]
        message = f'the matrix has no axis "{key}"'
        raise FinaleError("unknown-axis", message, advice=nearest(key, known))


def read_matrix(file: Path, catalogue: Catalogue) -> Matrix:
    """The matrix in a file. Raises coded errors with file, line and key."""
    table, lines = toml_in(file)
    return _Reader(file, table, lines).matrix(catalogue)


class _Reader:
    """Takes the table of one file apart."""

    def __init__(self, file: Path, table: Mapping[str, object], lines: KeyLines) -> None:
        self.file, self.table, self.lines = file, table, lines

    def error(self, code: str, message: str, advice: str, key: str = "") -> FinaleError:
        place = Place(str(self.file), self.lines.of_dotted(key), key or None)
        return FinaleError(code, message, place=place, advice=advice)

    def bad(self, key: str, value: object, advice: str) -> FinaleError:
        return self.error("bad-value", f'"{key}" cannot be {value!r}', advice, key)

    def matrix(self, catalogue: Catalogue) -> Matrix:
        if "protocol" in self.table:
            raise self.error(
                "spec-for-matrix",
                "this is a spec, and a sweep takes a matrix",
                f'write a matrix with base = "{self.file.name}" and [axes], or check the spec: '
                f"finale check {shlex.quote(str(self.file))}",
                "protocol",
            )
        for name in self.table:
            if name not in KEYS:
                message = f'"{name}" means nothing in a matrix'
                raise self.error("unknown-key", message, nearest(name, KEYS), name)
        jobs = self._jobs()
        axes = self._axes(jobs)
        return Matrix(
            self.file,
            self._title(),
            self._base(),
            self._properties(catalogue),
            axes,
            jobs,
            tuple(self._excluded(axes)),
            self._limits(),
            self.lines,
        )

    def _title(self) -> str:
        title = self.table.get("title", "")
        if not isinstance(title, str):
            raise self.bad("title", title, 'write title = "…"')
        return title

    def _base(self) -> Path:
        base = self.table.get("base")
        if not isinstance(base, str) or not base:
            code = "missing-key" if base is None else "bad-value"
            message = "the matrix does not say which spec it varies"
            raise self.error(code, message, 'write base = "a-spec.toml" at the top', "base")
        file = self.file.parent / base
        if not file.is_file():
            message = f'there is no spec "{base}" beside the matrix'
            raise self.error("no-such-path", message, "the path begins at its folder", "base")
        return file

    def _properties(self, catalogue: Catalogue) -> tuple[str, ...]:
        given = self.table.get("properties", [])
        names = [each for each in given if isinstance(each, str)] if is_list(given) else []
        if not is_list(given) or len(names) != len(given) or len(set(names)) != len(names):
            advice = 'write a list of names: properties = ["commit-completeness"]'
            raise self.bad("properties", given, advice)
        for name in names:
            try:
                check_property_name(name, catalogue)
            except FinaleError as error:
                raise self.error(error.code, error.message, error.advice, "properties") from None
        return tuple(names)

    def _table(self, key: str) -> Mapping[str, object]:
        value = self.table.get(key, {})
        if not is_table(value):
            raise self.bad(key, value, f"write a table: [{key}]")
        return value

    def _jobs(self) -> Mapping[str, Mapping[str, object]]:
        found: dict[str, Mapping[str, object]] = {}
        for name, job in self._table("jobs").items():
            if not is_table(job):
                raise self.bad(f"jobs.{name}", job, f"write a table: [jobs.{name}]")
            found[name] = job
        return found

    # --- axes ------------------------------------------------------------------------------------

    def _axes(self, jobs: Mapping[str, object]) -> tuple[Axis, ...]:
        axes = tuple(self._axis(*pair, jobs) for pair in _flat(self._table("axes"), ()))
        if not axes:
            advice = "write [axes], and in it keys of the spec: options.NAME = [one, other]"
            raise self.error("missing-key", "the matrix has no axes", advice, "axes")
        if size_of(axes) > CELLS_MAX:
            message = f"these are {size_of(axes)} cells, more than the {CELLS_MAX} of a sweep"
            raise self.error("too-many-cells", message, "sweep in parts", "axes")
        return axes

    def _axis(self, key: str, given: object, jobs: Mapping[str, object]) -> Axis:
        place = f"axes.{key}"
        if key.split(".", maxsplit=1)[0] in FIXED:
            message = f'"{key}" is not to be varied'
            advice = "vary variant, release, options, job, sizes, bounds or observe"
            raise self.error("bad-axis", message, advice, place)
        values = list(given) if is_list(given) else []
        simple = all(isinstance(value, str | bool | int) for value in values)
        if not values or not simple or len({word_of(value) for value in values}) != len(values):
            message = f'the axis "{key}" needs a list of different values'
            advice = "write words, numbers, true or false: [1, 2]"
            raise self.error("bad-axis", message, advice, place)
        for value in values:
            if key == "job" and value not in jobs:
                message = f'there is no job "{value}"'
                advice = nearest(str(value), jobs, "A job is a table [jobs.NAME]")
                raise self.error("unknown-job", message, advice, place)
        return Axis(key, tuple(values))

    def _excluded(self, axes: tuple[Axis, ...]) -> Iterator[Mapping[str, frozenset[str]]]:
        given = self.table.get("exclude", [])
        rows = [row for row in given if is_table(row)] if is_list(given) else []
        if not is_list(given) or len(rows) != len(given) or not all(rows):
            raise self.bad("exclude", given, "write tables with axes in them: [[exclude]]")
        known = {axis.key: axis.words for axis in axes}
        for row in rows:
            found: dict[str, frozenset[str]] = {}
            for key, value in _flat(row, ()):
                if key not in known:
                    message = f'"{key}" is no axis'
                    advice = nearest(key, known)
                    raise self.error("unknown-axis", message, advice, f"exclude.{key}")
                words = [word_of(each) for each in (value if is_list(value) else [value])]
                for word in words:
                    if word not in known[key]:
                        message = f'the axis "{key}" has no value {word}'
                        advice = nearest(word, known[key])
                        raise self.error("bad-value", message, advice, f"exclude.{key}")
                found[key] = frozenset(words)
            yield found

    def _limits(self) -> Limits:
        table = self._table("limits")
        for key, value in table.items():
            if key not in LIMIT_KEYS:
                message = f'"{key}" is no limit'
                raise self.error("unknown-key", message, nearest(key, LIMIT_KEYS), f"limits.{key}")
            kinds = int | float if key == "seconds" else int
            if isinstance(value, bool) or not isinstance(value, kinds) or not value > 0:
                raise self.bad(f"limits.{key}", value, "write a number above zero")
        states, seconds, megabytes = (_number(table.get(key)) for key in LIMIT_KEYS)
        return Limits(
            None if states is None else int(states),
            seconds,
            None if megabytes is None else int(megabytes) * 2**20,
        )


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) else None


def _flat(table: Mapping[str, object], path: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    """Return the entries of a table and of its subtables, by dotted keys."""
    for key, value in table.items():
        if is_table(value):
            yield from _flat(value, (*path, key))
        else:
            yield ".".join((*path, key)), value
