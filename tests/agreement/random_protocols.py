"""Random protocols as source text in the rule language: what hypothesis, or a seed, picks.

A protocol has nodes, wires with a queue of a union, and fields of its own. Its rules have guards,
branches, matches, loops, quantifiers and calls of helpers. Some protocols are `risky`: they write,
put and read without looking whether they may, and so reach faults.
"""

import hashlib
import linecache
from dataclasses import dataclass
from typing import Any

from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.rules import Setting
from tests.agreement.random_bodies import Bodies, Pick, Scope

HEAD = '''"""A random protocol."""
import enum
from dataclasses import dataclass
from typing import Annotated
from finale.model.rules import *

class Phase(enum.Enum):
    IDLE = "idle"
    BUSY = "busy"
    DONE = "done"
'''

RECORDS = """
class Ping(Record):
    n: int = part(Range(0, 2))

class Pong(Record):
    who: Node = part(Ref(Node))

class Stop(Record):
    pass
"""

PROTOCOL = """
@dataclass(frozen=True)
class Bounds:
    tries: int = {tries}

class Random(Protocol):
    key = "random"
    Bounds = Bounds
{fields}
    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = tuple(Node(f"n{{i}}") for i in range({nodes}))
        self.wires = tuple(Wire(f"w{{i}}") for i in range({wires}))
        for wire in self.wires:
            wire.first = self.nodes[0]

    def entities(self):
        return (*self.nodes, *self.wires)

    @define
    def terminal(self) -> bool:
        return {terminal}
"""

FIELDS = {
    "flag": "field(Bool, False)",
    "phase": "field(Enum(Phase), Phase.IDLE)",
    "spare": "field(Option(Range(0, 2)), Nothing)",
    "marks": "field(Set(Range(0, 2)), frozenset())",
    "owner": "field(Ref(Node), lambda wire: wire.first)",
    "scores": "field(PerEntity(Node, Range(0, 2)), 0)",
    "open": "field(Bool, AnyOf((True, False)))",
    "total": "field(Range(0, 3), AnyOf((0, 2)))",
    "turn": "field(Ref(Node), lambda protocol: protocol.nodes[0])",
    "slots": "field(Array(Range(0, 2), 2), 0)",
    "last": "field(Option(Ref(Node)), Nothing)",
}


@dataclass(frozen=True)
class Written:
    """A protocol as text, and as the class and properties that the text defines."""

    source: str
    kind: type[Protocol]
    families: tuple[Family, ...]

    def make(self) -> Protocol:
        return self.kind(Setting())


def written(pick: Pick) -> Written:
    """A random protocol. Most, not all, are accepted by `build`."""
    source = _Module(pick).source()
    return load(source)


def load(source: str) -> Written:
    """The protocol of a source text, which tracebacks and the language can read."""
    name = f"<random protocol {hashlib.sha1(source.encode()).hexdigest()[:12]}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "random_protocol"}
    exec(compile(source, name, "exec"), namespace)
    families = tuple(each for each in namespace.values() if isinstance(each, Family))
    return Written(source, namespace["Random"], families)


class _Module:
    def __init__(self, pick: Pick) -> None:
        self.pick = pick
        self.bodies = Bodies(pick)

    def source(self) -> str:
        pick, bodies = self.pick, self.bodies
        wires = pick.among([1, 1, 2]) if bodies.has_wire else 0
        nodes = pick.among([1, 2, 2]) if wires == 2 else pick.among([2, 2, 3])
        level = f"field(Range(0, {bodies.level_max}), {pick.among([0, 0, bodies.level_max])})"
        capacity = pick.among([1, 2, 2, 3, 3])
        queue = f"field(Queue(Union(Ping, Pong, Stop), {capacity}), ())"
        everything = Scope(nodes=("self.nodes[0]",), helpers=False)
        text = [
            HEAD,
            "class Node(Entity):",
            f"    level = {level}",
            *(f"    {name} = {FIELDS[name]}" for name in bodies.of_node),
            RECORDS,
            "class Wire(Entity):",
            "    first: Node",
            f"    queue = {queue}",
            *(f"    {name} = {FIELDS[name]}" for name in bodies.of_wire),
            PROTOCOL.format(
                tries=pick.among([1, 2]),
                fields="\n".join(f"    {name} = {FIELDS[name]}" for name in bodies.own),
                nodes=nodes,
                wires=wires,
                terminal=bodies.truth(everything, 1),
            ),
        ]
        self._helpers()
        for index in range(pick.among([3, 3, 4, 5])):
            self._rule(index, wires)
        self._properties()
        return "\n".join([*text, *bodies.lines, ""])

    def _helpers(self) -> None:
        bodies, scope = self.bodies, Scope(nodes=("node",), helpers=False)
        for line in ("@define", "def ready(self, node: Node) -> bool:"):
            bodies.line(1, line)
        if self.pick.chance(50):
            bodies.line(2, f"if {bodies.truth(scope, 1)}:")
            bodies.line(3, f"return {bodies.truth(scope, 0)}")
        bodies.line(2, f"return {bodies.truth(scope, 1)}")
        for line in ("", "@define", "def measure(self, node: Node) -> int:"):
            bodies.line(1, line)
        bodies.line(2, f"if {bodies.truth(scope, 0)}:")
        bodies.line(3, f"return {bodies.number(scope, 0)}")
        bodies.line(2, f"return {self.pick.among(['0', '1', 'node.level'])}")
        for line in ("", "@define", "def other(self, node: Node) -> Node:"):
            bodies.line(1, line)
        bodies.line(2, f"if {bodies.truth(scope, 0)}:")
        bodies.line(3, f"return {self.pick.among(['self.nodes[0]', bodies.node(scope)])}")
        bodies.line(2, "return node")
        for line in ("", "def inline(self, node: Node) -> bool:"):
            bodies.line(1, line)
        bodies.line(2, f"return {bodies.truth(scope, 1)}")
        for line in ("", "@step", "def settle(self, node: Node) -> None:"):
            bodies.line(1, line)
        bodies.body(2, scope, 1)

    def _rule(self, index: int, wires: int) -> None:
        pick, bodies = self.pick, self.bodies
        parameters, scope = ["node: Node"], Scope(nodes=("node",))
        if wires and (index < 2 or pick.chance(50)):
            parameters.append("wire: Wire")
            scope = Scope(scope.nodes, ("wire",))
        if pick.chance(20):
            parameters.append("other: Node")
            scope = Scope((*scope.nodes, "other"), scope.wires)
        if index == 0 or pick.chance(25):
            parameters.append("number: Annotated[int, Range(0, 1)]")
            scope = Scope(scope.nodes, scope.wires, ("number",))
        elif pick.chance(20):
            parameters.append("choice: bool")
            scope = Scope(scope.nodes, scope.wires, truths=("choice",))
        bodies.line(0, "")
        bodies.line(1, pick.among(["@rule", "@rule", "@rule(fair=WEAK)", "@rule(fair=STRONG)"]))
        bodies.line(1, f"def rule_{index}(self, {', '.join(parameters)}) -> None:")
        bodies.line(2, f'"""Rule {index}."""')
        if pick.chance(10 if index < 2 else 35):
            how = pick.among(["require({})", "require({}, lambda: {})", "require({}, {})"])
            count = how.count("{}")
            bodies.line(2, how.format(*(bodies.truth(scope, 1) for _ in range(count))))
        if pick.chance(12):
            place = "self.total" if "total" in bodies.own else "node.level"
            bodies.line(2, f"within({place}, self.bounds.tries)")
        if scope.wires and index == 0:
            bodies.line(2, "require(wire.queue.has_space)")
            record = pick.among(["Ping(number)", "Ping(number)", bodies.record(scope)])
            bodies.line(2, f"wire.queue.put({record})")
        elif scope.wires and index == 1:
            bodies.line(2, "require(not wire.queue.is_empty)")
            bodies.receive(2, scope, guarded=False)
        else:
            bodies.sure(2, scope)
        bodies.body(2, scope, bodies.levels_max)

    def _properties(self) -> None:
        bodies, scope = self.bodies, Scope(nodes=("node",))
        whole = Scope(nodes=("p.nodes[0]",))
        always, now, goal, far = (bodies.truth(scope, 1) for _ in range(4))
        before = bodies.truth(whole, 0)
        text = f'''
@always
def stays(p: Random, node: Node) -> bool:
    """It stays."""
    when({bodies.truth(scope, 1)})
    return {always}

@on_step
def changes(p: Random, step: Taken) -> bool:
    """It changes."""
    when(step.rule != "rule_0" or before(lambda: {before}))
    return {bodies.truth(whole, 0)}

@leads_to
def follows(p: Random, node: Node) -> bool:
    """It follows."""
    when({now})
    return {goal}

@eventually
def comes(p: Random, node: Node) -> bool:
    """It comes."""
    return {far}

@reachable
def is_seen(p: Random, node: Node) -> bool:
    """It is seen."""
    return {bodies.truth(scope, 1)}
'''
        bodies.lines += text.replace("self.", "p.").splitlines()


__all__ = ["Written", "load", "written"]
