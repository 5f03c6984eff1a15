"""What `finale check` and its siblings do beside printing: files, exit codes, interrupts, speed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import finale.checker.search.run as running
from finale.checker.search.bfs import search as readable
from finale.checker.search.bfs.machine import CompiledSuccessors
from finale.checker.search.interpreter import search as concrete
from finale.checker.search.limits import SearchProgress
from finale.checker.search.native.resume import seconds_saved
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.cli.main import EXIT_INTERNAL, EXIT_PIPE_CLOSED, main
from finale.model.language import build
from finale.model.system import State
from tests.cli.running import HERE, ROOT, run

P = "--protocols protocols"
MINIMAL = 'title = "One claim"\nprotocol = "ping-pong"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "inputs", tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_counts_are_recorded_once_two_searches_agree(folder: Path) -> None:
    spec = folder / "spec.toml"
    spec.write_text(MINIMAL)
    assert run(f"check spec.toml --record {P}", folder).exit == 0
    text = spec.read_text()
    assert text.startswith(MINIMAL)
    assert "states      = 11\n" in text
    assert 'counted_by  = "concrete"' in text
    assert run(f"check spec.toml --record {P}", folder).exit == 0
    assert spec.read_text() == text


def test_counts_of_another_opinion_stay(folder: Path) -> None:
    spec = folder / "spec.toml"
    table = '[search]\nstates = 11\ntransitions = 10\ndepth = 6\ncounted_by = "spin"\n'
    spec.write_text(MINIMAL + table)
    assert run(f"check spec.toml --record {P}", folder).exit == 0
    assert spec.read_text() == MINIMAL + table


def test_nothing_is_recorded_where_two_searches_disagree(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = folder / "spec.toml"
    spec.write_text(MINIMAL)
    other = folder / "other.toml"
    other.write_text(MINIMAL + "[bounds]\npings = 1\n")
    explore = concrete.explore

    def wrong(protocol: object, *_: object) -> object:
        from finale.checker.spec.catalogue import catalogue
        from finale.checker.spec.reading import read_spec

        return explore(read_spec(other, catalogue(folder / "protocols")).instance())

    monkeypatch.setattr(concrete, "explore", wrong)
    ran = run(f"check spec.toml --record {P}", folder)
    assert ran.exit == 2
    assert ran.stderr.startswith("error[counts-disagree]: spec.toml: ")
    assert spec.read_text() == MINIMAL


def test_traces_are_written_where_json_says(folder: Path) -> None:
    ran = run(f"check ping.toml --format json --trace-dir traces {P}", folder)
    traces = {row["property"]: row["trace"] for row in json.loads(ran.stdout)["results"]}
    assert traces["never-done"] == "traces/ping/never-done.itf.json"
    assert traces["one-at-a-time"] is None
    itf = json.loads((folder / traces["never-done"]).read_text())
    assert itf["#meta"]["property"] == "never-done"
    assert len(itf["states"]) == 4


def test_a_trace_goes_into_a_file(folder: Path) -> None:
    told = run(f"trace ping.toml {P}", folder)
    ran = run(f"trace ping.toml --output deep/er/trace.txt {P}", folder)
    assert (ran.exit, ran.stdout) == (0, "")
    assert (folder / "deep/er/trace.txt").read_text() == told.stdout


def test_json_is_all_that_is_on_stdout(folder: Path) -> None:
    (folder / "slow.toml").write_text("slow = true\n" + MINIMAL)
    (folder / "wrong.toml").write_text("slow = 1\n" + MINIMAL)
    ran = run(f"check ping.toml slow.toml wrong.toml --format json {P}", folder)
    document = json.loads(ran.stdout)
    assert ran.exit == 2
    assert document["ok"] is False
    assert list(document) == [
        "finale", "format", "variant", "set", "results", "left_out", "minimised", "interrupted",
        "exit", "ok",
    ]  # fmt: skip
    assert document["left_out"] == [{"spec": "slow.toml", "why": "slow"}]
    assert document["results"][0]["error"]["code"] == "bad-value"
    assert "slow.toml skipped" in ran.stderr
    assert "error[bad-value]: wrong.toml:1" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("ping.toml", 0),
        ("failing.toml", 1),
        ("ping.toml --max-states 3", 3),
        ("ping.toml failing.toml --max-states 3", 3),
        ("failing.toml nothing.toml", 2),
    ],
)
def test_the_exit_code_over_several_specs(folder: Path, arguments: str, code: int) -> None:
    expect = '[[expect]]\nproperty = "never-done"\nverdict = "holds"\n'
    (folder / "failing.toml").write_text(MINIMAL + expect)
    assert run(f"check {arguments} {P}", folder).exit == code


def test_a_failure_outranks_a_limit(folder: Path) -> None:
    expect = '[[expect]]\nproperty = "never-done"\nverdict = "holds"\n'
    (folder / "failing.toml").write_text(MINIMAL + expect)
    # Eight states reach the violation, and are not all.
    assert run(f"check failing.toml --max-states 8 {P}", folder).exit == 1


def test_an_interrupt_keeps_what_is_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "second.toml").write_text(MINIMAL)
    (folder / "third.toml").write_text(MINIMAL)
    expand, calls = CompiledSuccessors.expand, iter(range(99))

    def interrupted(self: CompiledSuccessors, state: State, faults: list[int]) -> object:
        if next(calls) == 15:
            raise KeyboardInterrupt
        return expand(self, state, faults)

    monkeypatch.setattr(CompiledSuccessors, "expand", interrupted)
    ran = run(f"check ping.toml second.toml third.toml --workers 1 {P}", folder)
    assert ran.exit == 130
    assert "✓ ping.toml" in ran.stdout
    assert "! second.toml" in ran.stdout
    assert "third.toml" not in ran.stdout
    assert "2 specs checked · 1 as expected · 1 undecided · interrupted" in ran.stdout


@pytest.mark.parametrize(
    ("ends", "flags", "code", "why"),
    [
        (True, "", 130, "interrupted"),
        (False, "--max-seconds 1e-9", 3, "the limit of 1e-09 seconds"),
    ],
)
def test_what_ends_while_a_system_is_built_is_said(
    ends: bool, flags: str, code: int, why: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "second.toml").write_text(MINIMAL)
    built = build.ground_rule

    def ground_rule(*given: Any) -> Any:
        if ends:
            raise KeyboardInterrupt
        return built(*given)

    monkeypatch.setattr(build, "ground_rule", ground_rule)
    ran = run(f"check ping.toml second.toml {flags} {P}", folder)
    assert ran.exit == code
    assert "nothing was searched: it ended while building the system" in ran.stdout
    assert f"stopped: {why} · " in ran.stdout
    assert (" undecided · interrupted · " in ran.stdout) is ends
    assert ("second.toml" in ran.stdout) is not ends


def test_that_a_system_is_built_is_told_when_it_takes_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = read_spec(folder / "ping.toml", catalogue(folder / "protocols"))
    told: list[SearchProgress] = []
    running.run(spec, progress=told.append)
    assert not any(news.before for news in told)
    monkeypatch.setattr(running, "SECONDS_UNTOLD", 0.0)
    running.run(spec, progress=told.append)
    assert told[0].before == running.BUILDING
    assert told[0].states == 0


def test_the_time_of_a_resumed_search_is_told_apart(folder: Path) -> None:
    line = f"check ping.toml --resume saved {P}"
    assert "before it was resumed" not in run(line, folder).stdout
    saved = folder / "saved" / "search.json"
    seconds = json.loads(saved.read_text())["seconds"]
    assert seconds_saved(folder / "saved") == seconds > 0
    assert " of it before it was resumed" in run(line, folder).stdout


def test_an_interrupted_trace_is_not_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(CompiledSuccessors, "expand", interrupted)
    ran = run(f"trace ping.toml {P}", folder)
    assert (ran.exit, ran.stdout, ran.stderr) == (130, "", "interrupted\n")


def test_the_same_spec_is_checked_once(folder: Path) -> None:
    ran = run(f"check ping.toml . ./ping.toml --property two-pings {P}", folder)
    assert ran.stdout.count("✓ ping.toml") == 1


def test_our_own_mistakes_keep_their_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(readable, "check", broken)
    monkeypatch.chdir(folder)
    code = main(["check", "ping.toml", "--protocols", "protocols"])
    assert code == EXIT_INTERNAL
    assert "Traceback" in capsys.readouterr().err


def test_nothing_is_coloured_in_a_pipe(folder: Path) -> None:
    for command in ("check ping.toml", "trace ping.toml", "show ping.toml --lifecycle"):
        assert "\x1b" not in run(f"{command} {P}", folder).stdout


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("command", ["check", "trace", "show", "show --lifecycle"])
def test_lines_fit_the_page(folder: Path, command: str, columns: int) -> None:
    ran = run(f"{command} ping.toml {P}", folder, columns=columns)
    assert widest(ran.stdout) <= columns


def widest(text: str) -> int:
    """The width of the widest line; a command is never broken: it is there to be copied."""
    return max(len(line) for line in text.splitlines() if not line.startswith("reproduce: "))


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize(
    "command",
    [
        "list protocols",
        "list properties",
        "list options",
        "list rules",
        "show specs/final-checkpoint/figure.toml",
        "show specs/final-checkpoint/pair.toml --lifecycle",
        "trace specs/legacy-finish/natural-end-loses-records.toml",
    ],
)
def test_long_tables_fold_on_a_narrow_page(command: str, columns: int) -> None:
    ran = run(command, columns=columns)
    assert widest(ran.stdout) <= columns


def test_a_path_is_never_broken() -> None:
    spec = "specs/final-checkpoint/broken/finish-during-trigger-hangs.toml"
    for command in ("trace", "show"):
        assert spec in run(f"{command} {spec}", columns=40).stdout.splitlines()


def test_commands_are_loaded_when_they_are_called() -> None:
    import subprocess

    program = "import sys, finale.cli.main; print({'rich', 'finale.checker'} & {*sys.modules})"
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == "set()\n"


def test_a_check_of_one_spec_loads_nothing_for_other_outputs() -> None:
    """Loading is a third of what a short check takes."""
    others = {
        "finale.checker.report.check_json",
        "finale.checker.ci.findings",
        "finale.checker.report.matrix",
    }
    others |= {
        "finale.checker.search.many",
        "finale.checker.spec.changed",
        "multiprocessing",
        "subprocess",
    }
    program = (
        "import os, sys\n"
        "os.environ.pop('GITHUB_ACTIONS', None)\n"
        "from finale.cli.main import main\n"
        "main(['check', 'specs/two-phase-commit/three-managers.toml'])\n"
        f"print({{*sys.modules}} & {others})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize("words", ["list rules", "check --help"])
def test_a_reader_that_goes_away_is_no_failure(words: str) -> None:
    code = "import sys; from finale.cli.main import main; sys.exit(main(sys.argv[1:]))"
    line = [sys.executable, "-c", code, *words.split()]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.close()
        told = ran.stderr.read()
    assert (ran.returncode, told) == (EXIT_PIPE_CLOSED, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize("command", ["--help", "list rules", "check specs/two-phase-commit"])
def test_a_full_disk_is_said_once(command: str) -> None:
    code = "import sys; from finale.cli.main import main; sys.exit(main(sys.argv[1:]))"
    line = [sys.executable, "-c", code, *command.split()]
    with Path("/dev/full").open("w", encoding="ascii") as full:
        ran = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith("error[unwritable]: the output cannot be written: No space left")
    assert "Traceback" not in ran.stderr
    assert "ignored" not in ran.stderr


# --- what nobody expected, what is asked ---------------------------------------------------------


def test_what_is_violated_and_not_expected_is_counted_and_strictly_fails(folder: Path) -> None:
    spec = folder / "spec.toml"
    spec.write_text(MINIMAL)
    ran = run(f"check spec.toml {P}", folder)
    assert ran.exit == 0
    assert "1 property is violated without an expectation" in ran.stdout
    strict = run(f"check spec.toml --strict {P}", folder)
    assert strict.exit == 1
    assert "1 not as expected" in strict.stdout
    assert "--strict" not in strict.stdout
    assert "✗  never-done" in strict.stdout
    rows = json.loads(run(f"check spec.toml --strict --format json {P}", folder).stdout)["results"]
    assert [row["property"] for row in rows if not row["ok"]] == ["never-done"]
    spec.write_text(MINIMAL + '[[expect]]\nproperty = "never-done"\nverdict = "violated"\n')
    assert run(f"check spec.toml --strict {P}", folder).exit == 0


def test_all_properties_asks_those_on_request_too() -> None:
    def asked(flags: str) -> set[str]:
        rows = json.loads(run(f"check {spec} --format json {flags}").stdout)["results"]
        return {row["property"] for row in rows}

    spec = "specs/final-checkpoint/pair.toml"
    further = asked("--all-properties") - asked("")
    on_request = {each.name for each in catalogue().properties.values() if each.on_request}
    assert "final-upstream-only" in further
    assert further <= on_request


def test_hashed_storage_tells_before_the_search_what_stays_unknown(folder: Path) -> None:
    told = run(f"check ping.toml --storage hashed {P}", folder).stderr
    assert "hashed storage keeps no graph" in told
    assert "answered, ends" in told
    only = run(f"check ping.toml --storage hashed --property never-done {P}", folder).stderr
    assert not only
