"""The rule language: everything that the file of a protocol imports.

A protocol is a class whose rules are methods in plain Python over the fields of entities:

    class Task(Entity):
        status = field(Enum(Status), Status.RUNNING)

    class Finish(Protocol):
        @rule(fair=WEAK)
        def finish(self, task: Task) -> None:
            "A running task comes to its end."
            require(task.status == Status.RUNNING)
            task.status = Status.FINISHED

`docs/tutorial.md` teaches it, `docs/rules.md` describes it; `language/` is how it works.
"""

from .domains import (
    Array,
    Bool,
    Bound,
    Enum,
    Option,
    PerEntity,
    Queue,
    Range,
    RecordOf,
    Ref,
    Set,
    Union,
)
from .language.assumptions import assumed, at_once
from .language.decorators import define, rule, step
from .language.entities import AnyOf, Entity, field
from .language.guards import require, within
from .language.properties import (
    Taken,
    always,
    before,
    eventually,
    leads_to,
    on_step,
    reachable,
    when,
)
from .language.protocol import Protocol, Setting
from .language.quantifiers import count, each, exists, forall
from .system import Fairness
from .values import EMPTY, Nothing, NothingType, Record, part

WEAK = Fairness.WEAK
STRONG = Fairness.STRONG
UNFAIR = Fairness.NONE

__all__ = [  # noqa: RUF022 - a table of contents, by kind
    # Domains
    "Array",
    "Bool",
    "Bound",
    "Enum",
    "Option",
    "PerEntity",
    "Queue",
    "Range",
    "RecordOf",
    "Ref",
    "Set",
    "Union",
    # Values
    "EMPTY",
    "Nothing",
    "NothingType",
    "Record",
    "part",
    # Entities
    "AnyOf",
    "Entity",
    "Protocol",
    "Setting",
    "field",
    # Rules and helpers
    "STRONG",
    "UNFAIR",
    "WEAK",
    "assumed",
    "at_once",
    "define",
    "rule",
    "step",
    # Guards
    "require",
    "within",
    # Quantifiers
    "count",
    "each",
    "exists",
    "forall",
    # Properties
    "Taken",
    "always",
    "before",
    "eventually",
    "leads_to",
    "on_step",
    "reachable",
    "when",
]
