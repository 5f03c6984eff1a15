"""A file of all records that a watch printed, so that it prints each record once.

A record is in the file, on the disk, before it is told; that it was told is written after. So after
a crash there is none twice in the file, and what may not have been told is told again, under the
number that it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from finale.checker.logs.findings import Finding
from finale.checker.logs.verdicts import JobVerdict
from finale.model.journal import open_journal

JOURNAL = "findings.ndjson"
FINDING, WITHDRAWN, REJECTED = "finding", "withdrawn", "rejected"
JOB, TROUBLE = "job", "trouble"
_OTHER = "it is of a watch of another folder, or of other tables or levels"

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
        head = {"v": 1, **of}
        path = folder / JOURNAL
        self._journal = open_journal("watch", path, "--resume", head, self._read, _OTHER)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def note(self, word: str, verdict: JobVerdict, time: str) -> None:
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
            still = [e.property for e in verdict.findings if not e.severity.is_sure]
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
        self._journal.sync()
        yield from self.untold
        self._journal.write({"told": self.untold[-1]["n"]})
        self.untold = []

    def subfolder(self, name: str) -> Path:
        """Return a folder in that of the watch. Raises `watch-folder`, also for a link."""
        return self._journal.subfolder(name)

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
        self._journal.write(record)
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

    def _read(self, record: Record) -> None:
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
