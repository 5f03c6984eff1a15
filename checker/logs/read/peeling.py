"""Takes a line apart: removes what stands around it, layer by layer, down to one record of Flink.

The layers are colours, what shippers write before a line, JSON, and the layout of the logging
library. A layer does not know the layers around it, so each can stand in each other: Flink's layout
in the JSON of a container runtime, in the journal of a machine.

A line that begins no entry belongs to the entry before it, and has the same layers around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from finale.model.given import LINE_MAX

from .json_fields import JsonLine, json_line
from .layouts import Layout, Layouts
from .times import LogTimes, TimeKind

#: What terminals take for colours and other changes, and never show.
_COLOURS = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
_BOXED = re.compile(r"\[((?:[^\[\]]++|\[[^\[\]]*+\])*+)\]|\{[^{}]*+\}")
#: An id, or fields of the MDC: no thread is called like this.
_NO_THREAD = re.compile(r"[0-9a-f]{32}|\{.*\}|[\w.-]+=.*|")
#: Docker cuts a line into pieces of so many bytes.
_DOCKER_MAX = 16 * 1024
#: So many layers stand in one another at most.
_LAYERS_MAX = 8
#: So many ways to take a line apart are tried.
_TRIES_MAX = 64
_JSON = "JSON"
#: The name of a logger begins with it if its beginning can be cut.
CUT = "…"

Source = tuple[tuple[str, str], ...]
"""Which process has written a line, as the layers around it tell: by layer its name there."""


# Not frozen, as entries are: each line has one.
@dataclass(slots=True)
class Record:
    """What one call of a logger has written, whatever the layout."""

    time: str
    kind: TimeKind
    level: str
    logger: str
    thread: str
    message: str
    more: tuple[str, ...] = ()
    """The lines of an exception, where the record itself has them."""
    is_closed: bool = False
    """The record has its end: no line behind it belongs to it."""


@dataclass(slots=True)
class Peeled:
    """What a line has in it: a record, or a text that begins none."""

    text: str
    process: int = 0
    """Which of the processes whose lines are in this log has written it, from 0."""
    record: Record | None = None
    stream: tuple[Source, str] | None = None
    """Of a piece of a line: the stream whose next line goes on with it, or ends it."""
    goes_on: bool = False
    """The next line of the stream goes on with this one."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """What a layer tells, and the text in it."""

    name: str
    text: str
    source: Source = ()
    time: str = ""
    stream: str = ""
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class _Inside:
    """What is left of a line when some layers are removed. `time` is that of the innermost one."""

    text: str
    chain: tuple[str, ...] = ()
    source: Source = ()
    time: str = ""
    stream: tuple[Source, str] | None = None
    goes_on: bool = False


@dataclass
class Peeler:
    """Takes the lines of one log apart, in their order."""

    layouts: Layouts
    times: LogTimes = field(init=False)
    _recent: list[Layout] = field(init=False)
    """The layouts, that of the last record first."""
    _chains: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """The layers that records have had around them, those of the last record first."""
    _known: set[tuple[tuple[str, ...], Source]] = field(
        default_factory=set[tuple[tuple[str, ...], Source]]
    )
    """The layers, and the processes, that records have had."""
    _processes: dict[tuple[str, ...], dict[Source, int]] = field(
        default_factory=dict[tuple[str, ...], dict[Source, int]]
    )
    """By the layers that tell of processes, which processes they tell of."""
    _count: int = 1
    _latest: int = 0
    """The process of the last record."""
    _pieces: dict[tuple[Source, str], str] = field(default_factory=dict[tuple[Source, str], str])
    """By stream the beginning of a line that goes on."""
    _ends_lines: bool = False
    """JSON tells where lines end, as Docker's does."""
    _shape: re.Pattern[str] | None = None
    """What the last record began with: its time."""

    def __post_init__(self) -> None:
        self.times = LogTimes(self.layouts.timezone)
        self._recent = [*self.layouts.layouts]

    def peel(self, text: str, *, whole: bool = True) -> Peeled:
        """Take a line apart. Half a line is no record: it could be another one than the whole."""
        if self._chains == [()] and "\x1b" not in text:
            # Most logs have no layers.
            record = self._record(text, "") if whole and not text[:1].isspace() else None
            if record is not None:
                self._latest = 0
                return Peeled(text, 0, record)
            if text[:1].isspace():
                return Peeled(text, self._latest)
        rest: _Inside | None = None
        for place, chain in enumerate(self._chains):
            inside = self._along(chain, text)
            if inside is None:
                continue
            if (found := self._read(inside, whole=whole)) is not None:
                if place:
                    self._chains.insert(0, self._chains.pop(place))
                return found
            if rest is None and (inside.chain, inside.source) in self._known:
                rest = inside
        tried: list[_Inside] = []
        for inside in self._each_inside(_Inside(text), tried):
            if inside.chain in self._chains:
                continue
            if (found := self._read(inside, whole=whole)) is not None:
                self._chains.insert(0, inside.chain)
                return found
        if rest is None:
            # Nothing is known of layers before the first record: there may be any of those found.
            return Peeled((tried[0] if self._chains else tried[-1]).text, self._latest)
        if rest.stream is not None:
            self._pieces.pop(rest.stream, None)
        return Peeled(rest.text, self._process(rest.source), None, rest.stream)

    def _read(self, inside: _Inside, *, whole: bool) -> Peeled | None:
        """The record, or the piece of one, that a text without its layers is; None if it is none.

        An object in JSON is whole if it can be read.
        """
        text, source = inside.text, inside.source
        if inside.goes_on and inside.stream is not None:
            self._pieces[inside.stream] = text
            return Peeled(text, self._process(source), None, inside.stream, goes_on=True)
        record = self._record(text, inside.time) if whole else None
        if record is None and text.startswith("{"):
            told = json_line(text, self.layouts.json)
            if told is not None and told.logger and told.level:
                source = (*source, *told.source)
                record = self._of_json(told)
        if record is None:
            return None
        if inside.stream is not None:
            self._pieces.pop(inside.stream, None)
        self._known.add((inside.chain, inside.source))
        self._latest = self._process(source)
        return Peeled(text, self._latest, record, inside.stream)

    # --- layers ----------------------------------------------------------------------------------

    def _along(self, chain: tuple[str, ...], text: str) -> _Inside | None:
        """What is in a text when just these layers are removed; None if it does not have them."""
        inside = _Inside(_COLOURS.sub("", text) if "\x1b" in text else text)
        for name in chain:
            layer = next((each for each in self._layers(inside.text) if each.name == name), None)
            if layer is None:
                return None
            inside = self._without(inside, layer)
            if inside.goes_on:
                break
        return inside

    def _each_inside(self, inside: _Inside, tried: list[_Inside]) -> Iterator[_Inside]:
        """What is in a text when some layers are removed, whichever fit; with none, at first."""
        if "\x1b" in inside.text:
            inside = replace(inside, text=_COLOURS.sub("", inside.text))
        if len(tried) >= _TRIES_MAX:
            return
        tried.append(inside)
        yield inside
        if len(inside.chain) < _LAYERS_MAX and not inside.goes_on:
            for layer in self._layers(inside.text):
                yield from self._each_inside(self._without(inside, layer), tried)

    def _layers(self, text: str) -> Iterator[_Layer]:
        """The layers that can be the outermost one of a text."""
        if text.startswith("{"):
            told = json_line(text, self.layouts.json)
            if told is not None and not (told.logger and told.level):
                yield self._envelope(told)
            return
        for wrapping in self.layouts.wrappings:
            if found := wrapping.head.fullmatch(text):
                groups = found.groupdict("")
                source = groups.get("source", "")
                yield _Layer(
                    wrapping.name,
                    groups["rest"],
                    ((wrapping.name, source),) if source else (),
                    groups.get("time", ""),
                    groups.get("stream", ""),
                    groups.get("partial") == "P",
                )

    def _envelope(self, told: JsonLine) -> _Layer:
        """The layer of an object that has a text in it."""
        ends = told.text.endswith("\n")
        self._ends_lines = self._ends_lines or (ends and bool(told.stream))
        is_cut = self._ends_lines or len(told.text.encode(errors="replace")) >= _DOCKER_MAX
        goes_on = bool(told.stream) and not ends and is_cut
        text = told.text.rstrip("\r\n")
        return _Layer(_JSON, text, told.source, told.time, told.stream, goes_on)

    def _without(self, inside: _Inside, layer: _Layer) -> _Inside:
        """What is left when one more layer is removed, behind the pieces of the line before it."""
        source, text, stream = (*inside.source, *layer.source), layer.text, inside.stream
        if "\x1b" in text:
            text = _COLOURS.sub("", text)
        goes_on = layer.goes_on
        if goes_on or (source, layer.stream) in self._pieces:
            stream = source, layer.stream
            text = self._pieces.get(stream, "") + text
            goes_on = goes_on and len(text) < LINE_MAX
        time, chain = layer.time or inside.time, (*inside.chain, layer.name)
        return _Inside(text, chain, source, time, stream, goes_on)

    def wants_to_begin(self, text: str) -> bool:
        """Whether a text that begins no entry looks like a broken beginning of one."""
        if self._shape is not None and self._shape.match(text):
            return True
        return any(each.match(text) for each in self.layouts.start)

    def _process(self, source: Source) -> int:
        """The number of a process. The first one that layers tell of is the first one of the log,
        which lines without these layers are of, too."""
        if not source:
            return 0
        numbers = self._processes.setdefault(tuple(layer for layer, _ in source), {})
        if source not in numbers:
            numbers[source] = self._count if numbers else 0
            self._count += bool(numbers[source])
        return numbers[source]

    def _record(self, text: str, outside: str) -> Record | None:
        for place, layout in enumerate(self._recent):
            found = layout.head.fullmatch(text)
            if found is not None:
                if place:
                    self._recent.insert(0, self._recent.pop(place))
                    self._shape = None
                return self._told(layout, found, outside)
        return None

    def _told(self, layout: Layout, found: re.Match[str], outside: str) -> Record:
        groups = found.groupdict("")
        thread = groups.get("thread")
        if thread is None:
            thread = _thread_in([groups.get(f"fields{n}", "") for n in (1, 2, 3)])
        time, logger = groups["time"], groups["logger"]
        if self._shape is None and found.start("time") == 0:
            self._shape = _shape_of(time)
        if layout.logger_width and len(logger) == layout.logger_width:
            logger = f"{CUT}{logger}"
        time = self.times.usual(time, outside, layout.time_format)
        return Record(
            time, self.times.kind, groups["level"], logger, thread.strip(), groups["message"]
        )

    def _of_json(self, told: JsonLine) -> Record:
        """The record that an object is."""
        message, *more = told.text.splitlines() or [""]
        time = self.times.usual(told.time)
        return Record(time, self.times.kind, told.level, told.logger, told.thread, message,
                      (*more, *told.thrown), is_closed=True)  # fmt: skip


def _thread_in(fields: Sequence[str]) -> str:
    """The thread among fields of a line: that of a task, or else the first that can be one."""
    found: list[str] = []
    for text in fields:
        boxed = [each[1] or "" for each in _BOXED.finditer(text)]
        found += boxed or [text]
    names = [each.strip() for each in found]
    threads = [each for each in names if not _NO_THREAD.fullmatch(each)]
    of_tasks = [each for each in threads if each[-1:].isdigit() and ")#" in each]
    return next(iter((*of_tasks, *threads)), "")


def _shape_of(time: str) -> re.Pattern[str]:
    """What a line begins with that begins like a time, up to the seconds."""
    return re.compile(re.sub(r"\d", r"\\d", re.escape(re.split(r"[,.]", time)[0])) + r"\b")
