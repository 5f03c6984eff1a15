"""Reads a scenario: a header, and cases of lines with a stimulus and the expected events.

    title:    A newer barrier aborts the alignment under way
    part:     aligned-handler
    channels: 2

    B1@0 B2@1      => aborted 1; blocked 1
    B2@0           => taken 2; blocked -

Nothing is run here; words are checked against what the part knows. A mistake is an error with file
and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from finale.checker.spec.files import text_of
from finale.model.errors import FinaleError, Place, nearest
from finale.model.events import EVENTS, QUERIES

from .stimuli import Command, Span, Stimulus, check_question, command_of, tokens_of, unknown_command

#: Keys of every part; each part has some of its own.
KEYS = ("title", "cites", "part", "protocol", "variant", "options", "case")
ARROW = "=>"
#: In place of observations: nothing happens. In place of fields: there is none.
NOTHING = "-"

_KEY = re.compile(r"([a-z][a-z-]*):(?:\s+(.*))?$")
_SEPARATOR = re.compile(r"-{3,}$")
_COMMENT = re.compile(r"(?:^|\s)#.*$")


@dataclass(frozen=True)
class Expected:
    """An expected event, or a query with its expected answer."""

    word: str
    fields: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.word, *self.fields))


@dataclass(frozen=True)
class CaseLine:
    """A line of a case. `expected` is None where it has no `=>`: then it only does something."""

    number: int
    text: str
    stimuli: tuple[Stimulus, ...]
    expected: tuple[Expected, ...] | None


@dataclass(frozen=True)
class Header:
    """The keys of a case, with the keys above all cases, and their lines."""

    file: Path
    values: Mapping[str, str]
    lines: Mapping[str, int]

    def place(self, key: str) -> Place:
        """The line of a key."""
        return Place(str(self.file), self.lines.get(key), key)

    def required(self, key: str) -> str:
        """The value of a key. Raises `missing-key`."""
        if not self.values.get(key):
            raise FinaleError(
                "missing-key",
                f"{key} is missing",
                place=Place(str(self.file)),
                advice=f"write a line {key}: …",
            )
        return self.values[key]


@dataclass(frozen=True)
class Case:
    """One run: a name, which may be empty, what it is done to, and its lines."""

    name: str
    header: Header
    lines: tuple[CaseLine, ...]

    @property
    def stimuli(self) -> Iterator[Stimulus]:
        """The stimuli of all lines."""
        return (stimulus for line in self.lines for stimulus in line.stimuli)

    @property
    def commands(self) -> Iterator[Command]:
        """The stimuli that are commands."""
        return (stimulus for stimulus in self.stimuli if isinstance(stimulus, Command))

    def first_arguments(self, word: str) -> list[str]:
        """The distinct first arguments of a command, in the order of the lines."""
        words = (each.arguments[0] for each in self.commands if each.word == word)
        return list(dict.fromkeys(words))


@dataclass(frozen=True)
class BenchWords:
    """The words that a part knows: keys, kinds of tokens, events; commands and queries by forms."""

    part: str
    keys: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    commands: Mapping[str, tuple[str, ...]] | None = None
    events: tuple[str, ...] = ()
    queries: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def signatures(self) -> Mapping[str, tuple[str, ...]]:
        """The signatures of commands."""
        return self.commands or {}


@dataclass(frozen=True)
class RawLine:
    """A line before its words are looked up: number, text, what is done, what is seen."""

    number: int
    text: str
    left: str
    right: str | None


@dataclass(frozen=True)
class Draft:
    """A case before its words are looked up."""

    header: Header
    lines: tuple[RawLine, ...]


def drafts_of(file: Path) -> list[Draft]:
    """The cases of a file. Raises coded errors with file and line."""
    blocks = list(_blocks(text_of(file, wanted="one scenario")))
    common: dict[str, tuple[int, str]] = {}
    drafts: list[Draft] = []
    for position, block in enumerate(blocks):
        own, body = _split(file, block)
        if position == 0:
            common = own
        keys = common | own
        header = Header(
            file, {k: text for k, (_, text) in keys.items()}, {k: n for k, (n, _) in keys.items()}
        )
        if body or position or len(blocks) == 1:
            drafts.append(Draft(header, tuple(body)))
    for draft in drafts:
        if all(line.right is None for line in draft.lines):
            # A scenario that observes nothing could not fail.
            name = draft.header.values.get("case", "")
            raise FinaleError(
                "empty-scenario",
                f'no event is expected in the case "{name}"' if name else "no event is expected",
                place=Place(str(file)),
                advice="below the header, write a stimulus, => and the expected events",
            )
    return drafts


def _blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if _SEPARATOR.match(line):
            yield block
            block = []
        else:
            block.append((number, line))
    yield block


def _split(
    file: Path, block: list[tuple[int, str]]
) -> tuple[dict[str, tuple[int, str]], list[RawLine]]:
    """The keys at the head of a block, and its lines."""
    keys: dict[str, tuple[int, str]] = {}
    lines: list[RawLine] = []
    last = ""
    for number, text in block:
        bare = _COMMENT.sub("", text).rstrip()
        found = _KEY.match(bare)
        if not bare:
            last = ""
        elif found and not lines:
            last = found[1]
            if last in keys:
                raise _malformed(file, number, f'"{last}" is given twice', "keep one of the two")
            keys[last] = (number, (found[2] or "").strip())
        elif last and bare[0].isspace():
            first, value = keys[last]
            keys[last] = (first, f"{value} {bare.strip()}".strip())
        else:
            last = ""
            lines.append(_raw(file, number, bare))
    return keys, lines


def _raw(file: Path, number: int, text: str) -> RawLine:
    left, arrow, right = text.partition(ARROW)
    if not left.strip():
        raise _malformed(
            file, number, "nothing is done in this line", "left of => write what is done"
        )
    if arrow and not right.strip():
        raise _malformed(
            file, number, "nothing stands right of =>", f"write {NOTHING} if nothing happens"
        )
    if ARROW in right:
        raise _malformed(file, number, "=> stands twice in this line", "write two lines of it")
    return RawLine(number, text, left, right if arrow else None)


def _malformed(file: Path, number: int, message: str, advice: str) -> FinaleError:
    place = Place(str(file), number)
    return FinaleError("malformed-scenario", message, place=place, advice=advice)


# --- words ---------------------------------------------------------------------------------------


def case_of(draft: Draft, words: BenchWords, channels: int) -> Case:
    """A case with its words looked up. Raises coded errors with file and line."""
    header = draft.header
    for key in header.values:
        if key not in (*KEYS, *words.keys):
            raise FinaleError(
                "unknown-key",
                f'"{key}" means nothing for the part {words.part}',
                place=header.place(key),
                advice=nearest(key, (*KEYS, *words.keys)),
            )
    header.required("title")
    lines: list[CaseLine] = []
    for raw in draft.lines:
        try:
            stimuli = tuple(_stimuli(raw.left, words, channels))
            seen = None if raw.right is None else tuple(_observations(raw.right, words))
        except FinaleError as error:
            raise error.located(Place(str(header.file), raw.number)) from None
        lines.append(CaseLine(raw.number, raw.text, stimuli, seen))
    return Case(header.values.get("case", ""), header, tuple(lines))


def _stimuli(left: str, words: BenchWords, channels: int) -> Iterator[Stimulus]:
    for group in re.finditer(r"[^;]+", left):
        found = [
            (word.group(), Span(group.start() + word.start(), group.start() + word.end()))
            for word in re.finditer(r"\S+", group.group())
        ]
        if not found:
            continue
        first = found[0][0]
        if first in words.signatures:
            span = Span(found[0][1].start, found[-1][1].end)
            yield command_of([word for word, _ in found], span, words.signatures[first])
        elif words.tokens:
            for word, span in found:
                if word != "|":
                    yield from tokens_of(word, span, channels, words.tokens, words.keys)
        else:
            raise unknown_command(first, tuple(words.signatures), words.part)


def _observations(right: str, words: BenchWords) -> Iterator[Expected]:
    for group in right.split(";"):
        if not group.strip() or group.strip() == NOTHING:
            continue
        word, *fields = group.split()
        if word not in (*words.events, *words.queries):
            raise _unknown_word(word, words)
        if word in words.queries:
            check_question(word, fields, words.queries[word])
        yield Expected(word, tuple(fields))


def _unknown_word(word: str, words: BenchWords) -> FinaleError:
    known = (*words.events, *words.queries)
    if any(each.name == word for each in (*EVENTS, *QUERIES)):
        return FinaleError(
            "not-observable",
            f'the part {words.part} has no event "{word}"',
            advice=nearest(word, known),
        )
    return FinaleError("unknown-word", f'"{word}" is not an event', advice=nearest(word, known))
