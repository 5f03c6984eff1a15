"""Draws a job as SVG: a box for each vertex, with the sources at the left, an arrow for each edge.

The layers and rows are those of the drawing for terminals (`checker/report/job.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import htpy as h

from finale.checker.report.job import Node, edge_notes, placed
from finale.model.topology import Job
from finale.model.visible import visible

#: The width of a character, the height of a row, and the room between and around the boxes.
CHARACTER, ROW, GAP, PAD, INSET = 7.3, 17, 48, 6, 12
#: A box is so much lower than its rows, at the top and at the bottom.
MARGIN = 4
#: The arrows into a box, or out of it, are so far apart, and all of them at most.
APART, APART_MAX = 9.0, 26.0
#: How far the second box stands out behind that of a vertex with several subtasks.
BEHIND = 4
ARROW = 8


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class _Layout:
    """Where everything of the drawing is, in pixels."""

    layers: Sequence[Sequence[Node]]

    @cached_property
    def columns(self) -> tuple[tuple[float, float], ...]:
        """The left and the right side of the boxes of each layer."""
        found, left = list[tuple[float, float]](), float(PAD)
        for layer in self.layers:
            longest = max(len(visible(line)) for node in layer for line in (*node.lines, ""))
            right = left + longest * CHARACTER + 2 * INSET
            found.append((left, right))
            left = right + GAP
        return tuple(found)

    @property
    def width(self) -> float:
        return self.columns[-1][1] + BEHIND + PAD

    @property
    def height(self) -> float:
        rows = 1 + max(node.below for layer in self.layers for node in layer)
        return rows * ROW + BEHIND

    def sides(self, node: Node) -> tuple[float, float]:
        """Where edges enter and leave a node."""
        left, right = self.columns[node.layer]
        return left, right + (BEHIND if node.real and node.vertex.parallelism > 1 else 0)

    @cached_property
    def ways(self) -> list[list[Node]]:
        """The nodes along each edge, from its source to its target."""
        found = list[list[Node]]()
        for layer in self.layers:
            for node in layer:
                for before in node.reads if node.real else ():
                    way = [before, node]
                    while not way[0].real:
                        way.insert(0, *way[0].reads)
                    found.append(way)
        return found

    def line(self, way: list[Node]) -> h.Renderable:
        """The line of an edge, and at its end the head of an arrow."""
        steps, end = list[str](), 0.0
        y = self._row(way[0]) + self._shift(way, way[0], 0)
        steps.append(f"M{_n(self.sides(way[0])[1])} {_n(y)}")
        for before, node in pairwise(way):
            shift = self._shift(way, node, -1) if node is way[-1] else 0.0
            start, end = self.sides(before)[1], self.sides(node)[0]
            end -= ARROW if node.real else 0
            middle, before_y, y = (start + end) / 2, y, self._row(node) + shift
            steps.append(f"C{_n(middle)} {_n(before_y)} {_n(middle)} {_n(y)} {_n(end)} {_n(y)}")
            if not node.real:
                steps.append(f"H{_n(self.sides(node)[1])}")
        points = (end, y - 4), (end + ARROW, y), (end, y + 4)
        head = h.polygon(points=" ".join(f"{_n(x)},{_n(y)}" for x, y in points))
        return h.g(".edge")[h.title[_edge(way)], h.path(d="".join(steps)), head]

    def _row(self, node: Node) -> float:
        """The height at which edges come and go."""
        return (node.port + 0.5) * ROW

    def _shift(self, way: list[Node], node: Node, end: int) -> float:
        """How far an edge is from the others that enter a node, or leave it."""
        others = [each for each in self.ways if each[end] is node]
        others.sort(key=lambda each: each[1 if end == 0 else -2].port)
        apart = min(APART, APART_MAX / max(len(others) - 1, 1))
        place = next(number for number, each in enumerate(others) if each is way)
        return (place - (len(others) - 1) / 2) * apart


def job_svg(job: Job) -> h.Renderable:
    """The job for a page, which brings the styles."""
    layout = _Layout(placed(job))
    nodes = [node for layer in layout.layers for node in layer if node.real]
    width, height = round(layout.width), round(layout.height)
    drawing = h.svg(
        ".job",
        {"viewBox": f"0 0 {width} {height}"},
        width=width,
        height=height,
        role="img",
        aria_label=f"the job: {'; '.join(_told(job, node) for node in nodes)}",
    )[
        (layout.line(way) for way in layout.ways),
        (_box(layout, node) for node in nodes),
    ]
    notes = [*edge_notes(job)]
    return h.div(".job-of")[
        h.div(".scroll", tabindex="0", role="region", aria_label="the job")[drawing],
        notes and h.p(".soft")["; ".join(notes)],
    ]


def _told(job: Job, node: Node) -> str:
    """A vertex in words: a drawing says nothing to who cannot see it."""
    reads = " and ".join(edge.source for edge in job.edges_into(node.vertex))
    return ", ".join([*node.lines, *([f"reads {reads}"] if reads else [])])


def _edge(way: list[Node]) -> str:
    return f"{way[0].vertex.name} → {way[-1].vertex.name}"


def _box(layout: _Layout, node: Node) -> h.Renderable:
    left, right = layout.columns[node.layer]
    top, bottom = node.above * ROW + MARGIN, (node.below + 1) * ROW - MARGIN
    vertex = node.vertex
    return h.g(class_=["vertex", vertex.is_source and "source", vertex.is_sink and "sink"])[
        vertex.parallelism > 1 and _rect(left + BEHIND, top + BEHIND, right - left, bottom - top),
        _rect(left, top, right - left, bottom - top),
        (
            h.text(class_="soft" if number else "name", x=_n(left + INSET), y=_n(y))[visible(line)]
            for number, (line, y) in enumerate(_rows(node))
        ),
    ]


def _rows(node: Node) -> Iterator[tuple[str, float]]:
    """The lines of a box, each with the height of its letters' feet."""
    for number, line in enumerate(node.lines):
        yield line, (node.port + number + 1) * ROW - 4


def _rect(x: float, y: float, width: float, height: float) -> h.Renderable:
    return h.rect(x=_n(x), y=_n(y), width=_n(width), height=_n(height), rx="5")


def _sample(kind: str, *, is_many: bool = False) -> h.Renderable:
    return h.svg(".job", viewBox="0 0 48 18", width="48", height="18", aria_hidden="true")[
        h.g(class_=["vertex", kind])[
            is_many and _rect(11, 5, 30, 12), _rect(7, 1, 30, 13 if is_many else 16)
        ]
    ]


#: The boxes of a job, each with what it means.
LEGEND: tuple[tuple[h.Renderable, str], ...] = (
    (_sample("source"), "a source of the job"),
    (_sample("sink"), "a sink"),
    (_sample("", is_many=True), "a vertex with several subtasks"),
)


__all__ = ["LEGEND", "job_svg"]
