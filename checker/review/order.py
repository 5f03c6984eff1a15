"""Orders the settings of a review, so that one in which the change has an effect comes early.

A user's own specs come first. Three lists follow by turns. In the first one those are first that
are close to the change: settings in which a mistake of the same methods has shown, then settings
that have most of what the changed code names (options, bounds, kinds of vertices, observed
history), then those with fewest values that are not the default. In the second the small ones are
first, and of each option, bound and kind some: code can matter in a setting that it does not name.
The third needs what an earlier review has kept of the runs without the change. Each of its settings
brings new pairs of a branch that the change touches and a fault that runs have there; rare pairs
and small settings come first. A lost message can be what makes a change matter.
"""

from __future__ import annotations

import inspect
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import TypeVar

from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.files import toml_in
from finale.checker.spec.typed import is_table
from finale.model.errors import FinaleError
from finale.model.language.entities import Entity
from finale.model.language.explore import Branch
from finale.model.language.protocol import Protocol

from .cases import Case
from .change import Change
from .code import ChangedCode, function_of
from .pair import Base
from .touched import branches_touched

T = TypeVar("T")
F = TypeVar("F")

#: What a setting costs beside its search, in states: above all its systems are built.
EFFORT_OF_SETTING = 2_000
#: How many states a setting of the first round has at most; of the next one twice as many.
STATES_FIRST = 500
#: Words that say nothing, since nearly every function of the protocols has them.
_EVERYWHERE = frozenset({"checkpoints", "channel", "true", "false", "none", "s", "k", "protocol"})
_OF_VERTEX = ("kind", "sink", "parallelism", "bounded", "chained", "union_state")


def in_order(
    cases: Sequence[Case],
    change: Change,
    code: ChangedCode,
    known: Catalogue,
    kept: Mapping[Path, Base],
) -> Sequence[Case]:
    """The cases, those first in which the change is likely to have an effect.

    `kept` is what is known of the cases without the change, by file.
    """
    tables = {each.file: toml_in(each.file)[0] for each in cases}
    named, methods = _text_of(change, code), _overridden(code)
    alike = {each.file: methods & _overridden_by(tables[each.file], known) for each in cases}

    def distance(case: Case) -> tuple[int, int, int, int, str]:
        words = words_of(tables[case.file])
        return (
            -len(alike[case.file]),
            -sum(word in named for word in words),
            len(_settings_of(tables[case.file], "options")),
            case.size,
            str(case.file),
        )

    own = [each for each in cases if each.is_of_user]
    others = [each for each in cases if not each.is_of_user]
    features = {each.file: features_of(tables[each.file]) for each in others}
    every = frozenset[Branch]().union(*(each.taken for each in kept.values()))
    touched = branches_touched(code, every)
    reached = {
        each.file: frozenset(
            product(kept[each.file].taken & touched, (*kept[each.file].faults, ""))
        )
        if each.file in kept
        else frozenset[tuple[Branch, str]]()
        for each in others
    }

    lists = [
        sorted(others, key=distance),
        rounds(others, operator.attrgetter("size", "file"), lambda each: features[each.file]),
    ]
    if any(reached.values()):
        lists.append(covering(others, lambda each: reached[each.file], lambda each: each.size))
    turns = zip(*lists, strict=True)
    return list({each.file: each for each in chain(own, *turns)}.values())


def _text_of(change: Change, code: ChangedCode) -> str:
    """The code of the change and of what it takes the place of, and the values that it sets."""
    texts = [f"{key} {value}" for key, value in change.values]
    for each in code.members:
        for value in (each.value, each.inherited and each.inherited[1]):
            texts.append(_source(value))
    return "\n".join(texts).lower().replace("-", "_")


def _source(value: object) -> str:
    function = function_of(value)
    return repr(value) if function is None else inspect.getsource(function)


def _overridden(code: ChangedCode) -> frozenset[str]:
    return frozenset(each.member.name for each in code.methods if each.overrides is not None)


def _overridden_by(table: Mapping[str, object], known: Catalogue) -> frozenset[str]:
    """The inherited methods that the variant of a spec puts others in the place of."""
    key, name = table.get("protocol"), table.get("variant")
    if (key, name) not in known.variants:
        return frozenset()
    try:
        variant, base = known.variant(str(key), str(name)), known.protocol(str(key))
    except FinaleError:
        return frozenset()
    return frozenset(_names_of(variant, base))


def _names_of(variant: type[Protocol], base: type[Protocol]) -> Iterator[str]:
    for kind in _classes(variant, base):
        for name, value in vars(kind).items():
            if function_of(value) and any(name in vars(each) for each in kind.__mro__[1:]):
                yield name


def _classes(variant: type[Protocol], base: type[Protocol]) -> Iterator[type]:
    """The classes of a variant, and those of its entities that are named in them."""
    for kind in variant.__mro__:
        if kind in base.__mro__:
            continue
        yield kind
        for value in vars(kind).values():
            given = value.values() if isinstance(value, Mapping) else (value,)
            for each in given:
                if isinstance(each, type) and issubclass(each, Entity):
                    yield each


def rounds(
    found: Iterable[T],
    size: Callable[[T], tuple[int, str]],
    features: Callable[[T], frozenset[F]],
    first: int = STATES_FIRST,
) -> Iterator[T]:
    """Yield all of these: in each round as many as bring something that none before in it has.

    The small ones come first. A round has those up to a number of states, `first` in the first one.
    """
    left, states = sorted(found, key=size), first
    while left:
        met: set[F] = set()
        put_off: list[T] = []
        for each in left:
            if size(each)[0] <= states and not features(each) <= met:
                met |= features(each)
                yield each
            else:
                put_off.append(each)
        left, states = put_off, 2 * states


def covering(
    found: Iterable[T], features: Callable[[T], frozenset[F]], size: Callable[[T], int]
) -> Iterator[T]:
    """Yield all of these. Next comes the one with the most new features for its cost.

    A rare feature counts more than a common one. When no feature is new any more, all are new.
    """
    left = list(found)
    had = Counter(feature for each in left for feature in features(each))
    met: set[F] = set()

    def worth(each: T) -> float:
        return sum(1 / had[f] for f in features(each) - met) / (EFFORT_OF_SETTING + size(each))

    while left:
        best = max(left, key=worth)
        if met and not features(best) - met:
            met.clear()
            best = max(left, key=worth)
        met |= features(best)
        left.remove(best)
        yield best


def features_of(table: Mapping[str, object]) -> frozenset[str]:
    """Return what a spec has: a word for each option, bound and kind, with its value."""
    return frozenset(f"{word} = {value}" for word, value in _settings(table))


def words_of(table: Mapping[str, object]) -> frozenset[str]:
    """Return what a spec has, as code calls it."""
    found = chain.from_iterable((word, str(value)) for word, value in _settings(table))
    names = {each.lower().replace("-", "_") for each in found}
    return frozenset(each for each in names if each.isidentifier() and each not in _EVERYWHERE)


def _settings(table: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """What a spec has: each option, bound and kind, and its value."""
    yield "protocol", table["protocol"]
    for key in ("options", "bounds", "observe"):
        yield from ((word, value) for word, value in _settings_of(table, key).items() if value)
    job = table.get("job")
    for vertex in job.values() if is_table(job) else ():
        for key in _OF_VERTEX:
            if is_table(vertex) and key in vertex:
                yield key, vertex[key]


def _settings_of(table: Mapping[str, object], key: str) -> Mapping[str, object]:
    given = table.get(key)
    return given if is_table(given) else {}


__all__ = ["features_of", "in_order", "rounds", "words_of"]
