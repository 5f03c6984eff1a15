"""Peterson's mutual exclusion for two processes ("Myths about the mutual exclusion problem", 1981).

One statement is one step, with the labels of the PlusCal algorithm in the TLA+ examples
(`locks_auxiliary_vars/Peterson.tla`): TLC counts 42 states there.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    WEAK,
    Bool,
    Entity,
    Enum,
    Protocol,
    Ref,
    Setting,
    always,
    define,
    field,
    leads_to,
    require,
    rule,
    when,
)


class At(enum.Enum):
    """The next statement of a process."""

    IDLE = 0
    FIRST = 1
    SECOND = 2
    WAITING = 3
    CRITICAL = 4
    LEAVING = 5


class Process(Entity):
    """One of the two: its program counter, and whether it is interested."""

    at = field(Enum(At), At.IDLE)
    interested = field(Bool, False)

    other: "Process"


@dataclass(frozen=True)
class Options:
    """The order of the first two statements."""

    #: a process says that it is interested before it gives way
    interest_first: bool = True


class Peterson(Protocol):
    """A process says that it is interested, gives way, and waits while the other has the turn."""

    key = "peterson"
    Options = Options
    options: Options

    turn = field(Ref(Process), lambda self: self.processes[0])

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.processes = (Process("p1"), Process("p2"))
        self.processes[0].other, self.processes[1].other = self.processes[::-1]

    def entities(self) -> Sequence[Entity]:
        return self.processes

    @define
    def terminal(self) -> bool:
        """Whether no process wants to enter: none need want it again."""
        return all(each.at == At.IDLE for each in self.processes)

    @rule
    def want(self, process: Process) -> None:
        """A process wants to enter."""
        require(process.at == At.IDLE)
        process.at = At.FIRST

    @rule(fair=WEAK)
    def first(self, process: Process) -> None:
        """A process takes the first of its two statements."""
        require(process.at == At.FIRST)
        process.at = At.SECOND
        if self.options.interest_first:
            process.interested = True
        else:
            self.turn = process.other

    @rule(fair=WEAK)
    def second(self, process: Process) -> None:
        """A process takes the second of its two statements."""
        require(process.at == At.SECOND)
        process.at = At.WAITING
        if self.options.interest_first:
            self.turn = process.other
        else:
            process.interested = True

    @rule(fair=WEAK)
    def enter(self, process: Process) -> None:
        """A process enters if the other is not interested, or has given way."""
        require(process.at == At.WAITING)
        require(not process.other.interested or self.turn == process)
        process.at = At.CRITICAL

    @rule(fair=WEAK)
    def work(self, process: Process) -> None:
        """A process works in its critical section."""
        require(process.at == At.CRITICAL)
        process.at = At.LEAVING

    @rule(fair=WEAK)
    def leave(self, process: Process) -> None:
        """A process leaves, and is no longer interested."""
        require(process.at == At.LEAVING)
        process.at = At.IDLE
        process.interested = False


@always
def one_in_peterson(state: Peterson, process: Process) -> bool:
    """Two processes are never in their critical sections together."""
    when(process.at in (At.CRITICAL, At.LEAVING))
    return process.other.at not in (At.CRITICAL, At.LEAVING)


@leads_to
def peterson_lets_in(state: Peterson, process: Process) -> bool:
    """A process that wants to enter does so."""
    when(process.at == At.FIRST)
    return process.at == At.CRITICAL


PROTOCOLS = (Peterson,)
PROPERTIES = (one_in_peterson, peterson_lets_in)
