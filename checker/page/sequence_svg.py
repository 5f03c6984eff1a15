"""Draws a sequence diagram as SVG: one row for each step, time goes down.

An element of a queue goes to the lane of its channel and from there to the reader. The bar on that
lane is the queue while it is not empty. A message that takes time is a slanted arrow from the step
that sends it to the step that receives it, so that a reader sees what it crosses. If one step sends
several such messages, their labels stand above each other, and the arrows begin below the last one:
no arrow crosses a label of its own step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import htpy as h
from markupsafe import Markup

from finale.checker.report.sequence import Diagram, Message, Moment
from finale.model.visible import visible

from .document import asset

#: The width of a character of the diagram's font, and the size of its parts.
CHARACTER = 7.3
ROW, SLOT, HEAD = 26, 20, 40
GAP_MIN, GAP_MAX, PAD = 62, 260, 12
#: Longer texts are cut; the whole text is the title of the element.
CHARACTERS_MAX = 44


@dataclass(frozen=True)
class Layout:
    """Where everything of a diagram is."""

    diagram: Diagram

    @cached_property
    def left(self) -> float:
        """The width of the column with the rules."""
        texts = [moment.text for moment in self.diagram.moments]
        longest = max((len(_cut(text)) for text in texts), default=0)
        return PAD + (longest + 6) * CHARACTER + 10

    @cached_property
    def x(self) -> tuple[float, ...]:
        """The middle of each lane: neighbours have room for the labels between them."""
        lanes, found = self.diagram.lanes, list[float]()
        for number, lane in enumerate(lanes):
            half = len(_cut(lane.name)) * CHARACTER / 2 + 10
            if not number:
                found.append(self.left + max(half, 30))
                continue
            before = len(_cut(lanes[number - 1].name)) * CHARACTER / 2 + 10
            labels = [
                len(self.label_of(m)) * CHARACTER / abs(m.source - m.target) + 22
                for m in self.diagram.messages
                if min(m.source, m.target) < number <= max(m.source, m.target)
            ]
            wanted = max([*labels, GAP_MIN])
            found.append(found[-1] + max(half + before, min(wanted, GAP_MAX)))
        return tuple(found)

    @cached_property
    def width(self) -> float:
        """The whole width."""
        last = len(_cut(self.diagram.lanes[-1].name)) * CHARACTER / 2 if self.diagram.lanes else 60
        return (self.x[-1] if self.x else self.left) + max(last, 24) + PAD

    def label_of(self, message: Message) -> str:
        """The text at a message: with its receiver, if the arrows of several begin together."""
        slow = {m.target for m in self.slots[message.sent] if not m.is_instant}
        is_one_of_many = len(slow) > 1 and not message.is_instant
        to = f" → {self.diagram.lanes[message.target].name}" if is_one_of_many else ""
        fate = "" if message.arrived else ": lost" if message.ended is not None else ": under way"
        return _cut(f"{message.label}{to}") + fate

    @cached_property
    def slots(self) -> dict[int, list[Message]]:
        """The messages of each step that need a line of their own: sent in it, or put or taken."""
        found: dict[int, list[Message]] = {m.number: [] for m in self.diagram.moments}
        for message in self.diagram.messages:
            found.setdefault(message.sent, []).append(message)
        for sent in found.values():
            sent.sort(key=lambda message: not message.is_instant)
        return found

    @cached_property
    def tops(self) -> dict[int, float]:
        """The upper edge of each step's row, and the one below the last row."""
        found: dict[int, float] = {}
        y: float = HEAD
        for moment in self.diagram.moments:
            found[moment.number] = y
            y += self.height_of(moment.number)
        found[len(self.diagram.moments) + 1] = y
        return found

    def height_of(self, number: int) -> float:
        """The height of a step's row."""
        return ROW + SLOT * max(len(self.slots[number]) - 1, 0) + (8 if self.slots[number] else 0)

    def y(self, number: int) -> float:
        """The middle of the first line of a step's row."""
        return self.tops[number] + (ROW + (8 if self.slots.get(number) else 0)) / 2 + 1

    def y_of(self, message: Message) -> float:
        """Where a message starts: its own line, or for one that takes time the last line."""
        last = len(self.slots[message.sent]) - 1
        slot = self._slot(message) if message.is_instant else last
        return self.y(message.sent) + slot * SLOT

    def y_of_label(self, message: Message) -> float:
        """Where the text of a message stands: above its arrow, each on a line of its own."""
        return self.y(message.sent) + self._slot(message) * SLOT - 5

    def _slot(self, message: Message) -> int:
        return next(n for n, m in enumerate(self.slots[message.sent]) if m is message)

    @cached_property
    def bottom(self) -> float:
        return self.tops[len(self.diagram.moments) + 1] + 6

    @cached_property
    def height(self) -> float:
        return self.bottom + 24


def sequence_svg(diagram: Diagram, label: str) -> h.Renderable:
    """The diagram for a page, which brings the styles. `label` says what it shows."""
    return _svg(Layout(diagram), label, None)


def sequence_file(diagram: Diagram, label: str) -> str:
    """The diagram as a file of its own."""
    style = h.style[Markup(asset("colours.css") + asset("sequence.css"))]
    drawing = str(_svg(Layout(diagram), label, style))
    return visible(f'<?xml version="1.0" encoding="UTF-8"?>\n{drawing}\n', "\n")


def _svg(layout: Layout, label: str, style: h.Node) -> h.Renderable:
    width, height = round(layout.width), round(layout.height)
    diagram = layout.diagram
    return h.svg(
        ".sequence",
        {"viewBox": f"0 0 {width} {height}"},
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        role="img",
        aria_label=label,
    )[
        style,
        h.rect(".paper", width=width, height=height),
        not diagram.moments and h.text(".about", x=_n(PAD), y="22")["no step yet"],
        (_row(layout, moment) for moment in diagram.moments),
        (_lane(layout, number) for number in range(len(diagram.lanes))),
        _no_return(layout),
        _loop(layout),
        # Labels above all lines: what they cross stays readable.
        (_line(layout, message) for message in diagram.messages),
        (_dot(layout, moment) for moment in diagram.moments),
        (_label(layout, message) for message in diagram.messages),
        # A page moves the heads down while a reader scrolls: they lie over everything.
        h.g(".heads")[
            h.rect(".paper", width=width, height=str(HEAD - 8)),
            (_head(layout, number) for number in range(len(diagram.lanes))),
        ],
    ]


def _row(layout: Layout, moment: Moment) -> h.Renderable:
    top, height = layout.tops[moment.number], layout.height_of(moment.number)
    kind = ["row", moment.is_decisive and "decisive", moment.is_fault and "fault"]
    about = f" {_cut(' '.join(moment.about))}" if moment.about else ""
    rule = _cut(moment.rule)
    x, y = PAD + 3 * CHARACTER, _n(layout.y(moment.number) + 4)
    return h.g(class_=kind, data_mark=str(moment.number))[
        h.title[moment.text + (": decisive" if moment.is_decisive else "")],
        h.rect(x="0", y=_n(top), width=_n(layout.width), height=_n(height)),
        h.text(".number", {"text-anchor": "end"}, x=_n(x - CHARACTER), y=y)[str(moment.number)],
        h.text(x=_n(x), y=y)[
            h.tspan(".rule")[rule],
            h.tspan(".about")[_cut(f"{rule}{about}")[len(rule) :]],
        ],
        moment.is_decisive and h.text(".star", x=_n(layout.left - 16), y=y)["★"],
    ]


def _lane(layout: Layout, number: int) -> h.Renderable:
    lane, x = layout.diagram.lanes[number], layout.x[number]
    return h.g(class_=["lane", lane.is_channel and "channel"])[
        h.title[lane.name],
        h.line(x1=_n(x), x2=_n(x), y1=_n(HEAD - 8), y2=_n(layout.bottom)),
        (_bar(layout, x, start, end) for start, end in _filled(lane.lengths)),
    ]


def _head(layout: Layout, number: int) -> h.Renderable:
    lane, x = layout.diagram.lanes[number], layout.x[number]
    name = _cut(lane.name)
    half = len(name) * CHARACTER / 2 + 8
    return h.g(class_=["lane", lane.is_channel and "channel"])[
        h.title[lane.name],
        h.rect(x=_n(x - half), y="6", width=_n(2 * half), height="24", rx="4"),
        h.text({"text-anchor": "middle"}, x=_n(x), y="22")[name],
    ]


def _filled(lengths: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """From which step to which step a queue is not empty; a missing end is the last state."""
    start: int | None = None
    for number, length in enumerate(lengths):
        if length and start is None:
            start = number
        elif not length and start is not None:
            yield start, number
            start = None
    if start is not None:
        yield start, len(lengths)


def _bar(layout: Layout, x: float, start: int, end: int) -> h.Renderable:
    top = layout.y(start) if start else HEAD - 8
    last = len(layout.diagram.moments)
    bottom = layout.y(end) if end <= last else layout.bottom
    return h.rect(
        ".filled", x=_n(x - 4), width="8", y=_n(top), height=_n(max(bottom - top, 4)), rx="3"
    )


def _dot(layout: Layout, moment: Moment) -> h.Renderable:
    y = _n(layout.y(moment.number))
    kind = ["dot", moment.is_decisive and "decisive", moment.is_fault and "fault"]
    lanes = (moment.lane, *moment.beside)
    return h.fragment[(h.circle(class_=kind, cx=_n(layout.x[n]), cy=y, r="5") for n in lanes)]


def _ends(layout: Layout, message: Message) -> tuple[float, float, float, float]:
    """Where an arrow starts and ends."""
    x1, x2 = layout.x[message.source], layout.x[message.target]
    y1 = layout.y_of(message)
    if message.is_instant:
        return x1, y1, x2, y1
    y2 = layout.bottom if message.ended is None else layout.y(message.ended)
    return x1, y1, x2, y2


def _line(layout: Layout, message: Message) -> h.Renderable:
    x1, y1, x2, y2 = _ends(layout, message)
    side = 1 if x2 > x1 else -1
    kind = ["arrow", not message.arrived and ("waiting" if message.ended is None else "lost")]
    if not message.arrived:
        x2, y2 = x1 + 0.94 * (x2 - x1), y1 + 0.94 * (y2 - y1)
        head = f"M{_n(x2 - 5)} {_n(y2 - 5)}l10 10m0 -10l-10 10"
        end: h.Node = message.ended is not None and h.path(".cross", d=head)
    else:
        # The head points along the line; its tip stops at the dot.
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        x2, y2 = x2 - 6 * ux, y2 - 6 * uy
        points = [
            (x2, y2),
            (x2 - 8 * ux - 4 * uy, y2 - 8 * uy + 4 * ux),
            (x2 - 8 * ux + 4 * uy, y2 - 8 * uy - 4 * ux),
        ]
        end = h.polygon(points=" ".join(f"{_n(x)},{_n(y)}" for x, y in points))
    return h.g(class_=kind)[h.line(x1=_n(x1 + 4 * side), y1=_n(y1), x2=_n(x2), y2=_n(y2)), end]


def _label(layout: Layout, message: Message) -> h.Renderable:
    x1, _, x2, _ = _ends(layout, message)
    y = layout.y_of_label(message)
    if message.is_instant:
        x, anchor = (x1 + x2) / 2, "middle"
    else:
        # Near its start, where the slanted line has not gone far down.
        side = 1 if x2 > x1 else -1
        x, anchor = x1 + 10 * side, "start" if side > 0 else "end"
    return h.text(".label", {"text-anchor": anchor}, x=_n(x), y=_n(y))[
        h.title[message.label], layout.label_of(message)
    ]


def _no_return(layout: Layout) -> h.Node:
    number = layout.diagram.no_return
    if not number:
        return None
    y = layout.tops[number + 1]
    return h.g(".no-return")[
        h.title["from here on the violation is inevitable"],
        h.line(x1="0", x2=_n(layout.width), y1=_n(y), y2=_n(y)),
    ]


def _loop(layout: Layout) -> h.Node:
    loop = layout.diagram.loop
    if loop is None:
        return None
    if loop >= len(layout.diagram.moments):
        return h.text(".about", x=_n(PAD), y=_n(layout.bottom + 12))["◇ no further step happens"]
    top = layout.tops[loop + 1]
    x, bottom = _n(4), layout.bottom - 4
    text = f"↺ from step {loop + 1} on, forever"
    return h.g(".loop-mark")[
        h.line(x1=x, x2=x, y1=_n(top), y2=_n(bottom)),
        h.text(".about", x=_n(PAD), y=_n(layout.bottom + 12))[text],
    ]


# --- the legend ----------------------------------------------------------------------------------


def _sample(*parts: h.Node) -> h.Renderable:
    return h.svg(".sequence", viewBox="0 0 48 18", width="48", height="18", aria_hidden="true")[
        parts
    ]


def _sample_lane(kind: str) -> h.Renderable:
    return h.g(class_=["lane", kind])[
        h.line(x1="24", x2="24", y1="0", y2="18"),
        kind and h.rect(".filled", x="20", y="3", width="8", height="12", rx="3"),
    ]


def _sample_arrow(kind: str, y1: int, y2: int) -> h.Renderable:
    tip = h.polygon(points=f"44,{y2} 36,{y2 - 4} 36,{y2 + 4}")
    cross = h.path(".cross", d=f"M39 {y2 - 5}l10 10m0 -10l-10 10")
    end = {"lost": cross, "": tip}.get(kind)
    return h.g(class_=["arrow", kind])[h.line(x1="4", y1=str(y1), x2="42", y2=str(y2)), end]


#: The marks of a diagram, each with what it means.
LEGEND: tuple[tuple[h.Renderable, str], ...] = (
    (_sample(_sample_lane("")), "a task, the coordinator; time goes down"),
    (_sample(_sample_lane("channel")), "a channel; the bar is its queue while it is not empty"),
    (_sample(_sample_arrow("", 9, 9)), "an element is put into a channel, or taken from it"),
    (_sample(_sample_arrow("", 3, 13)), "a message that takes time: sent above, received below"),
    (_sample(_sample_arrow("waiting", 3, 15)), "a message that is still under way"),
    (_sample(_sample_arrow("lost", 3, 11)), "a message that is lost"),
    (_sample(h.text(".star", x="18", y="14")["★"]), "a decisive step: without it the property "
     "could still hold"),
    (_sample(h.g(".no-return")[h.line(x1="0", x2="48", y1="9", y2="9")]), "from here on the "
     "violation is inevitable"),
    (_sample(h.g(".loop-mark")[h.line(x1="24", x2="24", y1="1", y2="17")]), "these steps repeat "
     "forever"),
    (_sample(h.circle(".dot.fault", cx="24", cy="9", r="5")), "a fault: the step does what no step "
     "may do"),
)  # fmt: skip


def _cut(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= CHARACTERS_MAX else f"{shown[: CHARACTERS_MAX - 1]}…"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


__all__ = ["LEGEND", "sequence_file", "sequence_svg"]
