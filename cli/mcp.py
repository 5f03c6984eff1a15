"""`finale mcp`: a server of the Model Context Protocol, over which an agent calls commands.

Each call of a command is a process of its own (`cli/child.py`). The standard output carries the
protocol only.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from finale.model.errors import FinaleError, Place
from finale.model.given import no_such_path
from finale.model.written import write_through

from . import VERSION
from .child import BYTES_MAX, Ended, Tell, run_apart
from .commands import COMMANDS
from .errors import refused_name
from .inside import inside
from .main import EXIT_BAD_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED
from .parameters import LIMITS, PLAIN, refuse_limits
from .tools import (
    TOOLS,
    Limits,
    Tool,
    arguments_of,
    settings_of,
    shown_line,
    writable,
)

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel.server import Server

#: Calls that run at once. Others wait, and the time of a call begins when it runs.
CALLS_AT_ONCE = 4
#: Answers whose left-out parts `more` can return.
ANSWERS_KEPT = 20
#: Of the characters of an answer so many hundredths are its end: a trace ends with its reason.
END_SHARE = 30
#: Characters of the notes of an answer: the last ones, which say what went wrong.
NOTES_MAX = 4_000
INSTRUCTIONS = (
    "Finale checks models of Flink's checkpoint, stop and finish protocols. A variant is a change "
    "of a protocol's rules. Call guide first. An answer has two texts: a JSON object that says how "
    "the call ended and with which settings, and the output of the command."
)
#: An error as `FinaleError` prints it.
ERROR = re.compile(r"^error\[([a-z0-9-]+)\]: (.*)\n  help: (.*)$", re.MULTILINE)


def serve(
    *,
    project: Annotated[
        Path, Parameter(help="Folder below which specs and variants are read and written.")
    ] = Path(),
    reads: Annotated[
        tuple[Path, ...],
        PLAIN,
        Parameter(
            help="Folder outside the project with logs or builds of Flink, for reading; repeatable."
        ),
    ] = (),
    max_seconds: Annotated[
        float, Parameter(group=LIMITS, help="Largest time limit of a call in seconds.")
    ] = 600.0,
    max_characters: Annotated[
        int, Parameter(group=LIMITS, help="Largest length of an answer in characters.")
    ] = 100_000,
) -> int:
    """Serve tools for agents over the Model Context Protocol, on stdin and stdout."""
    refuse_limits({"--max-seconds": max_seconds, "--max-characters": max_characters})
    for folder in (project, *reads):
        if not folder.is_dir():
            raise no_such_path(folder)
    if find_spec("mcp") is None:
        raise FinaleError(
            "mcp-missing",
            "the Python SDK of the Model Context Protocol is not installed",
            advice="install Finale with its extra: pip install -e '.[mcp]'",
        )
    import anyio
    from mcp.server.stdio import stdio_server

    readable = tuple(folder.resolve() for folder in reads)
    os.chdir(project)
    server = Desk(Limits(max_seconds, max_characters, readable)).server()

    async def run() -> None:
        async with stdio_server() as (messages, answers):
            await server.run(messages, answers, server.create_initialization_options())

    # A thread waits for the next message and cannot be ended. Commands end with this process.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(EXIT_INTERRUPTED))
    anyio.run(run)
    return 0


@dataclass
class Desk:
    """Takes the calls of one client, and keeps the answers that were cut."""

    limits: Limits
    answers: OrderedDict[str, str] = field(default_factory=OrderedDict)
    calls: int = 0

    def server(self) -> Server[dict[str, Any]]:
        """Return the server with all tools."""
        from anyio import CapacityLimiter
        from mcp import types
        from mcp.server.context import ServerRequestContext
        from mcp.server.lowlevel.server import Server

        Context = ServerRequestContext[dict[str, Any], Any]  # noqa: N806 - a type
        at_once = CapacityLimiter(CALLS_AT_ONCE)

        async def list_tools(_: Context, __: object) -> types.ListToolsResult:
            return types.ListToolsResult(tools=[self.offered(tool) for tool in TOOLS])

        async def call_tool(
            context: Context, call: types.CallToolRequestParams
        ) -> types.CallToolResult:
            async def tell(seconds: float, line: str) -> None:
                message = line or f"{call.name} runs"
                await context.session.report_progress(seconds, None, message)

            try:
                async with at_once:
                    head, output = await self.answer(call.name, call.arguments or {}, tell)
            except (FinaleError, OSError) as error:
                told = error if isinstance(error, FinaleError) else _refused(error)
                head, output = {"exit": "bad input", "code": EXIT_BAD_INPUT, **_told(told)}, ""
            texts = [json.dumps(head, ensure_ascii=False), *([output] if output else [])]
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=each) for each in texts],
                is_error=head["code"] in {EXIT_BAD_INPUT, EXIT_INTERNAL} or head["code"] < 0,
            )

        return Server(
            "finale",
            version=VERSION,
            instructions=INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )

    def offered(self, tool: Tool) -> types.Tool:
        """Return a tool as the protocol describes it."""
        from mcp import types

        return types.Tool(
            name=tool.name,
            description=tool.does,
            input_schema=tool.schema(self.limits),
            annotations=types.ToolAnnotations(read_only_hint=not tool.is_changing),
        )

    async def answer(
        self, name: str, given: Mapping[str, Any], tell: Tell
    ) -> tuple[dict[str, Any], str]:
        """Return how a call ended, with its settings, and the output. Raises `FinaleError`."""
        tool = next((each for each in TOOLS if each.name == name), None)
        if tool is None:
            known = ", ".join(each.name for each in TOOLS)
            raise FinaleError(
                "bad-argument", f'no tool is called "{name[:100]}"', advice=f"tools: {known}"
            )
        values = arguments_of(tool, given, self.limits)
        settings = {"settings": settings_of(values)}
        if not tool.lines:
            left_out, text = self.own(tool.name, values)
            return {"exit": "done", "code": 0, **settings, **left_out}, text
        self.calls += 1
        number = self.calls  # other calls are answered before this one ends
        ran: list[tuple[list[str], Ended]] = []
        for words in tool.command_lines(values):
            spent = sum(ended.seconds for _, ended in ran)

            async def tell_all(seconds: float, line: str, spent: float = spent) -> None:
                await tell(spent + seconds, line)

            ran.append((words, await run_apart(words, values["seconds"] - spent, tell_all)))
            if ran[-1][1].code:
                break
        head = _head(ran, values["seconds"])
        output = "\n".join(ended.stdout for _, ended in ran)
        if tool.writes and head["code"] == 0:
            output += _read(str(values["folder"] / tool.writes))
        output = _found(output, values.get("find", ""))
        left_out, text = self.cut(f"answer-{number}", output, values["characters"])
        return {**head, **settings, **left_out}, text

    def own(self, name: str, values: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Answer a tool that no command answers: what was left out, and the text."""
        from finale.checker.spec.doc_tables import DOCS

        start = max(0, values.get("start", 0))
        match name:
            case "guide":
                text = (DOCS / "how-to" / "with-an-agent.md").read_text(encoding="utf-8")
            case "read":
                text = _found(_read(values["path"]), values["find"])
            case "write":
                return {}, _write(values["path"], values["text"])
            case _:
                text = self.answers.get(values["answer"], "")
                if not text:
                    raise FinaleError(
                        "no-such-answer",
                        f'no part of an answer "{values["answer"]}" is kept',
                        advice=f"call its tool again: the last {ANSWERS_KEPT} cut answers are kept",
                    )
        part = text[start : start + values["characters"]]
        return _left(len(text) - start - len(part), f"start={start + len(part)}"), part

    def cut(self, name: str, text: str, characters: int) -> tuple[dict[str, Any], str]:
        """Leave out the middle of a text that is too long, and keep the text for `more`."""
        if len(text) <= characters:
            return {}, text
        self.answers[name] = text
        if len(self.answers) > ANSWERS_KEPT:
            self.answers.popitem(last=False)
        end = characters * END_SHARE // 100
        first = text[: characters - end]
        rest = text[len(first) : len(text) - end]
        how = f'more(answer="{name}", start={len(first)})'
        mark = f"\n… {len(rest)} characters are left out here: {how} …\n"
        return _left(len(rest), how), f"{first}{mark}{text[len(text) - end :]}"


def _left(characters: int, how: str) -> dict[str, Any]:
    return {"left_out": {"characters": characters, "next": how}} if characters > 0 else {}


def _refused(error: OSError) -> FinaleError:
    return refused_name(str(error.filename or ""), error.strerror or "")


def _told(error: FinaleError) -> dict[str, Any]:
    code, what, cure = ERROR.findall(str(error))[0]
    return {"error": {"code": code, "what": what, "cure": cure}}


def _head(ran: Sequence[tuple[list[str], Ended]], seconds: float) -> dict[str, Any]:
    """How command lines ended: the last exit in words, an error with its cure, and notes."""
    words, last = ran[-1]
    stderr = "".join(end.stderr for _, end in ran)
    errors = [
        {"code": code, "what": what, "cure": cure} for code, what, cure in ERROR.findall(stderr)
    ]
    notes = [line for line in ERROR.sub("", stderr)[-NOTES_MAX:].splitlines() if line.strip()]
    dropped = sum(end.dropped for _, end in ran)
    if dropped:
        notes.append(f"the command printed {dropped} bytes more, which were not kept")
    return {
        "exit": _exit(words[0], last, seconds),
        "code": last.code,
        "command": " && ".join(shown_line(each) for each, _ in ran),
        "took_seconds": round(sum(end.seconds for _, end in ran), 1),
        **({"error": errors[0]} if errors else {}),
        **({"notes": notes} if notes else {}),
    }


def _exit(command: str, ended: Ended, seconds: float) -> str:
    """An exit code in words: those of the command's help."""
    if ended.is_late:
        return f"time limit: the call was ended after {seconds:g} s; what was found so far follows"
    if ended.code < 0:
        return f"killed by {signal.Signals(-ended.code).name}: perhaps it took too much memory"
    found = next(each for group in COMMANDS for each in group.commands if each.name == command)
    rows = (part.partition(" ") for part in re.split(r"[,;] (?=\d+ )", found.exits))
    known = {int(number): words for number, _, words in rows}
    return known.get(ended.code, "an internal error of Finale: see the notes")


def _read(path: str) -> str:
    """The first megabytes of a file as text, or the names in a folder.

    Raises `outside-project`, `no-such-path`.
    """
    file = inside(path)
    if not any(part.startswith(".") for part in file.parts):
        if file.is_dir():
            names = (f"{each.name}{'/' if each.is_dir() else ''}" for each in file.iterdir())
            return "\n".join(sorted(each for each in names if not each.startswith(".")))
        if file.is_file():
            with file.open("rb") as stream:
                return stream.read(BYTES_MAX).decode(errors="replace")
    raise no_such_path(file)


def _found(text: str, wanted: str) -> str:
    """The entries with a text, in any case: each is a line with the more indented lines after it.

    An entry in a table of a command begins with two spaces, below the name of a protocol.
    """
    if not wanted:
        return text
    entries: list[list[str]] = []
    indent = 0
    for line in text.splitlines():
        margin = len(line) - len(line.lstrip())
        if not entries or margin <= max(indent, 2):
            entries.append([])
            indent = margin
        entries[-1].append(line)
    found = ("\n".join(each) for each in entries)
    return "\n".join(each for each in found if wanted.lower() in each.lower())


def _write(path: str, text: str) -> str:
    """Write a variant or a spec. Raises what `writable` raises, and `unwritable`."""
    file = writable(path)
    try:
        write_through(file, text)
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the file cannot be written: {error.strerror}",
            place=Place(str(file)),
            advice="check the name, and whether you may write there",
        ) from None
    return f"wrote {file}: {len(text.splitlines())} lines"
