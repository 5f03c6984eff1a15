"""A sentence about a check names its specs and properties, and says no more than they show."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.running import HERE, run

P = "--protocols protocols"
HEAD = 'title = "One claim"\nprotocol = "ping-pong"\n'
EXPECT = '[[expect]]\nproperty = "{}"\nverdict = "{}"\n'

#: Two variants share a helper: the one takes its first branch, the other one its second.
SHARED = '''"""Variants of a ping-pong that share a helper."""

from finale.rules import Bool, Range, define, field, rule, WEAK, require, within

from .ping import PingPong


class Shared(PingPong):
    """Marks how it goes."""

    mark = field(Range(0, 3), 0)

    @rule(fair=WEAK)
    def set_mark(self) -> None:
        """The mark is set once."""
        require(self.mark == 0)
        if self.is_first():
            self.mark = 1
        else:
            self.mark = 2
        if self.mark == 3:
            self.mark = 0

    def is_first(self) -> bool:
        return False


class First(Shared):
    """The first one."""

    def is_first(self) -> bool:
        return self.sent == 0


class Second(Shared):
    """The second one."""

    def is_first(self) -> bool:
        return self.sent > 5


VARIANTS = {"first": First, "second": Second}
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "inputs", tmp_path, dirs_exist_ok=True)
    return tmp_path


def write(file: Path, *expected: tuple[str, str], variant: str = "") -> None:
    file.parent.mkdir(exist_ok=True, parents=True)
    of_variant = f'variant = "{variant}"\n' if variant else ""
    file.write_text(HEAD + of_variant + "".join(EXPECT.format(*each) for each in expected))


def test_a_trace_of_another_property_says_what_is_not_as_expected(folder: Path) -> None:
    write(folder / "spec.toml", ("no-deadlock", "violated"))
    ran = run(f"trace spec.toml {P}", folder)
    assert ran.exit == 0
    assert "never-done is violated" in ran.stdout
    told = "not as expected: no-deadlock holds, expected: violated; the trace is of never-done\n"
    assert ran.stderr == told
    assert run(f"trace spec.toml {P} --property never-done", folder).stderr == ""
    write(folder / "spec.toml", ("never-done", "violated"))
    assert run(f"trace spec.toml {P}", folder).stderr == ""


def test_without_a_trace_the_error_says_what_is_not_as_expected(folder: Path) -> None:
    text = 'title = "A"\nprotocol = "yardstick"\n[bounds]\nrecords = 1\nchannel = 1\n'
    (folder / "spec.toml").write_text(text + EXPECT.format("no-deadlock", "violated"))
    ran = run("trace spec.toml", folder)
    assert ran.exit == 2
    told = "no property is violated, and no witness is reached; not as expected: no-deadlock holds"
    assert f"error[no-trace]: spec.toml: {told}, expected: violated\n" in ran.stderr


def test_the_summary_names_what_nobody_expected(folder: Path) -> None:
    write(folder / "one.toml")
    write(folder / "two.toml", ("never-done", "violated"))
    ran = run(f"check one.toml two.toml {P}", folder)
    assert ran.exit == 0
    assert ran.stdout.splitlines()[-2:] == [
        "1 property is violated without an expectation: --strict makes this a failure",
        "  one.toml: never-done",
    ]


def test_the_summary_names_what_nobody_expected_of_a_bug_and_its_fix(folder: Path) -> None:
    write(folder / "bugs/a.toml", ("no-deadlock", "violated"), variant="forgets")
    write(folder / "bugs/fixed/a.toml", ("no-deadlock", "holds"))
    ran = run(f"check bugs {P}", folder)
    assert ran.exit == 0
    assert "1 bug found, and its fix holds" in ran.stdout
    assert "  bugs/fixed/a.toml: never-done" in ran.stdout.splitlines()


def remarks(folder: Path, command: str) -> list[str]:
    said = run(f"check {command} {P}", folder).stderr
    return [line.strip() for line in said.splitlines() if "Shared.set_mark" in line]


def test_a_line_that_another_spec_of_the_check_reaches_is_reached(folder: Path) -> None:
    (folder / "protocols" / "shared.py").write_text(SHARED)
    write(folder / "one.toml", variant="first")
    write(folder / "two.toml", variant="second")
    lines = SHARED.splitlines()
    first = lines.index("            self.mark = 1") + 1
    never = lines.index("            self.mark = 0") + 1
    both = f"!  one.toml, two.toml: no run reached line {never} of Shared.set_mark"
    assert [each.partition(" (")[0] for each in remarks(folder, "one.toml two.toml")] == [both]
    (alone,) = remarks(folder, "two.toml")
    assert alone.startswith("!  two.toml: no run reached lines")
    assert f"{first}, {never}" in alone
    (other,) = remarks(folder, "one.toml")
    assert f"one.toml: no run reached line {never} of" in other


def test_a_change_that_changes_nothing_is_told_with_its_spec(folder: Path) -> None:
    text = SHARED.replace("class First(Shared)", "class First(PingPong)").replace(
        "def is_first(self) -> bool:\n        return self.sent == 0",
        "def terminal(self) -> bool:\n        return self.asker.status == Status.DONE",
    )
    text = text.replace("import PingPong", "import PingPong, Status")
    (folder / "protocols" / "shared.py").write_text(text)
    write(folder / "one.toml", variant="first")
    write(folder / "two.toml", variant="second")
    said = run(f"check one.toml two.toml {P}", folder).stderr
    assert "!  one.toml: the change changes nothing" in said
    assert "two.toml: the change changes nothing" not in said
