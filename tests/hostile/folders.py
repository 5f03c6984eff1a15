"""Folders that a command goes on from, with something wrong in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.cli.running import run

from .case import OUTSIDE, Case
from .keys import GOOD_SPEC, LOG, MATRIX, text_of
from .keys import JOB as JOB_KEYS
from .things import fifo

SPEC = GOOD_SPEC + "[bounds]\ncheckpoints = 2\n"
JOB = text_of(JOB_KEYS, "name", '"a"')
EVIL = b'{"a": ' * 5000

Harm = Callable[[Path], object]


def rewritten(change: Callable[[bytes], bytes]) -> Harm:
    return lambda file: file.write_bytes(change(file.read_bytes()))


def replaced(make: Harm) -> Harm:
    def harm(file: Path) -> None:
        file.unlink()
        make(file)

    return harm


def linked(file: Path) -> None:
    """The file is a link to one outside, which has the same bytes."""
    box = next(each for each in file.parents if (each / OUTSIDE).is_dir())
    target = box / OUTSIDE / "target"
    shutil.move(file, target)
    file.symlink_to(target)


HARMS: dict[str, Harm] = {
    "empty": lambda file: file.write_bytes(b""),
    "cut": rewritten(lambda data: data[: len(data) // 2]),
    "zeros": rewritten(lambda data: b"\0" * len(data)),
    "nested deeply": lambda file: file.write_bytes(EVIL),
    "another JSON": lambda file: file.write_bytes(b"[1, NaN, 1e999]"),
    "junk behind it": rewritten(lambda data: data + b"\xff\xff"),
    "one bit": rewritten(lambda data: data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]),
    "a folder": replaced(Path.mkdir),
    "a FIFO": replaced(fifo),
    "a link to itself": replaced(lambda file: file.symlink_to(file.name)),
    "a link to a device": replaced(lambda file: file.symlink_to("/dev/zero")),
    "a link to outside": linked,
    "gone": Path.unlink,
}
SEARCH = "check spec.toml --backend native --max-states 200 --resume made"
PLACES = {
    "a saved search": ({"spec.toml": SPEC}, SEARCH),
    "a sweep": (
        {"bad.toml": text_of(MATRIX, "title", '"A"'), "base.toml": GOOD_SPEC},
        "sweep bad.toml --output made --workers 1",
    ),
    "results": ({"good.log": LOG}, "validate good.log --output made"),
    "a run's directory": ({"job.toml": JOB, "texts/a": "a\nb\n"}, "run job.toml --directory made"),
}


def cases() -> Iterator[Case]:
    for kind, (files, command) in PLACES.items():
        for file in FILES[kind]:
            for name, harm in HARMS.items():
                made = partial(prepare, name=file, harm=harm, command=command)
                yield Case(kind, f"{file}: {name}", command, {**files, "made": made})


FILES = {
    "a saved search": ("search.json", "states.bin"),
    "a sweep": ("cells.ndjson",),
    "results": ("validated.jsonl", "verdicts.parquet"),
    "a run's directory": ("job.json", "events.ndjson", "ended.json", "sources/lines.json"),
}


def prepare(made: Path, name: str, harm: Harm, command: str) -> None:
    """Let the command make its folder, and harm a file in it."""
    done = run(command, made.parent)
    assert done.exit in (0, 3), done.stderr
    file = made / name
    assert file.is_file(), sorted(made.iterdir())
    harm(file)
