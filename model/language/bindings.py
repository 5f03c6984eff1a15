"""Finds the rules of a protocol, and binds the parameters of rules and properties."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeGuard, cast

from finale.model.domains import Bool, Domain, Enum
from finale.model.errors import FinaleError, Place
from finale.model.language.decorators import DecoratedFunction, mark_of
from finale.model.language.entities import Entity
from finale.model.language.properties import Taken
from finale.model.language.protocol import Protocol
from finale.model.system import Fairness, Rule


class BoundRule(NamedTuple):
    """A rule with its parameters bound to entities and choices."""

    rule: Rule
    method: Callable[..., None]
    arguments: tuple[object, ...]
    binding: tuple[tuple[str, str], ...]
    entities: tuple[str, ...]


def rule_names(kind: type[Protocol]) -> list[str]:
    """The rules of a protocol: those of its bases first, each where it was first defined.

    Raises `override-not-marked`, `override-misspelt`.
    """
    names: dict[str, None] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            mark = mark_of(value)
            if mark is not None and mark.role == "rule":
                if name not in names:
                    _refuse_misspelt(base, name, mark, names)
                names[name] = None
            elif name in names:
                raise FinaleError(
                    "override-not-marked",
                    f"{base.__qualname__}.{name} overrides a rule and is not marked @rule",
                    place=_place(value, base),
                    advice="mark the override @rule",
                )
    return list(names)


def _refuse_misspelt(base: type, name: str, mark: DecoratedFunction, known: Iterable[str]) -> None:
    """A new rule that is called almost as an inherited one that stays as it is."""
    for meant in known:
        is_inherited = any(meant in vars(kind) for kind in base.__mro__[1:])
        if is_misspelt(name, meant) and is_inherited and meant not in vars(base):
            raise FinaleError(
                "override-misspelt",
                f'{base.__qualname__}.{name} is a new rule beside "{meant}", which it inherits',
                place=mark.place,
                advice=f'to override that one, call it "{meant}"; else give the new rule a name '
                "that is less like it",
            )


def _place(value: object, base: type) -> Place:
    code = getattr(inspect.unwrap(value) if callable(value) else value, "__code__", None)
    file = code.co_filename if code else inspect.getfile(base)
    return Place(file, code.co_firstlineno if code else None)


def rule_of(kind: type[Protocol], name: str, promises: bool | None = None) -> Rule:
    """A rule of a protocol as written. Raises `rule-without-sentence`, `unknown-fairness`.

    `promises` says whether some rule of the protocol is fair, if that is known.
    """
    mark = mark_of(getattr(kind, name))
    assert mark is not None
    if not mark.sentence:
        raise FinaleError(
            "rule-without-sentence",
            f"{name} has no docstring",
            place=mark.place,
            advice="say in one sentence what the rule does: traces print it",
        )
    given = _fairness_of(kind, name)
    fairness = given or Fairness.NONE
    promises = has_fair_rules(kind) if promises is None else promises
    makes_progress = fairness is not Fairness.NONE or (given is None and not promises)
    return Rule(name, mark.sentence, fairness, makes_progress, mark.place, mark.cites)


def _fairness_of(kind: type[Protocol], name: str) -> Fairness | None:
    """What a rule says about its fairness; an override that says nothing is as fair as the rule
    that it overrides."""
    for base in kind.__mro__:
        mark = mark_of(vars(base).get(name))
        given = cast("object", mark.fairness if mark is not None else None)
        if isinstance(given, Fairness):
            return given
        if mark is not None and given is not None:
            raise FinaleError(
                "unknown-fairness",
                f"fair={given!r} is no promise about {name}",
                place=mark.place,
                advice="write `fair=WEAK`, `fair=STRONG` or `fair=UNFAIR`",
            )
    return None


def has_fair_rules(kind: type[Protocol]) -> bool:
    """Whether some rule of a protocol is fair."""
    given = (_fairness_of(kind, name) for name in rule_names(kind))
    return any(each is not None and each is not Fairness.NONE for each in given)


def bound_rules(protocol: Protocol) -> Iterator[BoundRule]:
    """The rules with every binding of their parameters, in rule order and then entity order."""
    promises = has_fair_rules(type(protocol))
    for name in rule_names(type(protocol)):
        rule = rule_of(type(protocol), name, promises)
        mark = mark_of(getattr(type(protocol), name))
        assert mark is not None
        method = getattr(protocol, name)
        for arguments, binding, entities in bindings(protocol, mark, skip=1):
            yield BoundRule(rule, method, arguments, binding, entities)


def bindings(
    protocol: Protocol, mark: DecoratedFunction, skip: int
) -> Iterator[tuple[tuple[object, ...], tuple[tuple[str, str], ...], tuple[str, ...]]]:
    """Arguments for the parameters of a rule or property, how they are shown, their entities.

    The first `skip` parameters, and a last one that is the step taken, are not bound.
    """
    known = choices(protocol, mark, skip)
    names = list(known)
    texts = [_texts(each) for each in known.values()]
    for arguments, told in zip(product(*known.values()), product(*texts), strict=True):
        binding = tuple(zip(names, told, strict=True))
        entities = tuple(a.name for a in arguments if isinstance(a, Entity))
        yield arguments, binding, entities


def choices(
    protocol: Protocol, mark: DecoratedFunction, skip: int
) -> dict[str, tuple[object, ...]]:
    """Return what each parameter of a rule or property can be, but for the first `skip` and for a
    last one that is the step taken."""
    names = _parameters(mark)[skip:]
    if names and mark.hints.get(names[-1]) is Taken:
        del names[-1]
    return {name: _choices(protocol, mark, name, mark.hints.get(name)) for name in names}


def _parameters(mark: DecoratedFunction) -> list[str]:
    parameters = inspect.signature(mark.function).parameters
    for name, parameter in parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise _unbound(mark, name)
    return list(parameters)


def shown(value: object) -> str:
    """A value of a binding, in traces."""
    return value.name if isinstance(value, enum.Enum | Entity) else str(value)


def _texts(choices: Sequence[object]) -> list[str]:
    """The texts of the values of a parameter: a member that prints like another one is named."""
    texts = [shown(each) for each in choices]
    return [
        f"{type(each).__name__}.{text}"
        if isinstance(each, enum.Enum) and texts.count(text) > 1
        else text
        for each, text in zip(choices, texts, strict=True)
    ]


def _choices(
    protocol: Protocol, mark: DecoratedFunction, name: str, hint: Any
) -> tuple[object, ...]:
    world = protocol.world
    extras: tuple[object, ...] = getattr(hint, "__metadata__", ())
    if isinstance(hint, type) and issubclass(hint, Entity):
        return world.scope.of(hint)
    if hint is bool:
        return tuple(Bool.values())
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return tuple(Enum(hint).values())
    for domain in filter(_is_domain, extras):
        return tuple(domain.resolve(world.scope).values())
    raise _unbound(mark, name)


def _unbound(mark: DecoratedFunction, name: str) -> FinaleError:
    return FinaleError(
        "unknown-parameter",
        f'the parameter "{name}" of {mark.function.__name__} cannot be bound',
        place=mark.place,
        advice="annotate it with an entity class, bool, an enumeration, or "
        "Annotated[int, Range(low, high)]; the step of an @on_step property comes last",
    )


def _is_domain(value: object) -> TypeGuard[Domain[object]]:
    return isinstance(value, Domain)


#: A shorter word is as likely another one: `get` is not `set` misspelt.
LETTERS_MIN = 4


def is_misspelt(name: str, meant: str) -> bool:
    """Whether two names differ as by a slip: in one letter of one word, in case, or in underscores.

    Words that differ in numbers are meant to differ: `phase1` is not `phase2` misspelt.
    """
    if name == meant:
        return False
    if name.replace("_", "").casefold() == meant.replace("_", "").casefold():
        return True
    ones, others = name.split("_"), meant.split("_")
    if len(ones) != len(others):
        return False
    different = [pair for pair in zip(ones, others, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and _is_slip(*different[0])


def _is_slip(one: str, other: str) -> bool:
    """Whether a letter is too many, missing, or wrong, or two are exchanged."""
    if max(len(one), len(other)) < LETTERS_MIN:
        return False
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    one, other = one[begin:], other[begin:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if not (one + other).isalpha():
        return False
    is_exchanged = len(one) == 2 and one == other[::-1]
    return is_exchanged or max(len(one), len(other)) == 1
