"""Compares two builds of Flink method by method, and sorts what changed by the names of the rules.

Only classes whose checksums differ are compared. The code of an anonymous class counts as code of
the method around the class, and overloads count as one method.
"""

from __future__ import annotations

import difflib
import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from finale.checker.logs.read.line_patterns import LinePattern
from finale.checker.spec.catalogue import Catalogue
from finale.checker.studies.effects import Effect

from .code import ROOT, Code, Key
from .method_names import in_release
from .naming import Evidence, Evidences, Kind, Name, line_patterns, names
from .normal_form import LAMBDA, Body, plain_name

#: The packages of the protocol: a change here counts even if no rule names the method.
PACKAGES = (
    "api/connector/sink2",
    "api/connector/source",
    "connector/base/source",
    "runtime/checkpoint",
    "runtime/executiongraph/failover",
    "runtime/io/network/api",
    "runtime/io/network/partition",
    "runtime/operators/coordination",
    "runtime/scheduler",
    "runtime/source/coordinator",
    "runtime/source/event",
    "streaming/api/functions/sink",
    "streaming/api/operators/source",
    "streaming/runtime/io",
    "streaming/runtime/operators/sink",
    "streaming/runtime/tasks",
)
#: The packages whose classes are read; a class that is named is read wherever it is.
READ = ("api/connector", "connector/base", "runtime", "streaming")
#: Methods that show an object, or compare objects: nobody's protocol.
SHOWING = frozenset(
    {"toString", "hashCode", "equals", "describeTo", "$values", "values", "valueOf"}
)
#: A class of one build only is a class of another build if the build lacks most packages.
_PARTIAL = 0.5
#: A value in a pattern of lines that no group takes.
_VALUE = re.compile(r"(?:\\[dwS]|\[[^\]]*\])(?:[+*]|\{\d+\})?")
#: A task as lines have it: with its attempt, which the code has in the same hole.
_TASK = r".*? \(.*?\)"


class How(enum.Enum):
    """What became of a method."""

    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"
    MOVED = "moved"
    NEW_CLASS = "new class"
    GONE_CLASS = "class is gone"


@dataclass(frozen=True)
class Change:
    """A method that differs: its codes, who names it, and what specs show without it."""

    key: Key
    how: How
    old: tuple[str, ...]
    new: tuple[str, ...]
    named_by: tuple[Name, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    near: tuple[str, ...] = ()
    """How the method is near: `calls StreamTask.endData`, `writes the log line restored`."""
    note: str = ""

    @property
    def title(self) -> str:
        """The class without its package, and the method."""
        return title_of(self.key)

    @property
    def effect(self) -> Effect | None:
        """The worst effect that specs show."""
        return self.evidence[0].effect if self.evidence else None

    @cached_property
    def diff(self) -> tuple[str, ...]:
        """The lines of a unified diff, without its head."""
        return tuple(difflib.unified_diff(self.old, self.new, lineterm="", n=3))[2:]


@dataclass(frozen=True)
class LineChange:
    """A log line whose text changed; `is_read`: whether `validate` still reads the line."""

    event: str
    logger: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    is_read: bool


@dataclass(frozen=True)
class Impact:
    """What differs between two builds, the worst first."""

    old: Code
    new: Code
    named: tuple[Change, ...]
    near: tuple[Change, ...]
    unnamed: tuple[Change, ...]
    lines: tuple[LineChange, ...]
    elsewhere: int
    """The number of changed methods that are in no list: not in a package of the protocol."""
    unread: int
    """The number of classes that differ and that were not read: APIs, SQL, file systems."""
    only_compiled: int
    """The number of classes that differ, and whose methods do not."""
    lines_not_found: tuple[int, int]
    """The number of log lines whose texts neither build has where the logger is, and of all."""
    absent: tuple[Name, ...]
    """Names of methods that neither build has."""
    left_out: tuple[str, ...]
    """The packages that one build lacks, because the build has a part of Flink only."""

    @property
    def is_untouched(self) -> bool:
        """Whether no named method and no log line changed."""
        return not self.named and not self.lines


def title_of(key: Key) -> str:
    """Return the class without its package, and the method."""
    return f"{key[0].rpartition('/')[2].replace('$', '.')}.{key[1]}"


def impact(old: Code, new: Code, known: Catalogue) -> Impact:
    """Compare two builds. Raises `bad-class-file`, `no-flink`."""
    return _Comparison(old, new, known).run()


@dataclass
class _Side:
    """One build: the code of its methods, by class and method, and where a name leads."""

    build: Code
    bodies: dict[Key, dict[str, Body]] = field(default_factory=dict[Key, dict[str, Body]])
    done: set[str] = field(default_factory=set[str])

    def add(self, name: str) -> None:
        """Read the code of a class."""
        name = self.build.unit(name)
        if name in self.done:
            return
        self.done.add(name)
        for key, signature, body in self.build.bodies(name):
            found = self.bodies.setdefault(key, {})
            like = sum(each.rstrip("'") == signature for each in found)  # two anonymous classes
            found[signature + "'" * like] = body

    def code(self, key: Key) -> tuple[str, ...]:
        """The normal form of all overloads of a method, and of anonymous classes in it."""
        found = self.bodies.get(key, {})
        pairs = sorted((name.rstrip("'"), body.lines) for name, body in found.items())
        lines: list[str] = []
        for name, body in pairs:
            lines += [f"{name}:", *(f"  {line}" for line in body)]
        return tuple(lines)

    def keys_of(self, name: Name) -> list[Key]:
        """The methods that a name means, of classes that declare it or inherit it."""
        found: list[Key] = []
        for method in in_release(name.of, self.build.version):
            if name.kind is Kind.HOOK:
                classes = [method.owner.replace(".", "/")]
            else:
                classes = list(self.build.called(method.owner))
            called = LAMBDA.sub(r"\1", method.name)
            declaring = (self.declaring(each, called) for each in classes)
            found += [(plain_name(owner), called) for owner in declaring if owner is not None]
        return found

    def declaring(self, name: str, method: str) -> str | None:
        """The nearest class that declares a method: the class itself, or one above."""
        if method in self.build.methods_of(name):
            return name
        above = self.build.above(name)
        return next((each for each in above if method in self.build.methods_of(each)), None)

    def calls(self, key: Key) -> set[Key]:
        """The methods of Flink that a method calls."""
        found: set[Key] = set()
        for body in self.bodies.get(key, {}).values():
            for owner, method in body.calls:
                if owner.startswith(ROOT):
                    declaring = self.declaring(owner, method) or owner
                    found.add((plain_name(declaring), method))
        return found


class _Comparison:
    """The work of one comparison."""

    def __init__(self, old: Code, new: Code, known: Catalogue) -> None:
        self.old, self.new = _Side(old), _Side(new)
        self.sides = (self.old, self.new)
        self.evidences = Evidences(known)
        self.names = names(known, (old.version, new.version))
        self.moved: Mapping[Key, Key] = {}
        self.left_out = _left_out(old, new)
        self.differing = sorted(
            name
            for name in old.sums.keys() | new.sums.keys()
            if old.sums.get(name) != new.sums.get(name)
            and name.rpartition("/")[0] not in self.left_out
        )

    def run(self) -> Impact:
        old = self.old.build
        owners = {
            key[0] for name in self.names for side in self.sides for key in side.keys_of(name)
        }
        read = [each for each in self.differing if each in owners or _is_in(each, READ)]
        lines = list(line_patterns())
        loggers = {logger for logger, _ in lines}
        for side in self.sides:
            writing = (name for name in side.build.sums if name.split("$")[0] in loggers)
            for name in (*read, *writing):
                side.add(name)
        changed = {key: how for key in self._keys() if (how := self._how(key)) is not None}
        named, absent = self._named()
        self.moved = self._moved(changed)
        for key, before in self.moved.items():
            changed[key] = How.MOVED
            changed.pop(before, None)
        written = self._written(lines)
        for key in named:  # its calls count even if its class is as before
            for side in self.sides:
                side.add(key[0])
        near = self._near(changed.keys() - named.keys(), set(named), written)
        rest = [key for key in changed if key not in named and key not in near]
        inside = [key for key in rest if _is_in(key[0], PACKAGES)]
        touched = {old.unit(key[0]) for key in changed}
        found = [any(map(any, self._fitting(*each))) for each in lines]
        return Impact(
            self.old.build,
            self.new.build,
            tuple(
                self._sorted(
                    self._change(key, changed[key], named[key]) for key in changed if key in named
                )
            ),
            tuple(self._sorted(self._change(key, changed[key], (), near[key]) for key in near)),
            tuple(sorted((self._change(key, changed[key]) for key in inside), key=_order)),
            tuple(self._lines(lines)),
            len(rest) - len(inside),
            len(self.differing) - len(read),
            len([each for each in read if plain_name(each).split("$#")[0] not in touched]),
            (found.count(False), len(found)),
            absent,
            tuple(sorted(self.left_out)),
        )

    def _keys(self) -> Iterator[Key]:
        for key in sorted(self.old.bodies.keys() | self.new.bodies.keys()):
            if key[1] not in SHOWING and key[0].rpartition("/")[0] not in self.left_out:
                yield key

    def _how(self, key: Key) -> How | None:
        old, new = (side.code(key) for side in self.sides)
        if old == new:
            return None
        if old and new:
            return How.CHANGED
        here, there = (self.new, self.old) if new else (self.old, self.new)
        is_class = key[0] in here.build.sums and key[0] not in there.build.sums
        if new:
            return How.NEW_CLASS if is_class else How.NEW
        return How.GONE_CLASS if is_class else How.GONE

    # --- names -----------------------------------------------------------------------------------

    def _named(self) -> tuple[dict[Key, tuple[Name, ...]], tuple[Name, ...]]:
        found: dict[Key, list[Name]] = {}
        absent: list[Name] = []
        for name in self.names:
            keys = [key for side in self.sides for key in side.keys_of(name)]
            for key in dict.fromkeys(keys):
                found.setdefault(key, []).append(name)
            is_meant = any(in_release(name.of, side.build.version) for side in self.sides)
            if is_meant and not keys and not self.left_out:
                absent.append(name)
        return {key: tuple(each) for key, each in found.items()}, tuple(absent)

    def _moved(self, changed: Mapping[Key, How]) -> dict[Key, Key]:
        """For a method that the old release calls otherwise, what the old release calls it."""
        found: dict[Key, Key] = {}
        for name in self.names:
            one, other = (in_release(name.of, side.build.version) for side in self.sides)
            before, after = (side.keys_of(name) for side in self.sides)
            if one != other and len(before) == len(after) == 1:
                hows = (changed.get(before[0]), changed.get(after[0]))
                if hows[0] in (How.GONE, How.GONE_CLASS) and hows[1] in (How.NEW, How.NEW_CLASS):
                    found[after[0]] = before[0]
        return found

    def _written(self, lines: Iterable[tuple[str, LinePattern]]) -> dict[Key, list[str]]:
        """The log lines that methods write."""
        found: dict[Key, list[str]] = {}
        for side in self.sides:
            for logger, pattern in lines:
                for key, body in side.bodies.items():
                    if key[0].split("$")[0] == logger and _writes(body.values(), pattern):
                        found.setdefault(key, []).append(pattern.event)
        return found

    def _near(
        self, keys: Iterable[Key], named: set[Key], written: Mapping[Key, Iterable[str]]
    ) -> dict[Key, tuple[str, ...]]:
        """The changed methods that a named one calls, that call or override it, or write a line."""
        called: dict[Key, set[Key]] = {}
        above = set[Key](named)
        for side in self.sides:
            for key in named:
                for each in side.calls(key):
                    called.setdefault(each, set()).add(key)
                for owner in side.build.above(key[0]):
                    if owner.startswith(ROOT) and key[1] in side.build.methods_of(owner):
                        above.add((plain_name(owner), key[1]))
        found: dict[Key, tuple[str, ...]] = {}
        for key in sorted(keys):
            told = [f"called by {title_of(each)}" for each in sorted(called.get(key, ()))]
            calls = {each for side in self.sides for each in side.calls(key) & above}
            told += [f"calls {title_of(each)}" for each in sorted(calls)]
            for side in self.sides:
                for owner in side.build.above(key[0]):
                    if (plain_name(owner), key[1]) in named and key[1] != "<init>":
                        told.append(f"overrides {title_of((owner, key[1]))}")
            told += [f"writes the log line {event}" for event in written.get(key, ())]
            if told:
                found[key] = tuple(dict.fromkeys(told))
        return found

    def _change(
        self, key: Key, how: How, named: tuple[Name, ...] = (), near: tuple[str, ...] = ()
    ) -> Change:
        before = self.moved.get(key, key)
        old, new = self.old.code(before), self.new.code(key)
        evidence = {each for name in named for each in self.evidences.of(name)}
        order = list(Effect)
        worst = sorted(evidence, key=lambda each: (order.index(each.effect), each.spec))
        note = self._note(key) if named and how in (How.GONE, How.GONE_CLASS) else ""
        if how is How.MOVED:
            note = f"the release before calls it {title_of(before)}"
        return Change(key, how, old, new, named, tuple(worst), near, note)

    def _note(self, key: Key) -> str:
        """Where a method that is gone has moved to, or the nearest method."""
        if key[0] in self.new.build.sums:
            declaring = self.new.declaring(key[0], key[1])
            if declaring is not None:
                return f"no longer there: {title_of((declaring, key[1]))} takes its place"
        own = [each for each in self.new.build.methods_of(key[0]) if "$" not in each]
        match = difflib.get_close_matches(key[1], own, n=1)
        if match:
            return f"no longer there: the nearest is {title_of((key[0], match[0]))}"
        same = self.new.build.called(key[0].rpartition("/")[2].replace("$", "."))
        if key[0] not in self.new.build.sums and same:
            return f"no longer there: a class of that name is now in {same[0].rpartition('/')[0]}"
        return "no longer there"

    def _sorted(self, changes: Iterable[Change]) -> list[Change]:
        order = list(Effect)

        def rank(each: Change) -> tuple[int, str]:
            effect = each.effect
            return len(order) if effect is None else order.index(effect), each.title

        return sorted(changes, key=rank)

    # --- log lines -------------------------------------------------------------------------------

    def _lines(self, lines: Iterable[tuple[str, LinePattern]]) -> Iterator[LineChange]:
        for logger, pattern in lines:
            old, new = self._fitting(logger, pattern)
            texts = self._texts(self.new, logger)
            if old and set(old) != set(new) and not set(old) <= texts:
                fresh = texts - self._texts(self.old, logger)
                near = difflib.get_close_matches(old[0], fresh, n=1, cutoff=0.5)
                yield LineChange(pattern.event, logger, old, new or tuple(near), bool(new))

    def _fitting(self, logger: str, pattern: LinePattern) -> tuple[tuple[str, ...], ...]:
        """The texts of a line in each build."""
        return tuple(
            tuple(sorted(text for text in self._texts(side, logger) if _fits(text, pattern)))
            for side in self.sides
        )

    def _texts(self, side: _Side, logger: str) -> set[str]:
        return {
            text
            for key, body in side.bodies.items()
            if key[0].split("$")[0] == logger
            for each in body.values()
            for text in each.texts
        }


def _writes(bodies: Iterable[Body], pattern: LinePattern) -> bool:
    return any(_fits(text, pattern) for body in bodies for text in body.texts)


def _fits(text: str, pattern: LinePattern) -> bool:
    """Whether a text of the code is the text of a line."""
    return _of_code(pattern.message.pattern).match(text) is not None


@cache
def _of_code(pattern: str) -> re.Pattern[str]:
    """A pattern of lines as a pattern of texts in the code, which have holes for all values."""
    text, at = "", 0
    while at < len(pattern):
        if pattern.startswith("(?P<", at):
            at = _end_of_group(pattern, at)
            text += ".*?"
        else:
            size = 2 if pattern[at] == "\\" else 1
            text += pattern[at : at + size]
            at += size
    text = _VALUE.sub(".*?", text)
    return re.compile(text.replace(_TASK, ".*?", 1) if text.startswith(_TASK) else text)


def _end_of_group(pattern: str, at: int) -> int:
    """The position behind the group that begins at a position."""
    depth = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] in "()":
            depth += 1 if pattern[at] == "(" else -1
            if depth == 0:
                return at + 1
        at += 1
    return at


def _is_in(name: str, packages: Iterable[str]) -> bool:
    package = name.rpartition("/")[0].removeprefix(ROOT)
    return any(package == each or package.startswith(f"{each}/") for each in packages)


def _order(change: Change) -> tuple[int, str]:
    order = (How.NEW_CLASS, How.CHANGED, How.NEW, How.GONE, How.GONE_CLASS)
    return order.index(change.how), change.title


def _left_out(old: Code, new: Code) -> frozenset[str]:
    """The packages that one build lacks, if the build has a part of Flink only."""
    found: frozenset[str] = frozenset()
    packages = [frozenset(name.rpartition("/")[0] for name in each.sums) for each in (old, new)]
    for one, other in (packages, reversed(packages)):
        lacking = one - other
        if len(lacking) > _PARTIAL * len(one):
            found |= lacking
    return found


__all__ = [
    "PACKAGES", "READ", "SHOWING", "Change", "How", "Impact", "Key", "LineChange", "impact",
    "title_of",
]  # fmt: skip
