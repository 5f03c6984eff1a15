"""Maps an observation of the engine to the values of the model's variables.

Both sides are brought into plain words: an entity is its name, a set a frozenset, Nothing is None.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

from finale.model.given import json_of
from finale.model.protocols.job.elements import (
    TOO_OFTEN,
    Barrier,
    CancelBarrier,
    Data,
    EndOfData,
    EndOfPartition,
)
from finale.model.protocols.task.sources import Source
from finale.model.rules import Entity, Nothing, Protocol
from finale.reference.observation import Observation

Word = Any
Files = Mapping[str, tuple[bytes, ...]]
SeenValues = Mapping[str, Word]
"""What is known of the model's variables, by their names."""

PHASES = {
    "restoring": "restoring",
    "running": "running",
    "finishing": "waiting for the final checkpoint",
    "draining": "quiesced",
    "closed": "closed",
    "failed": "failed",
}


def word(value: object) -> Word:
    """A value of the model in plain words."""
    match value:
        case Entity():
            return value.name
        case enum.Enum():
            return value.value
        case frozenset():
            return frozenset(map(word, cast("frozenset[object]", value)))
        case Data():
            return "records", word(value.record)
        case Barrier():
            return "barrier", word(value.checkpoint)
        case CancelBarrier():
            return "cancel", word(value.checkpoint)
        case EndOfData():
            return "end-of-data", value.drain
        case EndOfPartition():
            return "end-of-partition", None
        case tuple():
            return tuple(map(word, cast("tuple[object, ...]", value)))
        case _:
            return None if value is Nothing else value


class Abstraction:
    """From observations of an engine to the variables of one protocol in one setting."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.numbers = tuple(each.number for each in protocol.checkpoints)
        self.data = tuple(each.name for each in protocol.data)
        self.sinks = {each.name.removesuffix(".sink") for each in protocol.sinks}
        self.records = {task.name: task.subtask.records for task in protocol.tasks}
        self.endless = {
            task.name
            for task in protocol.tasks
            if isinstance(task, Source) and not task.subtask.bounded
        }

    def seen(self, observation: Observation) -> SeenValues:
        """Return the value of each variable that is not history."""
        values: dict[str, Word] = dict(observation.happened)
        values["losses"] = values.pop("lost_confirmations")
        checkpoints = {number: dict(known) for number, known in observation.checkpoints}
        for number in self.numbers:
            self._checkpoint(f"cp{number}", checkpoints.get(number, UNUSED), values)
        files = dict(observation.files)
        for name, task in observation.tasks:
            known = dict(task)
            self._task(name, known, name in observation.job_finished, values)
            self._operator(name, dict(known["operator"]), files, values)
            if name in self.sinks:
                self._sink(name, files, values)
        for name, channel in observation.channels:
            known = dict(channel)
            _channel(name, known, values)
            values[f"{name}.log"] = self._logs(name, dict(known["log"]), checkpoints, files)
        _job(dict(observation.job), values)
        return values

    def logged(self, observation: Observation) -> SeenValues:
        """Return how many records each checkpoint has logged on each channel.

        None stands for a checkpoint whose logs the engine no longer has.
        """
        checkpoints = {number: dict(known) for number, known in observation.checkpoints}
        files = dict(observation.files)
        found: dict[str, Word] = {}
        for name, channel in observation.channels:
            logs = self._logs(name, dict(dict(channel)["log"]), checkpoints, files)
            found[f"{name}.logged"] = tuple(
                len(log) if self._is_known(number, checkpoints) else None
                for number, log in zip(self.numbers, logs, strict=True)
            )
        return found

    def _is_known(self, number: int, checkpoints: Mapping[int, SeenValues]) -> bool:
        known = checkpoints.get(number)
        return known is not None and self._is_of_use(number, known, checkpoints)

    def _checkpoint(self, name: str, known: SeenValues, values: dict[str, Word]) -> None:
        latest = {at for _, at in known["aborts"]}
        assert len(latest) <= 1, "aborts of one checkpoint carry the same news"
        of_this = {
            **known,
            "status": "completed" if known["status"] == "discarded" else known["status"],
            "aborts": frozenset(task for task, _ in known["aborts"]),
            "latest": _id(next(iter(latest), None)),
            "overtaken_by": _ids(known["overtaken_by"]),
        }
        values.update({f"{name}.{field}": value for field, value in of_this.items()})

    def _task(self, name: str, task: SeenValues, finished: bool, values: dict[str, Word]) -> None:
        of_this = {
            "status": PHASES[task["phase"]],
            "reported_finished": finished,
            "mail": _ids(task["mail"]),
            "newest": _id(task["newest"]),
            "aborted": _ids(task["given_up"]),
            "confirmed": _id(task["confirmed"]),
            "final_from": _id(task["final"]),
            "released": task["secured"],
            "sync": _id(task["ending"]),
            "mode": MODES[task["stopped"]],
            "stalled": task["stalled"],
            "gate.aligning": task["collecting"],
            "gate.started": task["started"],
            "gate.hurrying": task["hurrying"],
        }
        values.update({f"{name}.{field}": value for field, value in of_this.items()})

    def _operator(
        self, name: str, state: SeenValues, files: Files, values: dict[str, Word]
    ) -> None:
        """Set the variables of an operator. An operator that had finished has no state."""
        total, parts = self.records[name], self._parts(name, files)
        sent = [part["emitted"] if part and "emitted" in part else total for part in parts]
        held = [part["held"] if part and "held" in part else () for part in parts]
        values[f"{name}.remaining"] = total - state.get("emitted", total)
        values[f"{name}.offset"] = tuple(total - each for each in sent)
        endless = name in self.endless
        values[f"{name}.over"] = endless and "emitted" not in state
        values[f"{name}.over_before"] = tuple(
            endless and part is not None and "emitted" not in part for part in parts
        )
        values[f"{name}.buffer"] = self._effects(Counter(state.get("held", ())))
        values[f"{name}.buffered"] = tuple(self._effects(Counter(each)) for each in held)

    def _sink(self, name: str, files: Files, values: dict[str, Word]) -> None:
        def lines(file: str) -> list[str]:
            return [line.decode() for line in files.get(file, ())]

        def all_of(file: str) -> tuple[Word, ...]:
            return tuple(self._effects(Counter(lines(f"{file}-{n}"))) for n in self.numbers)

        visible = [line for file in files if _is_output(file, name) for line in lines(file)]
        values[f"{name}.sink.visible"] = self._effects(Counter(visible))
        values[f"{name}.sink.current"] = self._effects(Counter(lines(f"staging/{name}")))
        values[f"{name}.sink.content"] = all_of(f"pending/{name}")
        values[f"{name}.sink.transaction"] = tuple(_fate(name, n, files) for n in self.numbers)
        values[f"{name}.sink.listed"] = tuple(
            _ids(part["pending"]) if part else frozenset() for part in self._parts(name, files)
        )

    def _logs(
        self,
        name: str,
        kept: Mapping[int, tuple[str, ...]],
        checkpoints: Mapping[int, SeenValues],
        files: Files,
    ) -> tuple[tuple[str, ...], ...]:
        """Return the in-flight data of each pending checkpoint, and of the restart checkpoint."""
        reader = name.split("→")[1]
        logs: list[tuple[str, ...]] = []
        for number in self.numbers:
            known = checkpoints.get(number)
            log: tuple[str, ...] = ()
            if known is not None and self._is_of_use(number, known, checkpoints):
                written = files.get(f"checkpoints/{number}/{reader}.channels.json")
                log = _logged(written, name) if written else kept.get(number, ())
            logs.append(log)
        return tuple(logs)

    @staticmethod
    def _is_of_use(number: int, known: SeenValues, checkpoints: Mapping[int, SeenValues]) -> bool:
        newer = (each["status"] for n, each in checkpoints.items() if n > number)
        completed = known["status"] == "completed" and "completed" not in newer
        return known["status"] == "pending" or completed

    def _parts(self, name: str, files: Files) -> list[Any]:
        """Return the part of a task in each checkpoint, complete or not."""
        written = (files.get(f"checkpoints/{number}/{name}.json") for number in self.numbers)
        return [_read(data[0])["operator"] if data else None for data in written]

    def _effects(self, counted: Counter[str]) -> tuple[int, ...]:
        return tuple(min(counted[datum], TOO_OFTEN) for datum in self.data)


NOBODY = ("finished", "awaited", "triggers", "acknowledgements", "confirmations", "aborts")
UNUSED: SeenValues = {
    "status": "unused",
    "kind": "checkpoint",
    "declined": False,
    "overtaken_by": (),
    **dict.fromkeys(NOBODY, frozenset[str]()),
}
FATES = {"pending": "pre-committed", "output": "committed", "dropped": "aborted"}


MODES = {None: "none", True: "drain", False: "no drain"}


def _job(job: dict[str, Word], values: dict[str, Word]) -> None:
    reports, at_end, values["final_triggered"] = job.pop("end", ((), (), False))
    values["end_reports"], values["end_seen"] = frozenset(reports), frozenset(at_end)
    values["scheduling"] = job.pop("periodic", True)
    values["job_status"] = job.pop("status", "running")
    values["resumed_from"], values["used_before"] = map(_id, job.pop("start", (None, None)))
    for request, (answer, checkpoint) in job.items():
        values[f"{request}.status"] = answer
        values[f"{request}.of"] = _id(checkpoint)


def _channel(name: str, channel: SeenValues, values: dict[str, Word]) -> None:
    of_this = {
        **channel,
        "queue": tuple(map(_element, channel["queue"])),
        "end_of_data": channel["data_ended"],
        "hurried": _id(channel["hurried"]),
    }
    values.update({f"{name}.{field}": value for field, value in of_this.items()})


def _element(element: tuple[str, Word]) -> tuple[str, Word]:
    kind, carried = element
    if kind == "records":
        (record,) = carried
        return kind, record
    return kind, _id(carried) if kind in ("barrier", "cancel") else carried


def _logged(written: tuple[bytes, ...], channel: str) -> tuple[str, ...]:
    """Return the log of one channel in a file of channels."""
    logs: dict[str, list[dict[str, list[str]]]] = _read(written[0])
    return tuple(record for buffer in logs.get(channel, []) for record in buffer["records"])


@lru_cache(maxsize=4096)
def _read(data: bytes) -> Any:
    """Return the content of an immutable file."""
    return json_of(data)


def _fate(task: str, number: int, files: Files) -> str:
    return next((fate for at, fate in FATES.items() if f"{at}/{task}-{number}" in files), "none")


def _is_output(file: str, task: str) -> bool:
    return file == f"output/{task}" or file.startswith(f"output/{task}-")


def _id(number: int | None) -> str | None:
    return None if number is None else f"cp{number}"


def _ids(numbers: Iterable[int]) -> frozenset[str]:
    return frozenset(f"cp{number}" for number in numbers)
