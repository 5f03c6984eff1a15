"""A job that changes between a checkpoint and a start from it: what goes on, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.model.topology import Edge, Job, Pattern, Vertex
from finale.reference.formats.changes import refuse_changes
from finale.reference.formats.faulty import DiskFault, FaultyFiles, ProcessEnds
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.inflight import Logs
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.formats.metadata import VERSIONS, File, OperatorMetadata, SubtaskMetadata
from finale.reference.formats.snapshots import shape_of
from finale.reference.operators.kinds import KINDS, settings_of
from finale.reference.runner import Runner
from tests.reference.small_jobs import (
    copy_of,
    cut_off,
    damage,
    expected,
    job_in,
    output,
    refused,
)

OVER, STATE, NONE = (
    SubtaskMetadata(finished=True),
    SubtaskMetadata(state=File("x.json", 1, "")),
    SubtaskMetadata(),
)


def operator(
    name: str, *parts: SubtaskMetadata, reads: str = "", kind: str = "", **settings: object
) -> OperatorMetadata:
    return OperatorMetadata(name, kind or name.lower(), tuple(reads), parts, settings)


def code_of(
    old: list[OperatorMetadata], new: list[OperatorMetadata], pattern: Pattern
) -> tuple[str, str] | None:
    """What is refused, and which key of the job it is about."""
    vertices = [
        Vertex(each.name, parallelism=each.parallelism)
        if each.inputs
        else Vertex.source(each.name, parallelism=each.parallelism, records=0)
        for each in new
    ]
    edges = [Edge(source, each.name, pattern) for each in new for source in each.inputs]
    job = Job(tuple(vertices), tuple(edges))
    producers = {task.name: [up.name for up in job.upstream(task)] for task in job.subtasks}
    shape = shape_of(job, [each.kind for each in new], [each.settings for each in new])
    assert [each.tasks for each in shape] == [each.tasks for each in new]
    try:
        refuse_changes(old, shape, producers)
    except FinaleError as error:
        return error.code, str(error.place and error.place.key)
    return None


S, K = operator("S", STATE), operator("K", STATE, reads="S")
S_OVER, K_OVER = operator("S", OVER), operator("K", OVER, reads="S")
S_HALF = operator("S", OVER, STATE)
MOVED = operator("K", STATE, reads="ST"), operator("K", STATE, reads="TS")
T = operator("T", STATE)
CASES = {
    "nothing": ([S, K], [S, K], None),
    "one more": ([S, K], [S, T, operator("K", STATE, reads="ST")], None),
    "one more between": (
        [S, K],
        [S, operator("M", NONE, reads="S"), operator("K", STATE, reads="M")],
        None,
    ),
    "one more behind what finished": (
        [S_OVER, K],
        [S_OVER, K, operator("L", NONE, reads="S")],
        None,
    ),
    "more subtasks": ([S, K], [S, operator("K", STATE, STATE, reads="S")], None),
    "more of what finished": ([S_OVER, K], [operator("S", OVER, OVER), K], None),
    "one less": ([S, T, MOVED[0]], [S, K], ("operator-removed", "operators.T")),
    "one less, which had finished": ([S, operator("T", OVER), MOVED[0]], [S, K], None),
    "one less, without state": ([S, operator("T", NONE), MOVED[0]], [S, K], None),
    "another kind": (
        [S, K],
        [S, operator("K", STATE, reads="S", kind="x")],
        ("operator-changed", "operators.K"),
    ),
    "another kind of what finished": (
        [S_OVER, K],
        [operator("S", OVER, kind="x"), K],
        ("operator-changed", "operators.S"),
    ),
    "another kind without state": (
        [operator("S", NONE), K],
        [operator("S", NONE, kind="x"), K],
        None,
    ),
    "another setting": (
        [S, operator("K", STATE, reads="S", key="a", size=3)],
        [S, operator("K", STATE, reads="S", key="a", size=4)],
        ("operator-changed", "operators.K.size"),
    ),
    "a setting less": (
        [S, operator("K", STATE, reads="S", aggregate="sum", key="a")],
        [S, operator("K", STATE, reads="S", aggregate="sum")],
        ("operator-changed", "operators.K.key"),
    ),
    "another setting without state": (
        [S, operator("K", NONE, reads="S", key="a")],
        [S, operator("K", NONE, reads="S", key="b")],
        None,
    ),
    "settings that were not told": ([S, K], [S, operator("K", STATE, reads="S", key="b")], None),
    "another order": ([S, T, MOVED[0]], [S, T, MOVED[1]], ("input-moved", "operators.K.from")),
    "another order without state": (
        [S, T, operator("K", NONE, reads="ST")],
        [S, T, operator("K", NONE, reads="TS")],
        None,
    ),
    "a new one before what finished": (
        [S_OVER, K_OVER],
        [S_OVER, T, operator("K", OVER, reads="ST")],
        ("feeds-finished", "operators.K.from"),
    ),
    "one that runs before what finished": (
        [S_OVER, T, K_OVER],
        [S_OVER, T, operator("K", OVER, reads="ST")],
        ("feeds-finished", "operators.K.from"),
    ),
    "a finished one before what finished": (
        [S_OVER, operator("T", OVER), K_OVER],
        [S_OVER, operator("T", OVER), operator("K", OVER, reads="ST")],
        None,
    ),
    "more of what finished in part": (
        [S_HALF, K],
        [operator("S", OVER, OVER, OVER), K],
        ("partly-finished", "operators.S.parallelism"),
    ),
    "less of what finished in part": (
        [S_HALF, K],
        [S, K],
        ("partly-finished", "operators.S.parallelism"),
    ),
}


@pytest.mark.parametrize("change", CASES)
def test_what_may_change(change: str) -> None:
    old, new, code = CASES[change]
    assert code_of(old, new, Pattern.ALL_TO_ALL) == code


def test_what_had_finished_in_part_reads_only_such_subtasks() -> None:
    """RC-8 compares vertices, and lets the second of these pass."""
    halves = [operator("S", OVER, STATE), operator("M", OVER, STATE, reads="S")]
    assert code_of(halves, halves, Pattern.POINTWISE) is None
    crossed = [operator("S", STATE, OVER), operator("M", OVER, STATE, reads="S")]
    assert code_of(crossed, crossed, Pattern.POINTWISE) == ("feeds-finished", "operators.M.from")
    assert code_of(halves, halves, Pattern.ALL_TO_ALL) == ("feeds-finished", "operators.M.from")


# --- jobs -----------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 40)


KEYED = """
name = "test"
barriers = "{}"
seconds = 1000
records = 10

[operators.lines]
kind = "lines"
path = "texts/*"
parallelism = {}

[operators.words]
kind = "words"
from = ["lines"]
parallelism = {}

[operators.counts]
kind = "count"
from = ["words"]
parallelism = {}

[operators.out]
kind = "exactly-once"
from = ["counts"]
parallelism = {}
"""


def keyed_in(folder: Path, barriers: str, *numbers: int) -> JobFile:
    """A job that counts words, with so many subtasks of each operator."""
    job = job_in(folder)
    job.file.write_text(KEYED.format(barriers, *numbers))
    return read_job(job.file)


@pytest.mark.parametrize("barriers", ["aligned", "unaligned"])
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("numbers", [(3, 2, 3, 2), (1, 1, 1, 1), (2, 1, 3, 1), (2, 3, 1, 3)])
def test_a_job_goes_on_with_other_numbers_of_subtasks(
    tmp_path: Path, barriers: str, number: int, numbers: tuple[int, ...]
) -> None:
    """The checkpoint is written anew; the run is cut off, and then has again other numbers."""
    files = cut_off(keyed_in(tmp_path, barriers, 2, 2, 2, 1), f"checkpoints/{number}/metadata")
    job = keyed_in(tmp_path, barriers, *numbers)
    started = [Runner(job, files).start.checkpoint for _ in range(2)]
    assert started == [number + 1] * 2
    job = keyed_in(tmp_path, barriers, 2, *numbers[2:], 2)
    runner = Runner(job, files)
    assert runner.start.checkpoint == number + 2
    runner.run()
    wanted = {f"{word}\t{count}": 1 for word, count in expected(tmp_path).items()}
    assert output(files) == wanted


@pytest.mark.parametrize("fault", DiskFault)
def test_a_start_may_end_at_any_moment(tmp_path: Path, fault: DiskFault) -> None:
    """Its newest checkpoint is damaged, and the one before is of other numbers of subtasks."""
    left = cut_off(job_in(tmp_path, barriers="unaligned"), "checkpoints/3/metadata")
    damage(left, "checkpoints/3/out.json")
    job = job_in(tmp_path, barriers="unaligned", words=3, out=2)
    moments = FaultyFiles(copy_of(left), fault=fault)
    Runner(job, moments)
    assert moments.moments > 20
    for at in range(moments.moments):
        files = copy_of(left)
        with pytest.raises((ProcessEnds, FinaleError)):
            Runner(job, FaultyFiles(files, at, fault))
        Runner(job, files).run()
        assert output(files) == expected(tmp_path)


def test_new_files_go_to_subtasks_that_still_run(tmp_path: Path) -> None:
    job_in(tmp_path)
    for short in ("b", "c"):
        (tmp_path / "texts" / short).write_text(f"{short}\n")
    job = read_job(tmp_path / "job.toml")
    numbers = (1, 2, 3)
    cuts = {number: cut_off(job, f"checkpoints/{number}/metadata") for number in numbers}
    files = next(f for n, f in cuts.items() if Runner(job, f).engine.store.finished(n))
    for new in ("d", "e", "f"):
        (tmp_path / "texts" / new).write_text(f"{new}\n")
    Runner(read_job(job.file), files).run()
    assert output(files) == expected(tmp_path)


def in_flight(files: MemoryFiles) -> dict[str, int]:
    """How many records are, over each channel."""
    found: dict[str, int] = {}
    for name in files.under("checkpoints"):
        if name.endswith(".channels.json"):
            logs: Logs = json.loads(files.read(name))
            found |= {c: sum(len(each["records"]) for each in log) for c, log in logs.items()}
    return {channel: count for channel, count in found.items() if count}


def cut_in_flight(tmp_path: Path) -> MemoryFiles:
    job = keyed_in(tmp_path, "unaligned", 2, 2, 2, 1)
    runs = (cut_off(job, f"checkpoints/{n}/metadata") for n in (1, 2, 3))
    return next(files for files in runs if any("→counts" in c for c in in_flight(files)))


def test_records_in_flight_go_where_they_would_go_today(tmp_path: Path) -> None:
    files = cut_in_flight(tmp_path)
    before = in_flight(files)
    job = keyed_in(tmp_path, "unaligned", 3, 2, 3, 1)
    runner = Runner(job, files)
    files.remove(f"checkpoints/{runner.start.last_number - 1}/metadata.json")
    runner.engine.store.discard_incomplete()
    after = in_flight(files)
    assert sum(after.values()) == sum(before.values())
    assert after.keys() <= runner.engine.channels.keys()
    assert after.keys() != before.keys()


def test_records_in_flight_are_not_lost_with_their_edge(tmp_path: Path) -> None:
    files = cut_in_flight(tmp_path)
    job = keyed_in(tmp_path, "unaligned", 2, 2, 2, 1)
    text = job.file.read_text().replace('from = ["words"]', 'from = ["lines"]')
    job.file.write_text(text)
    assert any("→counts" in channel for channel in in_flight(files))
    error = refused(read_job(job.file), files)
    assert (error.code, str(error.place)) == ("in-flight", "(key operators.counts.from)")


def test_an_operator_with_state_is_missed(tmp_path: Path) -> None:
    files = cut_off(keyed_in(tmp_path, "aligned", 1, 1, 1, 1), "checkpoints/2/metadata")
    text = (tmp_path / "job.toml").read_text().replace("counts", "sums")
    (tmp_path / "job.toml").write_text(text)
    error = refused(read_job(tmp_path / "job.toml"), files)
    assert (error.code, str(error.place)) == ("operator-removed", "(key operators.counts)")


GROUPED = """
checkpoint-format = {}
seconds = 1000
records = 2

[operators.rows]
kind = "ndjson"
path = "rows"

[operators.by-user]
kind = "aggregate"
{}
from = ["rows"]

[operators.out]
kind = "exactly-once"
from = ["by-user"]
"""
SUM = 'aggregate = "sum"\nkey = "user"\nfield = "paid"'


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("old", "now", "key"),
    [
        (SUM, SUM.replace("sum", "max"), "aggregate"),
        (SUM, SUM.replace("user", "town"), "key"),
        (SUM, SUM.replace('"paid"', '"due"'), "field"),
        (SUM, SUM.replace('key = "user"', ""), "key"),
        ('aggregate = "count"', 'aggregate = "count"\nfield = "paid"', None),
        (SUM, f'{SUM}\nemit = "each"', None),
    ],
)
def test_what_state_means_does_not_change(
    tmp_path: Path, old: str, now: str, key: str | None, version: int
) -> None:
    row = {"user": "ann", "town": "ulm", "paid": 3, "due": 4}
    (tmp_path / "rows").write_text(f"{json.dumps(row)}\n" * 9)
    (tmp_path / "job.toml").write_text(GROUPED.format(version, old))
    files = cut_off(read_job(tmp_path / "job.toml"), "checkpoints/2/metadata")
    (tmp_path / "job.toml").write_text(GROUPED.format(version, now))
    job = read_job(tmp_path / "job.toml")
    if key is None:
        assert Runner(job, files).start.checkpoint == 2
        return
    error = refused(job, files)
    assert (error.code, str(error.place)) == ("operator-changed", f"(key operators.by-user.{key})")


def test_all_that_shapes_state_is_compared() -> None:
    """Keyed state, and records that wait for a key; what is split or is a position is not."""
    window = {"kind": "window", "key": "k", "time": "t", "size": 3}
    assert settings_of(window) == {"aggregate": "count", "key": "k", "time": "t", "size": 3}
    assert settings_of({**window, "aggregate": "count", "field": "f"}) == settings_of(window)
    assert settings_of({**window, "aggregate": "min", "field": "f"})["field"] == "f"
    for kind in ("join", "lookup"):
        assert settings_of({"kind": kind, "key": "k"}) == {"key": "k"}
    for kind in KINDS.keys() - {"aggregate", "window", "join", "lookup"}:
        assert settings_of({"kind": kind, "number": 3, "key": "k"}) == {}


def test_a_file_that_comes_behind_the_end_is_refused(tmp_path: Path) -> None:
    """The counts have been told, before the source has finished: more of them would be others."""
    job = keyed_in(tmp_path, "aligned", 2, 2, 2, 1)
    files = cut_off(job, "output/")
    (tmp_path / "texts" / "d").write_text("d\n")
    error = refused(read_job(job.file), files)
    assert error.code == "input-added"
    (tmp_path / "texts" / "d").unlink()
    Runner(read_job(job.file), files).run()
    assert output(files) == {f"{word}\t{count}": 1 for word, count in expected(tmp_path).items()}
