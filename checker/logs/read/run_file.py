"""Reads `run.toml`: the release and the settings of a run, which somebody wrote beside its logs.

release = "flink-2.3"

[options]
concurrent = 2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from finale.checker.spec.files import decoded, toml_of
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.typed import in_toml, is_table
from finale.model.errors import FinaleError, Place, nearest

#: What it is called.
RUN_FILE = "run.toml"
_TEXTS, _OPTIONS = ("release", "protocol"), "options"


@dataclass(frozen=True)
class RunFile:
    """What is told of a run; nothing where there is no such file."""

    name: str = RUN_FILE
    release: str | None = None
    protocol: str | None = None
    """Which of the protocols that runs are looked for in."""
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    lines: KeyLines = field(default_factory=lambda: KeyLines(""))

    def line(self, name: str) -> int | None:
        """Where something is told."""
        return self.lines.of(*((name,) if name in _TEXTS else (_OPTIONS, name)))

    def place(self, name: str) -> Place:
        """The same for errors."""
        key = name if name in _TEXTS else f"{_OPTIONS}.{name}"
        return Place(self.name, self.line(name), key)


def read_run_file(data: bytes, name: str) -> RunFile:
    """What a file of these bytes says. Options are looked at by those who know the protocol.

    Raises `not-utf-8`, `malformed-toml`, `unknown-key`, `bad-value`.
    """
    table, lines = toml_of(decoded(data, name), name)
    known = (*_TEXTS, _OPTIONS)
    for key, value in table.items():
        place = Place(name, lines.of(key), key)
        if key not in known:
            message = f'"{key}" means nothing in what is told of a run'
            raise FinaleError("unknown-key", message, place=place, advice=_advice(key, known))
        if not (is_table(value) if key == _OPTIONS else isinstance(value, str)):
            advice = "write [options]" if key == _OPTIONS else f'write {key} = "…"'
            message = f'"{key}" cannot be {in_toml(value)}'
            raise FinaleError("bad-value", message, place=place, advice=advice)
    release, protocol = (table.get(each) for each in _TEXTS)
    options = table.get(_OPTIONS, {})
    assert release is None or isinstance(release, str)
    assert protocol is None or isinstance(protocol, str)
    assert is_table(options)
    return RunFile(name, release, protocol, options, lines)


def _advice(key: str, known: tuple[str, ...]) -> str:
    return nearest(key, known, "An option of the protocol stands under [options]")


@dataclass(frozen=True)
class ChosenSetting:
    """What a run was set to, and who tells it."""

    name: str
    value: str
    by: str
    """`run.toml`; `lines` of the logs; the `table` of lines, of the release. Else it is taken as
    what is `usual`."""
    line: int | None = None
    """Which line of `run.toml`, or of the logs, tells it; none where lines do by being absent."""


@dataclass(frozen=True)
class TriedSettings:
    """Settings that nobody tells, as a search took them, and what came of it."""

    settings: Mapping[str, str]
    outcome: str
    """`explains`, `rejected` or `undecided`."""
