"""Puts a proof into words: the line, what was possible before it, and what forbids the line."""

from __future__ import annotations

import linecache

from finale.checker.logs.event_log.section_search import STATES_TOLD, Rejected
from finale.checker.logs.event_log.section_system import Refusal
from finale.checker.logs.lines import Observed
from finale.model.errors import Place
from finale.model.language.bindings import BoundRule, bound_rules
from finale.model.language.path_ends import BlockedHere, FaultHere, line_of
from finale.model.language.plain import PlainStore
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.task.tasks import TaskStatus

from .flink_projections import OWN, PARTS, READER, ProofSetting, system_of
from .projection import Values
from .proof import Contradiction

_AGES = ("an older one, or none", "this one", "a newer one")
_CONFIRMED = ("none", "an older one", "this one", "a newer one")


def rejection_of(given: ProofSetting, found: Contradiction) -> Rejected:
    """What is said of a log that cannot be."""
    states = sorted(found.states)
    refusals = tuple(_refusal(given, found, each) for each in states[:STATES_TOLD])
    return Rejected(found.observation.line, str(found.observation), refusals, len(states))


def _refusal(given: ProofSetting, found: Contradiction, values: Values) -> Refusal:
    """Why the line has no step in a state: the guard that forbids it, if there is a rule for it."""
    about = "" if found.checkpoint is None else f" and checkpoint {found.checkpoint}"
    told = f"of {found.task}{about}, {state_in_words(found.name, values)}"
    for rule in _rules(given, found):
        place, source = _guard(given, found, rule, values)
        if source:
            return Refusal(f"{rule.rule.name} needs {source}; {told}", place, source)
    return Refusal(f"{found.observation.seen.facts.claim or 'no step shows it'}; {told}")


def state_in_words(part: str, values: Values) -> str:
    """What a part may be, as far as it is looked at."""
    names = PARTS[part].names
    return ", ".join(_in_words(name, value) for name, value in zip(names, values, strict=True))


def _in_words(name: str, value: int) -> str:
    if name == "checkpoint":
        return f"the checkpoint is {list(CheckpointStatus)[value].value}"
    if name == "task":
        return f"the task is {list(TaskStatus)[value].value}"
    if name == "newest":
        return f"the newest it has begun is {_AGES[value]}"
    if name == "confirmed":
        return f"the newest it is told of is {_CONFIRMED[value]}"
    if name == "confirmed is own":
        return f"the newest it is told of is {_AGES[value]}"
    return _WORDS[name][value]


#: What is said where it is not so, and where it is.
_WORDS = {
    "finished": ("it takes part", "it counts as finished"),
    "awaited": ("nothing is awaited of it", "its acknowledgement is awaited"),
    "acknowledgements": ("none is under way", "one is under way"),
    "taken": ("it has not taken it", "it has taken it"),
    "aligning": ("it waits for no barriers", "it waits for barriers"),
    "aligned": ("the input has not had its barrier", "the input has had its barrier"),
    "blocked": ("the input is read", "the input is not read until then"),
    "ended": ("the input has not ended", "the input has ended"),
    "reported": ("it is not known to have finished", "it is known to have finished"),
    "triggers": ("no call is under way to it", "a call is under way to it"),
    "mail": ("it was not called", "it was called"),
    "confirmations": ("no completion is under way to it", "a completion is under way to it"),
    "aborts": ("no abort is under way to it", "an abort is under way to it"),
    "own.latest is own": ("its abort carries another", "its abort carries it"),
    "older.latest is own": ("no older one's abort carries it", "an older one's abort carries it"),
    "newer.latest is own": ("no newer one's abort carries it", "a newer one's abort carries it"),
    "released": ("nothing has released it", "a final checkpoint has released it"),
}


def _rules(given: ProofSetting, found: Contradiction) -> list[BoundRule]:
    """The rules by which a line of this kind comes about, for the task and the checkpoint."""
    seen = found.observation.seen
    if seen.begins_checkpoint or (seen is Observed.BEGUN and found.stands == READER):
        return []  # no one rule has the guard
    names = seen.facts.steps
    about = {("task", found.stands), ("checkpoint", OWN)}
    rules = bound_rules(system_of(given).protocol)
    fitting = [each for each in rules if each.rule.name in names and {*each.binding} <= about]
    return sorted(fitting, key=lambda each: names.index(each.rule.name))


def _guard(
    given: ProofSetting, found: Contradiction, rule: BoundRule, values: Values
) -> tuple[Place | None, str]:
    """Where a rule ends in a state that is so, all else as in the beginning."""
    built = system_of(given)
    cells = list(built.system.initial[0])
    for cell, can in found.part.known(values).items():
        cells[cell] = cells[cell] if cells[cell] in can else min(can)
    store = PlainStore(tuple(built.system.values(tuple(cells)).values()))
    try:
        with built.protocol.world.on(store):
            rule.method(*rule.arguments)
    except (BlockedHere, FaultHere) as stop:
        place = line_of(stop)[0]
        return place, linecache.getline(str(place.file), place.line or 0).strip()
    return None, ""
