"""A folder of bugs beside their fixes: one of a pair missing, or a pair that is no pair."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.running import HERE, Ran, run

HEAD = 'title = "A peer forgets its answer"\nprotocol = "ping-pong"\n'
EXPECT = '[[expect]]\nproperty = "no-deadlock"\nverdict = "{}"\n'
BUG = f'{HEAD}variant = "forgets"\n{EXPECT.format("violated")}'
FIX = f"{HEAD}{EXPECT.format('holds')}"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "inputs" / "protocols", tmp_path / "protocols")
    for name in ("one", "two"):
        write(tmp_path / f"history/{name}.toml", BUG)
        write(tmp_path / f"history/fixed/{name}.toml", FIX)
    return tmp_path / "history"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def check(history: Path, given: str = "history") -> Ran:
    return run(f"check {given} --protocols protocols", history.parent)


def mistakes(ran: Ran) -> list[tuple[str, str]]:
    return re.findall(r"^error\[([a-z-]+)\]: ([^:]+):", ran.stderr, re.MULTILINE)


def test_pairs_are_as_expected(history: Path) -> None:
    ran = check(history)
    assert (ran.exit, ran.stderr) == (0, "")
    assert "2 bugs found, and each fix holds" in ran.stdout


@pytest.mark.parametrize(
    ("file", "text", "mistake"),
    [
        ("fixed/one.toml", None, ("bug-without-fix", "history/one.toml")),
        ("one.toml", None, ("fix-without-bug", "history/fixed/one.toml")),
        ("one.toml", FIX, ("bug-not-there", "history/one.toml")),
        ("fixed/one.toml", BUG, ("bug-not-there", "history/fixed/one.toml")),
        ("fixed/one.toml", f"{HEAD}", ("bug-not-there", "history/fixed/one.toml")),
        (
            "fixed/one.toml",
            BUG.replace("violated", "holds"),
            ("bug-not-there", "history/fixed/one.toml"),
        ),
        (
            "one.toml",
            f'{HEAD}{EXPECT.format("violated")}[options]\nanswer = "always"\n',
            ("bug-not-there", "history/fixed/one.toml"),
        ),
    ],
)
def test_a_pair_that_is_none(
    file: str, text: str | None, mistake: tuple[str, str], history: Path
) -> None:
    if text is None:
        (history / file).unlink()
    else:
        write(history / file, text)
    for given in ("history", ".", "history history/"):
        ran = check(history, given)
        assert ran.exit == 2
        assert mistakes(ran) == [mistake]
        assert "all as expected" not in ran.stdout
        assert "✓ two" in ran.stdout, "the rest of the folder is checked"


def test_a_bug_that_is_linked_to_its_fix(history: Path) -> None:
    (history / "one.toml").unlink()
    (history / "one.toml").symlink_to("fixed/one.toml")
    ran = check(history)
    assert (ran.exit, mistakes(ran)) == (2, [("bug-not-there", "history/one.toml")])


def test_a_folder_for_fixes_that_is_empty(history: Path) -> None:
    for fix in (history / "fixed").iterdir():
        fix.unlink()
    ran = check(history)
    assert [code for code, _ in mistakes(ran)] == ["bug-without-fix"] * 2
    (history / "fixed").rmdir()
    assert check(history).exit == 0


def test_a_file_given_by_itself_needs_no_other(history: Path) -> None:
    (history / "fixed/one.toml").unlink()
    (history / "two.toml").unlink()
    assert check(history, "history/one.toml history/fixed/two.toml").exit == 0


def test_a_spec_that_cannot_be_read_is_told_once(history: Path) -> None:
    write(history / "one.toml", FIX.replace("ping-pong", "ping-gong"))
    assert [code for code, _ in mistakes(check(history))] == ["unknown-protocol"]
