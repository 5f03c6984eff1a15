"""Completion: the scripts are of their shells, and they complete what they should."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from finale.model.properties.registry import PROPERTIES
from finale.model.protocols.registry import PROTOCOLS
from tests.cli.running import run

MAIN = "import sys; from finale.cli.main import main; sys.exit(main())"


def names(line: str) -> list[str]:
    """What the shell is told at TAB, for words of a line without `finale`."""
    ran = run(f"__complete {line}")
    assert (ran.exit, ran.stderr) == (0, "")
    names = ran.stdout.partition("begin\n")[2]  # a program may print before that line
    return [each.partition("\t")[0] for each in names.splitlines()]


@pytest.mark.parametrize(
    "command", ["check x --property", "trace x --property", "which x --property"]
)
def test_each_property_is_offered_with_its_sentence(command: str) -> None:
    offered = names(f'{command} ""')
    assert offered[:2] == ["well-formed", "no-deadlock"]
    assert offered[2:] == [family.name for family in PROPERTIES]
    told = run(f'__complete {command} x --property ""').stdout
    assert "well-formed\tasked of every spec\n" in told


def test_protocols_variants_rules_and_releases_are_offered() -> None:
    protocols = [entry.key for entry in PROTOCOLS]
    for command in ("list rules", "new x", "prove --all-jobs"):
        assert names(f'{command} --of ""') == protocols
    assert "waits-for-lost-ack" in names('list rules --variant ""')
    of_one = names('list rules --of two-phase-commit --variant ""')
    assert of_one == list(next(e.variants for e in PROTOCOLS if e.key == "two-phase-commit"))
    assert names('new x --of yardstick --rule ""')[:3] == ["emit", "end", "snapshot"]
    assert "apply_acknowledgement" in names('new x --rule ""')
    assert names('check x --release ""')[:2] == ["all", "V0"]


def test_a_misspelt_protocol_offers_nothing_and_no_code_of_the_user_runs(tmp_path: Path) -> None:
    assert names('new x --of nonsense --rule ""') == []
    (tmp_path / "mine.py").write_text("raise SystemExit('ran')\n", encoding="utf-8")
    assert len(names(f'check x --protocols {tmp_path} --property ""')) > 100


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the command and with the script of each shell."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "finale"
    command.write_text(f"#!{sys.executable}\n{MAIN}\n", encoding="utf-8")
    command.chmod(0o755)
    for shell in ("bash", "zsh", "fish"):
        ran = run(f"completion {shell}")
        assert (ran.exit, ran.stderr) == (0, "")
        (folder / f"finale.{shell}").write_text(ran.stdout, encoding="utf-8")
    return folder


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_of_its_shell(shell: str, bin_folder: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    told = subprocess.run(
        [shell, "-n", str(bin_folder / f"finale.{shell}")], capture_output=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, b"")


def in_bash(folder: Path, *words: str) -> list[str]:
    """What bash offers for a line; its last word is being typed."""
    array = " ".join(f"'{word}'" for word in ("finale", *words))
    script = (
        f'PATH="{folder}:$PATH"; source "{folder}/finale.bash"; COMP_WORDS=({array}); '
        f"COMP_CWORD={len(words)}; cd '{folder}'; _finale; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    told = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return told.stdout.split()


def test_bash_completes_a_line(bin_folder: Path) -> None:
    (bin_folder / "my.toml").touch()
    assert in_bash(bin_folder, "si") == ["simulate"]
    assert "--interactive" in in_bash(bin_folder, "simulate", "--in")
    assert in_bash(bin_folder, "check", "my") == ["my.toml"]
    assert in_bash(bin_folder, "check", "my.toml", "--backend", "b") == ["bmc"]
    assert in_bash(bin_folder, "check", "my.toml", "--property", "commit-at") == [
        "commit-at-most-once"
    ]


def test_fish_completes_a_line(bin_folder: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("no fish here")
    line = f'set PATH {bin_folder} $PATH; source {bin_folder}/finale.fish; complete -C "finale sim"'
    told = subprocess.run(["fish", "-c", line], capture_output=True, text=True, check=False)
    assert told.stdout.startswith("simulate\t"), told
