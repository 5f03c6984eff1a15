"""Takes a page of the documentation apart: files that the reader writes, commands that he runs.

A file is a fenced block after the line `<!-- file: NAME -->`. A command is a line `$ finale …` in a
block with the info string `console`, followed by what it prints; `exit=N` in the info string is the
exit code of the block's last command. A line `…` of the output stands for any number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PROMPT = "$ finale "
#: Stands for lines that are left out.
ELLIPSIS = "…"

_BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?^```(.*)\n((?:.*\n)*?)^```$", re.MULTILINE)


@dataclass(frozen=True)
class Written:
    """A file that the reader writes, or writes anew."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command line without its `finale`, what the page says it prints, and where it says so."""

    line: str
    output: str
    exit: int
    start: int
    end: int


def steps(page: str) -> Iterator[Written | Command]:
    """What the reader of a page does, in order."""
    for found in _BLOCK.finditer(page):
        name, info, body = found[1], found[2].split(), found[3]
        if name:
            yield Written(name, body)
        elif info[:1] == ["console"]:
            code = next((int(word[5:]) for word in info if word.startswith("exit=")), 0)
            yield from _commands(body, found.start(3), code)


def _commands(body: str, offset: int, code: int) -> Iterator[Command]:
    starts = [match.start() for match in re.finditer(r"^\$ finale ", body, re.MULTILINE)]
    assert starts[:1] == [0], f"a console block begins with its command: {body!r}"
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        line, _, output = body[start:end].partition("\n")
        first = offset + start + len(line) + 1
        exit_code = code if end == len(body) else 0
        yield Command(line.removeprefix(PROMPT), output, exit_code, first, offset + end)


#: Where a rule stands changes with every change above it.
_LINE_OF_RULE = re.compile(r"\b(\w+\.py):\d+")


def matches(shown: str, found: str) -> bool:
    """Whether the output shown, with its ellipses, is what was found; lines of rules may differ."""
    shown, found = (_LINE_OF_RULE.sub(r"\1:1", each) for each in (shown, found))
    parts = [re.escape(part) for part in re.split(rf"^ *{ELLIPSIS}\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*".join(parts), found) is not None
