"""No option changes a rule in two places: each is read in one method, or it says here why not.

What a method reads is found in its source. An option is read where it is taken from the options, or
from the attribute of the same name into which a constructor has put it. An attribute or a property
of another name is a decision of its own, made once. Methods of one name are one place: the one
overrides the other.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.model.language.protocol import Protocol
from finale.model.protocols.registry import PROTOCOLS
from finale.model.rules import Setting

#: Whether a feature is in the system at all: all that reads them is the part that has the feature,
#: each rule of it once. option -> the part
SWITCHES = {
    "checkpointing": "JobProtocol",
    "counts_failed_checkpoints": "Failures",
    "expiry_is_owed": "Failures",
    "final_trigger": "Failures",
    "interruptible_timers": "TaskExecution",
    "queue": "Requests",
    "readers_ask": "Asking",
    "restart_delay": "Failures",
    "split_trigger": "Requests",
    "waits_for_both": "Stopping",
}
#: What the value of an option means for several rules, once for each.
SEVERAL_RULES = {
    "after_failure": "what a failure ends, and what becomes of the job then",
    "calls_in_order": "a call passes two queues, and keeps its order in each",
    "checkpoints_after_finish": "the flag of FLIP-147: who may trigger, who waits, who reports",
    "confirmations_in_order": "what waits for its turn, and that a savepoint notes who was first",
    "during_restore": "whether a checkpoint is triggered meanwhile, and how its call is met",
    "enumerator_part": "what the enumerator's part begins with, and what is added to it",
    "failure_reports": "whether there are late reports, and what is done with one",
    "final_wait": "which checkpoint is final, and whether any is waited for",
    "gate": "a gate that closes and opens: when it is closed, and whom it then forgets",
    "held_until": "what holds records back, and that none is taken after it has let them go",
    "init": "who starts a snapshot: the coordinator's calls, and markers",
    "jump": "markers jump queues, and what has been jumped is read later",
    "last_commit": "a stop that waits for the last commit, and when that may be",
    "multi_input": "as built a task ends that never finished: its own life beside the usual one",
    "no_drain": "which savepoints block, and which sources end behind them",
    "on_fallback": "whether fallbacks are told at all, and what a sink does then",
    "order": "readers are triggered before the enumerator's part, or after it",
    "own_work": "own work is joined to the step before it, and to the one behind it",
    "processing": "which records wait for a checkpoint, and that it can time out meanwhile",
    "release": "which checkpoints release a task, and that the first alone may be missed",
    "reports_before_store": "an answer that comes first, and a completion that waits for it",
    "savepoint_stored": "which checkpoints enter the store, and which of them savepoints spare",
    "signal": "readers forget the signal in a restart, and the enumerator repeats it",
    "terminal_as_finished": "failed tasks count as finished, and do not keep from a trigger",
}


def methods_of(kind: type) -> dict[str, ast.FunctionDef]:
    """The methods that stand in a class itself."""
    return methods_in(inspect.getsource(kind))


@cache
def methods_in(source: str) -> dict[str, ast.FunctionDef]:
    (tree,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(tree, ast.ClassDef)
    return {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}


def attributes_in(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What is read of what: `self.options.release` is the release of `self.options`."""
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Load):
            yield ast.unparse(each.value), each.attr


def options_in(node: ast.AST) -> set[str]:
    """What is read of the options, whatever they are called there."""
    called = ("self.options", "chosen", "options")
    read = attributes_in(node)
    return {name for of, name in read if of in called or of.endswith(" self.options)")}


def copies_in(method: ast.FunctionDef) -> set[str]:
    """The options that a constructor puts into attributes of the same names."""
    assigned = [
        node.targets[0]
        for node in ast.walk(method)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
    ]
    return {target.attr for target in assigned} & options_in(method)


def readers(kind: type[Protocol]) -> dict[str, set[tuple[str, str]]]:
    """For each option of a protocol the methods that read it, with the names of their classes."""
    family = [each for each in kind.__mro__ if issubclass(each, Protocol)]
    parts: list[type] = [each for each in family if each is not Protocol]
    constructors = [methods_of(each).get("__init__") for each in parts]
    copied = set[str]().union(*(copies_in(each) for each in constructors if each))
    copied |= {
        option.name
        for option in fields(kind.Options)
        if type(getattr(kind, option.name, None)) is type(option.default)
    }
    found: dict[str, set[tuple[str, str]]] = {each.name: set() for each in fields(kind.Options)}
    for part in parts:
        for name, method in methods_of(part).items():
            read = options_in(method)
            read |= {attr for of, attr in attributes_in(method) if of == "self"} & copied
            for option in read & found.keys() if name != "__init__" else ():
                found[option].add((part.__name__, name))
    return found


@cache
def all_readers() -> dict[str, set[tuple[str, str]]]:
    kinds = (catalogue(None).protocol(each.key) for each in PROTOCOLS)
    found: dict[str, set[tuple[str, str]]] = {}
    for kind in kinds:
        for option, where in readers(kind).items():
            if len({method for _, method in where}) > 1:
                found.setdefault(option, set()).update(where)
    return found


def test_an_option_is_read_in_one_place() -> None:
    found = all_readers()
    assert sorted(found) == sorted(SWITCHES.keys() | SEVERAL_RULES.keys()), {
        option: sorted(found[option])
        for option in found
        if option not in SWITCHES and option not in SEVERAL_RULES
    }


@pytest.mark.parametrize(("option", "part"), SWITCHES.items())
def test_a_switch_is_known_to_its_part_alone(option: str, part: str) -> None:
    assert {reader for reader, _ in all_readers()[option]} == {part}


# --- that it would be found ----------------------------------------------------------------------


@dataclass(frozen=True)
class TwiceOptions:
    """Options of a protocol that reads some of them twice."""

    once: bool = True
    copied: bool = True
    twice: bool = True
    derived: bool = True


class Twice(Protocol):
    """A protocol that reads options twice."""

    Options = TwiceOptions

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.copied = self.options.copied
        self.is_decided = not self.options.derived

    def one(self) -> bool:
        """Reads some."""
        return bool(self.options.once and self.options.twice and self.copied and self.is_decided)

    def other(self) -> bool:
        """Reads some of them again."""
        return bool(self.copied or self.options.twice or self.is_decided)


def test_what_is_read_twice_is_found() -> None:
    found = {option: len(where) for option, where in readers(Twice).items()}
    assert found == {"once": 1, "copied": 2, "twice": 2, "derived": 0}
