"""The work of one Spark worker in a search: it chooses an owner, and searches the owner's states.

Spark gives a task to any process that is free. So that each keeps the states that it has in memory,
a task is bound to no owner: it claims the one whose states its process has, if that is still free,
and else another, whose states it reads first. Claims are files that only one can make.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from finale.checker.search.distributed.bucket import Bucket, LevelResult, LevelTask
from finale.checker.search.distributed.files import CLAIMS, SearchFolder
from finale.checker.search.distributed.program import CompiledProgram, program_from
from finale.checker.search.limits import LimitHit

#: What this process has in memory: machine code by program, and parts of searches by their owners.
_CODES: dict[str, CompiledProgram] = {}
_HELD: dict[tuple[str, str, int], Bucket] = {}


def work(
    path: str, identity: str, order: LevelTask, held_max: int, task: int
) -> Iterator[LevelResult]:
    """Do the work of one owner in a level: what this process can do best."""
    folder = SearchFolder(Path(path))
    held = [owner for each, search, owner in _HELD if (each, search) == (path, identity)]
    owner = claimed(folder.path / CLAIMS, order, task, held[::-1])
    yield _done(folder, identity, order, owner, held_max)


def claimed(claims: Path, order: LevelTask, task: int, held: list[int]) -> int:
    """The owner that a task works for: the same one again if it is a second try."""
    owners = list[int](range(order.owners))
    others = [*owners[task:], *owners[:task]]
    wanted = [*held, *(each for each in others if each not in held)]
    for owner in owners:
        if _task_of(claims / f"{order.level:05}-{owner:03}") == task:
            return owner
    part = claims / f"{uuid4().hex}.part"
    part.write_text(str(task), encoding="ascii")
    try:
        for owner in wanted:
            with suppress(FileExistsError):
                os.link(part, claims / f"{order.level:05}-{owner:03}")
                return owner
    finally:
        part.unlink()
    raise AssertionError("there are as many owners as tasks")


def _task_of(claim: Path) -> int | None:
    try:
        return int(claim.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None


def _done(
    folder: SearchFolder, identity: str, order: LevelTask, owner: int, held_max: int
) -> LevelResult:
    key = (str(folder.path), identity, owner)
    # What fails halfway has states in memory that no file has: it is not kept.
    bucket = _HELD.pop(key, None)
    try:
        if bucket is None or bucket.level > order.level:
            for other in list(_HELD)[: max(0, len(_HELD) + 1 - held_max)]:
                del _HELD[other]
            bucket = Bucket(_code(folder, identity), owner, order.owners, order.memory_max)
        bucket.catch_up(folder, order.level)
        done = bucket.work(folder, order)
    except LimitHit as limit:
        return LevelResult(owner, stopped=str(limit))
    _HELD[key] = bucket
    return done


def _code(folder: SearchFolder, identity: str) -> CompiledProgram:
    if identity not in _CODES:
        _CODES.clear()
        _CODES[identity] = CompiledProgram(program_from(folder.program()))
    return _CODES[identity]
