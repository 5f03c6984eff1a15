"""What `finale check` hands to CI servers: files that are whole or not there, commands, codes."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import pytest
from junitparser import JUnitXml
from sarif_kit.validate import validation_errors

from finale.checker.search import many
from tests.ci.outcomes import SPEC, inputs
from tests.cli.running import ROOT, run

P = "--protocols protocols"
GITHUB = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inputs(tmp_path)
    (tmp_path / "failing.toml").write_text(SPEC.format(never_done="holds", two_pings="violated"))
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_files_are_written_beside_the_output(folder: Path) -> None:
    plain = run(f"check failing.toml lamp.toml {P}", folder)
    before = names(folder)
    ran = run(f"check failing.toml lamp.toml {P} --junit out/j.xml --sarif out/s.sarif", folder)
    assert (ran.exit, ran.stderr) == (2, plain.stderr)
    assert names(folder) - before == {"out", "out/j.xml", "out/s.sarif"}
    junit = JUnitXml.fromfile(str(folder / "out/j.xml"))
    assert (junit.tests, junit.failures, junit.errors) == (10, 1, 1)
    document = json.loads((folder / "out/s.sarif").read_text())
    assert validation_errors(document) == []
    assert len(document["runs"][0]["results"]) == 2


def test_several_processes_give_the_same_files(folder: Path) -> None:
    (folder / "other.toml").write_text(SPEC.format(never_done="holds", two_pings="holds"))
    texts = []
    for workers in (1, 2):
        run(
            f"check failing.toml other.toml {P} --junit j.xml --sarif s.sarif --workers {workers}",
            folder,
        )
        texts.append((folder / "s.sarif").read_text())
        junit = JUnitXml.fromfile(str(folder / "j.xml"))
        assert (junit.tests, junit.failures) == (18, 3)
    assert texts[0] == texts[1]


@pytest.mark.parametrize("flag", ["--junit", "--sarif", "--trace-dir"])
@pytest.mark.parametrize("path", ["ping.toml/file", "missing/../locked/file", "folder"])
def test_what_cannot_be_written_is_told_before_the_search(
    folder: Path, flag: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a search began")

    monkeypatch.setattr("finale.cli.checking.run", never)
    monkeypatch.setattr(many, "searched", never)
    (folder / "folder").mkdir()
    (folder / "locked").write_text("a file, not a folder")
    if flag == "--trace-dir" and path == "folder":
        path = "locked"
    before = names(folder)
    ran = run(f"check failing.toml {P} {flag} {path}", folder)
    assert ran.exit == 2
    assert ran.stderr.startswith("error[unwritable]: ")
    assert names(folder) - before <= {"missing"}


def test_a_spec_is_not_overwritten(folder: Path) -> None:
    before = (folder / "failing.toml").read_text()
    for command in (
        "check . --junit failing.toml",
        "check failing.toml --sarif ./protocols/../failing.toml",
        "check failing.toml --junit out --sarif out",
    ):
        ran = run(f"{command} {P}", folder)
        assert (ran.exit, ran.stderr[:20]) == (2, "error[output-clash]:")
    assert (folder / "failing.toml").read_text() == before
    assert not (folder / "out").exists()


def test_an_old_file_stays_until_the_new_one_is_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "j.xml").write_text("before")
    (folder / "j.xml").chmod(0o640)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        ran = run(f"check failing.toml {P} --junit j.xml", folder)
    assert ran.exit == 2
    assert "error[unwritable]: j.xml: the file cannot be written: No space left" in ran.stderr
    assert (folder / "j.xml").read_text() == "before"
    assert not [name for name in names(folder) if name.endswith(".part")]
    assert run(f"check failing.toml {P} --junit j.xml", folder).exit == 1
    assert (folder / "j.xml").read_text().startswith("<?xml")
    assert stat.S_IMODE((folder / "j.xml").stat().st_mode) == 0o640


def test_links_and_devices_stay_what_they_are(folder: Path) -> None:
    (folder / "link.xml").symlink_to("real.xml")
    assert run(f"check failing.toml {P} --junit link.xml --sarif /dev/null", folder).exit == 1
    assert (folder / "link.xml").is_symlink()
    assert (folder / "real.xml").read_text().startswith("<?xml")
    assert Path("/dev/null").is_char_device()


def test_an_interrupted_check_says_so_everywhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("finale.cli.checking.run", interrupt)
    ran = run(f"check failing.toml {P} --junit j.xml --sarif s.sarif --format json", folder)
    assert ran.exit == 130
    document = json.loads(ran.stdout)
    assert (document["interrupted"], document["ok"], document["exit"]) == (True, False, 130)
    assert JUnitXml.fromfile(str(folder / "j.xml")).errors == 1
    run_of = json.loads((folder / "s.sarif").read_text())["runs"][0]
    assert run_of["invocations"][0]["executionSuccessful"] is False


def test_files_are_of_one_check_and_not_of_a_comparison(folder: Path) -> None:
    for flag in ("--junit", "--sarif"):
        ran = run(f"check failing.toml {P} --release all {flag} x", folder)
        assert (ran.exit, ran.stderr[:22]) == (2, "error[releases-alone]:")


# --- GitHub Actions ------------------------------------------------------------------------------


def test_a_runner_gets_annotations_and_a_summary(folder: Path) -> None:
    environment = {**GITHUB, "GITHUB_WORKSPACE": str(folder)}
    run(f"check failing.toml {P}", folder, environment=environment)
    ran = run(f"check failing.toml {P}", folder, environment=environment)
    assert ran.exit == 1
    lines = ran.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    end = lines.index(f"::{token}::")
    assert [line for line in lines[1:end] if line.startswith("::")] == []
    (command,) = lines[end + 1 :]
    assert command.startswith("::error file=failing.toml,line=8,title=Finale%3A never-done::never-")
    assert (folder / "summary.md").read_text().count("## Finale") == 2


def test_json_has_stdout_for_itself(folder: Path) -> None:
    ran = run(f"check failing.toml {P} --format json", folder, environment=GITHUB)
    assert json.loads(ran.stdout)["exit"] == 1
    first, *_, last = ran.stderr.splitlines()
    assert first.startswith("::stop-commands::")
    assert last.startswith("::error file=")


def test_a_summary_that_cannot_be_written_is_told_before_the_search(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("finale.cli.checking.run")
    environment = {**GITHUB, "GITHUB_STEP_SUMMARY": "no/such/folder"}
    ran = run(f"check failing.toml {P}", folder, environment=environment)
    assert (ran.exit, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error[unwritable]: no/such/folder: the summary cannot be ")


def test_without_a_runner_there_are_no_commands(folder: Path) -> None:
    ran = run(f"check failing.toml {P}", folder, environment={**GITHUB, "GITHUB_ACTIONS": "false"})
    assert "::" not in ran.stdout
    assert not (folder / "summary.md").exists()


def test_commands_are_read_again_after_a_defect(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def defect(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("finale.cli.checking.run", defect)
    ran = run(f"check failing.toml {P}", folder, environment=GITHUB)
    assert ran.exit == 70
    first, last = ran.stdout.splitlines()
    assert last == f"::{first.removeprefix('::stop-commands::')}::"


# --- versions ------------------------------------------------------------------------------------


def test_each_json_document_names_its_format() -> None:
    texts = {path.name: path.read_text() for path in (ROOT / "cli").glob("*.py")}
    del texts["output.py"]
    named = {
        name: set(re.findall(r'\bdocument\("([a-z-]+)"', text))
        for name, text in texts.items()
        if re.search(r"\b(say|visible)_json\(", text)
    }
    assert len(named) >= 12
    without = {name for name, found in named.items() if not found}
    # The format is a field of the document, or that of the command that is given.
    assert without == {"checking.py"}
    formats = [each for found in named.values() for each in found]
    assert len(formats) == len(set(formats))
