"""A file of all records that a watch printed, so that it prints each record once.

A record is in the file, on the disk, before it is told; that it was told is written after. So after
a crash there is none twice in the file, and what may not have been told is told again, under the
number that it had.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

from finale.checker.logs.findings import Finding, Severity
from finale.checker.logs.verdicts import Verdict
from finale.model.errors import FinaleError, Place
from finale.model.given import appended, json_of, whole_of

JOURNAL = "findings.ndjson"
FINDING, WITHDRAWN, REJECTED = "finding", "withdrawn", "rejected"
JOB, TROUBLE = "job", "trouble"
_HEAD = {"finale": "watch", "v": 1}

Record = dict[str, Any]
#: A finding without its line, which may be another one when more is known.
_Key = tuple[str, tuple[tuple[str, str], ...], str]


class Journal:
    """The records of a folder, open for more. `of` says what is watched, and how.

    Raises `watch-folder`, `watch-in-use`.
    """

    def __init__(self, folder: Path, of: Mapping[str, object]) -> None:
        self.folder = folder
        self.untold: list[Record] = []
        """Those that are in the file and may not have been told."""
        self.count = 0
        self._found: dict[tuple[str, str], dict[_Key, Record]] = {}
        self._rejected: set[tuple[str, str]] = set()
        self._words: dict[tuple[str, str], str] = {}
        self._troubles: dict[str, str] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _refuse_foreign(folder)
            self._file: IO[bytes] = appended(folder / JOURNAL)
        except OSError as error:
            raise _unusable(folder, f"it cannot be written: {error.strerror}") from None
        try:
            self._lock()
            self._read({**_HEAD, **of})
        except FinaleError:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def note(self, word: str, verdict: Verdict, time: str) -> None:
        """Record the new parts of the present verdict on a job."""
        job = (verdict.logs, verdict.job)
        about: Record = {
            "time": time,
            "logs": verdict.logs,
            "job": verdict.job,
            "name": verdict.name,
        }
        known = self._found.setdefault(job, {})
        found = {_key(each): each for each in verdict.shows}
        for key, each in found.items():
            if key not in known:
                self._add(about | {"what": FINDING} | _told(each))
        for key, record in list(known.items()):
            if key not in found:
                kept = {name: record[name] for name in _FINDING}
                self._add(about | {"what": WITHDRAWN, "of": record["n"]} | kept)
        conforms = verdict.conforms
        if conforms is not None and conforms.rejected and job not in self._rejected:
            # What no run explains none explains with more behind it.
            self._add(about | {"what": REJECTED, "why": conforms.why})
        if self._words.get(job, "grows") != word:
            still = [e.property for e in verdict.findings if e.severity is Severity.OPEN]
            counts = {fate.value: len(each) for fate, each in verdict.checkpoints.items()}
            told: Record = {"state": verdict.state, "coverage": verdict.coverage.value}
            told |= {"events": verdict.events, "checkpoints": counts, "open": sorted(set(still))}
            told["findings"] = len(found) + (job in self._rejected)
            self._add(about | {"what": JOB, "word": word} | told)

    def note_troubles(self, troubles: Mapping[str, str], time: str) -> None:
        """Record the logs that cannot be read or judged."""
        for log, why in troubles.items():
            if self._troubles.get(log) != why:
                self._add({"what": TROUBLE, "time": time, "logs": log, "why": why})

    def tell(self) -> Iterator[Record]:
        """The records that were not told yet. When all of them are, that is written down."""
        if not self.untold:
            return
        self._sync()
        yield from self.untold
        self._write({"told": self.untold[-1]["n"]})
        self.untold = []
        self._file.flush()

    @property
    def findings(self) -> int:
        """The number of standing findings and rejected logs."""
        return sum(map(len, self._found.values())) + len(self._rejected)

    @property
    def jobs(self) -> int:
        """The number of jobs with a record."""
        return len(self._found)

    # --- the file --------------------------------------------------------------------------------

    def _add(self, record: Record) -> None:
        record = {"n": self.count + 1, **record}
        self._write(record)
        self._take(record)

    def _take(self, record: Record) -> None:
        self.count = record["n"]
        self.untold.append(record)
        job = (record["logs"], record.get("job", ""))
        match record["what"]:
            case "finding":
                self._found.setdefault(job, {})[_key_of(record)] = record
            case "withdrawn":
                self._found[job].pop(_key_of(record), None)
            case "rejected":
                self._rejected.add(job)
            case "job":
                self._found.setdefault(job, {})
                self._words[job] = record["word"]
            case _:
                self._troubles[record["logs"]] = record["why"]

    def _write(self, record: Record) -> None:
        self._file.write(json.dumps(record).encode() + b"\n")

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FinaleError(
                "watch-in-use",
                "another watch writes into this folder right now",
                place=Place(str(self.folder)),
                advice="wait for it, or name another folder with --resume",
            ) from None

    def _read(self, head: Mapping[str, object]) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        first, *lines = whole.splitlines() or [b""]
        if not whole:
            if not json.dumps(dict(head)).encode().startswith(data):
                raise _unusable(self.folder, _difference(None, head))
            self._file.truncate(0)
            self._write(dict(head))
            self._sync()
            return
        try:
            begun = json_of(first)
        except ValueError:
            begun = None
        if begun != json.loads(json.dumps(head)):
            raise _unusable(self.folder, _difference(begun, head))
        try:
            self._take_all(map(json_of, lines))
        except (ValueError, KeyError, TypeError):
            raise _unusable(self.folder, f"{JOURNAL} in it was changed") from None
        self._file.truncate(len(whole))  # half a record was not told

    def _take_all(self, records: Iterable[Record]) -> None:
        for record in records:
            if "told" in record:
                self.untold = [each for each in self.untold if each["n"] > record["told"]]
            else:
                self._take(record)


_FINDING = ("property", "binding", "severity", "where")


def _told(found: Finding) -> Record:
    return {
        "property": found.property,
        "binding": dict(found.binding),
        "severity": found.severity.value,
        "where": found.place,
        "sentence": found.sentence,
        "why": found.why,
    }


def _key(found: Finding) -> _Key:
    return found.property, found.binding, found.severity.value


def _key_of(record: Record) -> _Key:
    return record["property"], tuple(record["binding"].items()), record["severity"]


def _refuse_foreign(folder: Path) -> None:
    """Before anything is written: a folder in which no watch has begun has nothing in it."""
    others = any(each.name != JOURNAL for each in folder.iterdir())
    # Looked at after the others: who begins right now writes its journal before anything else.
    journal = folder / JOURNAL
    if others and not (journal.exists() and b"\n" in whole_of(journal)):
        raise _unusable(folder, "there is something else in it")


def _difference(begun: Any, head: Mapping[str, object]) -> str:
    if not isinstance(begun, dict) or cast("Record", begun).get("finale") != head["finale"]:
        return f"{JOURNAL} in it is no journal of a watch"
    return "it is of a watch of another folder, or of other tables or levels"


def _unusable(folder: Path, what: str) -> FinaleError:
    return FinaleError(
        "watch-folder",
        f"the folder of the watch cannot be used: {what}",
        place=Place(str(folder)),
        advice="name another folder with --resume",
    )
