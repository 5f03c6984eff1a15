"""Chooses what an observer sees: effects, messages, or fields and rules by name.

A field declares whether its values leave the system (`effect`), and whether it holds what is under
way inside of the system (`messages`). An observer sees a step if the step changes a field that the
observer watches, or takes a rule that the observer watches. Names and texts of other rules are
never seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from model.errors import FinaleError, nearest
from model.language.entities import Entity, Field, Variable
from model.system import System

EFFECTS, MESSAGES, EVERYTHING = "effects", "messages", "everything"
#: Words that stand for many names, from the coarsest observer to the finest.
GROUPS = (EFFECTS, MESSAGES, EVERYTHING)
#: How many names an error lists.
NAMES_MAX = 4


@dataclass(frozen=True)
class Observer:
    """The words of `--observe`: groups of fields, and names.

    The groups are `effects`, `messages` (with the effects), and `everything`: all fields that both
    systems have. A name is a variable (`K.sink.visible`), an entity (`K.sink`), a field of a class
    (`Sink.visible`), or a rule (`close`).
    """

    words: tuple[str, ...] = (EFFECTS,)

    @property
    def finer(self) -> tuple[Observer, ...]:
        """The observers who also see a finer group of fields, the coarsest first."""
        names = tuple(word for word in self.words if word not in GROUPS)
        finest = max((GROUPS.index(word) for word in self.words if word in GROUPS), default=-1)
        return tuple(Observer((*names, group)) for group in GROUPS[finest + 1 :])

    def __str__(self) -> str:
        return ", ".join(self.words)


def observer_in(text: str) -> Observer:
    """Return the observer that a list with commas describes. Raises `bad-value`."""
    words = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not words:
        raise FinaleError(
            "bad-value",
            "--observe names nothing",
            advice="write effects, messages, everything, or names of fields and rules, with commas",
        )
    return Observer(words)


@dataclass(frozen=True)
class Watched:
    """A field that an observer watches. With `values`, the observer sees these values alone."""

    variable: Variable
    values: tuple[object, ...] = ()


@dataclass(frozen=True)
class View:
    """What an observer watches in one system."""

    fields: tuple[Watched, ...]
    rules: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """The names of all that is watched."""
        return self.rules | {each.variable.name for each in self.fields}


def views_of(
    observer: Observer, first: System, second: System, rules: Collection[str]
) -> tuple[View, View]:
    """Return what an observer watches in two systems: in both the same names.

    `rules` are the names of the rules of either protocol. A system that never takes a rule, or does
    not have the rule, can be watched for the rule. Raises `unknown-observed`, `nothing-observed`,
    `incomparable`.
    """
    systems = first, second
    found: tuple[dict[str, Watched], dict[str, Watched]] = {}, {}
    for word in observer.words:
        one, other = ({w.variable.name: w for w in _watched(word, each)} for each in systems)
        if not (one or other or word in rules):
            raise _nothing(word, systems, rules)
        if word != EVERYTHING and one.keys() != other.keys():
            raise _incomparable(one.keys() ^ other.keys())
        for kept, fields in zip(found, (one, other), strict=True):
            for name in one.keys() & other.keys():
                # Who names a field sees all of its values, also of a field that is an effect.
                if name not in kept or not fields[name].values:
                    kept[name] = fields[name]
    watched = frozenset(rules).intersection(observer.words)
    first_view, second_view = (
        View(tuple(kept[v.name] for v in system.variables if v.name in kept), watched)
        for kept, system in zip(found, systems, strict=True)
    )
    return first_view, second_view


def _watched(word: str, system: System) -> Iterator[Watched]:
    for variable in system.variables:
        declared = getattr(type(variable.entity), variable.field)
        assert isinstance(declared, Field)
        if word == EVERYTHING:
            yield Watched(variable)
        elif word in GROUPS:
            if isinstance(declared.effect, tuple):
                yield Watched(variable, declared.effect)
            elif declared.effect or (word == MESSAGES and declared.messages):
                yield Watched(variable)
        elif word in (variable.name, variable.entity.name, *_by_class(variable)):
            yield Watched(variable)


def _by_class(variable: Variable) -> Iterable[str]:
    kinds = (base for base in type(variable.entity).__mro__ if issubclass(base, Entity))
    return (f"{base.__name__}.{variable.field}" for base in kinds)


def _incomparable(alone: Collection[str]) -> FinaleError:
    shown = ", ".join(sorted(alone)[:NAMES_MAX])
    more = f" and {len(alone) - NAMES_MAX} more" if len(alone) > NAMES_MAX else ""
    return FinaleError(
        "incomparable",
        f"only one of the two specs has {shown}{more}",
        advice="use the same bounds and history in both specs, or name what both have with "
        "--observe",
    )


def _nothing(word: str, systems: Iterable[System], rules: Iterable[str]) -> FinaleError:
    if word in GROUPS:
        return FinaleError(
            "nothing-observed",
            f"neither of the two specs declares {word}",
            advice="name fields or rules with --observe, or declare a field with effect=True",
        )
    variables = [each for system in systems for each in system.variables]
    names = [each.name for each in variables]
    names += rules
    names += [each.entity.name for each in variables if each.entity.name]
    return FinaleError(
        "unknown-observed",
        f'"{word}" is no field, entity or rule of either spec',
        advice=nearest(word, dict.fromkeys(names), "finale show SPEC lists fields and rules"),
    )


__all__ = [
    "EFFECTS",
    "EVERYTHING",
    "GROUPS",
    "MESSAGES",
    "Observer",
    "View",
    "Watched",
    "observer_in",
    "views_of",
]
