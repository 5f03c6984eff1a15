"""Writes and reads traces as JSON in ITF, the format of Apalache's ADR 015.

    {"#meta": {…}, "vars": ["A.status", …], "states": [{"#meta": {"index": 0}, "A.status": …}, …]}

and `loop`, the index of the state that follows the last one, for a lasso. Integers are
`{"#bigint": "3"}`, sets `{"#set": […]}`, maps `{"#map": [[key, value], …]}`, queues lists with the
oldest element first; a record of a union, and an option, is `{"tag": …, "value": …}`; members of
enumerations and entities are their names. What a step took is in the `#meta` of the state that it
leads to.
"""

# pyright: reportUnnecessaryComparison=false
# Domains are invariant in what they hold, so pyright takes no Boolean for a domain of objects.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar, cast

from .domains import (
    Array,
    Boolean,
    Domain,
    Enum,
    Option,
    OutOfDomain,
    Queue,
    Range,
    Ref,
    Set,
    Union,
)
from .errors import FinaleError, Place
from .given import json_of
from .language.build import shown
from .semantics import outcome
from .system import Fault, GroundRule, State, System
from .trace import Trace
from .values import Nothing, NothingType, Record
from .visible import visible_json

Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"

Named = TypeVar("Named")

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


# --- writing -------------------------------------------------------------------------------------


def to_itf(system: System, trace: Trace, about: Mapping[str, Json] | None = None) -> str:
    """A trace as ITF. `about` joins what the file says of itself."""
    states = trace.states
    rules = [system.rules[index] for index in trace.rules]
    meta: dict[str, Json] = {"format": "ITF", "format-description": FORMAT} | dict(about or {})
    if trace.loop is not None and trace.loop < len(states) - 1:
        # In ITF the last state is the one before the loop closes: the step back has no state.
        meta["loop-step"] = _step(rules[-1], trace.rules[-1])
        states = states[:-1]
    if trace.fault is not None:
        step = _step(rules[-1], trace.rules[-1])
        meta["fault"] = step | {"code": trace.fault.code, "message": trace.fault.message}
    written: list[Json] = []
    for position, state in enumerate(states):
        own: dict[str, Json] = {"index": position}
        if position > 0:
            own |= _step(rules[position - 1], trace.rules[position - 1])
        written.append({"#meta": own, **state_to_json(system, state)})
    names: list[Json] = [variable.name for variable in system.variables]
    document: dict[str, Json] = {"#meta": meta, "vars": names, "states": written}
    if trace.loop is not None:
        document["loop"] = trace.loop
    return visible_json(document, indent=1) + "\n"


def _step(rule: GroundRule, index: int) -> dict[str, Json]:
    return {"rule": rule.rule.name, "binding": dict(rule.binding), "ground-rule": index}


def state_to_json(system: System, state: State) -> dict[str, Json]:
    """The variables of a state, by name."""
    return {
        variable.name: value_to_json(variable.domain, value)
        for variable, value in zip(system.variables, system.values(state).values(), strict=True)
    }


def value_to_json(domain: Domain[object], value: object) -> Json:
    """A plain value of a domain."""
    match domain:
        case Boolean():
            return bool(value)
        case Range():
            return {"#bigint": str(value)}
        case Enum() | Ref():
            return shown(value)
        case Option():
            if isinstance(value, NothingType):
                return {"tag": "None", "value": {}}
            return {"tag": "Some", "value": value_to_json(domain.element, value)}
        case Union():
            parts = dict(domain.parts[domain.kinds.index(type(cast(Record, value)))])
            fields = {
                name: value_to_json(part, getattr(value, name)) for name, part in parts.items()
            }
            return {"tag": type(value).__name__, "value": fields}
        case Set():
            members = [each for each in domain.universe if each in cast("frozenset[object]", value)]
            return {"#set": [value_to_json(domain.element, each) for each in members]}
        case Queue():
            return [value_to_json(domain.element, each) for each in cast(Sequence[object], value)]
        case _:
            return _slots_to_json(domain, cast(Sequence[object], value))


def keys_of(domain: Domain[object]) -> tuple[object, ...]:
    """The keys of an array (positions) or of a map (entities)."""
    keys: tuple[object, ...] = getattr(domain, "keys")  # noqa: B009 - of two classes of domains
    return keys


def element_of(domain: Domain[object]) -> Domain[object]:
    """The domain of the elements of an array or a map."""
    element: Domain[object] = getattr(domain, "element")  # noqa: B009 - of two classes of domains
    return element


def _slots_to_json(domain: Domain[object], values: Sequence[object]) -> Json:
    element = element_of(domain)
    written = [value_to_json(element, each) for each in values]
    if isinstance(domain, Array):
        return written
    return {"#map": [[shown(k), each] for k, each in zip(keys_of(domain), written, strict=True)]}


# --- reading -------------------------------------------------------------------------------------


def from_itf(system: System, text: str) -> Trace:
    """The trace of a system that ITF describes. Raises `not-itf` where it is none."""
    try:
        document = json_of(text)
    except ValueError as error:
        raise _not_itf(f"this is not JSON: {error}") from None
    try:
        return _trace(system, document)
    except KeyError as error:
        raise _not_itf(f"{error} is missing") from None
    except (ValueError, OutOfDomain) as error:
        raise _not_itf(str(error)) from None
    except (IndexError, TypeError, AttributeError) as error:
        raise _not_itf(f"its form is not that of ITF: {error}") from None


def _not_itf(what: str) -> FinaleError:
    return FinaleError(
        "not-itf",
        f"this is not a trace of the system: {what}",
        advice="if the spec or its protocol has changed since, write the trace anew: "
        "finale trace SPEC --format itf",
    )


def _trace(system: System, document: Mapping[str, object]) -> Trace:
    written = [_mapping(each) for each in cast(Sequence[object], document["states"])]
    states = [state_from_json(system, each) for each in written]
    rules = [_ground_rule(system, _mapping(each["#meta"])) for each in written[1:]]
    meta = _mapping(document.get("#meta", {}))
    loop = document.get("loop")
    if not states:
        raise ValueError("a trace has a state")
    if loop is not None and not (isinstance(loop, int) and 0 <= loop < len(states)):
        raise ValueError(f"the loop goes back to state {loop}, which is none")
    if "loop-step" in meta and loop is not None:
        rules.append(_ground_rule(system, _mapping(meta["loop-step"])))
        states.append(states[loop])
    fault: Fault | None = None
    if "fault" in meta:
        rules.append(_ground_rule(system, _mapping(meta["fault"])))
        leaf = outcome(system.rules[rules[-1]].tree, states[-1])
        fault = leaf if isinstance(leaf, Fault) else Fault("none", "no fault here", Place())
    return Trace(tuple(states), tuple(rules), loop, fault)


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not an object")
    return cast("Mapping[str, object]", value)


def _ground_rule(system: System, meta: Mapping[str, object]) -> int:
    index = int(cast(int, meta["ground-rule"]))
    if not 0 <= index < len(system.rules):
        raise ValueError(f"it has no ground rule {index}")
    return index


def state_from_json(system: System, written: Mapping[str, object]) -> State:
    """The state whose variables are written, by name."""
    return tuple(
        cell
        for variable in system.variables
        for cell in variable.domain.encode(value_from_json(variable.domain, written[variable.name]))
    )


def _named(name: object, known: Mapping[str, Named]) -> Named:
    if name not in known:
        raise ValueError(f"{name!r} is none of {', '.join(known)}")
    return known[cast(str, name)]


def value_from_json(domain: Domain[object], written: object) -> object:
    """The plain value of a domain that is written."""
    match domain:
        case Boolean():
            return written
        case Range():
            return int(str(_mapping(written)["#bigint"]))
        case Enum() | Ref():
            return _named(written, {shown(each): each for each in domain.values()})
        case Option():
            tagged = _mapping(written)
            if tagged["tag"] == "None":
                return Nothing
            return value_from_json(domain.element, tagged["value"])
        case Union():
            tagged = _mapping(written)
            names = [kind.__name__ for kind in domain.kinds]
            index = _named(tagged["tag"], {name: index for index, name in enumerate(names)})
            fields = _mapping(tagged["value"])
            parts = dict(domain.parts[index])
            return domain.kinds[index](
                **{name: value_from_json(part, fields[name]) for name, part in parts.items()}
            )
        case Set():
            members = cast(Sequence[object], _mapping(written)["#set"])
            return frozenset(value_from_json(domain.element, each) for each in members)
        case Queue():
            elements = cast(Sequence[object], written)
            return tuple(value_from_json(domain.element, each) for each in elements)
        case _:
            element = element_of(domain)
            if isinstance(domain, Array):
                values = cast(Sequence[object], written)
            else:
                pairs = cast("Sequence[tuple[str, object]]", _mapping(written)["#map"])
                values = [dict(pairs)[shown(key)] for key in keys_of(domain)]
            return tuple(value_from_json(element, each) for each in values)
