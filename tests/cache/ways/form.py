"""The form of a way: a folder with a protocol that counts to a limit, and one edit of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

#: Stands for a number, which the edit changes from 2 to 3.
NUMBER = "§"
_UNSAID = re.compile(r"(@rule.*\n\s*def \w+\(.*\):\n)(\s+)(?!['\"\s])")
_CHOICE = re.compile("«([^«»¦]*)¦([^«»¦]*)»", re.DOTALL)
#: Where a folder of another name is, beside that of the protocols.
BESIDE = "../beside"

_COUNT = '''
from finale.rules import *
from finale.rules import Entity, Protocol, Range, Setting, always, define, field, require
from finale.rules import rule, when
{head}

class Counter(Entity):
    n = field(Range(0, 5), 0)
{entity}

class Count(Protocol{bases}):
    key = "count"

    def __init__(self, setting):
        super().__init__(setting)
        self.counter = Counter("c")
{init}

    def entities(self):
        return (self.counter,)
{inside}
    @rule
    def go(self):
        {rule}

{tail}

@always
def small(state: Count) -> bool:
    """The counter is small."""
    when(state.counter.n > 0)
    {prop}


PROTOCOLS = (Count,)
PROPERTIES = (small,)
{end}
'''


@dataclass(frozen=True)
class Way:
    """Files with a choice in them, `«before¦after»`, and what is in the environment."""

    name: str
    files: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    spec: str = ""

    def texts(self, *, after: bool) -> dict[str, str]:
        """Return the files before or after the edit, by their paths in the folder."""
        return {path: chosen(text, after=after) for path, text in self.files.items()}


def chosen(text: str, *, after: bool) -> str:
    """Return a text before or after the edit."""
    full = text.replace(NUMBER, "«2¦3»")
    return _CHOICE.sub(lambda found: found[2 if after else 1], full)


def _indented(text: str, by: int) -> str:
    return "".join(" " * by + line for line in text.strip("\n").splitlines(keepends=True))


def way(
    name: str,
    head: str = "",
    limit: str = "LIMIT",
    *,
    inside: str = "",
    entity: str = "",
    init: str = "",
    bases: str = "",
    body: str = "",
    tail: str = "",
    prop: str = "return state.counter.n <= 2",
    end: str = "",
    files: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    spec: str = 'protocol = "count"',
) -> Way:
    """Return a way: the protocol counts while the counter is less than `limit`."""
    rule = body or f"require(self.counter.n < {limit})\nself.counter.n += 1"
    text = _COUNT.format(
        head=head.strip("\n"),
        entity=_indented(entity, 4),
        bases=bases,
        init=_indented(init, 8),
        inside=_indented(inside, 4),
        rule=_indented(rule, 8).lstrip(),
        tail=tail,
        prop=_indented(prop, 4).lstrip(),
        end=end,
    )
    text = _UNSAID.sub(r"\1\2'It counts.'\n\2", text)  # a rule has a docstring
    spec = f'title = "Counts"\n{spec}\n'
    return Way(name, {"count.py": text, **(files or {})}, environment or {}, spec)


__all__ = ["BESIDE", "Way", "chosen", "way"]
