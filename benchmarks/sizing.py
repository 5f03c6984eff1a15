"""The picture of docs/pipeline.md, from what was measured: `python -m benchmarks.sizing`.

A line is reasoned: what starts, and then either processors are busy or the network is. A point was
measured. A line ends where memory does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from math import log10
from pathlib import Path

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "sizing.svg"
#: What is reasoned about: machines with so many cores and so many bytes, beside one file server
#: that a network of ten gigabits a second leads to.
CORES, MEMORY, NETWORK = 8, 64e9, 10e9 / 8
MACHINES = 10
#: Seconds that Spark takes to start, and that a job of it takes at least.
START, JOB = 7.0, 0.15


@dataclass(frozen=True)
class Work:
    """What one piece of work costs: seconds of a core, bytes over a network, bytes of memory."""

    seconds: float
    bytes: float = 0.0
    memory: float = 0.0
    fixed: float = 0.0
    """Seconds until the first piece."""

    def time(self, count: float, cores: int, *, network: bool) -> float:
        """Seconds for so many pieces; what binds is what takes longer."""
        over = count * self.bytes / NETWORK if network else 0.0
        return self.fixed + max(count * self.seconds / cores, over)

    def most(self, machines: int) -> float:
        """How many pieces there is memory for."""
        return machines * MEMORY / self.memory if self.memory else float("inf")


#: A state of the yardstick with 11 213 941 of two words, and its 61 levels (docs/spark.md;
#: what is posted: `python -m benchmarks.spreading`, 80 owners).
IN_PROCESS = Work(4.6 / 11.2e6, memory=30)
SPREAD = Work(12 / 11.2e6, bytes=115, memory=30, fixed=START + 61 * JOB)
#: An event of a log of Flink at DEBUG: 140 runs have 123 130 events in 68 MB, and took 18.3 s.
LOGS = Work(18.3 / 123_130)
LOGS_ON_SPARK = Work(18.3 / 123_130, bytes=68e6 / 123_130, fixed=START)


@dataclass(frozen=True)
class Line:
    """What is drawn: a name, a colour, seconds by count, and the last count."""

    name: str
    colour: str
    seconds: Callable[[float], float]
    last: float = float("inf")


@dataclass(frozen=True)
class Panel:
    """A plot: lines and points over counts from one power of ten to another."""

    title: str
    unit: str
    powers: tuple[int, int]
    lines: tuple[Line, ...]
    points: tuple[tuple[float, float, str], ...]
    """What was measured: count, seconds, colour."""


SEARCH = Panel(
    "A search, states of two words",
    "states",
    (5, 11),
    (
        Line("in process, 1 thread", "#1b6ca8", lambda n: IN_PROCESS.time(n, 1, network=False),
             IN_PROCESS.most(1)),
        Line("Spark, 1 machine", "#c05a1c", lambda n: SPREAD.time(n, CORES, network=False),
             SPREAD.most(1)),
        Line("Spark, 10 machines", "#5b8c2a",
             lambda n: SPREAD.time(n, MACHINES * CORES, network=True), SPREAD.most(MACHINES)),
    ),
    ((11.2e6, 4.6, "#1b6ca8"), (11.2e6, 26, "#c05a1c")),
)  # fmt: skip
JUDGED = Panel(
    "Logs of Flink at DEBUG, what they show",
    "events",
    (5, 11),
    (
        Line("in process", "#1b6ca8", lambda n: LOGS.time(n, 1, network=False)),
        Line("Spark, 1 machine", "#c05a1c",
             lambda n: LOGS_ON_SPARK.time(n, CORES, network=False)),
        Line("Spark, 10 machines", "#5b8c2a",
             lambda n: LOGS_ON_SPARK.time(n, MACHINES * CORES, network=True)),
    ),
    ((123_130, 18.3, "#1b6ca8"),),
)  # fmt: skip
PANELS = (SEARCH, JUDGED)

WIDTH, HEIGHT, LEFT, TOP, GAP = 360, 260, 60, 46, 40
#: Seconds, as powers of ten; and what they are called.
LOWEST, HIGHEST = 0, 5
TIMES = {0: "1 s", 1: "10 s", 2: "100 s", 3: "17 min", 4: "3 h", 5: "1 day"}
COUNTS = {5: "10⁵", 6: "10⁶", 7: "10⁷", 8: "10⁸", 9: "10⁹", 10: "10¹⁰", 11: "10¹¹"}
STEPS = 10
"""Points of a line for each power of ten."""
STYLE = (
    "text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#222}.t{font-weight:bold}"
    ".k{fill:#666;font-size:11px}.g{stroke:#e4e4e4}.l{fill:none;stroke-width:2}"
)


def picture() -> str:
    """The text of the picture."""
    width = len(PANELS) * (LEFT + WIDTH + GAP)
    height = TOP + HEIGHT + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">',
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>',
    ]
    for number, panel in enumerate(PANELS):
        parts += _panel(panel, LEFT + number * (LEFT + WIDTH + GAP))
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, left: float) -> Iterable[str]:
    def across(count: float) -> float:
        low, high = panel.powers
        return left + (log10(count) - low) / (high - low) * WIDTH

    def down(seconds: float) -> float:
        place = (log10(seconds) - LOWEST) / (HIGHEST - LOWEST)
        return TOP + HEIGHT - min(1.0, max(0.0, place)) * HEIGHT

    yield f'<text class="t" x="{left}" y="20">{escape(panel.title)}</text>'
    for power in range(LOWEST, HIGHEST + 1):
        y = down(10.0**power)
        yield f'<line class="g" x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _word(left - 6, y + 4, TIMES[power], "end")
    for power in range(panel.powers[0], panel.powers[1] + 1):
        x, y = across(10.0**power), TOP + HEIGHT
        yield f'<line class="g" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{y}"/>'
        yield _word(x, y + 16, COUNTS[power])
    yield _word(left + WIDTH / 2, TOP + HEIGHT + 34, panel.unit)
    for number, line in enumerate(panel.lines):
        shown = [
            (count, line.seconds(count))
            for count in _counts(panel.powers)
            if count <= line.last and 1 <= line.seconds(count) <= 10**HIGHEST
        ]
        path = " ".join(f"{across(count):.1f},{down(seconds):.1f}" for count, seconds in shown)
        yield f'<polyline class="l" stroke="{line.colour}" points="{path}"/>'
        if shown[-1][0] < 10.0 ** panel.powers[1] and shown[-1][1] < 10**HIGHEST / 2:
            x, y = across(shown[-1][0]), down(shown[-1][1])
            yield (
                f'<line stroke="{line.colour}" stroke-width="3" x1="{x:.1f}" x2="{x:.1f}" '
                f'y1="{y - 7:.1f}" y2="{y + 7:.1f}"/>'
            )
        y = TOP + 16 + 17 * number
        yield (
            f'<line stroke="{line.colour}" stroke-width="3" x1="{left + 10}" x2="{left + 26}" '
            f'y1="{y - 4}" y2="{y - 4}"/>'
        )
        yield f'<text x="{left + 32}" y="{y}">{escape(line.name)}</text>'
    for count, seconds, colour in panel.points:
        yield f'<circle cx="{across(count):.1f}" cy="{down(seconds):.1f}" r="4" fill="{colour}"/>'


def _word(x: float, y: float, word: str, anchor: str = "middle") -> str:
    return f'<text class="k" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(word)}</text>'


def _counts(powers: tuple[int, int]) -> Iterable[float]:
    low, high = powers
    return [10 ** (low + step / STEPS) for step in range((high - low) * STEPS + 1)]


def main() -> int:
    """Write the picture."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
