"""`--set KEY=VALUE`: a spec with other values for one run, in every command that searches it."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.checker.report.places import command
from finale.checker.review.change import read_under
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import settings_of, values_in
from tests.cli.running import HERE, run
from tests.cli.test_reproduce import printed, through_bash

P = "--protocols protocols"
MORE = "--set bounds.pings=3"
JOB = """title = "T"
protocol = "final-checkpoint"

[job]
S = { records = 0 }
K = { from = ["S"] }
"""
VALUE = st.recursive(
    st.booleans() | st.integers(-(10**17), 10**17) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text(st.characters(codec="ascii"), max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "inputs", tmp_path, dirs_exist_ok=True)
    return tmp_path


@given(VALUE)
def test_what_is_printed_is_read_again(value: object) -> None:
    values = (("options.name", value),)
    assert values_in([*settings_of(values)]) == values


def test_a_check_has_the_value_and_expects_nothing(folder: Path) -> None:
    plain = run(f"check ping.toml --format json {P}", folder)
    changed = run(f"check ping.toml {MORE} --format json {P}", folder)
    before, after = (json.loads(each.stdout) for each in (plain, changed))
    assert (before["set"], after["set"]) == ([], ["bounds.pings=3"])
    assert {row["states"] for row in before["results"]} == {11}
    assert {row["states"] for row in after["results"]} == {16}
    rows = {row["property"]: row for row in after["results"]}
    # What the file claims is asked, and neither its verdict nor its length is expected.
    assert (rows["never-done"]["verdict"], rows["never-done"]["expected"]) == ("violated", None)
    assert {name for name, row in rows.items() if row["expected"]} == {"well-formed", "no-deadlock"}
    assert (changed.exit, run(f"check ping.toml {MORE} --strict {P}", folder).exit) == (0, 1)


def test_the_text_says_so_and_its_command_finds_the_trace_again(
    folder: Path, tmp_path: Path
) -> None:
    told = run(f"check ping.toml {MORE} {P}", folder)
    assert "  with bounds.pings = 3: the spec expects nothing of this setting\n" in told.stdout
    assert "1 spec checked · no expectations · " in told.stdout
    line = printed(told, "show it step by step: ")
    assert MORE in line
    trace = through_bash(line, tmp_path)
    assert trace.exit == 0
    assert "ping.toml · protocol ping-pong · bounds.pings = 3" in trace.stdout
    assert printed(trace, "reproduce: ") == line


def test_a_claim_that_the_setting_cannot_ask_has_a_row() -> None:
    told = run("check specs/final-checkpoint/pair.toml --set observe.cut=false")
    (row,) = (line for line in told.stdout.splitlines() if "consistent-cut" in line)
    assert row.split()[:3] == ["·", "consistent-cut", "does-not-apply"]


def test_a_deadlock_that_the_spec_expects_is_not_expected_not_to_be(folder: Path) -> None:
    text = (folder / "ping.toml").read_text()
    expect = '[[expect]]\nproperty = "no-deadlock"\nverdict = "violated"\n'
    (folder / "ping.toml").write_text(f"{text}\n{expect}")
    assert run(f"check ping.toml {P}", folder).exit == 1
    assert run(f"check ping.toml {MORE} {P}", folder).exit == 0


def test_a_trace_keeps_its_setting_in_the_file(folder: Path) -> None:
    run(f"trace ping.toml --property two-pings {MORE} --format itf --output t.json {P}", folder)
    again = run(f"trace t.json {P}", folder)
    assert again.exit == 0
    assert "ping.toml · protocol ping-pong · bounds.pings = 3" in again.stdout
    (folder / "t.json").write_text((folder / "t.json").read_text().replace("pings=3", "pings"))
    assert "error[bad-set]" in run(f"trace t.json {P}", folder).stderr


def test_a_part_of_the_job_and_the_whole_job(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(JOB)
    known = catalogue()
    settings = ["job.S.records=[2, 1]", "job.S.parallelism=2"]
    spec = read_under(tmp_path / "s.toml", known, values=values_in(settings))
    job = spec.setting.job
    assert job is not None
    assert job.vertex("S").records == (2, 1)
    words = shlex.split(command("check", spec))
    assert words[3:] == ["--set", settings[0], "--set", settings[1]]
    other = read_under(tmp_path / "s.toml", known, values=values_in(['job={shape="chain"}']))
    assert other.setting.job is not None
    assert [vertex.name for vertex in other.setting.job.vertices] == ["S", "W", "K"]


def test_a_run_in_the_smallest_setting_is_a_shortest_one(folder: Path) -> None:
    ran = run(f"trace ping.toml --property never-done --minimise {P}", folder)
    assert "never-done is violated: 3 steps, and no run is shorter" in ran.stdout
    again = shlex.split(ran.stdout.splitlines()[-1])
    assert again[:3] == ["reproduce:", "finale", "trace"]
    assert run(shlex.join(again[2:]), folder).stdout == ran.stdout  # no file has this setting


@pytest.mark.parametrize(
    "line",
    [
        "check ping.toml",
        "trace ping.toml --property two-pings",
        "trace ping.toml --property never-done --minimise",
        "check ping.toml --minimise",
        "report ping.toml -o r.html",
        "simulate ping.toml --runs 1",
        "explore ping.toml",
        "show ping.toml",
        "diff ping.toml",
    ],
)
@pytest.mark.parametrize(
    ("setting", "code", "place"),
    [
        ("bounds.pigns=3", "unknown-bound", "(key bounds.pigns)"),
        ("bounds.pings=x", "bad-bound", "(key bounds.pings)"),
        ("options.answer=never", "bad-option", "(key options.answer)"),
        ("bond.pings=3", "unknown-key", "(key bond)"),
        ("job.S.records=3", "job-not-taken", "(key job)"),
        ("pings", "bad-set", ""),
        ("bounds.pings=1,2", "bad-set", ""),
        ("bounds.pings=[", "bad-set", ""),
        ("expect.verdict=holds", "bad-set", ""),
    ],
)
def test_a_wrong_key_or_value(line: str, setting: str, code: str, place: str, folder: Path) -> None:
    ran = run(f"{line} --set {setting} {P}", folder)
    assert ran.exit == 2
    # The value is not in the file, so no line of the file is to blame.
    where = f" ping.toml {place}:" if place else ""
    assert ran.stderr.startswith(f"error[{code}]:{where}"), ran.stderr
    assert not (folder / "r.html").exists()


def test_flags_that_contradict_it(folder: Path) -> None:
    recorded = run(f"check ping.toml {MORE} --record {P}", folder)
    assert "error[variant-counts]" in recorded.stderr
    compared = run(f"check ping.toml {MORE} --release all {P}", folder)
    assert "error[releases-alone]: --set" in compared.stderr


def test_diff_takes_it_as_its_siblings_do(folder: Path) -> None:
    ran = run(f"diff ping.toml --set options.answer=no --observe everything {P}", folder)
    known = run(f"check ping.toml --set options.answer=no {P}", folder)
    assert (ran.exit, ran.stderr) == (known.exit, known.stderr)


def test_diff_takes_a_variant_of_what_the_protocol_is_built_on() -> None:
    spec = "specs/stop-with-savepoint/pair.toml"
    ran = run(f"diff {spec} --variant waits-for-lost-ack --set bounds.failures=1 --format json")
    sides = [json.loads(ran.stdout)[name] for name in ("first", "second")]
    assert [each["protocol"] for each in sides] == ["stop-with-savepoint"] * 2
    assert [each["variant"] for each in sides] == [None, "waits-for-lost-ack"]
    assert [each["values"] for each in sides] == [{}, {"bounds.failures": 1}]
    assert "error[unknown-variant]" in run(f"diff {spec} --variant withdraws").stderr


def test_none_takes_the_variant_of_a_spec_away() -> None:
    spec = "specs/two-phase-commit/broken/withdraws.toml"
    ran = run(f"check {spec} --variant none --strict --format json")
    rows = json.loads(ran.stdout)["results"]
    assert ran.exit == 0
    assert "violated" not in {row["verdict"] for row in rows}
