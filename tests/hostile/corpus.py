"""All cases, what is expected of each, and the page that counts them by kind."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.docs.pages import ROOT

from . import archives, files, folders, keys, shown
from .case import JUDGED, Case

EXPECTED = Path(__file__).with_name("expected.toml")
PAGE = ROOT / "docs" / "hostile.md"
HEAD = """# Bad inputs

Anybody can have made an input of Finale: a log, an archive of a colleague, a folder to resume from.
Each input below was given to the command that reads it. None ends in a traceback. None takes more
than seconds. No command writes outside the folder that was named. No control character of a name
reaches the terminal. An input is *judged* if the command does its normal work with it: it reads the
readable rest of a log, or shows a strange name. Otherwise it is refused with a [code](errors.md), a
place and advice, and exit code 2.

`tests/hostile` creates the inputs, its `expected.toml` has the result of each one, and
`python -m tests.hostile` writes this page.

| Kind | Inputs | Judged | Refused | With these codes |
|---|---:|---:|---:|---|
"""
LIMITS = """
## Limits

| What | Limit | Beyond it |
|---|---|---|
| a spec, a job, any handwritten file | 4 MB | `unreadable`, or its kind's code |
| keys of TOML with dots between them | 64 | `malformed-toml`, or its kind's code |
| a line of a log or an input | 16 MB | `unreadable`; of an input, `bad-input` |
| the unpacked size of a compressed log or archive | 500 times its size, or 64 MB | `unreadable` |
| files and folders in an archive | 200 000 | `unreadable` |
| a FIFO or device in place of a file | | `unreadable`, or its kind's code |
| `times` of a fault | 100 | `bad-fault` |

Names are shown as they are, except invisible characters: control and format characters (terminal
escapes, changes of direction, characters without width), line separators, and bytes that are not
UTF-8 appear in Python's notation, `\\x1b` or `\\u202e`. JSON escapes them in its own way.

Code is not among the inputs: `--protocols` and `function` run the code that they name.
"""


def cases() -> list[Case]:
    modules = (files, keys, archives, folders, shown)
    return [case for module in modules for case in module.cases()]


def expected() -> Mapping[str, Mapping[str, str]]:
    """By kind and name: the code, or that it is judged."""
    return tomllib.loads(EXPECTED.read_text(encoding="utf-8"))


def written(table: Mapping[str, Mapping[str, str]]) -> str:
    """The table as the file has it."""
    lines: list[str] = []
    for kind, outcomes in table.items():
        lines += [f"[{json.dumps(kind)}]"]
        lines += [f"{json.dumps(name)} = {json.dumps(code)}" for name, code in outcomes.items()]
        lines += [""]
    return "\n".join(lines)


def page(table: Mapping[str, Mapping[str, str]]) -> str:
    """The page."""
    rows = [_row(kind, Counter(outcomes.values())) for kind, outcomes in table.items()]
    everything = Counter(code for outcomes in table.values() for code in outcomes.values())
    return HEAD + "".join([*rows, _row("**all**", everything, tells=False)]) + LIMITS


def _row(kind: str, codes: Counter[str], *, tells: bool = True) -> str:
    judged = codes[JUDGED]
    refused = codes.total() - judged
    named = ", ".join(f"`{code}`" for code in sorted(codes) if code != JUDGED) if tells else ""
    return f"| {kind} | {codes.total()} | {judged} | {refused} | {named} |\n"
