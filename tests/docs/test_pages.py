"""What pages point to is there, and the page in `examples/` prints what it should."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import finale.cli.commands
from tests.cli.running import run
from tests.docs.pages import ROOT, Command, Written, matches, steps

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
FOLDERS = (
    "benchmarks|checker|cli|docs|examples|model|pipeline|python|reference|scenarios|specs|tests"
)
#: Files and folders of the repository as pages name them; with a `*` or `…` they are not one.
PATH = re.compile(rf"(?<![\w./-])((?:{FOLDERS})/[\w./-]*[\w/])(?![\w*<{{…])")
QUOTED_PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]*)`")
#: A file of Python by its bare name, as the text around it says in which folder.
BARE = re.compile(r"(?<![\w./-])((?:\w+/)*\w+\.py)\b(?!:\d)")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
COMMAND = re.compile(r"^(?: {4})?(?:\$ )?(finale [a-z].*)$", re.MULTILINE)
#: Files that the reader of a page writes, or that a run writes.
OF_THE_READER = {"mine/eager.py", "protocols/hasty.py", "stop/asks_twice.py", "stop/stop.py"}


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@each_page
def test_what_a_page_points_to_is_there(page: Path) -> None:
    text = read(page)
    missing = [name for name, _ in LINK.findall(text) if not (page.parent / name).exists()]
    missing += [name for name in QUOTED_PATH.findall(text) if not is_there(name)]
    assert not missing


def is_there(name: str) -> bool:
    """Whether a file, a folder or, without its ending, a spec has the name."""
    return (ROOT / name).exists() or (ROOT / "specs" / f"{name}.toml").exists()


@each_page
def test_each_anchor_is_a_heading(page: Path) -> None:
    missing = []
    for name, anchor in LINK.findall(read(page)):
        target = page.parent / name if name else page
        if anchor and target.suffix == ".md" and anchor not in anchors(read(target)):
            missing.append(f"{name}#{anchor}")
    assert not missing


def anchors(text: str) -> set[str]:
    """The anchors of a page, made from its headings as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in plain}


@each_page
def test_each_file_that_a_page_names_is_there(page: Path) -> None:
    if "decisions" in page.parts:
        return  # a decision names the files of its day
    assert not missing_files(read(page))


def missing_files(text: str) -> list[str]:
    names = [f"/{file}" for file in python_files()]
    named = set(BARE.findall(text)) - OF_THE_READER
    return sorted(name for name in named if not any(file.endswith(f"/{name}") for file in names))


@cache
def python_files() -> tuple[str, ...]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(name for name in listing.splitlines() if (ROOT / name).is_file())


def test_a_file_that_is_not_there_is_found() -> None:
    assert missing_files("`no_such_file.py` and `bfs/no_such.py`, but `claim.py`") == [
        "bfs/no_such.py",
        "no_such_file.py",
    ]


def test_each_page_is_reached_from_the_start_page() -> None:
    reached, ahead = set[Path](), [ROOT / "docs" / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            links = [(page.parent / name).resolve() for name, _ in LINK.findall(read(page)) if name]
            ahead += [link for link in links if link.suffix == ".md"]
            ahead += [file for link in links if link.is_dir() for file in link.glob("*.md")]
    assert not set(PAGES) - reached


def folders_of_code(*parents: str) -> set[str]:
    """The folders with a file of Python that lie directly in these."""
    names = (name.split("/") for name in python_files())
    return {"/".join(each[:2]) for each in names if each[0] in parents and len(each) > 2}


def test_the_architecture_has_a_row_for_each_folder() -> None:
    table = read(ROOT / "docs" / "architecture.md").partition("\n## Folder by folder\n")[2]
    rows = re.findall(r"^\| `([\w/]+)/` \|", table, re.MULTILINE)
    missing = folders_of_code("model", "checker", "pipeline", "reference") - set(rows)
    assert not missing


def test_contributing_says_what_each_folder_of_tests_checks() -> None:
    cells = re.findall(r"^\| (`tests/.*?) \|", read(ROOT / "CONTRIBUTING.md"), re.MULTILINE)
    rows = [name for cell in cells for name in re.findall("`([^`]+)`", cell)]
    assert sorted(rows) == sorted({*folders_of_code("tests"), "tests/test_house.py"})


def test_one_page_says_how_long_spark_takes_to_start() -> None:
    says = re.compile(r"Spark\s+(?:takes|starts\s+in)\s+\d+\s+to\s+\d+\s+s")
    assert [page.name for page in PAGES if says.search(read(page))] == ["spark.md"]


def test_each_path_that_code_names_is_there() -> None:
    """The files that examples, messages and docstrings point a reader to."""
    missing = []
    for name in python_files():
        text = read(ROOT / name)
        paths = PATH.findall(text) if name.startswith("examples/") else []
        paths += re.findall(r"\bdocs/[\w/-]+\.md\b", text)
        missing += [f"{name}: {path}" for path in paths if not (ROOT / path).exists()]
    assert not missing


@each_page
def test_each_command_of_a_page_can_be_given(page: Path) -> None:
    """Its name, and each of its flags; arguments may stand for others."""
    wrong = []
    for line in COMMAND.findall(blocks(read(page))):
        words = line.partition("#")[0].split()
        command = next((name for name in COMMANDS if words[1:][: len(name)] == name), None)
        if command is None:
            wrong.append(line)
            continue
        flags = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
        wrong += [f"{line}: {flag}" for flag in flags - flags_of(" ".join(command))]
    assert not wrong


def blocks(text: str) -> str:
    """The lines of a page that are set as code."""
    fenced = re.findall(r"^```(?:sh|console.*)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return "".join(fenced) + "\n".join(re.findall(r"^ {4}finale .*$", text, re.MULTILINE))


@cache
def flags_of(command: str) -> set[str]:
    return set(re.findall(r"--[a-z-]+", run(f"{command} --help").stdout))


COMMANDS = [each.name.split() for group in finale.cli.commands.COMMANDS for each in group.commands]


def test_decisions_are_short_and_numbered() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    for number, page in enumerate(pages, 1):
        lines = page.read_text(encoding="utf-8").splitlines()
        assert page.name.startswith(f"{number:04}-")
        assert lines[0].startswith(f"# {number}. ")
        assert len(lines) < 40
        headings = [line for line in lines if line.startswith("## ")]
        assert [heading.split(":")[0] for heading in headings] == [
            "## Context",
            "## Decision",
            "## Consequence",
        ]


def test_the_tiny_checker_finds_what_is_wrong() -> None:
    command = [sys.executable, str(ROOT / "examples" / "tiny_checker.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == TINY
    assert len((ROOT / "examples" / "tiny_checker.py").read_text().splitlines()) < 120


TINY = """\
closes at once: violated, 8 states seen
  1  write     task running, record open, checkpoint none, wire empty
  2  finish    task closed, record open, checkpoint none, wire empty
waits for its final checkpoint: stuck, 24 states seen
  1  finish    task waiting, record unwritten, checkpoint none, wire empty
  2  trigger   task waiting, record unwritten, checkpoint pending, wire trigger
  3  close     task closed, record unwritten, checkpoint pending, wire trigger
  4  miss      task closed, record unwritten, checkpoint pending, wire empty
waits, and a missed trigger aborts: holds, 36 states seen
"""


# --- how pages are read --------------------------------------------------------------------------


def test_a_page_is_taken_apart() -> None:
    page = (
        "A\n\n<!-- file: a/b.txt -->\n```text\nx\n```\n\n"
        "```console exit=2\n$ finale a\n1\n$ finale b\n2\n```\n"
    )
    written, first, second = steps(page)
    assert written == Written("a/b.txt", "x\n")
    assert isinstance(first, Command)
    assert isinstance(second, Command)
    assert (first.line, first.output, first.exit) == ("a", "1\n", 0)
    assert (second.line, second.output, second.exit) == ("b", "2\n", 2)
    assert page[second.start : second.end] == "2\n"


@pytest.mark.parametrize(
    ("shown", "found", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\n", True),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("…\nb.\n", "a\nbb\n", False),
        ("a\n  …\nb\n", "a\n", False),
    ],
)
def test_an_ellipsis_stands_for_lines(shown: str, found: str, same: bool) -> None:
    assert matches(shown, found) is same
