"""The decorators of the rule language: @rule, @define, @step.

A marked function stays callable. While a rule is explored a call runs its prepared body (inline for
a rule that calls `super()`, merged for a helper); on plain values it runs as it is written.
"""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar, cast, overload

from finale.model.domains import Domain
from finale.model.errors import FinaleError, Place
from finale.model.system import Fairness

from . import operators, quantifiers
from .access import settled_value
from .assumptions import Assumption, is_left_out
from .explore import Branch, current, exploring, merged, note_branch
from .guards import plain_rule
from .joining import as_returned, join
from .path_ends import FAULTS, fault_of, import_advice
from .symbols import tested
from .syntax import Prepared, checked, prepared

P = ParamSpec("P")
T = TypeVar("T")

#: What rewritten bodies call, by the names that `syntax.py` gives it.
_HELPERS = MappingProxyType(
    {
        "_and": operators.both,
        "_or": operators.either,
        "_not": operators.inverse,
        "_compare": operators.chained,
        "_in": operators.contains,
        "_is": operators.is_same,
        "_is_not": operators.is_other,
        "_not_in": operators.excludes,
        "_isinstance": operators.is_instance,
        "_subject": operators.subject,
        "_owner": operators.owner,
        "_slots": operators.slots,
        "_changeable": operators.changeable,
        "_bool": operators.as_truth,
        "_each": quantifiers.each,
        "_all_in": quantifiers.all_in,
        "_any_in": quantifiers.any_in,
        "_all": quantifiers.all_of,
        "_any": quantifiers.any_of,
        "_sum": quantifiers.sum_of,
        "_min_of": quantifiers.least_of,
        "_max_of": quantifiers.greatest_of,
        "_min": quantifiers.least,
        "_max": quantifiers.greatest,
    }
)

#: FC-2, F45-3, CL-SFL, TR, S7, V-11.
_ID = re.compile(
    r"\b(?:(?:[A-Z]{2,3}-|[A-Z]\d+-|V-|[SLH](?=\d))\d+"
    r"|CL-(?:ASF|SFL|FSL|RPC-ALL|OVERTAKE|LAST|TIMEOUT)|TR)\b"
)


@dataclass
class DecoratedFunction:
    """A marked function: what it is, and its body as exploring runs it."""

    function: Callable[..., Any]
    role: str
    fairness: Fairness | None = None
    """Of a rule: as said, or None where an override leaves it as it was."""
    assumption: Assumption | None = None
    """Of a helper that is marked `@assumed`."""
    at_once: Assumption | None = None
    """Of a step that is marked `@at_once`."""

    @cached_property
    def prepared(self) -> Prepared:
        """The prepared body. Raises a coded error for what the language refuses in it."""
        file = self.function.__code__.co_filename

        def branch(line: int, test: object) -> bool:
            outcome = bool(tested(test))
            note_branch(Branch(file, line, outcome))
            return outcome

        def if_else(line: int, *parts: Any) -> Any:
            return operators.if_else(lambda outcome: Branch(file, line, outcome), *parts)

        return prepared(self.function, {**_HELPERS, "_branch": branch, "_if": if_else})

    @cached_property
    def hints(self) -> dict[str, Any]:
        """The annotations of its parameters. Raises `unknown-annotation`."""
        try:
            return typing.get_type_hints(self.function, include_extras=True)
        except NameError as error:
            raise FinaleError(
                "unknown-annotation",
                f"a parameter is annotated with a name that is not known: {error}",
                place=self.place,
                advice=import_advice(
                    error,
                    "annotate with classes that the module defines or imports at its top level",
                ),
            ) from None

    @property
    def domains(self) -> Iterator[tuple[str, Domain[Any]]]:
        """The parameters whose annotation has a domain, and these."""
        for name, hint in self.hints.items():
            for each in getattr(hint, "__metadata__", ()):
                if isinstance(each, Domain):
                    yield name, each

    def check(self) -> None:
        """Raise a coded error for what the language refuses in the body, if it was not prepared."""
        checked(self.function)

    @property
    def place(self) -> Place:
        """The file and line of the function."""
        code = self.function.__code__
        return Place(code.co_filename, code.co_firstlineno, rule=self.function.__qualname__)

    @property
    def sentence(self) -> str:
        """The docstring's first paragraph on one line."""
        paragraph = (self.function.__doc__ or "").strip().split("\n\n")[0]
        return " ".join(paragraph.split())

    @property
    def cites(self) -> tuple[str, ...]:
        """The rule ids that the docstring names: FC-2, PL-5, CL-SFL, S7, V-11."""
        return ids_in(self.function.__doc__ or "")


def ids_in(text: str) -> tuple[str, ...]:
    """The rule ids that a text names, each once."""
    return tuple(dict.fromkeys(_ID.findall(text)))


def mark_of(value: object) -> DecoratedFunction | None:
    """The mark of a function or method, or of a property's function, if it has one."""
    function = value.fget if isinstance(value, property) else value
    return cast("DecoratedFunction | None", getattr(function, "__finale__", None))


def _marking(
    mark: DecoratedFunction,
    function: Callable[P, T],
    how: Callable[..., T],
    plain: Callable[..., T],
) -> Callable[P, T]:
    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        if mark.assumption is not None and is_left_out(mark.assumption, args[0]):
            return cast(T, mark.assumption.without)
        return how(*args, **kwargs) if exploring() else plain(*args, **kwargs)

    called.__finale__ = mark  # type: ignore[attr-defined]
    return called


# --- rules ---------------------------------------------------------------------------------------


@overload
def rule(function: Callable[P, None], /) -> Callable[P, None]: ...


@overload
def rule(*, fair: Fairness) -> Callable[[Callable[P, None]], Callable[P, None]]: ...


def rule(
    function: Callable[P, None] | None = None, /, *, fair: Fairness | None = None
) -> Callable[P, None] | Callable[[Callable[P, None]], Callable[P, None]]:
    """Mark a method as a rule: one ground rule for each binding of its parameters.

    Parameters are annotated with entity classes, or with finite choices: `bool`, an enumeration, or
    `Annotated[int, Range(0, 2)]`. `fair` says what is promised when the rule stays enabled; an
    override without it is as fair as the rule that it overrides, `UNFAIR` says that it is not. No
    run can rely on a rule that is not fair; but if no rule of a protocol is fair, only `UNFAIR`
    marks the rules that nobody can rely on (`no-deadlock`).
    A false `assert`, and what plain Python raises in some states only, is a fault.
    """

    def marking(body: Callable[P, None]) -> Callable[P, None]:
        mark = DecoratedFunction(body, "rule", fair)

        def plain(*args: Any, **kwargs: Any) -> None:
            with plain_rule():
                try:
                    body(*args, **kwargs)
                except FAULTS as error:
                    raise fault_of(error) from error

        def inline(*args: Any, **kwargs: Any) -> None:
            mark.prepared.function(*args, **kwargs)

        return _marking(mark, body, inline, plain)

    return marking if function is None else marking(function)


# --- helpers -------------------------------------------------------------------------------------


def define(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a helper that only reads. Exploration merges its paths into one value."""
    mark = DecoratedFunction(function, "define")

    def how(*args: Any, **kwargs: Any) -> T:
        store = current().store
        written = dict(store.writes)
        value = _helped(mark, args, kwargs)
        if store.writes != written:
            raise FinaleError(
                "define-writes",
                f"{function.__qualname__} is marked @define and writes to the state",
                place=mark.place,
                advice="mark it @step",
            )
        return cast(T, value)

    return _marking(mark, function, how, _plain_helper(function))


def step(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a helper that writes. Exploration merges its paths with if-then-else.

    What it returns is a value of that moment: a queue or set of the state is copied.
    """
    mark = DecoratedFunction(function, "step")

    def how(*args: Any, **kwargs: Any) -> T:
        return cast(T, _helped(mark, args, kwargs))

    return _marking(mark, function, how, _plain_helper(function))


def _helped(mark: DecoratedFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    body = mark.prepared.function
    return merged(lambda: as_returned(body(*args, **kwargs)), current().store, join)


def _plain_helper(function: Callable[P, T]) -> Callable[..., T]:
    return lambda *args, **kwargs: cast(T, settled_value(function(*args, **kwargs)))
