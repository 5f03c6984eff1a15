"""Finds the line of each key in a TOML file, because `tomllib` keeps no line numbers.

It reads only text that `tomllib` has accepted, so it checks nothing and skips values by their
brackets and quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from finale.model.given import toml_of

KeyPath = tuple[str | int, ...]
"""Keys from the outermost in; a number is a place in an array of tables."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)+")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]+")
_PLAIN = re.compile(r"[^\\\"']+")
_QUOTES = ('"""', "'''", '"', "'")


class KeyLines:
    """The line of every key in a TOML text."""

    def __init__(self, text: str) -> None:
        self.lines = _Reader(text).read()

    @cached_property
    def _dotted(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for path, line in self.lines.items():
            found.setdefault(".".join(str(k) for k in path if isinstance(k, str)), line)
        return found

    def without(self, keys: Iterable[str]) -> KeyLines:
        """The lines of all keys except some dotted ones, and what is around and below these.

        A value that is not in the text has no line, also if the text has another value of the key.
        """
        gone = [tuple(key.split(".")) for key in keys]
        kept = KeyLines("")
        kept.lines = {
            path: line
            for path, line in self.lines.items()
            if not any(path[: len(key)] == key[: len(path)] for key in gone)
        }
        return kept

    def of(self, *path: str | int) -> int | None:
        """The line of a key; of the nearest table around it where the key itself is absent."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None

    def of_dotted(self, key: str) -> int | None:
        """Return the line of a dotted key such as `job.E.from`, without array positions."""
        while key:
            if key in self._dotted:
                return self._dotted[key]
            key = key.rpartition(".")[0]
        return None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[KeyPath, int] = {}
        self.counts: dict[KeyPath, int] = {}
        self._line = 1
        self._counted = 0

    def read(self) -> Mapping[KeyPath, int]:
        """Return the first line of each key."""
        table: KeyPath = ()
        while True:
            self._skip_blank()
            if self.at >= len(self.text):
                return self.found
            if self.text.startswith("[[", self.at):
                table = self._header(2)
            elif self.text[self.at] == "[":
                table = self._header(1)
            else:
                self._pair(table)

    def _header(self, brackets: int) -> KeyPath:
        line = self._current_line()
        self.at += brackets
        keys = self._keys()
        self._skip_blank()
        self.at += brackets
        path: KeyPath = ()
        for position, key in enumerate(keys):
            path = (*path, key)
            self.found.setdefault(path, line)
            last = position == len(keys) - 1
            if last and brackets == 2:
                self.counts[path] = self.counts.get(path, 0) + 1
            if path in self.counts:
                path = (*path, self.counts[path] - 1)
                self.found.setdefault(path, line)
        return path

    def _pair(self, table: KeyPath) -> None:
        line = self._current_line()
        path = table
        for key in self._keys():
            path = (*path, key)
            self.found.setdefault(path, line)
        self._skip_blank()
        self.at += 1  # the equals sign
        self._value(path)

    def _keys(self) -> list[str]:
        keys = [self._key()]
        self._skip_blank()
        while self.text[self.at] == ".":
            self.at += 1
            keys.append(self._key())
            self._skip_blank()
        return keys

    def _key(self) -> str:
        self._skip_blank()
        if self.text[self.at] in "\"'":
            start = self.at
            self._skip_string()
            key: str = toml_of(f"key = {self.text[start : self.at]}")["key"]
            return key
        bare = _BARE.match(self.text, self.at)
        assert bare is not None, "this text is not TOML"
        self.at = bare.end()
        return bare.group()

    def _value(self, path: KeyPath) -> None:
        self._skip_blank()
        match self.text[self.at]:
            case "{":
                self._between("}", lambda _: self._pair(path))
            case "[":
                self._between("]", lambda position: self._element((*path, position)))
            case '"' | "'":
                self._skip_string()
            case _:
                scalar = _SCALAR.match(self.text, self.at)
                assert scalar is not None, "this text is not TOML"
                self.at = scalar.end()

    def _element(self, path: KeyPath) -> None:
        self._skip_blank()
        self.found.setdefault(path, self._current_line())
        self._value(path)

    def _between(self, close: str, read: Callable[[int], None]) -> None:
        self.at += 1
        position = 0
        while True:
            self._skip_blank()
            if self.text[self.at] == close:
                self.at += 1
                return
            if self.text[self.at] == ",":
                self.at += 1
                continue
            read(position)
            position += 1

    def _skip_string(self) -> None:
        quote = next(each for each in _QUOTES if self.text.startswith(each, self.at))
        self.at += len(quote)
        while not self.text.startswith(quote, self.at):
            if plain := _PLAIN.match(self.text, self.at):
                self.at = plain.end()
                continue
            # Only basic strings have escapes: in a literal one a backslash is itself.
            self.at += 2 if self.text[self.at] == "\\" and quote[0] == '"' else 1
        self.at += len(quote)
        # A multi-line string may end with up to two quotes of its own.
        while len(quote) == 3 and self.text.startswith(quote[0], self.at):
            self.at += 1

    def _skip_blank(self) -> None:
        blank = _BLANK.match(self.text, self.at)
        if blank:
            self.at = blank.end()

    def _current_line(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line
