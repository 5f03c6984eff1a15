"""The ending of a file that is written says its format, and contradicts no flag."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.cli.output import format_of
from finale.model.errors import FinaleError
from tests.cli.running import HERE, run

PING = f"{HERE / 'inputs' / 'ping.toml'} --protocols {HERE / 'inputs' / 'protocols'}"
TRACED = f"trace {PING} --property never-done"


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("run.json", "{"),
        ("run.itf.json", "{"),
        ("run.svg", "<svg"),
        ("run.mmd", "sequenceDiagram"),
        ("run.txt", "never-done"),
        ("run", "never-done"),
    ],
)
def test_the_ending_decides_if_no_format_is_given(tmp_path: Path, name: str, begins: str) -> None:
    assert run(f"{TRACED} -o {tmp_path / name}").exit == 0
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert begins in text[:200], text[:200]
    assert ("#meta" in text) == ("itf" in name)


@pytest.mark.parametrize(
    "command",
    [
        f"{TRACED} --format svg -o x.txt",
        f"{TRACED} --format json -o x.svg",
        f"{TRACED} -o x.html",
        f"report {PING} -o x.md",
        f"check {PING} --junit x.html",
        f"check {PING} --sarif x.xml",
        f"simulate {PING} -o x.svg",
        "schema -o x.html",
        "review --set options.finish_race=retrigger --of final-checkpoint -o x.svg",
        "review forgets --format markdown -o x.html",
        "impact 2.2.1 2.3.0 --format text -o x.html",
        "impact 2.2.1 2.3.0 -o x.svg",
    ],
)
def test_another_ending_is_refused_before_the_work(tmp_path: Path, command: str) -> None:
    ran = run(command, tmp_path)
    assert (ran.exit, ran.stderr.partition(":")[0]) == (2, "error[wrong-ending]")
    assert not [*tmp_path.iterdir()]


def test_an_ending_that_is_no_format_says_nothing() -> None:
    assert format_of(Path("x.log"), None, ("html", "markdown")) == "html"
    assert format_of(Path("x.log"), "markdown", ("html", "markdown")) == "markdown"
    assert format_of(Path("x.MD"), None, ("html", "markdown")) == "markdown"
    assert format_of(None, None, ("text", "json")) == "text"
    with pytest.raises(FinaleError, match=r"html is written, and a file that ends in \.md"):
        format_of(Path("x.md"), "html", ("html", "markdown"))
