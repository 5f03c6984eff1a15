"""The pytest plugin, in projects of its own. None of them is this one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from finale.checker.cache.store import cache_folder
from tests.ci.outcomes import SPEC, inputs
from tests.cli.running import ROOT, run

pytest_plugins = ["pytester"]

#: By its module: an installed one would be found by its entry point, and then it is there twice.
PLUGIN = ("-p", "no:finale", "-p", "pytest_finale", "-p", "no:cacheprovider")
HOME = cache_folder() or Path()
INI = """
[pytest]
finale_specs = specs
finale_protocols = protocols
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with a good spec, a failing one, a job and a test."""
    folder = ROOT / "pytest-finale"
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("FINALE_CACHE", "")
    # pytester has a home of its own, and the loops of the native search take long to compile.
    monkeypatch.setenv("XDG_CACHE_HOME", str(HOME.parent))
    inputs(pytester.path)
    (pytester.path / "lamp.toml").write_text('title = "A job"\n')
    (pytester.path / "specs").mkdir()
    for name, verdict in (("good", "violated"), ("bad", "holds")):
        text = SPEC.format(never_done=verdict, two_pings="violated")
        (pytester.path / "specs" / f"{name}.toml").write_text(text)
    pytester.makepyfile(test_own="def test_own(): pass\n")
    return pytester


def test_nothing_is_collected_or_imported_unless_asked_for(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_own="""
        import sys

        def test_own():
            assert "pytest_finale" in sys.modules
            assert "finale" not in sys.modules
        """
    )
    ran = project.runpytest_subprocess(*PLUGIN, "--strict-markers", "--strict-config")
    ran.assert_outcomes(passed=1)


def test_no_module_of_finale_is_loaded_beside_the_project(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    project.makeconftest(
        """
        import sys

        def pytest_sessionfinish():
            assert "finale" not in sys.modules
        """
    )
    ran = project.runpytest_subprocess(*PLUGIN)
    ran.assert_outcomes(passed=2, failed=1)
    assert ran.ret == 1


def test_the_specs_that_a_project_names_are_items(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    ran = project.runpytest(*PLUGIN, "-v", "--strict-markers")
    ran.assert_outcomes(passed=2, failed=1)
    ran.stdout.fnmatch_lines(
        [
            "specs/bad.toml::check FAILED*",
            "specs/good.toml::check PASSED*",
            "test_own.py::test_own PASSED*",
            "*bad.toml check: A ping is answered*",
            "*bad.toml:8: never-done is violated after 3 steps. The spec expects: holds.",
            "   3  receive*",
            "*A.status * WAITING → DONE",
            "show it again: finale trace /*/specs/bad.toml --property never-done --protocols *",
        ]
    )
    assert "Traceback" not in ran.stdout.str()
    assert ran.ret == 1


def test_a_flag_collects_only_what_is_a_spec(project: pytest.Pytester) -> None:
    (project.path / "other.toml").write_text("a = 1\n")
    (project.path / "broken.toml").write_text("[")
    ran = project.runpytest(*PLUGIN, "--finale", "--finale-protocols", "protocols", "-m", "finale")
    ran.assert_outcomes(passed=2, failed=1, deselected=1)


def test_variants_are_items_where_the_protocol_has_them(project: pytest.Pytester) -> None:
    ini = INI + "finale_variants = forgets keeps-subsumed\n"
    (project.path / "pytest.ini").write_text(ini)
    ran = project.runpytest(*PLUGIN, "-v", "-k", "good", "--finale-variant", "asks-again")
    ran.assert_outcomes(passed=2, failed=1, deselected=4)
    ran.stdout.fnmatch_lines(
        [
            "specs/good.toml::check PASSED*",
            "specs/good.toml::check?forgets? FAILED*",
            "specs/good.toml::check?asks-again? PASSED*",
            "*no-deadlock is violated after *",
            "specs/good.toml * variant forgets",
        ]
    )
    # Where CI is set, pytest's summary repeats the whole failure.
    (again,) = set(re.findall("show it again: finale (.*)", ran.stdout.str()))
    assert "no-deadlock is violated: 3 steps" in run(again, project.path).stdout


def test_a_variant_that_no_protocol_has_is_told(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    ran = project.runpytest(*PLUGIN, "--finale-variant", "forgest")
    ran.assert_outcomes(errors=2)
    ran.stdout.fnmatch_lines(
        ['error?unknown-variant?: no protocol has a variant "forgest"', '*did you mean "forgets"*']
    )


def test_a_slow_spec_waits_to_be_asked_for(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    bad = project.path / "specs" / "bad.toml"
    bad.write_text("slow = true\n" + bad.read_text())
    ran = project.runpytest(*PLUGIN, "-rs", "-k", "bad")
    ran.assert_outcomes(skipped=1, deselected=2)
    ran.stdout.fnmatch_lines(["SKIPPED*slow: add --finale-slow"])
    asked = project.runpytest(*PLUGIN, "-k", "bad", "--finale-slow")
    asked.assert_outcomes(failed=1, deselected=2)
    asked.stdout.fnmatch_lines(["   3  receive*"])


def test_strict_is_asked_for(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    bad = project.path / "specs" / "bad.toml"
    bad.write_text('title = "A ping"\nprotocol = "ping-pong"\n')
    project.runpytest(*PLUGIN).assert_outcomes(passed=3)
    for flags, ini in ((("--finale-strict",), ""), ((), "finale_strict = true\n")):
        (project.path / "pytest.ini").write_text(INI + ini)
        strict = project.runpytest(*PLUGIN, *flags)
        strict.assert_outcomes(passed=2, failed=1)
        strict.stdout.fnmatch_lines(["*The spec expects nothing of it."])


def test_a_limit_is_no_success(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI + "finale_max_states = 3\n")
    ran = project.runpytest(*PLUGIN, "-k", "good")
    ran.assert_outcomes(failed=1, deselected=2)
    ran.stdout.fnmatch_lines(["*The search was stopped: *3 states*"])


@pytest.mark.parametrize(
    ("ini", "told"),
    [
        (
            INI + "finale_max_states = many\n",
            "*finale_max_states = many: write a number above zero*",
        ),
        (INI + "finale_max_seconds = -1\n", "*finale_max_seconds = -1: write a number above zero*"),
        ("[pytest]\nfinale_specs = spces\n", "*finale_specs = spces: there is no such file *"),
    ],
)
def test_a_bad_setting_is_told(project: pytest.Pytester, ini: str, told: str) -> None:
    (project.path / "pytest.ini").write_text(ini)
    ran = project.runpytest(*PLUGIN)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines([told])


def test_what_cannot_be_read_is_told_with_its_code(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    (project.path / "specs" / "bad.toml").write_text("title = 1\n[")
    ran = project.runpytest(*PLUGIN)
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["error?malformed-toml?: *specs/bad.toml:2: *", "  help: *"])


COMMANDS = {
    "old": ("#!/bin/sh\nexec echo '{}'\n", "*old does not answer as this plugin expects*"),
    "silent": ("#!/bin/sh\n", "*silent does not answer as this plugin expects*"),
    "strange": ("#!/bin/sh\nexec echo '[]'\n", "*strange does not answer as this plugin expects*"),
    "old_python": ("#!/nowhere/python\n", "*old_python cannot be run: No such file or directory*"),
    "no_program": ("", "*no_program cannot be run: Exec format error*"),
    "stutters": (
        """#!/bin/sh\necho '{"format": "finale-test-items/1"}'\nread question\nprintf '{"ite'\n""",
        "finale ended with exit code 0 before it answered*",
    ),
    "dies": (
        """#!/bin/sh\nread question <<<''\necho '{"format": "finale-test-items/1"}'\nexit 9\n""",
        "finale ended with exit code 9 before it answered*",
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_does_not_answer_is_told(project: pytest.Pytester, name: str) -> None:
    text, told = COMMANDS[name]
    command = project.path / name
    command.write_text(text.replace("#!/bin/sh", "#!/bin/bash"))
    command.chmod(0o755)
    (project.path / "pytest.ini").write_text(INI + f"finale_command = {name}\n")
    ran = project.runpytest_subprocess(*PLUGIN, "-W", "error")
    ran.assert_outcomes(errors=2)
    ran.stdout.fnmatch_lines([told])
    assert "Unraisable" not in ran.stdout.str() + ran.stderr.str()


READS = {
    "input": "input('who? ')",
    "all": "sys.stdin.read()",
    "child": "subprocess.run(['cat'], check=True)",
}


@pytest.mark.parametrize("name", READS)
def test_code_of_the_project_reads_no_question(project: pytest.Pytester, name: str) -> None:
    (project.path / "pytest.ini").write_text(INI)
    file = project.path / "protocols" / "ping.py"
    reading = f"import subprocess, sys\n{READS[name]}\n"
    file.write_text(file.read_text().replace("\nfrom finale", f"\n{reading}from finale", 1))
    ran = project.runpytest_subprocess(*PLUGIN, timeout=60)
    if name == "input":
        ran.assert_outcomes(errors=2)
        ran.stdout.fnmatch_lines(["error?protocol-raises?: *ping.py:*: EOFError: *"])
    else:
        ran.assert_outcomes(passed=2, failed=1)


def test_the_process_ends_with_its_runner(project: pytest.Pytester) -> None:
    """Also in the middle of work, for which it would need forever."""
    endless = project.path / "endless"
    endless.mkdir()
    (endless / "endless.py").write_text("print('begins')\nwhile True:\n    pass\n")
    process = subprocess.Popen(
        [Path(sys.executable).with_name("finale"), "serve-items", "--protocols", endless],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write('{"collect": "specs/good.toml"}\n')
    process.stdin.flush()
    assert process.stderr.readline() == "begins\n"
    try:
        process.communicate(timeout=60)
        assert process.returncode == 130
    finally:
        process.kill()


def test_an_option_without_effect_is_told(project: pytest.Pytester) -> None:
    """Such as one whose path leads pytest to another folder for its settings."""
    (project.path / "pytest.ini").write_text(INI)
    command = str(Path(sys.executable).with_name("finale"))
    ran = project.runpytest(*PLUGIN, "--finale-command", command)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*--finale-command has no effect: *write --finale-command=*"])
    project.runpytest(*PLUGIN, f"--finale-command={command}").assert_outcomes(passed=2, failed=1)


def test_code_of_the_project_that_prints_disturbs_no_answer(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    file = project.path / "protocols" / "ping.py"
    loud = "import os\nprint('loud')\nos.write(1, b'loud')\n"
    file.write_text(file.read_text().replace("\nfrom finale", f"\n{loud}from finale", 1))
    project.runpytest(*PLUGIN).assert_outcomes(passed=2, failed=1)


def test_a_command_that_is_not_there_is_told(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.path / "pytest.ini").write_text(INI)
    ran = project.runpytest(*PLUGIN, "--finale-command", "nowhere/finale")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*nowhere/finale: there is no command finale here"])
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    ran = project.runpytest(*PLUGIN)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*there is no command finale: install Finale, or name*"])


def test_workers_share_the_specs(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    (project.path / "specs" / "more.toml").write_bytes(
        (project.path / "specs" / "good.toml").read_bytes()
    )
    ran = project.runpytest_subprocess(*PLUGIN, "-n", "2")
    ran.assert_outcomes(passed=3, failed=1)
    ran.stdout.fnmatch_lines(["   3  receive*"])


def test_the_plugin_is_a_distribution_of_its_own() -> None:
    own = tomllib.loads((ROOT / "pytest-finale" / "pyproject.toml").read_text())
    assert own["project"]["entry-points"]["pytest11"] == {"finale": "pytest_finale"}
    # A project that does not run pytest gets no plugin.
    finale = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "pytest11" not in finale["project"].get("entry-points", {})
    assert own["project"]["version"] == finale["project"]["version"]
