"""Changes logs of several processes as other clocks and losses would have: one file, or two.

A change moves the times of a file, or cuts its end. The protocol is not touched, so a judge must
say nothing of a changed copy that it does not say of the run.
"""

from __future__ import annotations

import itertools
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_entries import Stray, entries
from finale.checker.logs.read.log_events import event_of
from finale.checker.logs.read.log_files import LogLine, LogShelf
from finale.checker.logs.read.messages import is_of_process

TABLE = table("flink-2.3")
Logs = Mapping[str, list[str]]
"""By the name of a file its lines."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}")
_FORMAT = "%Y-%m-%d %H:%M:%S.%f"

_HOUR = timedelta(hours=1)
#: How far clocks are moved, ahead and behind.
SHIFTS = {
    "20 ms": timedelta(milliseconds=20),
    "50 ms": timedelta(milliseconds=50),
    "100 ms": timedelta(milliseconds=100),
    "1 s": timedelta(seconds=1),
    "1 h": _HOUR,
    "7 h": 7 * _HOUR,
}
#: How far clocks jump in mid-run. The end of summer time is one hour back.
JUMPS = {
    "50 ms": timedelta(milliseconds=50),
    "1 s": timedelta(seconds=1),
    "1 h": _HOUR,
}
#: How much of a file is left.
CUTS = (95, 90, 80, 70, 60, 50)
DRIFT = 0.001


@dataclass(frozen=True)
class Changed:
    """A copy of a run. `kind` is the row of the table that counts it."""

    run: str
    kind: str
    name: str
    logs: Logs

    def write(self, folder: Path) -> Path:
        """Write the files of the copy into a new folder."""
        folder.mkdir(parents=True)
        for file, lines in self.logs.items():
            (folder / file).write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
        return folder


def runs_of_several(archive: Path) -> dict[str, Logs]:
    """The runs of an archive that have a file for each process: `jm.log` and `tm-N.log`."""
    found: dict[str, dict[str, list[str]]] = {}
    with tarfile.open(archive) as opened:
        for each in opened:
            path = PurePosixPath(each.name)
            if path.suffix == ".log" and path.name != "flink.log":
                file = opened.extractfile(each)
                assert file is not None
                run = found.setdefault(path.parent.name, {})
                run[path.name] = file.read().decode().splitlines()
    return {run: dict(sorted(logs.items())) for run, logs in sorted(found.items())}


def split_runs(archive: Path) -> dict[str, Logs]:
    """The runs of an archive that have one file, as if each subtask ran in a process of its own:
    all first subtasks in one, all second ones in another."""
    found: dict[str, Logs] = {}
    with LogShelf() as shelf:
        for log in shelf.logs([str(archive)]):
            if log.parts[0].file_name == "flink.log":
                name = log.folder.rpartition("/")[2].rpartition("!")[2]
                found[name] = _split([*shelf.lines(log)])
    return found


def _split(lines: list[LogLine]) -> Logs:
    found: dict[str, list[str]] = {"jm.log": []}
    rest = iter(lines)
    for entry in entries(lines, TABLE):
        own = [next(rest).raw.decode() for _ in range(getattr(entry, "lines", 1))]
        event = None if isinstance(entry, Stray) else event_of(entry, TABLE)
        of = None if event is None or not is_of_process(event) else event.execution or event.task
        found.setdefault("jm.log" if of is None else f"tm-{of.subtask + 1}.log", []).extend(own)
    return dict(sorted(found.items()))


def copies(run: str, logs: Logs) -> Iterator[Changed]:
    """All changed copies of a run."""
    files = [each for each in logs if each.startswith("tm")]
    for (word, far), sign in itertools.product(SHIFTS.items(), (1, -1)):
        for file in files:
            told = f"{file} {'+' if sign > 0 else '-'}{word}"
            yield Changed(run, f"moved by {word}", told, _with(logs, _moved(sign * far), file))
        for one, two in itertools.combinations(files, 2):
            both = _with(logs, _moved(sign * far), one)
            told = f"{one} {'+' if sign > 0 else '-'}{word}, {two} the other way"
            yield Changed(run, f"two moved by {word}", told, _with(both, _moved(-sign * far), two))
    for (word, far), sign, file in itertools.product(JUMPS.items(), (1, -1), files):
        told = f"{file} jumps {'+' if sign > 0 else '-'}{word}"
        yield Changed(run, f"a jump of {word}", told, _with(logs, _jumps(sign * far), file))
    yield Changed(run, "all jump an hour back", "all", _all_back(logs))
    for sign, file in itertools.product((1, -1), files):
        told = f"{file} drifts {'+' if sign > 0 else '-'}"
        yield Changed(run, "a drift of 1 in 1 000", told, _with(logs, _drifts(sign), file))
    for percent, file in itertools.product(CUTS, logs):
        told = f"{file} cut after {percent} %"
        yield Changed(run, f"cut after {percent} percent", told, _with(logs, _cut(percent), file))


def _with(logs: Logs, edit: Callable[[list[str]], list[str]], file: str) -> Logs:
    return {name: edit(lines) if name == file else lines for name, lines in logs.items()}


def _moved(far: timedelta) -> Callable[[list[str]], list[str]]:
    return lambda lines: [_at(each, lambda time: time + far) for each in lines]


def _jumps(far: timedelta) -> Callable[[list[str]], list[str]]:
    """The clock jumps in the middle of the lines."""
    return lambda lines: [
        each if 2 * number < len(lines) else _at(each, lambda time: time + far)
        for number, each in enumerate(lines)
    ]


def _all_back(logs: Logs) -> Logs:
    """All clocks go an hour back at once, in the middle of the lines of the JobManager's file."""
    times = [time for line in logs["jm.log"] if (time := time_of(line)) is not None]
    middle = times[len(times) // 2]
    return {
        name: [_at(each, lambda time: time - _HOUR if time >= middle else time) for each in lines]
        for name, lines in logs.items()
    }


def _drifts(sign: int) -> Callable[[list[str]], list[str]]:
    def edit(lines: list[str]) -> list[str]:
        start = next(time for line in lines if (time := time_of(line)) is not None)
        return [_at(each, lambda time: time + sign * DRIFT * (time - start)) for each in lines]

    return edit


def _cut(percent: int) -> Callable[[list[str]], list[str]]:
    return lambda lines: lines[: len(lines) * percent // 100]


def time_of(line: str) -> datetime | None:
    """The time at the beginning of a line, if there is one."""
    found = _TIME.match(line)
    return None if found is None else datetime.strptime(found[0].replace(",", "."), _FORMAT)


def _at(line: str, change: Callable[[datetime], datetime]) -> str:
    time = time_of(line)
    if time is None:
        return line
    text = change(time).strftime(_FORMAT)[:-3].replace(".", ",")
    return text + line[len(text) :]
