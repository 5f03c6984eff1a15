"""The page of commands, made from the commands themselves (`docs/commands.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from finale.cli.commands import COMMANDS, Command
from finale.cli.main import app

HEAD = """# Commands

The groups are in the order of a user's day. `finale help COMMAND` prints the same in a terminal.
This page is made from the commands.
"""


def commands_page() -> str:
    """Return the page as Markdown."""
    lines = [HEAD]
    for group in COMMANDS:
        links = (f"[{each.name}](#finale-{each.name.replace(' ', '-')})" for each in group.commands)
        lines.append(f"- {group.title}: {', '.join(links)}")
    for group in COMMANDS:
        lines += ["", f"## {group.title}"]
        for command in group.commands:
            lines += _about(command)
    return "\n".join(lines) + "\n"


def _about(command: Command) -> Iterator[str]:
    yield from ("", f"### `finale {command.name}`", "", command.help, "", "```sh")
    for position, example in enumerate(command.examples):
        yield from ("",) if position else ()
        yield from (f"# {example.does}", example.line)
    yield from ("```", "")
    yield from _flags(command.name.split())
    yield f"Exit codes: {command.exits}."


def _flags(words: list[str]) -> Iterator[str]:
    """The arguments and flags as cyclopts describes them: all behind its usage line."""
    own = app
    for word in words:
        own = own[word]
    text = own.generate_docs()
    start = text.find("\n**")
    if start >= 0:
        yield from text[start + 1 :].strip().splitlines()
        yield ""
