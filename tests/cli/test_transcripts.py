"""Golden transcripts: a command, the files that it is given, what it prints, and its exit code.

Each runs in a folder with its own files and those of `inputs/`. A section begins with its name
between dashes; `name -> target` is a symbolic link. With RECORD_TRANSCRIPTS=1 in the environment
the output is written anew: read the difference.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.running import HERE, Ran, normalised, run

TRANSCRIPTS = sorted((HERE / "transcripts").rglob("*.txt"))
PROMPT = "$ finale "
RESULTS = ("stdout", "stderr", "exit")
_SECTION = re.compile(r"^-- (.+) --\n", re.MULTILINE)


def sections(text: str) -> tuple[str, dict[str, str]]:
    """The command of a transcript, and its sections by name."""
    first, *rest = _SECTION.split(text)
    assert first.startswith(PROMPT)
    return first.removeprefix(PROMPT).strip(), dict(zip(rest[::2], rest[1::2], strict=True))


def prepare(folder: Path, files: dict[str, str]) -> None:
    shutil.copytree(HERE / "inputs", folder, dirs_exist_ok=True)
    for name, text in files.items():
        file, _, target = name.partition(" -> ")
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        if target:
            (folder / file).symlink_to(target)
        elif file.endswith("/"):
            (folder / file).mkdir()
        else:
            encoding = "latin-1" if "latin-1" in file else "utf-8"
            (folder / file).write_text(text, encoding=encoding)


def written(command: str, files: dict[str, str], ran: Ran, folder: Path) -> str:
    """The transcript of what was run."""
    parts = [f"{PROMPT}{command}\n"]
    parts += [f"-- {name} --\n{text}" for name, text in files.items()]
    for name, text in (("stdout", ran.stdout), ("stderr", ran.stderr)):
        if text:
            parts.append(f"-- {name} --\n{normalised(text, folder).removesuffix(chr(10))}\n")
    return "".join([*parts, f"-- exit --\n{ran.exit}\n"])


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_transcript(file: Path, tmp_path: Path) -> None:
    expected = file.read_text(encoding="utf-8")
    command, parts = sections(expected)
    files = {name: text for name, text in parts.items() if name not in RESULTS}
    prepare(tmp_path, files)
    found = written(command, files, run(command, tmp_path), tmp_path)
    if os.environ.get("RECORD_TRANSCRIPTS"):
        file.write_text(found, encoding="utf-8")
    else:
        assert found == expected


def test_bad_input_is_told_alike() -> None:
    """Exit code 2, a code, what is wrong, and what to do, as half a sentence; no traceback."""
    codes: set[str] = set()
    for file in (HERE / "transcripts" / "bad").glob("*.txt"):
        _, parts = sections(file.read_text(encoding="utf-8"))
        told = re.match(r"error\[([a-z0-9-]+)\]: .+\n  help: [^A-Z].*[^.]\n", parts["stderr"])
        assert told, file
        assert parts["exit"] == "2\n", file
        codes.add(told[1])
    assert len(codes) >= 75, sorted(codes)
