"""Chooses what an observer sees: effects, messages, or fields and rules by name.

A field declares whether its values leave the system (`effect`), and whether it holds what is under
way inside of the system (`messages`). An observer sees a step if the step changes a field that the
observer watches, or takes a rule that the observer watches. Names and texts of other rules are
never seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    def watches_effects(self) -> bool:
        """Whether the observer sees what becomes visible outside."""
        return EFFECTS in self.words or MESSAGES in self.words

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

    def without(self, names: frozenset[str]) -> View:
        """Return the view without some fields."""
        fields = (each for each in self.fields if each.variable.name not in names)
        return View(tuple(fields), self.rules)


def views_of(observer: Observer, first: System, second: System) -> tuple[View, View]:
    """Return what an observer watches in two systems: in both the same names.

    Raises `unknown-observed`, `nothing-observed`, `incomparable`.
    """
    one, other = _view(observer, first), _view(observer, second)
    alone = one.names ^ other.names
    if EVERYTHING in observer.words:
        return one.without(alone), other.without(alone)
    if alone:
        shown = ", ".join(sorted(alone)[:NAMES_MAX])
        more = f" and {len(alone) - NAMES_MAX} more" if len(alone) > NAMES_MAX else ""
        raise FinaleError(
            "incomparable",
            f"only one of the two specs has {shown}{more}",
            advice="use the same bounds and history in both specs, or name what both have with "
            "--observe",
        )
    return one, other


def _view(observer: Observer, system: System) -> View:
    """Return what an observer watches. Raises `unknown-observed`, `nothing-observed`."""
    found: dict[str, Watched] = {}
    rules: set[str] = set()
    for word in observer.words:
        watched = list(_watched(word, system))
        if word in {rule.rule.name for rule in system.rules}:
            rules.add(word)
        elif not watched:
            raise _nothing(word, system)
        for each in watched:
            # Who names a field sees all of its values, also of a field that is an effect.
            known = found.get(each.variable.name)
            if known is None or not each.values:
                found[each.variable.name] = each
    ordered = (found[each.name] for each in system.variables if each.name in found)
    return View(tuple(ordered), frozenset(rules))


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


def _nothing(word: str, system: System) -> FinaleError:
    if word in GROUPS:
        return FinaleError(
            "nothing-observed",
            f'the protocol "{system.protocol}" declares no {word}',
            advice="name fields or rules with --observe, or declare a field with effect=True",
        )
    names = [each.name for each in system.variables]
    names += [rule.rule.name for rule in system.rules]
    names += [each.entity.name for each in system.variables if each.entity.name]
    return FinaleError(
        "unknown-observed",
        f'"{word}" is no field, entity or rule of the protocol "{system.protocol}"',
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
