"""The tools that `finale mcp` offers to an agent: commands, and files of variants.

The table names commands and their flags. What a flag takes and means is read from the command
itself, so a tool has no description of its own for it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from finale.model.errors import FinaleError, Place

from .inside import inside, refuse_links, refuse_logs, refuse_specs
from .project import (
    KEYS,
    PROJECT_FILES,
    Project,
    folder_of,
    project_above,
    table_in,
)

if TYPE_CHECKING:
    from cyclopts.argument import Argument
    from pydantic import BaseModel

#: Seconds after which a call ends. Many clients wait a minute for an answer.
SECONDS = 50.0
#: A command that limits its search itself gets so much of the time; the rest is for building.
SEARCH_SHARE = 0.6
#: Characters of an answer. A model reads three or four of them as one token.
CHARACTERS = 20_000
CHARACTERS_MIN = 500
#: Arguments are words of a command line: neither longer nor more.
WORD_MAX, WORDS_MAX = 4_000, 100
#: Characters of a file that an agent writes.
TEXT_MAX = 200_000
#: Parameters that name logs and builds of Flink: they can be outside the project. The type of some
#: is a text, because they also take a pattern or a release.
READ = ("LOGS", "OLD", "NEW", "--source")
#: Endings of files that an agent writes, with the key of the project file that names their folder.
WRITTEN = {".py": "protocols", ".toml": "specs"}


@dataclass(frozen=True)
class Limits:
    """The largest values that a call can ask for, and where it can read."""

    seconds: float
    characters: int
    readable: tuple[Path, ...] = ()
    """Folders besides the project, with logs or builds of Flink. No code is loaded from them."""


@dataclass(frozen=True)
class Tool:
    """A tool of the server: what it does, and what it takes."""

    name: str
    does: str
    lines: tuple[str, ...] = ()
    """Command lines that it runs, one after the other. Empty: the server answers itself."""
    offers: tuple[str, ...] = ()
    """Flags and positional arguments of the commands, as their help names them."""
    own: Mapping[str, tuple[object, object, str]] = field(default_factory=dict)
    """Arguments that no command has, by their names: the type, the default or ..., the meaning."""
    is_changing: bool = False
    """Whether the tool writes files."""
    writes: str = ""
    """A file in `folder` that the command writes, and that the answer shows."""
    is_limited: bool = False
    """Whether the command has a time limit of its own, and then says what is unknown."""

    @cached_property
    def parameters(self) -> dict[str, Argument]:
        """The parameters of the command that the tool offers, by the names of the tool."""
        from .main import app

        if not self.lines:
            return {}
        of_command = app[self.lines[0].split()[0]].assemble_argument_collection(
            parse_docstring=False
        )
        named = {argument.name: argument for argument in of_command}
        return {_argument_name(each): named[each] for each in self.offers}

    def schema(self, limits: Limits) -> dict[str, Any]:
        """Return the JSON schema of a call's arguments, without titles: they repeat the names."""
        from pydantic.json_schema import GenerateJsonSchema

        class Untitled(GenerateJsonSchema):
            def field_title_should_be_set(self, schema: object) -> bool:
                return False

        return self.model(limits).model_json_schema(schema_generator=Untitled)

    def model(self, limits: Limits) -> type[BaseModel]:
        """Return the type of a call's arguments."""
        from pydantic import ConfigDict, Field, create_model

        fields: dict[str, Any] = {
            name: (_bounded(argument.hint), _field(argument))
            for name, argument in self.parameters.items()
        }
        for name, (hint, default, means) in self.own.items():
            fields[name] = (hint, Field(default, description=means))
        if self.lines:
            means = f"Time limit of the call in seconds, at most {limits.seconds:g}."
            seconds = min(SECONDS, limits.seconds)
            fields["seconds"] = float, Field(seconds, gt=0, le=limits.seconds, description=means)
        means = f"Largest length of the answer in characters, at most {limits.characters}."
        most = min(CHARACTERS, limits.characters)
        least = min(CHARACTERS_MIN, most)
        fields["characters"] = int, Field(most, ge=least, le=limits.characters, description=means)
        config = ConfigDict(extra="forbid", hide_input_in_errors=True)
        return create_model(self.name, __config__=config, **fields)

    def command_lines(self, given: Mapping[str, Any]) -> Iterator[list[str]]:
        """Yield the words of each command line for the values of a call, without `finale`.

        A value is one word with its flag, or stands behind `--`: no value is taken for a flag.
        """
        flags: list[str] = []
        names: list[str] = []
        for name, argument in self.parameters.items():
            value = given[name]
            values = value if isinstance(value, tuple) else (value,)
            if not argument.name.startswith("-"):
                names += [str(each) for each in values if each is not None]
            elif value is True:
                flags.append(argument.name)
            elif value is not False and value != argument.field_info.default:
                flags += [f"{argument.name}={each}" for each in values]
        if self.is_limited:
            flags.append(f"--max-seconds={given['seconds'] * SEARCH_SHARE:g}")
        for line in self.lines:
            yield [*line.split(), *flags, *(["--", *names] if names else [])]


def _argument_name(offered: str) -> str:
    return offered.lstrip("-").replace("-", "_").lower()


def _bounded(hint: object) -> object:
    """The type of a parameter, with room for so many words only."""
    from pydantic import Field

    many = "tuple" in str(hint)
    return Annotated[hint, Field(max_length=WORDS_MAX)] if many else hint


def _field(argument: Argument) -> object:
    """The default and the meaning of a parameter, as the command has them."""
    from inspect import Parameter

    from pydantic import Field

    default = argument.field_info.default
    if argument.required:
        default = ...
    elif default is Parameter.empty:  # of any number of words
        default = ()
    return Field(default, description=(argument.parameter.help or "").strip())


SETTING = ("--variant", "--set", "--protocols")
FIND = (str, "", "Return only entries with this text, in any case (default: all).")
START = (int, 0, "First character to return (default: 0).")

#: The order is that of a review. A tool for a further command is one row.
TOOLS = (
    Tool(
        "guide",
        "Read this first: what a variant is, how to find the rule and the property for a bug "
        "report, and how not to fool yourself.",
        own={"start": START},
    ),
    Tool(
        "list",
        "List protocols with their variants, or the properties, options or rules of a protocol.",
        ("list",),
        ("WHAT", "--of", "--variant", "--protocols"),
        {"find": FIND},
    ),
    Tool(
        "describe",
        "Describe one protocol: its rules with the text that each models, its options with their "
        "values, its bounds and variants. `list` has its properties.",
        ("list rules", "list options", "list protocols"),
        ("--of", "--protocols"),
        {"find": FIND},
    ),
    Tool(
        "explain",
        "Say what a name means: a property, rule id, hazard, variant, error code, option or word.",
        ("explain",),
        ("NAME", "--protocols"),
    ),
    Tool(
        "show",
        "Show a spec: its job, entities, options, bounds. With `rule`: the body of that rule or "
        "helper, what it overrides, and all that it calls.",
        ("show",),
        ("SPEC", "--rule", "--lifecycle", *SETTING),
    ),
    Tool(
        "new_variant",
        "Write a new folder with a variant that changes nothing yet, a spec that expects the "
        "verdicts of the protocol, and a page of what a rule can use. Then `write` the change. "
        "`set` chooses the job, the options and the bounds of the spec.",
        ("new",),
        ("FOLDER", "--of", "--rule", "--set"),
        is_changing=True,
        writes="protocols/my_change.py",
        is_limited=True,
    ),
    Tool(
        "read",
        "Read a file of the project, or list a folder. In what-a-rule-can-use.md, `find` a word of "
        "a report to get the rules, helpers and fields that are about it.",
        own={
            "path": (str, ..., "File or folder, relative to the project."),
            "find": FIND,
            "start": START,
        },
    ),
    Tool(
        "write",
        "Replace a file of a variant (*.py) or a spec (*.toml), below the folders that the project "
        "file of a `new_variant` folder names. The whole text is written, or nothing.",
        own={
            "path": (str, ..., "File, relative to the project."),
            "text": (str, ..., "The whole text of the file."),
        },
        is_changing=True,
    ),
    Tool(
        "check",
        "Check specs: a verdict for each property, compared with the expected verdicts. "
        '`variant="none"` checks the protocol without the change.',
        ("check",),
        (
            "PATHS",
            "--property",
            *SETTING,
            "--all-properties",
            "--max-states",
            "--backend",
            "--minimise",
            "--format",
        ),
        is_limited=True,
    ),
    Tool(
        "trace",
        "Print the shortest counterexample of a violated property, or the witness of a reached "
        "one, step by step.",
        ("trace",),
        ("SPEC", "--property", *SETTING, "--minimise", "--format"),
    ),
    Tool(
        "review",
        "Try a change on many settings of its protocol, and say which verdicts get worse. It can "
        "take long: name few `specs`, or give `first`.",
        ("review",),
        ("VARIANTS", "--of", "--set", "--specs", "--protocols", "--first", "--format"),
    ),
    Tool(
        "diff",
        "Tell whether two specs are the same to an observer, or a spec with and without a change.",
        ("diff",),
        ("FIRST", "SECOND", *SETTING, "--release", "--observe", "--max-states", "--format"),
        is_limited=True,
    ),
    Tool(
        "validate",
        "Judge logs of real Flink jobs against the properties.",
        ("validate",),
        ("LOGS", "--timezone", "--loggers", "--lines", "--accept", "--format"),
    ),
    Tool(
        "impact",
        "Say which rules a change of Flink touches, from two builds or from sources.",
        ("impact",),
        ("OLD", "NEW", "--source", "--format"),
    ),
    Tool(
        "more",
        "Return a part that was left out of an earlier answer.",
        own={
            "answer": (str, ..., "Name of the answer, from its `left_out`."),
            "start": (int, ..., "First character to return."),
        },
    ),
)


# --- where files are ------------------------------------------------------------------------------


def arguments_of(tool: Tool, given: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """Return all arguments of a call, the defaults too.

    Raises `bad-argument`, `outside-project`, and what reading a project file raises.
    """
    from pydantic import ValidationError

    try:
        values = dict(tool.model(limits).model_validate_json(json.dumps(given)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the arguments"
        raise _bad(tool, where, first["msg"]) from None
    for name, value in values.items():
        for word in _several(value):
            _refuse_word(tool, name, word)
    specs: list[Path] = []
    for name, argument in tool.parameters.items():
        for each in _several(values[name]):
            if argument.name in READ:
                refuse_logs(str(each), limits.readable)
            elif "Path" in str(argument.hint):
                path = inside(str(each))
                specs += [path] if argument.name != "--protocols" else []
    if tool.lines:
        refuse_foreign_code(values)
        refuse_specs(specs or specs_for(tool, values), values.get("set", ()))
    return values


def _bad(tool: Tool, where: str, message: str) -> FinaleError:
    return FinaleError(
        "bad-argument",
        f"{tool.name}: {where}: {message}",
        advice="the schema of the tool says what it takes",
    )


def _refuse_word(tool: Tool, name: str, word: object) -> None:
    """Refuse a text that no command line can have. Raises `bad-argument`."""
    if not isinstance(word, str | Path):
        return
    text, limit = str(word), TEXT_MAX if name == "text" else WORD_MAX
    if len(text) > limit:
        raise _bad(
            tool, name, f"the text has {len(text)} characters, and at most {limit} are taken"
        )
    if "\0" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise _bad(tool, name, "the text has a character that no file and no command line can have")


def refuse_foreign_code(values: Mapping[str, Any]) -> None:
    """Refuse a folder of variants that is not below the project, or has a link that leads out.

    The folder is named by the call or by a project file. Raises `outside-project`.
    """
    folders = [values["protocols"]] if values.get("protocols") else protocols_for(values)
    for folder in folders:
        inside(folder)
        refuse_links(folder)


def protocols_for(values: Mapping[str, Any]) -> list[str]:
    """Return the folders of variants that project files name for the files of a call."""
    return _named_for(values, "protocols")


def specs_for(tool: Tool, values: Mapping[str, Any]) -> list[Path]:
    """Return the specs that the command of a tool takes if the call names none."""
    command, key = tool.lines[0].split()[0], KEYS["specs"]
    names = _named_for(values, "specs")
    if command in (each for each, _ in key.fills):
        return list(map(Path, names))
    if command not in key.read_by:
        return []
    return list(map(Path, names or ["specs", *map(str, Path().glob("*.toml"))]))


def _named_for(values: Mapping[str, Any], key: str) -> list[str]:
    """The words of a key in the project files for the files of a call."""
    given = (each for value in values.values() for each in _several(value))
    paths = [each for each in given if isinstance(each, Path) and each.exists()]
    starts = [folder_of(each) for each in paths] or [Path.cwd()]
    return list(dict.fromkeys(word for start in starts for word in _project(start, key)))


def _several(value: object) -> tuple[object, ...]:
    """The values of an argument: none, one, or those of a list."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _project(folder: Path, key: str) -> list[str]:
    found: Project | None = project_above(folder, table_in) or project_above(Path.cwd(), table_in)
    return found.words(key) if found else []


def writable(path: str) -> Path:
    """Return the path of a variant or a spec that an agent can write.

    Raises `outside-project`, and `not-a-variant` for any other file: project files, and what stands
    in no folder of variants or specs.
    """
    file = inside(path)
    key = WRITTEN.get(file.suffix)
    folders = _project(folder_of(file), key) if key else []
    folders = [each for each in folders if file.resolve().is_relative_to(Path(each).resolve())]
    if file.name in PROJECT_FILES or not folders:
        raise FinaleError(
            "not-a-variant",
            "the file is neither code below `protocols` nor a spec below `specs` of a project file",
            place=Place(str(file)),
            advice="begin a folder with new_variant, and write into its protocols and specs",
        )
    return file


def shown_line(words: Sequence[str]) -> str:
    """Return a command line as a user would type it in the folder of the project."""
    return shlex.join(["finale", *words])


def settings_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as JSON has them, with their defaults.

    The folder of variants is the one that a project file names, if the call names none.
    """
    resolved = dict(values)
    if "protocols" in values and values["protocols"] is None:
        resolved["protocols"] = ", ".join(protocols_for(values)) or None
    plain = json.loads(json.dumps(resolved, default=str))
    return {name: value for name, value in plain.items() if value is not None and name != "text"}
