"""The metadata of a checkpoint: the state files of each subtask, and the finished subtasks.

Two versions are read, and either is written. They differ in how they say that a subtask had
finished: version 1 by a number in place of its part, version 2 by a field of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finale.model.errors import FinaleError, Place
from finale.model.given import json_of

SENTINELS, FIELDS = 1, 2
VERSIONS = (SENTINELS, FIELDS)
#: In version 1 it stands in place of the parts of an operator whose subtasks had all finished.
ALL_FINISHED = -1

#: What a file of a subtask is for, as its name tells.
STATE, CHANNELS = "", ".channels"

CHECKPOINT = "checkpoint"
#: A stop takes these: with the job it ends for good, or to go on later.
DRAIN, SUSPEND = "drain", "suspend"


class File(NamedTuple):
    """A file of a checkpoint, as it was written."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, name: str, data: bytes) -> File:
        return cls(name, len(data), hashlib.sha256(data).hexdigest())


@dataclass(frozen=True)
class SubtaskMetadata:
    """The part of a checkpoint that belongs to one subtask."""

    finished: bool = False
    """It had when the checkpoint was planned: it has no files."""
    state: File | None = None
    channels: File | None = None
    """What was in flight to it."""

    @property
    def files(self) -> tuple[File, ...]:
        return tuple(file for file in (self.state, self.channels) if file is not None)

    def file(self, use: str) -> File | None:
        """The file for one use."""
        return self.channels if use == CHANNELS else self.state


@dataclass(frozen=True)
class OperatorMetadata:
    """An operator as it was when the checkpoint was taken."""

    name: str
    kind: str
    inputs: tuple[str, ...]
    """The operators that it reads, by the numbers of its inputs."""
    parts: tuple[SubtaskMetadata, ...]
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was said of it that its state depends on; older checkpoints do not tell."""

    @property
    def parallelism(self) -> int:
        return len(self.parts)

    @property
    def has_finished(self) -> bool:
        """All of it had."""
        return all(part.finished for part in self.parts)

    @property
    def has_state(self) -> bool:
        return any(part.files for part in self.parts)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its subtasks."""
        if self.parallelism == 1:
            return (self.name,)
        return tuple(f"{self.name}.{index}" for index in range(self.parallelism))


@dataclass(frozen=True)
class Metadata:
    """A complete checkpoint."""

    checkpoint: int
    kind: str
    """What it is for: a checkpoint, a savepoint, a stop with drain or without."""
    restarts: bool
    """A job that fails starts from it by itself."""
    operators: tuple[OperatorMetadata, ...]

    @property
    def starts_runs(self) -> bool:
        """Whether a new run starts from this checkpoint by default."""
        return self.restarts or self.kind in (DRAIN, SUSPEND)

    @property
    def files(self) -> tuple[File, ...]:
        return tuple(f for each in self.operators for part in each.parts for f in part.files)

    @property
    def finished(self) -> frozenset[str]:
        """The subtasks that had finished, by name."""
        return frozenset(
            task
            for each in self.operators
            for task, part in zip(each.tasks, each.parts, strict=True)
            if part.finished
        )

    def part(self, task: str) -> SubtaskMetadata:
        """Return the part of a subtask, by name."""
        found = (dict(zip(each.tasks, each.parts, strict=True)) for each in self.operators)
        return next((parts[task] for parts in found if task in parts), SubtaskMetadata())


# --- writing --------------------------------------------------------------------------------------


def encoded(metadata: Metadata, version: int) -> bytes:
    """Return the metadata file, with its checksum."""
    said = {
        "format": version,
        "checkpoint": metadata.checkpoint,
        "kind": metadata.kind,
        "restarts": metadata.restarts,
        "operators": [WRITERS[version](each) for each in metadata.operators],
    }
    return (json.dumps(said | {"sum": _sum(said)}, indent=1) + "\n").encode()


def _with_sentinels(operator: OperatorMetadata) -> dict[str, Any]:
    numbered = enumerate(operator.parts)
    parts = [{"index": -(i + 1) if each.finished else i} | _files(each) for i, each in numbered]
    return _common(operator) | {
        "parallelism": operator.parallelism,
        "subtasks": ALL_FINISHED if operator.has_finished else parts,
    }


def _with_fields(operator: OperatorMetadata) -> dict[str, Any]:
    parts = [{"finished": each.finished} | _files(each) for each in operator.parts]
    return _common(operator) | {"subtasks": parts}


WRITERS = {SENTINELS: _with_sentinels, FIELDS: _with_fields}


def _common(operator: OperatorMetadata) -> dict[str, Any]:
    said = {"name": operator.name, "kind": operator.kind, "inputs": list(operator.inputs)}
    return said | ({"settings": dict(operator.settings)} if operator.settings else {})


def _files(part: SubtaskMetadata) -> dict[str, Any]:
    files = {"state": part.state, "channels": part.channels}
    return {use: file._asdict() for use, file in files.items() if file is not None}


# --- reading --------------------------------------------------------------------------------------


def decoded(data: bytes, name: str) -> Metadata:
    """Read a metadata file. Raises `checkpoint-altered`, `checkpoint-format`."""
    try:
        said: dict[str, Any] = json_of(data)
        version = said["format"]
    except (ValueError, TypeError, KeyError):
        raise altered(name) from None
    if version not in VERSIONS:
        raise FinaleError(
            "checkpoint-format",
            f"it is of version {version!r}, and {' and '.join(map(str, VERSIONS))} are known",
            place=Place(name, key="format"),
            advice="read it with the version of Finale that has written it",
        )
    if said.pop("sum", None) != _sum(said):
        raise altered(name)
    try:
        return Metadata(
            checkpoint=said["checkpoint"],
            kind=said["kind"],
            restarts=said["restarts"],
            operators=tuple(READERS[version](each) for each in said["operators"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise altered(name) from None


def _by_sentinels(said: Mapping[str, Any]) -> OperatorMetadata:
    subtasks: Sequence[Mapping[str, Any]] | int = said["subtasks"]
    if isinstance(subtasks, int):
        return _operator(said, [SubtaskMetadata(finished=True)] * said["parallelism"])
    return _operator(said, [_part(each, finished=each["index"] < 0) for each in subtasks])


def _by_fields(said: Mapping[str, Any]) -> OperatorMetadata:
    return _operator(said, [_part(each, finished=each["finished"]) for each in said["subtasks"]])


READERS = {SENTINELS: _by_sentinels, FIELDS: _by_fields}


def _operator(said: Mapping[str, Any], parts: Sequence[SubtaskMetadata]) -> OperatorMetadata:
    settings = dict(said.get("settings", {}))
    return OperatorMetadata(
        said["name"], said["kind"], tuple(said["inputs"]), tuple(parts), settings
    )


def _part(said: Mapping[str, Any], *, finished: bool) -> SubtaskMetadata:
    state, channels = (File(**said[use]) if use in said else None for use in ("state", "channels"))
    return SubtaskMetadata(finished, state, channels)


def altered(name: str) -> FinaleError:
    """A file is not what a checkpoint has written."""
    return FinaleError(
        "checkpoint-altered",
        "the file is missing, or has changed since the checkpoint",
        place=Place(name),
        advice="put it back, or run the job from its start in another directory",
    )


def _sum(said: Mapping[str, Any]) -> str:
    """Return the checksum of the values, independent of the layout of the file."""
    text = json.dumps(said, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
