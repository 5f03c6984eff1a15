"""Writes a log of Flink's in other layouts, and as shippers hand it on, and as files it comes in.

Each layout is a function of the records of a log, and gives the bytes of a file. They are written
from the manuals of the libraries, and know nothing of the reader that they test.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

_HEAD = re.compile(r"(\S+ \S+) +(\w+) +([\w.$]+) \[(.*?)\] - (.*)")


@dataclass(frozen=True)
class Logged:
    """A record, and the lines of its exception."""

    time: datetime
    level: str
    logger: str
    thread: str
    message: str
    more: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The name of the logger with its packages abbreviated."""
        *packages, name = self.logger.split(".")
        return ".".join([*(each[0] for each in packages), name])


Records = Sequence[Logged]
Layout = Callable[[Records], bytes]
#: By its name, and whether a line has one place in both.
LAYOUTS: dict[str, tuple[Layout, bool]] = {}


def records_of(lines: Sequence[str]) -> list[Logged]:
    """The records of a log in the layout of the samples."""
    found: list[Logged] = []
    for line in lines:
        if head := _HEAD.fullmatch(line):
            time = datetime.strptime(head[1], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
            found.append(Logged(time, head[2], head[3], head[4], head[5]))
        else:
            last = found.pop()
            found.append(Logged(last.time, last.level, last.logger, last.thread, last.message,
                                (*last.more, line)))  # fmt: skip
    return found


def plain(each: Logged) -> str:
    return f"{stamp(each)} {each.level:<5} {each.logger} [{each.thread}] - {each.message}"


def stamp(each: Logged, between: str = " ", comma: str = ",") -> str:
    time = each.time
    return f"{time:%Y-%m-%d}{between}{time:%H:%M:%S}{comma}{time.microsecond // 1000:03d}"


def text(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def of_lines(name: str) -> Callable[[Callable[[Logged], str]], Callable[[Logged], str]]:
    """A layout of texts, in which exceptions follow the first line."""

    def add(head: Callable[[Logged], str]) -> Callable[[Logged], str]:
        def layout(records: Records) -> bytes:
            return text(line for each in records for line in (head(each), *each.more))

        LAYOUTS[name] = layout, True
        return head

    return add


def of_objects(name: str) -> Callable[[Callable[[Logged], object]], Callable[[Logged], object]]:
    """A layout of objects in JSON, one a line."""

    def add(fields: Callable[[Logged], object]) -> Callable[[Logged], object]:
        def layout(records: Records) -> bytes:
            return text(json.dumps(fields(each), separators=(",", ":")) for each in records)

        LAYOUTS[name] = layout, False
        return fields

    return add


def of_shipper(name: str) -> Callable[[Callable[[str, datetime], str]], Callable[..., str]]:
    """What a shipper writes around each line, and when it has read the line."""

    def add(wrap: Callable[[str, datetime], str]) -> Callable[..., str]:
        def layout(records: Records) -> bytes:
            return text(
                wrap(line, each.time + timedelta(milliseconds=3))
                for each in records
                for line in (plain(each), *each.more)
            )

        LAYOUTS[name] = layout, True
        return wrap

    return add


def of_files(name: str, *, same: bool = True) -> Callable[[Layout], Layout]:
    """Any other layout. `same`: each line is the same line."""

    def add(layout: Layout) -> Layout:
        LAYOUTS[name] = layout, same
        return layout

    return add


# --- patterns of log4j2 ---------------------------------------------------------------------------


@of_lines("%d{ISO8601} %-5p %c [%t] - %m%n")
def _iso(each: Logged) -> str:
    return plain(each).replace(" ", "T", 1)


@of_lines("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5p %c [%t] - %m%n")
def _zoned(each: Logged) -> str:
    local = each.time.astimezone(timezone(timedelta(hours=5, minutes=30)))
    return f"{local.isoformat(timespec='milliseconds')}{plain(each)[23:]}"


@of_lines("%d{ISO8601}{UTC}Z %-5p %c [%t] - %m%n")
def _utc(each: Logged) -> str:
    return f"{stamp(each, 'T', '.')}Z{plain(each)[23:]}"


@of_lines("%d{UNIX_MILLIS} %-5p %c [%t] - %m%n")
def _epoch(each: Logged) -> str:
    return f"{round(each.time.timestamp() * 1000)}{plain(each)[23:]}"


@of_lines("%d{DATE} %-5p %c [%t] - %m%n")
def _date(each: Logged) -> str:
    return f"{each.time:%d %b %Y %H:%M:%S},{each.time.microsecond // 1000:03d}{plain(each)[23:]}"


@of_lines("%d{ABSOLUTE} %-5p %c [%t] - %m%n")
def _undated(each: Logged) -> str:
    return plain(each)[11:]


@of_lines("%d{yyyy/MM/dd HH:mm:ss.SSS} %-5p %c [%t] - %m%n")
def _slashes(each: Logged) -> str:
    return plain(each).replace("-", "/", 2).replace(",", ".", 1)


@of_lines("%d %-5p %c{1} [%t] - %m%n")
def _last_part(each: Logged) -> str:
    return plain(each).replace(each.logger, each.logger.rpartition(".")[2], 1)


@of_lines("%d %-5p %c{1.} [%t] - %m%n")
def _abbreviated(each: Logged) -> str:
    return plain(each).replace(each.logger, each.short, 1)


@of_lines("%d %-5p %-60c [%30t] %x - %m%n")
def _padded_left(each: Logged) -> str:
    head = f"{stamp(each)} {each.level:<5} {each.logger:<60}"
    return f"{head} [{each.thread:>30}] [] - {each.message}"


@of_lines("%d %-5p %c [%-30t] - %m%n")
def _padded_right(each: Logged) -> str:
    return f"{stamp(each)} {each.level:<5} {each.logger} [{each.thread:<30}] - {each.message}"


@of_lines("%d %-5p %c [%15.15t] - %m%n")
def _cut(each: Logged) -> str:
    thread = f"{each.thread[-15:]:>15}"
    return f"{stamp(each)} {each.level:<5} {each.logger} [{thread}] - {each.message}"


@of_lines("%d %-5p %c [%t] %x - %m%n")
def _stack(each: Logged) -> str:
    return f"{stamp(each)} {each.level:<5} {each.logger} [{each.thread}] [] - {each.message}"


@of_lines("%d [%X{flink-job-id}] %-5p %c [%t] - %m%n")
def _mdc_before(each: Logged) -> str:
    job = "5e8c" * 8 if "(" in each.thread else ""
    return f"{stamp(each)} [{job}] {plain(each)[24:]}"


@of_lines("%d %-5p %c [%t] %X - %m%n")
def _mdc_map(each: Logged) -> str:
    fields = "{flink-job-id=" + "5e8c" * 8 + "}"
    return f"{stamp(each)} {each.level:<5} {each.logger} [{each.thread}] {fields} - {each.message}"


@of_lines("%d [%t] %-5p %c %X{flink-job-id} - %m%n")
def _mdc_bare(each: Logged) -> str:
    job = "5e8c" * 8 if "(" in each.thread else ""
    return f"{stamp(each)} [{each.thread}] {each.level:<5} {each.logger} {job} - {each.message}"


@of_lines("[%d] [%p] [%t] %c: %m%n")
def _boxes(each: Logged) -> str:
    return f"[{stamp(each)}] [{each.level}] [{each.thread}] {each.logger}: {each.message}"


@of_lines("%highlight{%d %-5p} %style{%c}{cyan} [%t] - %m%n")
def _colours(each: Logged) -> str:
    head = f"\x1b[32m{stamp(each)} {each.level:<5}\x1b[m \x1b[36m{each.logger}\x1b[m"
    return f"{head} [{each.thread}] - {each.message}"


# --- logback and Spring ---------------------------------------------------------------------------


@of_lines("logback's default")
def _logback(each: Logged) -> str:
    head = f"{stamp(each, comma='.')[11:]} [{each.thread}] {each.level} {each.short}"
    return f"{head} -- {each.message}"


@of_lines("Flink's logback.xml")
def _logback_of_flink(each: Logged) -> str:
    head = f"{stamp(each, comma='.')} [{each.thread}] {each.level:<5} {each.logger} "
    return f"{head} - {each.message}"


@of_lines("Spring's default")
def _spring(each: Logged) -> str:
    thread, logger = f"[{each.thread[-15:]:>15}]", f"{each.short[-40:]:<40}"
    head = f"{stamp(each, 'T', '.')}Z {each.level:>5} 4711 --- [jobs] {thread} {logger}"
    return f"{head} : {each.message}"


@of_objects("logback's JsonEncoder")
def _logback_json(each: Logged) -> object:
    *others, last = each.message.split(" ")
    told = {
        "sequenceNumber": 0,
        "timestamp": round(each.time.timestamp() * 1000),
        "nanoseconds": each.time.microsecond * 1000,
        "level": each.level,
        "threadName": each.thread,
        "loggerName": each.logger,
        "context": {"name": "default", "birthdate": 0, "properties": {}},
        "mdc": {"flink-job-id": "5e8c" * 8},
        "message": " ".join([*others, "{}"]),
        "arguments": [last],
    }
    return told | ({"throwable": _tree(each.more)} if each.more else {})


@of_objects("Spring's structured logging, ECS")
def _spring_json(each: Logged) -> object:
    told: dict[str, object] = {
        "@timestamp": f"{stamp(each, 'T', '.')}Z",
        "log": {"level": each.level, "logger": each.logger},
        "process": {"pid": 4711, "thread": {"name": each.thread}},
        "service": {"name": "jobs", "node": {}},
        "message": each.message,
        "ecs": {"version": "8.11"},
    }
    return told | ({"error": {"stack_trace": "\n".join(each.more)}} if each.more else {})


@of_objects("logstash-logback-encoder")
def _logstash(each: Logged) -> object:
    told: dict[str, object] = {
        "@timestamp": f"{stamp(each, 'T', '.')}+00:00",
        "@version": "1",
        "message": each.message,
        "logger_name": each.logger,
        "thread_name": each.thread,
        "level": each.level,
        "level_value": 20000,
    }
    return told | ({"stack_trace": "\n".join(each.more)} if each.more else {})


# --- JSON of log4j2 -------------------------------------------------------------------------------


@of_objects("JsonTemplateLayout, the default: ECS")
def _ecs(each: Logged) -> object:
    told = {
        "@timestamp": f"{stamp(each, 'T', '.')}Z",
        "ecs.version": "1.2.0",
        "log.level": each.level,
        "message": each.message,
        "process.thread.name": each.thread,
        "log.logger": each.logger,
        "labels": {"flink-job-id": "5e8c" * 8},
    }
    if each.more:
        told |= {"error.type": "x", "error.message": "y", "error.stack_trace": "\n".join(each.more)}
    return told


@of_objects("JsonTemplateLayout, GELF")
def _gelf(each: Logged) -> object:
    levels = {"TRACE": 7, "DEBUG": 7, "INFO": 6, "WARN": 4, "ERROR": 3}
    told = {
        "version": "1.1",
        "host": "node-1",
        "short_message": each.message,
        "timestamp": each.time.timestamp(),
        "level": levels[each.level],
        "_logger": each.logger,
        "_thread": each.thread,
    }
    return told | ({"full_message": "\n".join(each.more)} if each.more else {})


def _json_layout(each: Logged) -> dict[str, object]:
    told: dict[str, object] = {
        "instant": {
            "epochSecond": int(each.time.timestamp()),
            "nanoOfSecond": each.time.microsecond * 1000,
        },
        "thread": each.thread,
        "level": each.level,
        "loggerName": each.logger,
        "message": each.message,
        "endOfBatch": False,
        "loggerFqcn": "org.apache.logging.slf4j.Log4jLogger",
        "threadId": 1,
        "threadPriority": 5,
    }
    return told | ({"thrown": {"extendedStackTrace": "\n".join(each.more)}} if each.more else {})


LAYOUTS["JsonTemplateLayout, JsonLayout.json"] = LAYOUTS["JsonLayout, compact"] = (
    lambda records: text(json.dumps(_json_layout(each)) for each in records),
    False,
)


@of_files("JsonLayout, its default: an object over many lines", same=False)
def _json_layout_pretty(records: Records) -> bytes:
    return text(json.dumps(_json_layout(each), indent=2) for each in records)


def _tree(more: Sequence[str]) -> dict[str, object]:
    """The exceptions of a stack trace, each in the one that it caused."""
    heads = [more[0], *(each for each in more if each.startswith("Caused by: "))]
    found: dict[str, object] = {}
    for head in reversed(heads):
        kind, _, says = head.removeprefix("Caused by: ").partition(": ")
        told: dict[str, object] = {"className": kind, "stepArray": []}
        told |= {"message": says} if says else {}
        found = told | ({"cause": found} if found else {})
    return found


# --- shippers -------------------------------------------------------------------------------------


@of_shipper("CRI")
def _cri(line: str, time: datetime) -> str:
    return f"{nanos(time)} stdout F {line}"


@of_files("CRI, lines cut into pieces", same=False)
def _cri_pieces(records: Records) -> bytes:
    def pieces() -> Iterator[str]:
        for each in records:
            for line in (plain(each), *each.more):
                *before, last = [line[at : at + 120] for at in range(0, max(len(line), 1), 120)]
                yield from (f"{nanos(each.time)} stdout P {piece}" for piece in before)
                yield f"{nanos(each.time)} stdout F {last}"

    return text(pieces())


@of_shipper("Docker's json-file")
def _docker(line: str, time: datetime) -> str:
    return json.dumps({"log": f"{line}\n", "stream": "stdout", "time": nanos(time)})


@of_shipper("kubectl logs --prefix")
def _prefix(line: str, time: datetime) -> str:
    return f"[pod/flink-1/flink-main-container] {line}"


@of_shipper("kubectl logs --timestamps")
def _timestamps(line: str, time: datetime) -> str:
    return f"{nanos(time)} {line}"


@of_shipper("kubectl logs --prefix --timestamps")
def _prefix_timestamps(line: str, time: datetime) -> str:
    return f"[pod/flink-1/flink-main-container] {nanos(time)} {line}"


@of_shipper("docker compose logs")
def _compose(line: str, time: datetime) -> str:
    return f"flink-1  | {line}"


@of_shipper("stern")
def _stern(line: str, time: datetime) -> str:
    return f"flink-7d9f flink-main-container {line}"


@of_shipper("journalctl")
def _journal(line: str, time: datetime) -> str:
    return f"{time:%b %d %H:%M:%S} node-1 taskmanager.sh[4711]: {line}"


@of_shipper("journalctl -o short-iso")
def _journal_iso(line: str, time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}+0000 node-1 taskmanager.sh[4711]: {line}"


@of_shipper("journalctl -o json")
def _journal_json(line: str, time: datetime) -> str:
    told: dict[str, object] = {
        "__CURSOR": "s=1",
        "__REALTIME_TIMESTAMP": str(round(time.timestamp() * 1e6)),
        "_HOSTNAME": "node-1",
        "SYSLOG_IDENTIFIER": "taskmanager.sh",
        "_PID": "4711",
        "PRIORITY": "6",
        # A text with a tab is no text for the journal.
        "MESSAGE": [*line.encode()] if "\t" in line else line,
    }
    return json.dumps(told)


@of_shipper("syslog, RFC 5424")
def _syslog(line: str, time: datetime) -> str:
    return f"<14>1 {nanos(time)} node-1 flink 4711 - - {line}"


@of_shipper("filebeat")
def _filebeat(line: str, time: datetime) -> str:
    told = {"@timestamp": nanos(time), "message": line, "host": {"name": "node-1"}}
    return json.dumps(told | {"log": {"file": {"path": "/opt/flink/log/flink.log"}, "offset": 1}})


@of_files("ECS in CRI, coloured, in Docker's json-file", same=False)
def _all_of_it(records: Records) -> bytes:
    lines = text(json.dumps(_ecs(each)) for each in records).decode().splitlines()
    time = nanos(records[0].time)
    wrapped = (f"\x1b[1m{time} stdout F {line}\x1b[0m" for line in lines)
    told = ({"log": f"{line}\n", "stream": "stdout", "time": time} for line in wrapped)
    return text(json.dumps(each) for each in told)


def nanos(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond:06d}789Z"


# --- files ----------------------------------------------------------------------------------------


def plain_file(records: Records) -> bytes:
    return text(line for each in records for line in (plain(each), *each.more))


@of_files("a byte order mark")
def _mark(records: Records) -> bytes:
    return plain_file(records).decode().encode("utf-8-sig")


@of_files("UTF-16, as PowerShell writes it")
def _utf16(records: Records) -> bytes:
    return plain_file(records).decode().replace("\n", "\r\n").encode("utf-16")


@of_files("UTF-16 without a mark")
def _utf16_big(records: Records) -> bytes:
    return plain_file(records).decode().encode("utf-16-be")


@of_files("gzip")
def _gzip(records: Records) -> bytes:
    return gzip.compress(plain_file(records))


@of_files("a layout a line, at random", same=False)
def _mixed(records: Records) -> bytes:
    """Each record in another layout; those that lack the date would make a clock that jumps."""
    chance = random.Random(5)
    lacking = ("ABSOLUTE", "logback's default", "%15.15t", "Spring's default")
    of_files_alone = ("UTF-16", "gzip", "random", "byte order mark")
    chosen = [
        layout
        for name, (layout, _) in LAYOUTS.items()
        if not any(each in name for each in (*lacking, *of_files_alone))
    ]
    return b"".join(chance.choice(chosen)([each]) for each in records)
