"""Reads the hooks of a release: at which method of Flink a thread takes which step."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from finale.model.errors import FinaleError, Place

from .releases import Release, hooks_file

#: A step has happened when the method returns; or when the one returns that is called so.
HANDLED = ".handled"
#: So is called what a method of some steps may do before it returns: then the step has happened.
EARLY = ".early"
#: A thread has come to the method of an assumption that is left out. That is no step.
ASSUMED = "assumed"
THREAD = "thread"
#: Of whom alone a hook tells steps: tasks of sources. Else: tasks with chained sources.
SOURCES = "sources"


@dataclass(frozen=True)
class Hook:
    """A method at which threads stop, the steps that it takes, and the paths to what they are of.

    `paths` are read when a thread comes; the name of the thread tells the task if no path does. If
    there are `events`, the event tells which step it is.
    """

    number: int
    steps: tuple[str, ...]
    class_name: str
    method: str
    parameters: int | None
    by_thread: bool
    is_call: bool
    of: str
    events: Mapping[str, str]
    paths: Mapping[str, str]

    @property
    def is_of_the_job(self) -> bool:
        """Whether the class is of the job and not of Flink."""
        return "." not in self.class_name

    @property
    def place(self) -> str:
        """The class and the method, for a reader."""
        return _place(self.class_name, self.method)


def _place(class_name: str, method: str) -> str:
    return f"{class_name.rpartition('.')[2]}.{method}"


@dataclass(frozen=True)
class Assumed:
    """How Flink is made to do without an assumption: what a method of its gives instead.

    `gives` is one of the words of `debugged.VALUES`. `of` is the method that the assumption names.
    If there is a `caller`, only calls of the method of that name are changed. If there is a
    `field`, the method runs, and `gives` is the value that this field has when the method begins.
    """

    class_name: str
    method: str
    parameters: int | None
    gives: str
    of: str
    caller: str = ""
    field: str = ""

    @property
    def place(self) -> str:
        """The class and the method, for a reader."""
        return _place(self.class_name, self.method)

    @property
    def paths(self) -> dict[str, str]:
        """What is read when a thread comes to the method: its caller, and the field."""
        paths = {"caller": f"caller^{self.caller}"} if self.caller else {}
        return paths | ({"field": f"this.{self.field}"} if self.field else {})


@dataclass(frozen=True)
class Hooks:
    """All hooks of a release."""

    all: tuple[Hook, ...]
    #: For kinds of checkpoints, as an order has them, how the release calls them.
    kinds: Mapping[str, str]
    #: For keys of settings, how the release calls them.
    renamed: Mapping[str, str]
    #: For keys of settings, how the release calls their values.
    values: Mapping[str, Mapping[str, str]]
    #: For classes of the job, the source that the release has of its own.
    java: Mapping[str, str]
    #: Patterns of the lines with which the release refuses a step.
    refused: tuple[str, ...]
    #: For assumptions, how Flink is made to do without them.
    assumed: Mapping[str, Assumed] = field(default_factory=dict[str, Assumed])

    def without(self, assumption: str) -> Hooks:
        """The hooks, and one at the method of an assumption that an order leaves out."""
        own = self.assumed.get(assumption)
        if own is None:
            return self
        hook = Hook(
            len(self.all), (ASSUMED,), own.class_name, own.method, own.parameters,
            by_thread=True, is_call=False, of="", events={}, paths=own.paths,
        )  # fmt: skip
        return replace(self, all=(*self.all, hook))

    @cached_property
    def steps(self) -> frozenset[str]:
        """All steps that some method takes."""
        return frozenset(step for hook in self.all for step in hook.steps)

    def has(self, step: str) -> bool:
        """Whether some method takes a step."""
        return step in self.steps

    def is_by_thread(self, step: str) -> bool:
        """Whether the thread of a task takes a step."""
        return any(hook.by_thread and step in hook.steps for hook in self.all)

    def setting(self, key: str, value: str) -> tuple[str, str]:
        """A setting in the words of the release. An order has the words of the newest release."""
        return self.renamed.get(key, key), self.values.get(key, {}).get(value, value)

    def is_call(self, step: str) -> bool:
        """Whether the main thread of a task manager takes a step."""
        return any(hook.is_call and step in hook.steps for hook in self.all)

    def check(self, release: Release) -> None:
        """Raises `hook-missing` for a class that the release does not have."""
        for hook in self.all:
            if not hook.is_of_the_job and not release.has_class(hook.class_name):
                raise missing(hook, release, f"there is no class {hook.class_name}")


def missing(hook: Hook, release: Release, what: str) -> FinaleError:
    """The error for a hook that a release does not have."""
    return FinaleError(
        "hook-missing",
        f"Flink {release.version} lacks the hook {hook.place}: {what}",
        place=Place(str(release.folder)),
        advice=f"correct the hook in {hooks_file(release).name} for this build",
    )


def hooks_of(release: Release) -> Hooks:
    """Read the hooks of a release. Raises `unknown-release`, `hook-missing`."""
    hooks = hooks_in(hooks_file(release))
    hooks.check(release)
    return hooks


def facts_table(file: Path) -> dict[str, Any]:
    """All that a file states, with what it takes from the file that it `extends`.

    A hook replaces, in what it states, the hook of the same steps there. Tables are joined. The
    steps that it lists as `without` are left out, and hooks that have no step then.
    """
    own: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    if "extends" not in own:
        return own
    table = facts_table(file.with_name(own["extends"]))
    left = [_without(each, own.get("without", [])) for each in table["hook"]]
    known = {_told(each): each for each in left if each["steps"]}
    changed = {_told(each): each for each in own.get("hook", [])}
    hooks = [
        {**known.get(told, {}), **changed.get(told, {})}
        for told in dict.fromkeys([*known, *changed])
    ]
    joined = {
        name: {**cast("dict[str, Any]", value), **own.get(name, {})}
        if isinstance(value, dict)
        else value
        for name, value in table.items()
    }
    return {**joined, "release": own["release"], "hook": hooks}


def _without(hook: Mapping[str, Any], steps: Sequence[str]) -> Mapping[str, Any]:
    """A hook without some of its steps."""
    all: dict[str, str] | list[str] = hook["steps"]
    if isinstance(all, dict):
        return {**hook, "steps": {each: step for each, step in all.items() if step not in steps}}
    return {**hook, "steps": [step for step in all if step not in steps]}


def _told(hook: Mapping[str, Any]) -> frozenset[str]:
    """The steps of a hook, which name it."""
    steps: dict[str, str] | list[str] = hook["steps"]
    return frozenset(steps.values() if isinstance(steps, dict) else steps)


def hooks_in(file: Path) -> Hooks:
    """The hooks that a file states."""
    table = facts_table(file)
    execution = {name: f".{path}" for name, path in table["execution"].items() if path}
    found: list[Hook] = []
    for number, each in enumerate(table["hook"]):
        steps: dict[str, str] | list[str] = each["steps"]
        paths = {
            name: each[name]
            for name in (
                "name",
                "called",
                "checkpoint",
                "kind",
                "event",
                "gate",
                "channel",
                "source",
                "record",
                "scheduled",
            )
            if name in each
        }
        if "where" in each:
            paths["where"] = f"{each['where']}^{each['begins']}"
        task = each.get("task", "")
        if task and task != THREAD:
            paths |= {name: task + path for name, path in execution.items()}
        found.append(
            Hook(
                number,
                tuple(" ".join(steps.values() if isinstance(steps, dict) else steps).split()),
                each["class"],
                each["method"],
                each.get("parameters"),
                task == THREAD,
                each.get("call", False),
                each.get("of", ""),
                steps if isinstance(steps, dict) else {},
                paths,
            )
        )
    return Hooks(
        tuple(found),
        table.get("kinds", {}),
        table["renamed"],
        table.get("values", {}),
        table["java"],
        tuple(table.get("refused", {}).get("lines", ())),
        {name: _assumed(each) for name, each in table.get("assumed", {}).items()},
    )


def _assumed(row: Mapping[str, Any]) -> Assumed:
    made = Assumed(
        row["class"], row["method"], row.get("parameters"), row["gives"], "",
        row.get("caller", ""), row.get("field", ""),
    )  # fmt: skip
    return replace(made, of=row.get("of", made.place))


__all__ = [
    "ASSUMED",
    "EARLY",
    "HANDLED",
    "SOURCES",
    "Assumed",
    "Hook",
    "Hooks",
    "facts_table",
    "hooks_in",
    "hooks_of",
    "missing",
]
