"""Collects the methods of Flink that Finale names, and who names each of them.

Each name stands in one place: a rule id and an option in the table of its page, an assumption in
its mark, a hook in the file of its release. Nothing is listed here.
"""

from __future__ import annotations

import enum
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

from finale import model
from finale.checker.logs.read.line_patterns import LinePattern, table, tables
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.doc_tables import page_text, tables_in
from finale.checker.spec.typed import is_list, is_table
from finale.checker.studies.effects import Effect, effect_of
from finale.model.errors import FinaleError
from finale.model.language.decorators import ids_in
from finale.reference.flink.hooks import hooks_in
from finale.reference.flink.releases import HOOKS, Release, hooks_file

from .method_names import ALL, Method, Releases, methods_in

SPECS = Path(model.__file__).resolve().parent.parent / "specs"


class Kind(enum.Enum):
    """What names a method, in the order of lists."""

    RULE = "rule"
    ASSUMPTION = "assumption"
    OPTION = "option"
    HOOK = "hook"


@dataclass(frozen=True)
class Name:
    """A method that something of Finale names: `PL-4` names `TaskExecutor.triggerCheckpoint`.

    `cites` are the rule ids whose specs show what the method protects. `releases` have the method.
    """

    kind: Kind
    key: str
    owner: str
    method: str
    sentence: str
    cites: tuple[str, ...] = ()
    releases: Releases = ALL

    @property
    def of(self) -> Method:
        """The method, with the releases that have it."""
        return Method(self.owner, self.method, self.releases)

    @property
    def told(self) -> str:
        """The name for a reader."""
        return f"{self.kind.value} {self.key}"


@dataclass(frozen=True)
class Evidence:
    """A spec that shows a violation, and the worst effect of what it violates."""

    spec: str
    property: str
    effect: Effect


def names(known: Catalogue, versions: tuple[str, ...]) -> tuple[Name, ...]:
    """Return the names of rules, assumptions, options, and of the hooks of some versions."""
    found = (*_of_rules(), *_of_assumptions(known), *_of_options(), *_of_hooks(versions))
    return tuple(dict.fromkeys(found))


def line_patterns() -> Iterator[tuple[str, LinePattern]]:
    """Yield the patterns of log lines, each with the class that has the logger."""
    for key in tables():
        lines = table(key)
        for pattern in lines.patterns:
            package = lines.packages.get(pattern.logger, "")
            yield f"{package}.{pattern.logger}".lstrip(".").replace(".", "/"), pattern


def _of_rules() -> Iterator[Name]:
    for _, (header, *rows) in tables_in(page_text("rule-reference")):
        if "In Flink" in header:
            where, text = header.index("In Flink"), 1
            for row in rows:
                for each in methods_in(row[where]):
                    yield Name(
                        *(Kind.RULE, row[0], each.owner, each.name, row[text], (row[0],)),
                        each.releases,
                    )


def _of_options() -> Iterator[Name]:
    for _, (header, *rows) in tables_in(page_text("defaults")):
        if header[0] == "Option" and "Class and method" in header:
            where, rule = header.index("Class and method"), header.index("Rule")
            for row in rows:
                for each in methods_in(row[where]):
                    name = row[0].strip("`")
                    cites = (row[rule],) if row[rule] else ()
                    yield Name(
                        *(Kind.OPTION, name, each.owner, each.name, row[-1], cites),
                        each.releases,
                    )


def _of_assumptions(known: Catalogue) -> Iterator[Name]:
    for key in known.protocols:
        for each in known.protocol(key).assumptions().values():
            for one in methods_in(" ".join(f"`{name}`" for name in each.methods)):
                yield Name(
                    *(Kind.ASSUMPTION, each.name, one.owner, one.name),
                    *(each.sentence, each.cites, one.releases),
                )


def _of_hooks(versions: tuple[str, ...]) -> Iterator[Name]:
    for file in dict.fromkeys(map(_hooks, versions)):
        for hook in hooks_in(file).all:
            if not hook.is_of_the_job:
                steps = " ".join(hook.steps)
                said = "the driver of a real Flink holds threads at this method"
                yield Name(Kind.HOOK, steps, hook.class_name, hook.method, said)


def _hooks(version: str) -> Path:
    """The hooks of a version, or else the newest."""
    try:
        found = re.match(r"\d+(\.\d+)+", version)
        return hooks_file(Release(found[0] if found else "", Path(), ()))
    except FinaleError:
        lines = [each.stem.removeprefix("flink-") for each in HOOKS.glob("flink-*.toml")]
        newest = max(lines, key=lambda line: [int(part) for part in line.split(".")])
        return HOOKS / f"flink-{newest}.toml"


# --- what is violated ----------------------------------------------------------------------------


class Evidences:
    """What specs show of rules, assumptions and options: their expectations, no search."""

    def __init__(self, known: Catalogue) -> None:
        self.known = known

    def of(self, name: Name) -> tuple[Evidence, ...]:
        """Return what specs show of a name, the worst first: specs of the name, else of its ids."""
        own = self._by_key.get((name.kind, name.key), ())
        cited = [each for rule in name.cites for each in self._by_key.get((Kind.RULE, rule), ())]
        order = list(Effect)
        found = sorted(own or cited, key=lambda each: order.index(each.effect))
        return tuple(dict.fromkeys(found))

    @cached_property
    def _by_key(self) -> Mapping[tuple[Kind, str], list[Evidence]]:
        found: dict[tuple[Kind, str], list[Evidence]] = {}
        defaults = self._defaults
        for file in sorted(SPECS.rglob("*.toml")):
            spec = tomllib.loads(file.read_text(encoding="utf-8"))
            worst = self._worst(file, spec)
            if worst is None:
                continue
            for name in spec.get("without", ()):
                found.setdefault((Kind.ASSUMPTION, name), []).append(worst)
            options = spec.get("options")
            for name, value in options.items() if is_table(options) else ():
                if defaults.get((str(spec.get("protocol")), name)) != value:
                    found.setdefault((Kind.OPTION, name), []).append(worst)
            cites = spec.get("cites")
            for name in ids_in(" ".join(map(str, cites))) if is_list(cites) else ():
                found.setdefault((Kind.RULE, name), []).append(worst)
        return found

    @cached_property
    def _defaults(self) -> Mapping[tuple[str, str], object]:
        return {
            (key, each.name): getattr(each.default, "value", each.default)
            for key in self.known.protocols
            for each in fields(self.known.protocol(key).Options)
        }

    def _worst(self, file: Path, spec: Mapping[str, object]) -> Evidence | None:
        found: list[Evidence] = []
        rows = spec.get("expect")
        for row in rows if is_list(rows) else ():
            if is_table(row) and row.get("verdict") == Word.VIOLATED.value:
                name = str(row.get("property"))
                family = self.known.properties.get(name)
                if family is None or not family.kind.is_reachability:
                    place = file.relative_to(SPECS.parent).as_posix()
                    found.append(Evidence(place, name, effect_of(name, family)))
        order = list(Effect)
        return min(found, key=lambda each: order.index(each.effect), default=None)


__all__ = ["Evidence", "Evidences", "Kind", "Name", "line_patterns", "names"]
