"""A run by hand: what the user types, and what the conversation says."""

from __future__ import annotations

import io
import itertools
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from finale.checker.simulation.sampling import SampledRun, sampled
from finale.model.given import json_of
from tests.cli.running import HERE, ROOT, Ran, normalised, run

PAGE = ROOT / "docs" / "how-to" / "simulate.md"
COMMAND = "simulate ping.toml --protocols protocols --interactive"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "inputs", tmp_path, dirs_exist_ok=True)
    return tmp_path


def talk(folder: Path, *lines: str, command: str = COMMAND) -> Ran:
    """What is said if a user types some lines."""
    with mock.patch("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines))):
        return run(command, folder)


def test_the_page_shows_a_whole_conversation(folder: Path) -> None:
    said = normalised(talk(folder, "1", "2", "1", "p", "q").stdout, folder)
    text = PAGE.read_text(encoding="utf-8")
    session = r"(?<=<!-- session -->\n```text\n)(.*?)(?=```)"
    before, found, after = re.split(session, text, flags=re.DOTALL)
    if os.environ.get("RECORD_TRANSCRIPTS"):
        PAGE.write_text(before + said + after, encoding="utf-8")
    else:
        assert found == said


def test_a_violation_is_told_at_once(folder: Path) -> None:
    said = talk(folder, "1", "2", "1", "b", "q").stdout
    assert said.count("✗ never-done is violated: Nobody is ever done.") == 1
    assert said.count("the run ends here: the protocol ended") == 1
    assert said.count("\nstep 3\n") == 2


STRANGE = ["0", "7", "x", "1 2", "b b", "w", "9" * 5000, "①", "-1", "\x1b[2J"]


@pytest.mark.parametrize("line", STRANGE)
def test_what_is_no_choice_changes_nothing(line: str, folder: Path) -> None:
    said = talk(folder, line, "q")
    assert said.exit == 0
    assert "none of the choices" in said.stdout
    assert said.stdout.count("\nstep 1\n") == 1
    assert "\x1b" not in said.stdout


def test_going_back_from_the_start_and_random_steps(folder: Path) -> None:
    assert "this is the initial state" in talk(folder, "b", "q").stdout
    first, again = (talk(folder, *"rrrr", "t", "q").stdout for _ in range(2))
    assert first == again
    assert "a run of 4 steps" in first or "is violated" in first


def test_the_end_of_the_input_ends_the_conversation(folder: Path) -> None:
    said = talk(folder, "1")
    assert (said.exit, said.stderr) == (0, "")
    assert said.stdout.endswith("> \n")


@pytest.mark.parametrize(
    ("moves", "told"),
    [(["1"], "a run of 1 step\n"), (["1", "2", "1"], "never-done is violated: 3 steps; a shorter")],
)
def test_the_path_is_a_trace_that_other_commands_read(
    moves: list[str], told: str, folder: Path
) -> None:
    said = talk(folder, *moves, "w path.itf.json", "q")
    assert "written to path.itf.json" in said.stdout
    shown = run("trace path.itf.json --protocols protocols", folder)
    assert (shown.exit, shown.stderr) == (0, "")
    assert told in shown.stdout
    as_itf = run("trace path.itf.json --protocols protocols --format itf", folder).stdout
    assert json_of(as_itf) == json_of((folder / "path.itf.json").read_text(encoding="utf-8"))


def test_the_path_is_written_at_the_end_and_an_unwritable_one_is_told(folder: Path) -> None:
    talk(folder, "1", "q", command=f"{COMMAND} --output out/run.itf.json")
    assert (folder / "out" / "run.itf.json").is_file()
    said = talk(folder, "w ping.toml/x", "1", "q")
    assert said.stderr.startswith("error[unwritable]: ")
    assert "\nstep 2\n" in said.stdout


def test_a_trace_of_another_version_is_refused(folder: Path) -> None:
    talk(folder, "1", "2", "w run.itf.json", "q")
    text = (folder / "protocols" / "ping.py").read_text(encoding="utf-8")
    changed = text.replace("self.sent += 1", "self.sent = self.bounds.pings")
    (folder / "changed").mkdir()
    (folder / "changed" / "ping.py").write_text(changed, encoding="utf-8")
    told = run("trace run.itf.json --protocols changed", folder)
    assert told.exit == 2
    assert told.stderr.startswith(
        "error[not-itf]: run.itf.json: this is no run of ping.toml: ask()"
    )


def test_initial_states_are_chosen() -> None:
    command = "simulate specs/history/flink-23475.toml --interactive"
    said = talk(ROOT, "0", "2", "q", command=command).stdout
    assert said.count("initial states: choose one") == 2
    assert "\nstep 1\n" in said


def test_a_trace_that_was_read_takes_no_flags_of_a_search(folder: Path) -> None:
    told = run("trace run.itf.json --property never-done --protocols protocols", folder)
    assert told.stderr.startswith("error[usage]: --property, --backend, --reduce, --variant")


def test_flags_of_random_runs_are_refused(folder: Path) -> None:
    told = talk(folder, command=f"{COMMAND} --runs 3")
    assert told.exit == 2
    assert told.stderr.startswith("error[usage]: --runs, --steps, --max-seconds and --format json")


def test_the_printed_run_is_repeated_by_its_line_and_its_file(folder: Path) -> None:
    found = run("simulate ping.toml --protocols protocols --runs 9 --output r.json", folder)
    assert (found.exit, found.stderr) == (0, "written to r.json\n")  # the spec expects it
    line = found.stdout.rpartition("reproduce: finale ")[2]
    again = run(line, folder.parent)
    story = "never-done is violated: 3 steps; a shorter run may exist"
    assert again.stdout.partition(story)[2] == found.stdout.partition(story)[2] != ""
    stored = run("trace r.json --protocols protocols", folder).stdout
    assert stored.partition(story)[2].strip() in found.stdout


def test_an_unexpected_violation_is_a_failure(folder: Path) -> None:
    text = (folder / "ping.toml").read_text(encoding="utf-8")
    (folder / "ping.toml").write_text(text.replace('"violated"', '"holds"'), encoding="utf-8")
    found = run("simulate ping.toml --protocols protocols --runs 9 --format json", folder)
    assert found.exit == 1
    result = json_of(found.stdout)
    assert result["violated"]["never-done"]["expected"] is False
    assert result["run"]["property"] == "never-done"
    assert result["reproduce"].startswith("finale simulate /")


def test_an_interrupt_keeps_what_was_found(folder: Path) -> None:
    real = sampled

    def interrupted(*given: Any) -> Iterator[SampledRun]:
        yield from itertools.islice(real(*given), 5)
        raise KeyboardInterrupt

    with mock.patch("finale.cli.simulate.sampled", interrupted):
        found = run("simulate ping.toml --protocols protocols", folder)
    assert found.exit == 130
    assert "5 random runs of at most 1 000 steps · seeds 1 to 5" in found.stdout


def test_a_time_limit_is_kept_and_told(folder: Path) -> None:
    line = "simulate ping.toml --protocols protocols --runs 100000000 --max-seconds 0.2"
    found = run(line, folder)
    assert found.exit == 3
    assert re.search(r"stopped after \d[\d ]* runs: the limit of 0.2 seconds", found.stdout)
    assert json_of(run(f"{line} --format json", folder).stdout)["stopped"] == (
        "the limit of 0.2 seconds"
    )
