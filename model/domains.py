"""The finite types of variables: their values, and the cells that store a value.

`scalars.py` has what a domain is, and the domains whose values take one cell; `records.py` options
and unions of records; `structures.py` arrays, maps, queues and sets.
"""

from .records import Option, RecordOf, Union
from .scalars import (
    Bool,
    Boolean,
    Bound,
    CellType,
    Domain,
    Enum,
    MissingValue,
    OutOfDomain,
    Range,
    Ref,
    Scope,
)
from .structures import SET_ELEMENTS_MAX, Array, MapDomain, PerEntity, Queue, Set

__all__ = [
    "SET_ELEMENTS_MAX",
    "Array",
    "Bool",
    "Boolean",
    "Bound",
    "CellType",
    "Domain",
    "Enum",
    "MapDomain",
    "MissingValue",
    "Option",
    "OutOfDomain",
    "PerEntity",
    "Queue",
    "Range",
    "RecordOf",
    "Ref",
    "Scope",
    "Set",
    "Union",
]
