"""Random bodies of rules and helpers: expressions and statements of the rule language as text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

T = TypeVar("T")


class Pick:
    """Where random decisions come from: `below(n)` is any of 0..n-1."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self.below = below

    def among(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent

    def some(self, options: Sequence[T], percent: int) -> list[T]:
        return [option for option in options if self.chance(percent)]


@dataclass(frozen=True)
class Scope:
    """What a body can speak of: nodes, wires, and what is a number or a truth there."""

    nodes: tuple[str, ...] = ()
    wires: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    helpers: bool = True


Statement = Callable[[int, Scope, int], None]


class Bodies:
    """Writes bodies. A `risky` protocol writes, puts and reads without looking whether it may."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick
        self.lines: list[str] = []
        self.risky = pick.chance(50)
        self.level_max = pick.among([1, 2, 3, 3])
        self.of_node = pick.some(["flag", "phase", "spare", "marks"], 65)
        self.of_wire = pick.some(["owner", "scores", "open"], 40)
        self.own = pick.some(["total", "turn", "slots", "last"], 45)
        self.has_wire = pick.chance(96)
        self.levels_max = pick.among([1, 2, 2])
        self.names = 0

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    # --- expressions -----------------------------------------------------------------------------

    def node(self, scope: Scope) -> str:
        options = [*scope.nodes, *scope.nodes]
        options += ["self.turn"] if "turn" in self.own else []
        options += [f"{wire}.owner" for wire in scope.wires if "owner" in self.of_wire]
        options += [f"self.other({name})" for name in scope.nodes[:1] if scope.helpers]
        options += ["self.last"] if "last" in self.own and self.risky else []
        return self.pick.among(options or ["self.nodes[0]"])

    def place(self, scope: Scope) -> tuple[str, int]:
        """A field that holds a number, and the highest it holds."""
        options = [(f"{self.node(scope)}.level", self.level_max)] * 2
        options += [("self.total", 3)] if "total" in self.own else []
        if "slots" in self.own:
            index = self.number(scope, 0) if self.risky else self.pick.among(["0", "1"])
            options.append((f"self.slots[{index}]", 2))
        if "scores" in self.of_wire and scope.wires:
            options.append((f"{self.pick.among(scope.wires)}.scores[{self.node(scope)}]", 2))
        return self.pick.among(options)

    def number(self, scope: Scope, depth: int) -> str:
        options = [str(self.pick.below(3)), self.place(scope)[0] if depth else "1"]
        options += scope.numbers
        if depth:
            options += [
                f"{self.number(scope, 0)} {self.pick.among('+-')} {self.number(scope, 0)}",
                f"({self.number(scope, 0)} if {self.truth(scope, 0)} else {self.number(scope, 0)})",
                f"count(self.nodes, lambda each: {self.of_each(scope)})",
                f"sum(1 for each in self.nodes if {self.of_each(scope)})",
                f"{self.pick.among(['min', 'max'])}(each.level for each in self.nodes)",
            ]
            options += [f"{wire}.queue.length" for wire in scope.wires]
            options += [f"{self.node(scope)}.marks.size"] if "marks" in self.of_node else []
            options += [f"self.measure({self.node(scope)})"] if scope.helpers else []
            options += (
                [f"{self.node(scope)}.spare"] if self.risky and "spare" in self.of_node else []
            )
        return self.pick.among(options)

    def of_each(self, scope: Scope) -> str:
        return self.truth(replace(scope, nodes=("each",)), 0)

    def truth(self, scope: Scope, depth: int) -> str:
        pick, node = self.pick, self.node(scope)
        options = [f"{self.place(scope)[0]} {pick.among(['<', '==', '>=', '!='])} {pick.below(3)}"]
        options += scope.truths
        options += [f"{node}.flag", f"not {node}.flag"] if "flag" in self.of_node else []
        phase = f"{node}.phase {pick.among(['==', '!='])} Phase.{pick.among(['IDLE', 'BUSY'])}"
        options += [phase] if "phase" in self.of_node else []
        options += [f"{node}.marks.has({pick.below(3)})"] if "marks" in self.of_node else []
        if "spare" in self.of_node:
            options += [f"{node}.spare != Nothing", f"{node}.spare == {pick.below(3)}"]
        options += [f"{node} == {self.node(scope)}", f"{node} != self.nodes[0]"]
        options += [f"0 < {self.place(scope)[0]} <= 2", f"{node} in (self.nodes[0], {node})"]
        options += ["self.last == Nothing"] if "last" in self.own else []
        for wire in scope.wires:
            options += [f"{wire}.queue.{pick.among(['is_empty', 'has_space', 'has_space_for(2)'])}"]
            options += [
                f"{wire}.queue.head == {pick.among(['Ping', 'Stop', 'Ping(1)', 'Nothing'])}"
            ]
            options += [f"{wire}.queue.holds({pick.among(['Stop', 'Ping(0)'])})"]
            options += [f"isinstance({wire}.queue.head, {pick.among(['Ping', 'Pong'])})"]
            options += [f"{pick.among(['Stop()', 'Ping(1)'])} in {wire}.queue"]
            options += [f"{wire}.open"] if "open" in self.of_wire else []
        if depth:
            options += self._compound_truths(scope)
        return pick.among(options)

    def _compound_truths(self, scope: Scope) -> list[str]:
        left, right = self.truth(scope, 0), self.truth(scope, 0)
        options = [
            f"({left} {self.pick.among(['and', 'or'])} {right})",
            f"not ({left})",
            f"{self.number(scope, 1)} {self.pick.among(['<', '=='])} {self.number(scope, 1)}",
            f"{self.pick.among(['all', 'any'])}({self.of_each(scope)} for each in self.nodes)",
            f"{self.pick.among(['forall', 'exists'])}"
            f"(self.nodes, lambda each: {self.of_each(scope)})",
        ]
        if scope.helpers:
            options += [f"self.ready({self.node(scope)})", f"self.inline({self.node(scope)})"]
        if "slots" in self.own:
            options.append(f"any(slot == {self.pick.below(3)} for slot in self.slots)")
        if "marks" in self.of_node:
            options.append(f"{self.number(scope, 0)} in {self.node(scope)}.marks")
        if not self.risky:
            return [each for each in options if " in " not in each or "for" in each]
        return options

    # --- statements ------------------------------------------------------------------------------

    def record(self, scope: Scope) -> str:
        number = self.number(scope, 0) if self.risky else str(self.pick.below(3))
        options = [f"Ping({self.pick.among([*scope.numbers, number, number])})", "Stop()"]
        if not self.risky:
            options[0] = f"Ping({self.pick.below(3)})"
        return self.pick.among([*options, f"Pong({self.node(scope)})" if scope.nodes else "Stop()"])

    def sure(self, depth: int, scope: Scope, levels: int = 0) -> None:
        """A statement that surely writes."""
        node, pick = self.node(scope), self.pick
        high = self.level_max
        options = [
            f"{node}.level = {pick.below(high + 1)}",
            f"{node}.level = {node}.level + 1 if {node}.level < {high} else 0",
            f"{node}.level = {high} - {node}.level",
        ]
        options += [f"{node}.flag = not {node}.flag"] * 2 if "flag" in self.of_node else []
        options += [f"{node}.phase = Phase.{pick.among(['IDLE', 'BUSY', 'DONE'])}"] * (
            "phase" in self.of_node
        )
        options += [f"{node}.spare = {pick.among(['Nothing', '0', '1'])}"] * (
            "spare" in self.of_node
        )
        value = pick.below(3)
        options += [f"{node}.marks.{pick.among(['add', 'remove'])}({value})"] * (
            "marks" in self.of_node
        )
        options += [f"self.turn = {pick.among([*scope.nodes, 'self.nodes[0]'])}"] * (
            "turn" in self.own
        )
        options += [f"self.last = {pick.among([*scope.nodes, 'Nothing'])}"] * ("last" in self.own)
        if "owner" in self.of_wire and scope.wires:
            options.append(f"{scope.wires[0]}.owner = {node}")
        self.line(depth, pick.among(options))

    def add(self, depth: int, scope: Scope, levels: int = 0) -> None:
        """A number is written, within its domain unless the protocol is risky."""
        place, high = self.place(scope)
        value = self.number(scope, 1)
        if self.risky and self.pick.chance(50):
            self.line(depth, f"{place} {self.pick.among(['=', '=', '+=', '-='])} {value}")
            return
        name = self.fresh("value")
        self.line(depth, f"{name} = {value}")
        self.line(depth, f"if 0 <= {name} and {name} <= {high}:")
        self.line(depth + 1, f"{place} = {name}")
        if self.pick.chance(40):
            self.line(depth, "else:")
            self.line(depth + 1, f"{place} = 0")

    def send(self, depth: int, scope: Scope, levels: int = 0) -> None:
        wire = self.pick.among(scope.wires)
        if not (self.risky and self.pick.chance(40)):
            self.line(depth, f"if {wire}.queue.has_space:")
            depth += 1
        put = self.pick.among(["put", "put", "put_first"])
        self.line(depth, f"{wire}.queue.{put}({self.record(scope)})")

    def receive(self, depth: int, scope: Scope, levels: int = 1, guarded: bool = True) -> None:
        """Take, or look at, the head of a queue, and match it."""
        wire, name = self.pick.among(scope.wires), self.fresh("message")
        if guarded:
            self.line(depth, f"if not {wire}.queue.is_empty:")
            depth += 1
        taken = f"{wire}.queue.take()"
        looked = self.pick.among([taken, taken, f"{wire}.queue.head"]) if guarded else taken
        self.line(depth, f"{name} = {looked}")
        self.line(depth, f"match {name}:")
        pattern = self.pick.among(["Ping(n=number)", "Ping()", "Ping(n=1)"])
        self.line(depth + 1, f"case {pattern}:")
        numbers = ("number",) if "number" in pattern else (f"{name}.n",)
        self.body(depth + 2, replace(scope, numbers=(*scope.numbers, *numbers)), levels - 1)
        if self.pick.chance(60):
            self.line(depth + 1, "case Pong():")
            self.body(depth + 2, replace(scope, nodes=(*scope.nodes, f"{name}.who")), levels - 1)
        self.line(depth + 1, "case _:")
        self.sure(depth + 2, scope)

    def branch(self, depth: int, scope: Scope, levels: int = 1) -> None:
        self.line(depth, f"if {self.truth(scope, 1)}:")
        self.body(depth + 1, scope, levels - 1)
        if self.pick.chance(20):
            self.line(depth + 1, "return")
        if self.pick.chance(30):
            self.line(depth, f"elif {self.truth(scope, 1)}:")
            self.body(depth + 1, scope, levels - 1)
        if self.pick.chance(50):
            self.line(depth, "else:")
            self.body(depth + 1, scope, levels - 1)

    def repeat(self, depth: int, scope: Scope, levels: int = 1) -> None:
        if scope.helpers and self.pick.chance(25):
            self.line(depth, "each(self.nodes, self.settle)")
            return
        name = self.fresh("node")
        inner = replace(scope, nodes=(name,))
        self.line(depth, f"for {name} in self.nodes:")
        if self.pick.chance(40):
            self.line(depth + 1, f"if {self.truth(inner, 1)}:")
            self.line(depth + 2, self.pick.among(["continue", "break"]))
        self.statement(depth + 1, inner, 0)

    def statement(self, depth: int, scope: Scope, levels: int) -> None:
        options: list[Statement] = [self.sure, self.sure, self.add, self.add]
        options += [self.send, self.send] if scope.wires else []
        options += [self.receive] if scope.wires and levels > 0 else []
        options += [self.branch, self.branch, self.repeat] if levels > 0 else []
        self.pick.among(options)(depth, scope, levels)
        if self.risky and self.pick.chance(6):
            self.line(depth, f"assert {self.truth(scope, 1)}")
        if scope.helpers and self.pick.chance(6):
            self.line(depth, f"self.settle({self.node(scope)})")

    def body(self, depth: int, scope: Scope, levels: int) -> None:
        for _ in range(self.pick.among([1, 1, 2])):
            self.statement(depth, scope, levels)
