"""Facts about a release of Flink beside its hooks: what happens in one moment, who has mails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .director import ARRIVE, CRASH, OF_TASK, PARTS, REPORT, REQUESTS, RESUME
from .hooks import HANDLED, Assumed, facts_table, hooks_in, hooks_of
from .releases import Release, hooks_file


@dataclass(frozen=True)
class EngineFacts:
    """Facts about the steps of an engine, by the names of steps.

    `together`: steps that are taken in the same moment as an earlier one. `caused`: for a step of a
    thread, the steps that bring it there. `mails`: those that the mailbox runs. `of_manager`: those
    for which the thread of the task manager is held. `settings`: the engine's words for options
    with their values. `defaults`: the engine's settings unless an option says otherwise. `needs`:
    those without which it does not take a step. `forced`: of options that leave a choice open, the
    value that a driven run can take. `chained`: for steps of a task with chained sources, what they
    are called. `itself`: steps that no hook holds and that Flink takes by itself, and why.
    `beyond`: steps that the driver cannot take, and why. `urgent`: mails that overtake others while
    an operator waits in the thread of its task. `assumed`: how Flink is made to do without an
    assumption. `unforced`: assumptions that Flink cannot be made to do without, and why.
    """

    release: str
    steps: frozenset[str]
    together: Mapping[str, str]
    caused: Mapping[str, tuple[str, ...]]
    mails: frozenset[str]
    of_manager: frozenset[str]
    settings: Mapping[str, Mapping[str, str]]
    defaults: Mapping[str, str]
    needs: Mapping[str, Mapping[str, str]]
    by_thread: frozenset[str]
    forced: Mapping[str, str | bool]
    chained: Mapping[str, str]
    itself: Mapping[str, str]
    beyond: Mapping[str, str]
    urgent: frozenset[str]
    assumed: Mapping[str, Assumed] = field(default_factory=dict[str, Assumed])
    unforced: Mapping[str, str] = field(default_factory=dict[str, str])

    def settings_of(self, options: Mapping[str, object]) -> dict[str, str]:
        """The engine's settings for options of a protocol, as far as it has any."""
        told = dict(self.defaults)
        for name, value in options.items():
            if name in self.settings:
                words = self.settings[name]
                word = str(getattr(value, "value", value)).lower()
                told[words["key"]] = words.get(word, word)
        return told

    def takes(self, step: str) -> bool:
        """Whether a driven job can be made to take a step: by a hook, or by a command."""
        commands = {*OF_TASK, *REQUESTS, *PARTS, REPORT, RESUME, CRASH, ARRIVE}
        return step in commands or not self.steps.isdisjoint({step, step + HANDLED})

    def lacks(self, step: str) -> str:
        """Why a driven job cannot take a step. Empty if the job can, or takes it by itself."""
        if self.takes(step) or step in self.together or step in self.itself:
            return ""
        unknown = f"no hook of Flink {self.release} takes such a step"
        return self.beyond.get(step, unknown)

    def is_of_task(self, step: str) -> bool:
        """Whether the thread of a task takes a step."""
        return step in self.by_thread or step in self.mails


def facts_of(release: Release) -> EngineFacts:
    """The facts about a release. Raises `unknown-release`, `hook-missing`."""
    hooks_of(release)
    return facts_in(hooks_file(release))


def facts_in(file: Path) -> EngineFacts:
    """The facts that a file with hooks states."""
    table = facts_table(file)
    hooks = hooks_in(file)
    of_threads = {step for hook in hooks.all if hook.by_thread for step in hook.steps}
    return EngineFacts(
        table["release"],
        hooks.steps,
        table["together"],
        {name: tuple(causes) for name, causes in table["caused"].items()},
        frozenset(table["mailbox"]["steps"]),
        frozenset(table["manager"]["steps"]),
        table["settings"],
        table.get("defaults", {}),
        table.get("needs", {}),
        frozenset(of_threads),
        table["forced"],
        table["chained"],
        table["itself"],
        table["beyond"],
        frozenset(table["mailbox"].get("urgent", ())),
        hooks.assumed,
        table["unforced"],
    )


__all__ = ["EngineFacts", "facts_in", "facts_of"]
