"""The idea in a page: a complete model checker, and three protocols for the end of one task.

A task writes one record into a transaction. A coordinator takes checkpoints of the task: a trigger
goes out, an acknowledgement comes back, and the confirmation commits. The task ends whenever it
likes, also while a trigger is on its way. Run it: `python examples/tiny_checker.py`.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple


class State(NamedTuple):
    """Everything there is, in small values: a model is what can be listed completely."""

    task: str = "running"  # running, waiting (for its final checkpoint), closed
    record: str = "unwritten"  # unwritten, open, pending (in a checkpoint), committed
    checkpoint: str = "none"  # none, pending: as the coordinator knows it
    wire: str = ""  # the one message under way: trigger, ack, confirm


class Protocol(NamedTuple):
    """What the three protocols differ in."""

    name: str
    waits: bool  # a task with a record closes only after the checkpoint that commits it
    aborts: bool  # a trigger that finds the task closed aborts its checkpoint


def steps(protocol: Protocol, state: State) -> Iterator[tuple[str, State]]:
    """The rules: every step that is possible in a state, with its name. Nothing else happens."""
    if state.task == "running" and state.record == "unwritten":
        yield "write", state._replace(record="open")
    if state.task == "running":
        yield "finish", state._replace(task="waiting" if protocol.waits else "closed")
    if state.task == "waiting" and state.record in ("unwritten", "committed"):
        yield "close", state._replace(task="closed")
    if state.task != "closed" and state.checkpoint == "none" and not state.wire:
        yield "trigger", state._replace(checkpoint="pending", wire="trigger")
    if state.wire == "trigger" and state.task != "closed":
        record = "pending" if state.record == "open" else state.record
        yield "snapshot", state._replace(wire="ack", record=record)
    if state.wire == "trigger" and state.task == "closed":
        checkpoint = "none" if protocol.aborts else state.checkpoint
        yield "miss", state._replace(wire="", checkpoint=checkpoint)
    if state.wire == "ack":
        yield "complete", state._replace(wire="confirm", checkpoint="none")
    if state.wire == "confirm":
        record = "committed" if state.record == "pending" else state.record
        yield "confirm", state._replace(wire="", record=record)


def is_committed(state: State) -> bool:
    """A task that has closed has committed what it wrote."""
    return state.task != "closed" or state.record in ("unwritten", "committed")


def has_ended(state: State) -> bool:
    """Nothing more need happen."""
    return state.task == "closed" and state.checkpoint == "none" and not state.wire


Path = list[tuple[str, State]]


def check(protocol: Protocol, holds: Callable[[State], bool]) -> tuple[str, Path, int]:
    """Breadth-first search over all reachable states: a verdict, a shortest path to it, a count.

    The first state in which something is wrong is as near as any: nothing nearer is left unseen.
    """
    initial = State()
    came_from: dict[State, tuple[str, State] | None] = {initial: None}
    queue = deque([initial])
    while queue:
        state = queue.popleft()
        after = list(steps(protocol, state))
        if not holds(state):
            return "violated", path_to(state, came_from), len(came_from)
        if not after and not has_ended(state):
            return "stuck", path_to(state, came_from), len(came_from)
        for name, successor in after:
            if successor not in came_from:  # equal states are one: that is why it ends
                came_from[successor] = (name, state)
                queue.append(successor)
    return "holds", [], len(came_from)


def path_to(state: State, came_from: dict[State, tuple[str, State] | None]) -> Path:
    """The counterexample: back along the way each state was first found, then turned round."""
    path: Path = []
    while (step := came_from[state]) is not None:
        path.append((step[0], state))
        state = step[1]
    return path[::-1]


def main() -> None:
    """Check the protocols: two of them are wrong, each in its own way."""
    for protocol in (
        Protocol("closes at once", waits=False, aborts=True),
        Protocol("waits for its final checkpoint", waits=True, aborts=False),
        Protocol("waits, and a missed trigger aborts", waits=True, aborts=True),
    ):
        verdict, path, count = check(protocol, is_committed)
        print(f"{protocol.name}: {verdict}, {count} states seen")
        for number, (name, state) in enumerate(path, 1):
            changed = (f"{field} {value or 'empty'}" for field, value in state._asdict().items())
            print(f"  {number}  {name:8}  {', '.join(changed)}")


# The same at full size: `steps` is model/protocols, its meaning model/semantics.py; `is_committed`
# is model/properties; `check` is checker/search/bfs/search.py; `main` is checker/report and cli.
# What is added: rules that read as Python and become decision trees (model/language), properties of
# runs that never end (checker/search/state_graph/liveness.py), a second search that shares nothing
# with the first.
if __name__ == "__main__":
    main()
