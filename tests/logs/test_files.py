"""Files as operators have them: names of rotated parts, links, copies, clusters in one folder."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.read.log_files import stem_of
from tests.cli.running import ROOT, Ran, run

from .edits import found, lines_of
from .layouts import plain, records_of

JOB = "bounded-01"
POD = "default_flink-jm-0_3f1b2c9e-7d54-4c11-9b1e-0a2f6d0c9e11/flink-main-container"


def content(name: str = JOB) -> bytes:
    return "".join(f"{each}\n" for each in lines_of(name)).encode()


def parts(count: int) -> list[bytes]:
    lines = content().splitlines(keepends=True)
    size = len(lines) // count + 1
    return [b"".join(lines[at : at + size]) for at in range(0, len(lines), size)]


def judged(folder: Path, what: str = ".") -> tuple[list[Any], Ran]:
    ran = run(f"validate {what} --format json", folder)
    return json.loads(ran.stdout)["results"], ran


def alone(tmp_path: Path) -> Any:
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "flink.log").write_bytes(content())
    (job,), _ = judged(tmp_path, "alone")
    return job


def same(job: Any, other: Any) -> bool:
    return {**job, "logs": ""} == {**other, "logs": ""}


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("0.log", "0.log"),
        ("0.log.20261120-150000", "0.log"),
        ("0.log.20261120-150000.gz", "0.log"),
        ("flink.log-20261120", "flink.log"),
        ("flink.log-20261120.zst", "flink.log"),
        ("flink.log-20261120-1795188402.gz", "flink.log"),
        ("flink.log.2026-11-20", "flink.log"),
        ("flink.log.2026-11-20-15.gz", "flink.log"),
        ("flink.2026-11-20.log", "flink.log"),
        ("flink.2026-11-20.3.log.gz", "flink.log"),
        ("flink-root-jobmanager-0-node.log.12", "flink-root-jobmanager-0-node.log"),
        ("jobmanager.txt", "jobmanager.txt"),
        ("jobmanager.txt.1.zst", "jobmanager.txt"),
        ("4f2a-json.log.2", "4f2a-json.log"),
        ("scenario.json", None),
        ("flink.login", None),
        ("flink-conf.yaml", None),
    ],
)
def test_what_files_of_a_folder_are_parts_of(name: str, stem: str | None) -> None:
    assert stem_of(name) == stem


@pytest.mark.parametrize(
    "names",
    [
        ("0.log.20261120-150000.gz", "0.log.20261120-160000", "0.log"),
        ("flink.log-20261118.zst", "flink.log-20261119", "flink.log"),
        ("flink.2026-11-18.0.log", "flink.2026-11-18.1.log", "flink.2026-11-19.0.log"),
        ("flink.txt.2", "flink.txt.1", "flink.txt"),
    ],
)
def test_a_log_in_parts_is_one_log(names: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name, data in zip(names, parts(3), strict=True):
        (tmp_path / "parts" / name).write_bytes(packed(name, data))
    (job,), ran = judged(tmp_path, "parts")
    assert ran.exit == 0, ran.stderr
    whole = alone(tmp_path)
    assert (job["events"], job["decided"]) == (whole["events"], whole["decided"])


def packed(name: str, data: bytes) -> bytes:
    if name.endswith(".gz"):
        return gzip.compress(data)
    if name.endswith(".zst"):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return bytes(zstd.compress(data))
    return data


def test_files_that_are_not_called_like_logs_are_named(tmp_path: Path) -> None:
    (tmp_path / "flink.log").write_bytes(content())
    (tmp_path / "run.toml").write_text("")
    assert judged(tmp_path)[1].stderr == ""
    for name in ("flink.dat", "flink.dmp"):
        (tmp_path / name).write_bytes(b"")
    _, ran = judged(tmp_path)
    assert ran.stderr == ".: flink.dat and 1 more are not called like a log, and not read\n"


def test_folders_behind_links_are_read_once(tmp_path: Path) -> None:
    whole = alone(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "link").symlink_to("../alone")
    (tmp_path / "logs" / "again").symlink_to("../alone")
    (tmp_path / "logs" / "circle").symlink_to(".")
    (job,), ran = judged(tmp_path, "logs")
    assert (ran.exit, same(job, whole)) == (0, True)


@pytest.mark.parametrize(
    ("kept", "copy"),
    [("flink.log", "flink.log.gz"), ("copy.log", "flink.log"), ("a.log.1", "a.log.1.zst")],
)
def test_one_content_under_two_names_is_read_once(kept: str, copy: str, tmp_path: Path) -> None:
    whole = alone(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / kept).write_bytes(content())
    (tmp_path / "logs" / copy).write_bytes(packed(copy, content()))
    (job,), ran = judged(tmp_path, "logs --accept")
    told = f"logs/{copy}: it has the content of logs/{kept}, and is not read again\n"
    assert ran.stderr == told
    assert (job["events"], job["findings"]) == (whole["events"], [])
    assert job["conforms"]["accepted"]


@pytest.mark.parametrize(
    ("form", "missing"),
    [
        ("flink.log-202611{}", "2026-11-19"),
        ("flink.log.2026-11-{}", "2026-11-19"),
        ("flink.2026-11-{}.log.gz", "2026-11-19"),
        ("flink.log.2026-11-20-{}", "2026-11-20 19:00"),
    ],
)
def test_a_hole_among_dated_parts_is_a_gap(form: str, missing: str, tmp_path: Path) -> None:
    for day, data in zip(("17", "18", "19", "20", "21"), parts(5), strict=True):
        name = form.format(day)
        (tmp_path / name).write_bytes(packed(name, data))
    (job,), ran = judged(tmp_path, ". --accept")
    assert (job["coverage"], ran.stderr) == ("complete", "")
    assert job["conforms"]["accepted"]
    (tmp_path / form.format("19")).unlink()
    (job,), ran = judged(tmp_path, ". --accept")
    assert (job["coverage"], found(job, "violated", "stuck", "overdue")) == ("gap", {})
    assert not job["conforms"]["rejected"]
    assert f"part {missing} of this rotated log is missing" in ran.stderr


def test_clusters_of_one_folder_are_judged_apart(tmp_path: Path) -> None:
    """One is at DEBUG and the other one at INFO: what the one shows says nothing of the other."""
    at_info = [each for each in lines_of("H16-00") if " DEBUG " not in each[:30]]
    other = "".join(f"{each}\n" for each in at_info).encode()
    for name, data in (("a", content()), ("b", other)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flink.log").write_bytes(data)
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / "a.log").write_bytes(content())
    (tmp_path / "both" / "b.log").write_bytes(other)
    jobs = {job["job"]: job for job in judged(tmp_path, "both")[0]}
    for name in ("a", "b"):
        (job,), _ = judged(tmp_path, name)
        now = jobs[job["job"]]
        for key in ("decided", "undecided", "needs", "coverage", "events", "files"):
            assert now[key] == job[key], key
        assert list(found(now)) == list(found(job))


def test_the_pods_of_a_node_are_one_cluster(tmp_path: Path) -> None:
    """kubelet has a folder for each pod, and a file for each start of a container."""
    for number, name in enumerate(("jm", "tm-1", "tm-2")):
        folder = tmp_path / "pods" / POD.replace("jm-0", f"{name}-{number}")
        folder.mkdir(parents=True)
        (folder / "0.log").write_bytes(of_several(f"{name}.log"))
    (job,), ran = judged(tmp_path, "pods")
    assert (ran.exit, job["coverage"], job["needs"]) == (0, "complete", {})


def of_several(name: str) -> bytes:
    import tarfile

    with tarfile.open(ROOT / "tests/logs/samples.tar.xz") as archive:
        file = archive.extractfile(f"multi-cancel-01/{name}")
        assert file is not None
        return file.read()


def test_the_lines_of_several_pods_in_one_stream(tmp_path: Path) -> None:
    """`kubectl logs --prefix` mixes the lines of pods, also within a stack trace."""
    names = ("jm", "tm-1", "tm-2")
    streams = [of_several(f"{each}.log").decode().splitlines() for each in names]
    mixed: list[str] = []
    at = [0, 0, 0]
    while any(at[n] < len(streams[n]) for n in range(3)):
        for n in range(3):
            mixed += (f"[pod/{names[n]}/flink] {each}" for each in streams[n][at[n] : at[n] + 3])
            at[n] += 3
    (tmp_path / "all.log").write_text("".join(f"{each}\n" for each in mixed))
    (tmp_path / "apart").mkdir()
    for name in names:
        (tmp_path / "apart" / f"{name}.log").write_bytes(of_several(f"{name}.log"))
    (job,), ran = judged(tmp_path, "all.log")
    (whole,), _ = judged(tmp_path, "apart")
    for key in ("events", "decided", "undecided", "coverage", "failed", "findings"):
        assert job[key] == whole[key], key
    assert ran.exit == 0


def test_the_standard_input() -> None:
    code = "from finale.cli.main import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "validate", "-", "--format", "json"]
    ran = subprocess.run(
        command, input=content("H16-00"), capture_output=True, cwd=ROOT, check=False
    )
    (job,) = json.loads(ran.stdout)["results"]
    assert (ran.returncode, job["logs"]) == (1, "stdin")
    assert {each["where"] for each in job["findings"]} >= {"stdin:621", "stdin:660"}


def test_times_without_a_date_are_said_to_be_assumed(tmp_path: Path) -> None:
    lines = [each[11:] if each[:1] == "2" else each for each in lines_of(JOB)]
    (tmp_path / "flink.log").write_text("".join(f"{each}\n" for each in lines))
    (job,), _ = judged(tmp_path)
    (remark,) = job["files"]
    assert remark["line"] == 1
    assert "its times have no date: 1970-01-01 is assumed" in remark["says"]


def test_the_zone_of_times_that_tell_none(tmp_path: Path) -> None:
    """The clock of a process is an hour ahead if its zone is not told."""
    for name in ("jm", "tm-1", "tm-2"):
        text = of_several(f"{name}.log").decode()
        if name == "tm-1":
            records = records_of(text.splitlines())
            text = "".join(
                f"{line}\n"
                for each in records
                for line in (f"{plain(each)[:23]}Z{plain(each)[23:]}", *each.more)
            )
        (tmp_path / f"{name}.log").write_text(text)
    (job,), _ = judged(tmp_path)
    says = [each["says"] for each in job["files"]]
    assert all("UTC is assumed, --timezone names another" in each for each in says)
    assert len(says) == 2
    (job,), _ = judged(tmp_path, ". --timezone +01:00")
    assert any("1 h" in each["says"] for each in job["files"])
    assert found(job) == {}
    ran = run("validate . --timezone Mars/Phobos", tmp_path)
    assert (ran.exit, "error[bad-timezone]" in ran.stderr) == (2, True)


OWN = r"""
[[layout]]
name = "ours"
head = '''(?P<time>[\d.]{10} [\d-]{8})\|{level}\|{logger}\|(?P<thread>[^|]*)\|(?P<message>.*)'''
time_format = "%Y.%m.%d %H-%M-%S"

[start]
head = '''\d{4}\.\d\d\.\d\d '''
"""


def test_a_layout_of_ones_own(tmp_path: Path) -> None:
    out = io.StringIO()
    for each in records_of(lines_of("H16-00")):
        head = f"{each.time:%Y.%m.%d %H-%M-%S}|{each.level}|{each.logger}|{each.thread}"
        print(f"{head}|{each.message}", *each.more, sep="\n", file=out)
    (tmp_path / "flink.log").write_text(out.getvalue())
    (tmp_path / "own.toml").write_text(OWN)
    assert judged(tmp_path, "flink.log")[0] == []
    (job,), _ = judged(tmp_path, "flink.log --lines own.toml")
    (tmp_path / "flink.log").write_bytes(content("H16-00"))
    (whole,), _ = judged(tmp_path, "flink.log")
    assert job["findings"] == whole["findings"]
    # Half a first line is seen by [start].
    half = out.getvalue().splitlines(keepends=True)
    half[400] = f"{half[400][:30]}\n"
    (tmp_path / "flink.log").write_text("".join(half))
    (job,), _ = judged(tmp_path, "flink.log --lines own.toml")
    assert job["coverage"] == "gap"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("[[layout]]\nhead = 'x'", 'the head of a [[layout]] has no group "time"'),
        ("[[layout]]\nhaed = 'x'", '"haed" means nothing in [[layout]]'),
        ("[[wrapping]]\nhead = 'x'", 'the head of a [[wrapping]] has no group "rest"'),
        ("[start]\nheads = 'x'", '"heads" means nothing in [start]'),
        ("[json]\nlogger = 'x'", "[json] has lists of time, level"),
        ("[layouts]\nhead = 'x'", '"layouts" means nothing'),
    ],
)
def test_a_layout_that_is_wrong(table: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(table)
    (tmp_path / "flink.log").write_bytes(b"")
    ran = run("validate flink.log --lines own.toml", tmp_path)
    assert (ran.exit, "error[bad-table]" in ran.stderr) == (2, True)
    assert why in ran.stderr
