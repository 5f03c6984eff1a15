"""Chooses what an observer sees: effects, messages, or fields and rules by name.

A field declares whether its values leave the system (`effect`), and whether it holds what is under
way inside of the system (`messages`). An observer sees a step if the step changes a field that the
observer watches, or takes a rule that the observer watches. Names and texts of other rules are
never seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from finale.model.domains import Domain, OutOfDomain
from finale.model.errors import FinaleError, nearest
from finale.model.itf import element_of
from finale.model.language.entities import Entity, Field, Variable
from finale.model.system import System
from finale.model.value_text import value_text

from .identity import identity

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


#: The identities of the values that are seen of a field, with their texts; None for all values.
Seen = Mapping[str, str] | None


@dataclass(frozen=True)
class Watched:
    """A field that an observer watches, with the values that the observer sees."""

    variable: Variable
    values: Seen


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
    """Return what an observer watches in two systems: in both the same names and values.

    What one of the systems declares is watched in both: the two can differ in what they declare,
    and not in what they do. `rules` are the names of the rules of either protocol. A system that
    never takes a rule, or does not have the rule, can be watched for the rule. Raises
    `unknown-observed`, `nothing-observed`, `incomparable`.
    """
    systems = first, second
    one, other = ({each.name for each in system.variables} for system in systems)
    seen: dict[str, Seen] = {}
    for word in observer.words:
        found = [each for system in systems for each in _watched(word, system)]
        alone = {each.variable.name for each in found} & (one ^ other)
        if not (found or word in rules):
            raise _nothing(word, systems, rules)
        if alone and word != EVERYTHING:
            raise _incomparable(alone)
        for each in found:
            if each.variable.name not in alone:
                known, more = seen.get(each.variable.name, {}), each.values
                both = None if known is None or more is None else {**known, **more}
                seen[each.variable.name] = both
    watched = frozenset(rules).intersection(observer.words)
    first_view, second_view = (
        View(tuple(Watched(v, seen[v.name]) for v in system.variables if v.name in seen), watched)
        for system in systems
    )
    return first_view, second_view


def element_seen(variable: Variable) -> Domain[object]:
    """Return the domain of the values that are seen of a field: of a map, that of its elements."""
    domain = variable.domain
    return element_of(domain) if hasattr(domain, "keys") else domain


def _watched(word: str, system: System) -> Iterator[Watched]:
    for variable in system.variables:
        declared = getattr(type(variable.entity), variable.field)
        assert isinstance(declared, Field)
        if word == EVERYTHING:
            seen: bool | tuple[object, ...] = True
        elif word in GROUPS:
            seen = (word == MESSAGES and declared.messages is not None) or declared.effect
        else:
            seen = word in (variable.name, variable.entity.name, *_by_class(variable))
        if seen is True:
            yield Watched(variable, None)
        elif seen:
            yield Watched(variable, dict(_values(variable, seen)))


def _values(variable: Variable, values: Iterable[object]) -> Iterator[tuple[str, str]]:
    """The identities and texts of values; one that the bounds rule out is never seen."""
    domain = element_seen(variable)
    for value in values:
        try:
            domain.encode(value)
        except OutOfDomain:
            continue
        yield identity(domain, value), value_text(domain, value)


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
    "Seen",
    "View",
    "Watched",
    "element_seen",
    "observer_in",
    "views_of",
]
