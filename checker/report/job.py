"""Draws a job: one box for each vertex, with the sources at the left."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from finale.model.topology import Job, OperatorKind, Sink, Vertex

from .canvas import Canvas
from .layout import columns, counted, times

#: Of more lines than this between two layers not every order is tried.
ORDERS_MAX = 5


@dataclass(eq=False)
class Node:
    """A vertex in a layer, or a place where a longer edge of one passes through."""

    vertex: Vertex
    layer: int
    real: bool
    lines: tuple[str, ...] = ()
    port: int = 0
    """The row of its first line, at which its edges come and go."""
    reads: tuple[Node, ...] = ()
    """The nodes right before it, one for each edge into it."""

    @property
    def above(self) -> int:
        """The first row of its box."""
        return self.port - 1 if self.real else self.port

    @property
    def below(self) -> int:
        """The last row of its box."""
        return self.port + len(self.lines) if self.real else self.port


@dataclass(frozen=True)
class _Bundle:
    """All edges out of a node to the next layer: they share one upright line."""

    source: int
    targets: tuple[int, ...]

    @property
    def is_straight(self) -> bool:
        return self.targets == (self.source,)

    def upright(self) -> tuple[int, int]:
        rows = (self.source, *self.targets)
        return min(rows), max(rows)


def described(vertex: Vertex) -> tuple[str, ...]:
    """Return the text of a box: name, parallelism, kind and sink of a vertex."""
    name = vertex.name if vertex.parallelism == 1 else f"{vertex.name} {times(vertex.parallelism)}"
    lines = [name]
    if vertex.is_source:
        numbers = set(vertex.records)
        same = len(numbers) == 1
        records = counted(numbers.pop(), "record") if same else f"records {list(vertex.records)}"
        lines.append(f"source, {records}{_endless(vertex)}")
    elif vertex.chained:
        count = len(vertex.chained)
        records = counted(sum(vertex.chained), "record")
        lines.append(f"{counted(count, 'chained source')}, {records}{_endless(vertex)}")
    elif vertex.kind is not OperatorKind.PASS_THROUGH or not vertex.is_sink:
        lines.append(vertex.kind.value)
    if vertex.sink is not Sink.NONE:
        lines.append(f"sink, {vertex.sink.value}")
    return tuple(lines)


def _endless(vertex: Vertex) -> str:
    if vertex.bounded:
        return ""
    never = [str(n) for n in range(vertex.parallelism) if n not in vertex.ending]
    return f", {', '.join(never) + ' ' if vertex.ending else ''}never ends"


Says = Callable[[Vertex], tuple[str, ...]]
"""What the box of a vertex says: its name first."""


def job_lines(job: Job, width: int, *, indent: int = 0, says: Says = described) -> list[Text]:
    """The job as a drawing; as a list of its edges where the page is too narrow for it."""
    drawing = _drawing(job, says)
    if max(line.cell_len for line in drawing) + indent > width:
        drawing = columns([_listed(job, vertex, says) for vertex in job.vertices], width - indent)
    lines = [*drawing, *(Text(note, "dim") for note in edge_notes(job))]
    return [Text(" " * indent).append_text(line) for line in lines]


def _listed(job: Job, vertex: Vertex, says: Says) -> list[Text]:
    reads = ", ".join(edge.source for edge in job.edges_into(vertex))
    name, *rest = says(vertex)
    return [Text(name, "bold"), Text("; ".join([*rest, *([f"reads {reads}"] if reads else [])]))]


def edge_notes(job: Job) -> Iterator[str]:
    """Say which subtasks are connected, for each edge of which a drawing does not show it."""
    for edge in job.edges:
        p, q = job.vertex(edge.source).parallelism, job.vertex(edge.target).parallelism
        if p * q > 1:
            channels = sum(channel.edge == edge for channel in job.channels)
            how = f"{edge.pattern.value}{', broadcast' if edge.broadcast else ''}"
            yield f"{edge.name} {how}, {counted(channels, 'channel')}"
        if not edge.overtakes:
            yield f"{edge.name} lets no barrier overtake"


# --- where everything is -------------------------------------------------------------------------


def _drawing(job: Job, says: Says) -> list[Text]:
    layers = placed(job, says)
    canvas = Canvas()
    left = 0
    for position, layer in enumerate(layers):
        following = layers[position + 1] if position + 1 < len(layers) else []
        right = left + max((_box_width(node) for node in layer if node.real), default=1) - 1
        for node in layer:
            _draw_node(canvas, node, left, right)
        left = _draw_edges(canvas, layer, following, right + 1)
    return canvas.lines()


def placed(job: Job, says: Says = described) -> list[list[Node]]:
    """Return the nodes of a drawing, layer by layer from the left, each with its row."""
    layers = _layers(job, says)
    for layer in layers:
        _place(layer)
    return layers


def _layers(job: Job, says: Says) -> list[list[Node]]:
    layers: list[list[Node]] = []
    ends: dict[str, list[Node]] = {}
    for number, vertices in enumerate(job.layers()):
        layer = [Node(v, number, True, says(v)) for v in vertices]
        for node in layer:
            for edge in job.edges_into(node.vertex):
                before = _passed_on(ends[edge.source], number, layers)
                node.reads = (*node.reads, before)
        layers.append(layer)
        ends |= {node.vertex.name: [node] for node in layer}
    return layers


def _passed_on(chain: list[Node], layer: int, layers: list[list[Node]]) -> Node:
    """The node right before a layer that stands for a vertex further left."""
    while chain[-1].layer < layer - 1:
        last = chain[-1]
        following = Node(last.vertex, last.layer + 1, False, reads=(last,))
        layers[following.layer].append(following)
        chain.append(following)
    return next(node for node in chain if node.layer == layer - 1)


def _place(layer: list[Node]) -> None:
    """Give each node a row as near as possible to those that it reads."""
    for number, node in enumerate(layer):
        ports = [each.port for each in node.reads]
        node.port = round(sum(ports) / len(ports)) if ports else number
    # Sorting is stable: where nothing tells nodes apart they stay in the order of the job.
    layer.sort(key=lambda node: node.port)
    bottom = -1
    for node in layer:
        node.port += max(bottom + 1 - node.above, 0)
        bottom = node.below


# --- drawing -------------------------------------------------------------------------------------


def _box_width(node: Node) -> int:
    return max(len(line) for line in node.lines) + 4


def _draw_node(canvas: Canvas, node: Node, left: int, right: int) -> None:
    if not node.real:
        canvas.across(left - 1, right + 1, node.port, ("from", node.vertex.name, node.layer))
        return
    canvas.box(left, node.above, right - left + 1, len(node.lines) + 2)
    for offset, line in enumerate(node.lines):
        style = "bold" if offset == 0 else "green" if line.startswith("sink") else "dim"
        canvas.text(left + 2, node.port + offset, line, style)


def _draw_edges(
    canvas: Canvas, layer: Sequence[Node], following: Sequence[Node], start: int
) -> int:
    """Lines from a layer to the next; the column where that one begins."""
    sources = [node for node in layer if any(node in other.reads for other in following)]
    bundles = {
        id(node): _Bundle(node.port, tuple(t.port for t in following if node in t.reads))
        for node in sources
    }
    bent = [node for node in sources if not bundles[id(node)].is_straight]
    order = _best_order([bundles[id(node)] for node in bent])
    column = {id(bent[which]): start + 1 + 2 * place for place, which in enumerate(order)}
    end = start + 2 * len(bent) + 2
    for node in sources:
        bundle = bundles[id(node)]
        name = ("from", node.vertex.name, node.layer)
        turn = column.get(id(node), end)
        canvas.across(start, turn, bundle.source, name)
        if node in bent:
            canvas.down(turn, *bundle.upright(), name)
        for target in following:
            if node in target.reads:
                canvas.across(turn, end, target.port, name)
                if target.real:
                    canvas.text(end, target.port, "▶", "dim")
    return end + 1


def _best_order(bundles: Sequence[_Bundle]) -> Sequence[int]:
    """The order of the upright lines, from the left, in which lines least disturb each other."""
    numbers = range(len(bundles))
    if len(bundles) > ORDERS_MAX:
        return sorted(numbers, key=lambda which: -bundles[which].source)
    orders: Iterable[Sequence[int]] = itertools.permutations(numbers)
    return min(orders, key=lambda order: _disturbance([bundles[which] for which in order]))


def _disturbance(ordered: Sequence[_Bundle]) -> int:
    """Return the badness of an order: crossings, and overlapping lines."""
    total = 0
    for one, left in enumerate(ordered):
        for right in ordered[one + 1 :]:
            low, high = left.upright()
            total += sum(low < row < high for row in (right.source,))
            low, high = right.upright()
            total += sum(low < row < high for row in left.targets)
            # The left one's way out and the right one's way in are both between the two columns.
            total += 100 * (right.source in left.targets)
    return total
