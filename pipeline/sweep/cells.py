"""Makes the cells of a matrix: each is a spec, with a key that changes if its result may change."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from os import urandom
from pathlib import Path

from finale import model
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import EXPECTED, Point, points, text_of, varied, without
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.reading import spec_of
from finale.checker.spec.typed import is_table
from finale.model.errors import FinaleError, Place

from .matrix import Matrix
from .sources import digest_of

#: What a cell does not take over from its spec.
_NOT_VARIED = ("title", "cites", *EXPECTED)
_TITLE = "a cell of a sweep"


@dataclass(frozen=True)
class SweepCell:
    """A setting, by axis; the table of its spec; its key; and a guess how much work it is."""

    setting: tuple[tuple[str, str], ...]
    table: Mapping[str, object]
    key: str
    weight: float

    @property
    def name(self) -> str:
        """The setting in one line."""
        return text_of(self.setting)


@dataclass(frozen=True)
class SweepPlan:
    """All cells of a matrix, in its order, and what they have in common."""

    matrix: Matrix
    cells: tuple[SweepCell, ...]
    #: The spec, and those that cells are resumed from: what a worker reads beside their tables.
    files: tuple[Path, ...]

    @property
    def root(self) -> Path:
        """The folder that has all of these files in it, or below it."""
        return Path(os.path.commonpath([file.parent for file in self.files]))

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders to ship to other machines; none if the table of a cell is enough."""
        return (self.root,) if len(self.files) > 1 else ()


def planned(matrix: Matrix, catalogue: Catalogue, version: str) -> SweepPlan:
    """The cells of a matrix, each a valid spec. Raises `bad-cell`, `no-cells`."""
    table, lines = toml_in(matrix.base)
    spec_of(matrix.base, table, lines, catalogue)
    base = {**without(table, _NOT_VARIED), "title": _TITLE}
    tool = _tool(version)
    code = catalogue.code
    # Of code that reads what no key holds, no result is taken over from another sweep.
    users = "" if code is None else (code.key() or urandom(16)).hex()
    cells: list[SweepCell] = []
    files = {matrix.base.resolve(): None}
    for point in points(matrix.axes):
        if matrix.excludes(point):
            continue
        cell = varied(base, matrix.values_of(point))
        try:
            spec = spec_of(matrix.base, cell, lines, catalogue)
        except FinaleError as error:
            raise _bad_cell(matrix, point, error) from None
        former = list(_former(spec))
        files |= dict.fromkeys(former)
        key = _key(cell, matrix.properties, spec, former, tool, users)
        cells.append(SweepCell(point.words, cell, key, _weight(cell)))
    if not cells:
        raise FinaleError(
            "no-cells",
            "every cell of the matrix is excluded",
            place=Place(str(matrix.file), matrix.lines.of_dotted("exclude"), "exclude"),
            advice="leave out an [[exclude]], or name more axes in it",
        )
    return SweepPlan(matrix, tuple(cells), tuple(files))


def spec_in(cell: Mapping[str, object], file: Path, catalogue: Catalogue) -> Spec:
    """The spec of a cell, on whatever machine."""
    return spec_of(file, cell, KeyLines(""), catalogue)


def _bad_cell(matrix: Matrix, point: Point, error: FinaleError) -> FinaleError:
    """The cell, what is wrong with its spec, and the axis at which that is, where it is at one."""
    key = error.place.key if error.place and error.place.key else ""
    keys = (axis.key for axis in point.axes)
    axis = next((axis for axis in keys if key == axis or axis.startswith(f"{key}.")), "")
    place = f"axes.{axis}" if axis else "axes"
    return FinaleError(
        "bad-cell",
        f"the spec is invalid with {point}: {error.message}",
        place=Place(str(matrix.file), matrix.lines.of_dotted(place), place),
        advice=f"correct the axis, or leave such cells out with [[exclude]]; {error.advice}",
    )


# --- keys ----------------------------------------------------------------------------------------


def _key(
    table: Mapping[str, object],
    properties: Sequence[str],
    spec: Spec,
    former: Sequence[Path],
    tool: str,
    users: str,
) -> str:
    """Changes with the resolved spec, the source of its protocol and properties, and the tool.

    `users` is the digest of all code of the user's folder.
    """
    families = [f for f in spec.families if not properties or f.name in properties]
    witnesses = {f.witness for f in families}
    families += [f for f in spec.families if f.name in witnesses]
    classes = [each for each in spec.protocol.__mro__ if each is not object]
    modules = {each.__module__ for each in classes}
    modules |= {each.mark.function.__module__ for each in families}
    told = {
        "spec": table,
        "resumed": [file.read_text(encoding="utf-8") for file in former],
        "properties": sorted(properties),
        "source": digest_of(modules, [model.__name__]),
        "users": users,
        "tool": tool,
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _former(spec: Spec) -> Iterator[Path]:
    """The specs that it is resumed from, one before the other."""
    while spec.resumption is not None:
        spec = spec.resumption.first
        yield spec.file.resolve()


def _tool(version: str) -> str:
    """The version, and what searches: a result of other code is none of ours."""
    without = ("finale.model.protocols", "finale.model.properties", "finale.checker.report")
    within = ("finale.checker", "finale.model")
    return f"{version} {digest_of(['finale.checker.search.run'], within, without)}"


def _weight(table: Mapping[str, object]) -> float:
    """A guess, for want of anything better: all that is counted in bounds and jobs, multiplied."""
    counted = (table.get(key) for key in ("bounds", "sizes", "job"))
    return prod(1.0 + number for each in counted for number in _numbers(each))


def _numbers(value: object) -> Iterator[int]:
    if is_table(value):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield max(value, 0)
    elif isinstance(value, list | tuple | str):
        yield 1
