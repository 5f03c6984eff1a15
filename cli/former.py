"""Former names of commands and flags. They still work, and stderr gives the present name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: Words of a command line by their former names. A row begins with a command, or with `*` for all
#: commands. A flag stands alone, or with its value.
FORMER: Mapping[str, str] = {
    "run": "engine run",
    "stop": "engine stop",
    "savepoint": "engine savepoint",
    "cancel": "engine cancel",
    "why": "blocked",
    "* --out": "--output",
    "* --format=table": "--format=text",
    "check --releases": "--release",
    "hunt --seconds": "--max-total-seconds",
    "engine --seconds": "--max-seconds",
    "review --html": "--output",
    "* --jobs": "--workers",
    "* --protocol": "--of",
}


def present(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return a command line with the present names, and each former name that it had with its own.

    Words after `--` are no flags.
    """
    command, *rest = arguments or ("",)
    renamed = {command: FORMER[command]} if command in FORMER else {}
    words = FORMER.get(command, command).split()
    while rest and rest[0] != "--":
        word = rest.pop(0)
        if rest and _now(words[0], f"{word}={rest[0]}"):
            word = f"{word}={rest.pop(0)}"
        flag, _, value = word.partition("=")
        for old in (word, flag):
            new = _now(words[0], old)
            if new is not None:
                renamed[old] = new
                word = new if old == word else f"{new}={value}"
                break
        words.append(word)
    return [*words, *rest], renamed


def _now(command: str, word: str) -> str | None:
    return FORMER.get(f"{command} {word}") or FORMER.get(f"* {word}")
