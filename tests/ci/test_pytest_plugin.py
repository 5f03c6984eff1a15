"""The pytest plugin, in projects of its own. None of them is this one."""

from __future__ import annotations

import importlib
import importlib.util
import re
import tomllib

import pytest

from checker.ci import pytest_items
from model.errors import FinaleError
from tests.ci.outcomes import SPEC, inputs
from tests.cli.running import ROOT, run

pytest_plugins = ["pytester"]

#: By its module: an installed one would be found by its entry point, and then it is there twice.
PLUGIN = ("-p", "no:finale", "-p", "pytest_finale", "-p", "no:cacheprovider")
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
            loaded = {"model", "checker", "cli", "pipeline", "reference"} & sys.modules.keys()
            assert not loaded
        """
    )
    ran = project.runpytest_subprocess(*PLUGIN, "--strict-markers", "--strict-config")
    ran.assert_outcomes(passed=1)


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
            "   3  receive",
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


def test_a_slow_spec_waits_to_be_asked_for(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def searched(*_: object, **__: object) -> None:
        raise FinaleError("searched", "it was searched", advice="none")

    monkeypatch.setattr(pytest_items, "run", searched)
    (project.path / "pytest.ini").write_text(INI)
    bad = project.path / "specs" / "bad.toml"
    bad.write_text("slow = true\n" + bad.read_text())
    ran = project.runpytest(*PLUGIN, "-rs", "-k", "bad")
    ran.assert_outcomes(skipped=1, deselected=2)
    ran.stdout.fnmatch_lines(["SKIPPED*slow: add --finale-slow"])
    asked = project.runpytest(*PLUGIN, "-k", "bad", "--finale-slow")
    asked.assert_outcomes(failed=1, deselected=2)
    asked.stdout.fnmatch_lines(["error?searched?: it was searched"])


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


def test_a_package_of_the_same_name_is_not_mixed_up(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    (project.path / "model").mkdir()
    (project.path / "model" / "__init__.py").touch()
    ran = project.runpytest(*PLUGIN)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*model has the name of a package of Finale: run `finale check`*"])


def test_workers_share_the_specs(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text(INI)
    (project.path / "specs" / "more.toml").write_bytes(
        (project.path / "specs" / "good.toml").read_bytes()
    )
    ran = project.runpytest_subprocess(*PLUGIN, "-n", "2")
    ran.assert_outcomes(passed=3, failed=1)
    ran.stdout.fnmatch_lines(["   3  receive"])


def test_the_plugin_is_a_distribution_of_its_own() -> None:
    own = tomllib.loads((ROOT / "pytest-finale" / "pyproject.toml").read_text())
    assert own["project"]["entry-points"]["pytest11"] == {"finale": "pytest_finale"}
    # pytest rewrites all that is distributed with a plugin, and rules must run as written.
    finale = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "pytest11" not in finale["project"].get("entry-points", {})
    assert own["project"]["version"] == finale["project"]["version"]


def test_the_plugin_alone_says_what_is_missing(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = importlib.import_module("pytest_finale")
    with monkeypatch.context() as patch:
        patch.setattr(importlib.util, "find_spec", lambda _: None)
        with pytest.raises(pytest.UsageError, match="install Finale in this environment"):
            plugin._refuse_packages_of_the_project(project.path)
    plugin._refuse_packages_of_the_project(ROOT)  # its own packages are no others
