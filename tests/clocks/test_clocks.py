"""Clocks of processes differ, jump and drift, files end early: no job is accused of that."""

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from math import floor
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.lines import MESSAGES
from finale.checker.logs.read.clocks import PRECISION, Clocks
from finale.checker.logs.read.log_events import LogEvent, TaskId
from finale.checker.logs.read.messages import HappenedBefore, OrderedLine, kind_of
from tests.cli.running import run
from tests.logs.archive import FAILOVERS, SAMPLES, archives, each_run, needs_archives
from tests.logs.edits import lines_of

from .__main__ import PAGE, chosen, counted, table
from .changes import Changed, Logs, copies, runs_of_several, split_runs
from .judging import found, judged, rows_of

RUN = "multi-cancel-01"
#: Of each kind of change one copy that was judged wrongly by the merged times of all lines.
SOME = (
    "tm-1.log +1 s",
    "tm-2.log +1 s",
    "tm-1.log -1 s, tm-2.log the other way",
    "tm-2.log +7 h",
    "tm-1.log jumps -1 h",
    "tm-2.log jumps -1 s",
    "tm-1.log cut after 50 %",
    "tm-2.log cut after 50 %",
)


@pytest.fixture(scope="module")
def logs() -> Logs:
    return runs_of_several(SAMPLES)[RUN]


def copy_of(logs: Logs, name: str) -> Changed:
    return next(each for each in copies(RUN, logs) if each.name == name)


def of(tmp_path: Path, copy: Changed, flags: str = "") -> Any:
    """What is said of the job of a copy."""
    copy.write(tmp_path / "logs" / "copy")
    ((job,),) = judged(tmp_path / "logs", flags).values()
    return job


def test_no_change_of_clocks_and_no_cut_gives_a_finding(logs: Logs, tmp_path: Path) -> None:
    some = [each for each in copies(RUN, logs) if each.name in SOME]
    assert len(some) == len(SOME)
    for row in rows_of(RUN, logs, some, tmp_path).values():
        assert not row.wrong


def test_changed_copies_are_not_rejected(logs: Logs, tmp_path: Path) -> None:
    some = [copy_of(logs, "tm-1.log +1 s"), copy_of(logs, "tm-2.log cut after 50 %")]
    rows = rows_of(RUN, logs, some, tmp_path, "--accept")
    assert rows["moved by 1 s"].accepted == 1
    assert not rows["cut after 50 percent"].rejected


def test_how_far_a_clock_is_ahead_is_said(logs: Logs, tmp_path: Path) -> None:
    (told,) = of(tmp_path, copy_of(logs, "tm-2.log +1 s"))["files"]
    assert Path(told["file"]).name == "tm-2.log"
    says = re.fullmatch(r"its clock is (\S+) to (\S+) s ahead of the JobManager's", told["says"])
    assert says is not None
    assert 0.98 < float(says[1]) <= 1 <= float(says[2]) < 1.02


def test_a_clock_that_goes_back_is_said_at_its_line(logs: Logs, tmp_path: Path) -> None:
    copy = copy_of(logs, "tm-1.log jumps -1 h")
    (told,) = of(tmp_path, copy)["files"]
    assert told["says"] == "its clock goes back by 1 h here"
    # The first line behind the jump that tells an event.
    assert 0 <= told["line"] - len(copy.logs["tm-1.log"]) // 2 < 40


def test_clocks_that_agree_are_not_mentioned(logs: Logs, tmp_path: Path) -> None:
    assert of(tmp_path, Changed(RUN, "", "", logs))["files"] == []


def test_a_file_that_ends_early_is_said_and_leaves_things_open(logs: Logs, tmp_path: Path) -> None:
    copy = copy_of(logs, "tm-2.log cut after 50 %")
    job = of(tmp_path, copy)
    assert job["coverage"] == "truncated"
    (told,) = job["files"]
    assert told["says"].startswith("it ends early: the JobManager has heard of more")
    assert told["line"] <= len(copy.logs["tm-2.log"])
    assert any(
        each.startswith("the log of the process") for e in job["needs"].values() for each in e
    )


# --- what messages contradict ---------------------------------------------------------------------


def moved_before(logs: Logs, file: str, pattern: str, before: str) -> Changed:
    """The first line that fits stands before the first line that fits another pattern."""
    lines = list(logs[file])
    at = next(n for n, each in enumerate(lines) if re.search(pattern, each))
    line = lines.pop(at)
    to = next(n for n, each in enumerate(lines) if re.search(before, each))
    assert to < at, "the line is moved to the front"
    lines.insert(to, lines[to][:23] + line[23:])
    return Changed(RUN, "", "", {**logs, file: lines})


@pytest.mark.parametrize("shift", ["", "tm-1.log +1 s", "tm-1.log -1 s", "tm-1.log +7 h"])
def test_what_messages_contradict_is_found_whatever_clocks_say(
    logs: Logs, shift: str, tmp_path: Path
) -> None:
    """A task hears of the completion of a checkpoint before it begins that checkpoint. No single
    file shows this."""
    shifted = copy_of(logs, shift).logs if shift else logs
    task = re.escape("Source: src0 (1/2)#0")
    copy = moved_before(
        shifted,
        "tm-1.log",
        rf"Notification of checkpoint COMPLETE 1 for task {task}",
        rf"{task}\] - Starting checkpoint 1 ",
    )
    job = of(tmp_path, copy)
    assert {"acknowledged-once", "confirmed-after-completion"} & {name for name, _ in found([job])}


def test_a_line_that_is_missing_in_the_middle_of_a_file_is_found(
    logs: Logs, tmp_path: Path
) -> None:
    """The file goes on behind the acknowledgement, so it has not ended early."""
    lines = [
        each
        for each in logs["tm-1.log"]
        if not re.search(r"\[map \(1/2\)#0\] - Starting checkpoint 1 ", each)
    ]
    assert len(lines) == len(logs["tm-1.log"]) - 1
    job = of(tmp_path, Changed(RUN, "", "", {**logs, "tm-1.log": lines}))
    told = (("task", "map (1/2)#0"), ("checkpoint", "checkpoint 1"))
    assert ("acknowledged-once", told) in found([job])


@pytest.mark.parametrize("name", ["tm-1.log +1 h", "tm-1.log -50 ms", "tm-1.log jumps -1 s"])
def test_a_finding_about_one_process_stays(name: str, tmp_path: Path) -> None:
    """Of a run of one file, whose tasks get a file of their own."""
    own = split_runs(SAMPLES)["H7-00"]
    assert len(own) == 2
    (copy,) = (each for each in copies("H7-00", own) if each.name == name)
    job = of(tmp_path, copy)
    assert {told for told, _ in found([job])} == {"finish-before-close"}
    assert {Path(e["file"]).name for e in job["findings"] if e["severity"] == "violated"} == {
        "tm-1.log"
    }


# --- messages -------------------------------------------------------------------------------------


def in_order_of_the_file(path: str) -> Counter[tuple[object, bool]]:
    """How many messages of each kind have the cause's line first, of runs of one file."""
    found = Counter[tuple[object, bool]]()
    for _, runs, _, _ in each_run(path):
        for own in (each for each in runs if len(each.logs) == 1):
            lines = [OrderedLine(each.log_event, own.job, each.task) for each in own.events]
            first: dict[object, int] = {}
            for message in MESSAGES:
                for line in lines:
                    key = message, line.key(message.about)
                    if kind_of(line.event) == message.cause and key[1] is not None:
                        first.setdefault(key, line.event.line)
                for line in lines:
                    key = message, line.key(message.about)
                    if kind_of(line.event) == message.effect and key in first:
                        found[message, first[key] < line.event.line] += 1
    return found


def test_each_kind_of_message_holds_in_runs_of_one_file() -> None:
    """In one file the lines of all processes have an order: it is that of the messages."""
    found = sum(map(in_order_of_the_file, map(str, (SAMPLES, FAILOVERS))), Counter())
    assert not [message for message, is_so in found if not is_so]
    assert {message for message, _ in found} == {*MESSAGES}


# --- what stands around the lines -----------------------------------------------------------------


def one_file(tmp_path: Path, lines: list[str], **others: str) -> Any:
    """What is said of the job of a folder with one log, and other files."""
    folder = tmp_path / "logs" / "one"
    folder.mkdir(parents=True)
    (folder / "flink.log").write_text("".join(f"{each}\n" for each in lines))
    for name, text in others.items():
        (folder / f"{name}.log").write_text(text)
    ((job,),) = judged(tmp_path / "logs").values()
    return job


LAUNCHER = ["sed: can't read /opt/flink/conf/config.yaml: No such file", "Starting Job Manager"]
GC_LOG = "[0.005s][info][gc] Using G1\n[0.105s][info][gc] GC(0) Pause Young\n"


def test_lines_of_a_launcher_are_no_gap(tmp_path: Path) -> None:
    job = one_file(tmp_path, [*LAUNCHER, *lines_of("bounded-01")])
    assert (job["coverage"], job["needs"]) == ("complete", {})


def test_a_loss_is_found_behind_lines_of_a_launcher(tmp_path: Path) -> None:
    own = one_file(tmp_path / "own", [*lines_of("H7-00")])
    assert found([own])
    assert found([one_file(tmp_path / "more", [*LAUNCHER, *lines_of("H7-00")])]) == found([own])


@pytest.mark.parametrize(
    "rest",
    [
        "\tat java.base/java.lang.Thread.run(Thread.java:840)",
        "Caused by: java.io.IOException: gone",
        "5:53,358 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [Timer] - Done",
        "2026-11-20 15:40:53,358 INFO  org.apache.flink.runti",
    ],
)
def test_the_rest_of_an_entry_shows_that_its_beginning_is_missing(
    rest: str, tmp_path: Path
) -> None:
    assert one_file(tmp_path, [rest, *lines_of("bounded-01")])["coverage"] == "gap"


def test_a_file_that_is_not_flinks_is_left_alone(tmp_path: Path) -> None:
    job = one_file(tmp_path, [*lines_of("bounded-01")], gc=GC_LOG)
    assert (job["coverage"], job["needs"]) == ("complete", {})


def test_a_file_that_is_not_flinks_is_no_job_by_itself(tmp_path: Path) -> None:
    (tmp_path / "gc.log").write_text(GC_LOG)
    ran = run("validate gc.log", tmp_path)
    assert ran.exit == 3
    assert "no line has the layout of" in ran.stdout


def test_a_gap_takes_away_what_it_could_explain(tmp_path: Path) -> None:
    """A line that is unreadable behind a finding leaves it, and one before it does not."""
    lines = [*lines_of("H7-00")]
    own = one_file(tmp_path / "own", lines)
    last = max(each["line"] for each in own["findings"] if each["severity"] == "violated")
    broken = "2026-11-20 15:40:53,358 INFO  org.apache.flink.runti"
    behind = one_file(tmp_path / "behind", [*lines[: last + 1], broken, *lines[last + 1 :]])
    assert behind["coverage"] == "gap"
    violated = {each["property"] for each in own["findings"] if each["severity"] == "violated"}
    assert violated <= {name for name, _ in found([behind])}
    before = one_file(tmp_path / "before", [lines[0], broken, *lines[1:]])
    assert before["coverage"] == "gap"
    assert found([before]) <= found([own])


# --- order and clocks, of processes whose clocks are known ----------------------------------------

START = datetime(2026, 10, 25, 2, 30)


@dataclass
class Cluster:
    """A coordinator and two tasks in a process each, whose lines have true times, too."""

    chance: random.Random
    offsets: tuple[float, ...]
    drift: float = 0
    now: float = 0
    lines: list[tuple[float, OrderedLine]] = field(default_factory=list[tuple[float, OrderedLine]])

    def write(self, log: int, word: str, number: int, **fields: str) -> None:
        clock = self.now * (1 + self.drift * (log == 1)) + self.offsets[log]
        time = START + timedelta(milliseconds=floor(clock))
        task = TaskId("map", max(log, int(fields.pop("of", 0))), 3, 0)
        text = time.isoformat(" ", "milliseconds").replace(".", ",")
        count = sum(line.event.log == log for _, line in self.lines)
        event = LogEvent(word, log, 0, count + 1, text, "jm.main" if log == 0 else "task.mailbox",
                         True, {"checkpoint": str(number), **fields}, None, None, ())  # fmt: skip
        self.lines.append((self.now, OrderedLine(event, "job", task)))

    def passes(self) -> None:
        self.now += self.chance.expovariate(1 / 2)

    def run(self, checkpoints: int) -> "Cluster":
        """Each task takes each checkpoint, and hears of its completion."""
        for number in range(1, checkpoints + 1):
            self.write(0, "triggered", number)
            for word in ("snapshot-begins", "apply_acknowledgement"):
                for log in self.chance.sample((1, 2), 2):
                    self.passes()
                    own = word == "snapshot-begins"
                    self.write(log if own else 0, word, number, of=str(log))
            self.passes()
            self.write(0, "completed", number)
            for log in self.chance.sample((1, 2), 2):
                self.passes()
                self.write(log, "notified-complete", number)
            self.now += 10
        return self

    @property
    def order(self) -> HappenedBefore:
        return HappenedBefore([each for _, each in sorted(self.lines, key=_by_file)])

    @property
    def true_times(self) -> dict[tuple[int, int, int], float]:
        return {line.event.place: at for at, line in self.lines}


def _by_file(told: tuple[float, OrderedLine]) -> tuple[int, int, int]:
    return told[1].event.place


@pytest.mark.parametrize("seed", range(20))
def test_an_order_keeps_files_and_messages_and_claims_nothing_untrue(seed: int) -> None:
    chance = random.Random(seed)
    offsets = (0, *(chance.choice([0, 40, -300, 3_600_000]) for _ in range(2)))
    cluster = Cluster(chance, offsets).run(checkpoints=6)
    order, true = cluster.order, cluster.true_times
    places = [line.event.place for line in order.lines]
    merged = Clocks(order).merged()
    assert sorted(merged) == [*range(len(places))]
    at = {number: n for n, number in enumerate(merged)}
    for log in (0, 1, 2):
        own = [number for number in merged if places[number][0] == log]
        assert own == sorted(own)
    assert all(
        at[cause] < at[effect] for effect, causes in order.causes.items() for cause in causes
    )
    known = {(one, two) for one in places for two in places if order.precedes(one, two)}
    assert all(true[one] < true[two] for one, two in known)
    across = [(one, two) for one, two in known if one[0] != two[0]]
    assert len(across) > len(places), "chains of messages order many lines of two files"


@pytest.mark.parametrize("seed", range(20))
def test_bounds_of_a_clock_have_its_true_difference(seed: int) -> None:
    chance = random.Random(seed)
    offsets = (0, chance.uniform(-5000, 5000), chance.uniform(-5000, 5000))
    clocks = Clocks(Cluster(chance, offsets).run(checkpoints=30).order)
    for log in (1, 2):
        (section,) = clocks.logs[log].sections
        assert section.least - PRECISION <= offsets[log] <= section.most + PRECISION
        assert section.most - section.least < 20


def test_a_drift_makes_sections_that_rise() -> None:
    """One in twenty-five, over a quarter of a minute: 600 ms."""
    chance = random.Random(1)
    clocks = Clocks(Cluster(chance, (0, 0, 0), drift=0.04).run(checkpoints=500).order)
    offsets = [each.offset for each in clocks.logs[1].sections]
    assert all(one < two for one, two in pairwise(offsets))
    assert len(offsets) > 10
    assert len(clocks.logs[2].sections) == 1


def test_lines_that_contradict_each_other_have_an_order_all_the_same() -> None:
    cluster = Cluster(random.Random(2), (0, 0, 0)).run(checkpoints=2)
    lines = [line for _, line in sorted(cluster.lines, key=_by_file)]
    turned = [line for line in lines if line.event.log == 0]
    turned = [*reversed(turned), *(line for line in lines if line.event.log)]
    order = HappenedBefore(turned)
    assert sorted(order.in_order(lambda each: (each,))) == [*range(len(lines))]


# --- all of them ----------------------------------------------------------------------------------


def test_the_sample_is_spread_over_files(logs: Logs) -> None:
    every = [*copies(RUN, logs)]
    kinds = Counter(each.kind for each in every)
    assert len(chosen(RUN, every, None)) == len(every)
    assert Counter(each.kind for each in chosen(RUN, every, 1)) == dict.fromkeys(kinds, 1)


@pytest.mark.slow
@needs_archives
def test_no_copy_has_a_false_finding_and_the_page_has_the_table() -> None:
    paths = [Path(each) for each in archives() if runs_of_several(Path(each))]
    rows = [*counted(paths, "", None)]
    assert not any(row.wrong for told in rows for row in told.values())
    assert table(rows, accepts=False) in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
def test_no_copy_of_a_split_run_has_a_false_finding() -> None:
    """Runs of one file with stops, failures, savepoints and restarts, each subtask as a process."""
    rows = [*counted([SAMPLES], "", 1, split=True)]
    assert len(rows) == len(split_runs(SAMPLES))
    assert not any(row.wrong for told in rows for row in told.values())


@pytest.mark.slow
@needs_archives
def test_no_copy_is_rejected() -> None:
    paths = [Path(each) for each in archives() if runs_of_several(Path(each))]
    rows = [*counted(paths, "--accept", 1)]
    assert not any(row.rejected for told in rows for row in told.values())
