"""The parts of a job: vertices and edges as they are declared, subtasks and channels as they run.

Modelled on Flink's JobVertex, JobEdge, ExecutionVertex and the one logical channel between two
connected subtasks. All are frozen values: equal parts are the same part.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

from finale.model.errors import FinaleError, Place

PARALLELISM_MAX = 1 << 15
"""Flink's own bound on a vertex's parallelism: it has no more key groups than this."""


class OperatorKind(Enum):
    """What the operators of a vertex do, as far as a protocol can tell."""

    SOURCE = "source"
    """Emits records, and by itself knows when there are no more."""
    PASS_THROUGH = "pass-through"
    """One record out for each one in; nothing to keep."""
    KEYED = "keyed"
    """Keyed state: a finished subtask leaves its key groups empty."""
    TIMER = "timer"
    """Event-time timers: the final watermark fires them, and they emit."""
    BUFFERING = "buffering"
    """Holds records back and emits them when it finishes, so after its last input."""
    UNION_STATE = "union-state"
    """List state restored in full by everybody: a vertex finished in part cannot checkpoint it."""
    BROADCAST_STATE = "broadcast-state"
    """The same state everywhere: a finished subtask must be given a running one's copy."""
    SPLIT_STATE = "split-state"
    """List state that stays with its subtask while the parallelism stays."""
    ASYNC = "async"
    """Parks records, and emits them at any time before it closes, also after its inputs ended."""
    TICKING = "ticking"
    """Processing-time timers: emits records of its own until the timers are stopped."""
    WRITER = "writer"
    """The first half of a sink: writes records, and sends a committer what is to be committed."""
    ITERATION_HEAD = "iteration-head"
    """Reads what the job feeds back, so like a source; it never ends and ignores a stop."""
    CHAINED = "chained"
    """Passes on what it reads, and what the sources emit that are chained into its subtasks."""


class Sink(Enum):
    """What a vertex does to the world outside the job."""

    NONE = "none"
    """Nothing: it passes its records on, or drops them."""
    TWO_PHASE = "two-phase"
    """Writes into a transaction: pre-commits in the checkpoint, commits when told it completed."""
    AT_LEAST_ONCE = "at-least-once"
    """Writes at once: whatever is processed again is written again."""
    BUFFERED = "buffered"
    """Writes in batches: at any time, and at the latest before it takes part in a checkpoint."""
    GREATEST_ID = "greatest-id"
    """Two-phase; the system outside keeps the greatest id that was committed."""
    COMMITTER = "committer"
    """The second half of a sink: keeps what a writer sent it, and commits when told."""


class Pattern(Enum):
    """Which subtasks of an edge's two vertices are connected (Flink's DistributionPattern)."""

    ALL_TO_ALL = "all-to-all"
    """Each sending subtask with each receiving one."""
    POINTWISE = "pointwise"
    """Each with its neighbours: one to one, or evenly where the parallelism differs."""

    def senders(self, index: int, sources: int, targets: int) -> range:
        """The indices, of `sources` sending subtasks, that receiver `index` of `targets` reads.

        All-to-all: every one. Pointwise, with p senders and q receivers, contiguous and as even as
        whole numbers allow (VertexInputInfoComputationUtils.computeVertexInputInfoForPointwise):
        if p >= q, receiver j reads floor(j*p/q) up to, not with, floor((j+1)*p/q);
        if p < q, sender i feeds ceil(i*q/p) up to, not with, ceil((i+1)*q/p). Hence j reads
        floor(j*p/q) alone. For p = q both are one to one.
        """
        assert 0 <= index < targets
        if self is Pattern.ALL_TO_ALL:
            return range(sources)
        first = index * sources // targets
        if sources < targets:
            return range(first, first + 1)
        return range(first, (index + 1) * sources // targets)


@dataclass(frozen=True)
class Vertex:
    """One vertex of the job: `parallelism` subtasks that do the same.

    `records` says how many records each subtask of a source has, and is empty for all others. A
    source that is not `bounded` never ends by itself: when its records are out it waits; but those
    of its subtasks that are `ending` do. The head of an iteration counts as a source that is never
    bounded. `chained` says how many records each source has that is chained into a subtask; they
    are bounded or not as the subtask is. A source with `union_state` keeps in union-list
    state how far it is (PL-8); any other vertex that has such state is of a kind of its own.
    """

    name: str
    kind: OperatorKind = OperatorKind.PASS_THROUGH
    parallelism: int = 1
    sink: Sink = Sink.NONE
    records: tuple[int, ...] = ()
    bounded: bool = True
    ending: tuple[int, ...] = ()
    chained: tuple[int, ...] = ()
    union_state: bool = False

    def __post_init__(self) -> None:
        assert self.ending == () or not self.bounded
        _check_name(self.name)
        check_parallelism(self.parallelism, self.name, f"job.{self.name}.parallelism")
        if self.kind is OperatorKind.ITERATION_HEAD and self.bounded:
            raise FinaleError(
                "bounded-iteration",
                f'"{self.name}" is the head of an iteration, which never ends by itself',
                place=Place(key=f"job.{self.name}.bounded"),
                advice="leave out `bounded`, or make it a source",
            )
        self._check_chained()
        if self.is_source:
            per_subtask(self.records, self.parallelism, self.name, f"job.{self.name}.records")
            return
        if self.records:
            raise FinaleError(
                "records-on-non-source",
                f'"{self.name}" is not a source and has no records of its own',
                place=Place(key=f"job.{self.name}.records"),
                advice="give the records to a source: a vertex that reads from no other",
            )
        if self.union_state:
            raise FinaleError(
                "bad-kind",
                f'"{self.name}" is not a source, whose union state is a mark beside its kind',
                place=Place(key=f"job.{self.name}.union_state"),
                advice='write kind = "union-state"',
            )
        if not self.bounded and not self.chained:
            raise FinaleError(
                "bounded-on-non-source",
                f'"{self.name}" is not a source: it ends when its inputs end',
                place=Place(key=f"job.{self.name}.bounded"),
                advice="say of the sources that they are not bounded",
            )

    def _check_chained(self) -> None:
        if (
            bool(self.chained) != (self.kind is OperatorKind.CHAINED)
            or min(self.chained, default=0) < 0
        ):
            raise FinaleError(
                "bad-chained",
                f'"{self.name}" is of kind "{self.kind.value}", and the sources chained into it '
                f"have {list(self.chained)} records",
                place=Place(key=f"job.{self.name}.chained"),
                advice="write chained = [1, 1] for two sources with a record each, and no `kind`",
            )

    @classmethod
    def source(
        cls,
        name: str,
        *,
        records: int | tuple[int, ...] = 1,
        parallelism: int = 1,
        bounded: bool = True,
        union_state: bool = False,
    ) -> Vertex:
        """A source with so many records a subtask, or with a list: one number a subtask."""
        check_parallelism(parallelism, name, f"job.{name}.parallelism")
        each = per_subtask(records, parallelism, name, f"job.{name}.records")
        return cls(
            name,
            OperatorKind.SOURCE,
            parallelism,
            records=each,
            bounded=bounded,
            union_state=union_state,
        )

    @property
    def has_union_state(self) -> bool:
        return self.union_state or self.kind is OperatorKind.UNION_STATE

    @property
    def is_source(self) -> bool:
        return self.kind in (OperatorKind.SOURCE, OperatorKind.ITERATION_HEAD)

    @property
    def is_sink(self) -> bool:
        return self.sink is not Sink.NONE

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Edge:
    """One vertex reads another, both given by name.

    On a `broadcast` edge each record goes to every subtask that reads the sender, otherwise to one.
    No barrier `overtakes` what is queued on an edge where it is told not to. Parallel edges between
    two vertices are counted by `number`.
    """

    source: str
    target: str
    pattern: Pattern = Pattern.ALL_TO_ALL
    broadcast: bool = False
    overtakes: bool = True
    number: int = 1

    @property
    def name(self) -> str:
        return f"{self.source}→{self.target}{self.suffix}"

    @property
    def suffix(self) -> str:
        """What tells a further edge between two vertices apart, in each name that is made of it."""
        return f"→{self.number}" if self.number > 1 else ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Subtask:
    """One parallel instance of a vertex: what Flink calls a task."""

    vertex: Vertex
    index: int = 0

    def __post_init__(self) -> None:
        assert 0 <= self.index < self.vertex.parallelism

    @property
    def name(self) -> str:
        """`D` where there is only one, otherwise `D.0`, `D.1`, …"""
        if self.vertex.parallelism == 1:
            return self.vertex.name
        return f"{self.vertex.name}.{self.index}"

    @property
    def records(self) -> int:
        """How many records it has to emit by itself: a source, or what is chained into it."""
        vertex = self.vertex
        return vertex.records[self.index] if vertex.is_source else sum(vertex.chained)

    @property
    def bounded(self) -> bool:
        """Whether it ends by itself, or when its inputs have."""
        return self.vertex.bounded or self.index in self.vertex.ending

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Channel:
    """The one logical channel from a subtask to a subtask that reads it, as part of an edge."""

    sender: Subtask
    receiver: Subtask
    edge: Edge

    @property
    def name(self) -> str:
        return f"{self.sender}→{self.receiver}{self.edge.suffix}"

    def __str__(self) -> str:
        return self.name


def check_parallelism(parallelism: int, vertex: str, key: str) -> None:
    """Refuses a parallelism that no vertex can have."""
    if not 1 <= parallelism <= PARALLELISM_MAX:
        raise FinaleError(
            "bad-parallelism",
            f'"{vertex}" cannot have parallelism {parallelism}',
            place=Place(key=key),
            advice=f"write a whole number from 1 to {PARALLELISM_MAX}",
        )


def per_subtask(
    records: int | tuple[int, ...], parallelism: int, vertex: str, key: str
) -> tuple[int, ...]:
    """How many records each subtask has; refuses numbers that no source can have."""
    each = (records,) * parallelism if isinstance(records, int) else records
    if len(each) != parallelism:
        raise FinaleError(
            "bad-records",
            f'"{vertex}" has {parallelism} subtask(s), but records for {len(each)}',
            place=Place(key=key),
            advice="write one number, which holds for each subtask, or a list with one for each",
        )
    if min(each) < 0:
        raise FinaleError(
            "bad-records",
            f'"{vertex}" cannot have {min(each)} records',
            place=Place(key=key),
            advice="write 0 for a source that ends without a record",
        )
    return each


def _check_name(name: str) -> None:
    # Names of subtasks and channels are made from names of vertices, and must stay distinct.
    if not name.strip() or name != name.strip() or not name.isprintable() or "→" in name:
        problem = "is blank, has blanks around it, an arrow or a control character in it"
    elif re.search(r"\.\d+$", name):
        problem = "reads like the name of one subtask"
    elif unicodedata.normalize("NFKC", name) != name:
        plain = unicodedata.normalize("NFKC", name)
        problem = f'has another form in Unicode (NFKC), "{plain}", which looks alike'
    else:
        return
    raise FinaleError(
        "bad-name",
        f"a vertex cannot be called {name!r}: that {problem}",
        place=Place(key=f"job.{name}"),
        advice='choose a plain name, such as "D" or "window"',
    )
