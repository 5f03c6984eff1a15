"""The pytest plugin of Finale: it collects specs as tests, if a project asks for it.

pytest loads this file in every project of an environment that has the plugin. The file imports
nothing of Finale. It runs the installed command `finale` as a process of its own, and reads the
JSON that `finale serve-items` writes. So no package of Finale meets those of the project.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pytest

#: The form of the answers that this version of the plugin reads.
FORMAT = "finale-test-items/1"
#: The name of the item of a spec as it is written.
PLAIN = "check"
#: The number of processes of pytest-xdist, which share this machine.
WORKERS = "PYTEST_XDIST_WORKER_COUNT"
#: The options that say nothing if no spec is collected.
_OPTIONS = ("--finale-command", "--finale-protocols", "--finale-variant")
#: A process that was asked to end, and has not after so many seconds, is killed.
SECONDS_TO_END = 5.0


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; none of them is on by default."""
    group = parser.getgroup("finale", "Finale: specs as tests")
    group.addoption("--finale", action="store_true", help="Collect each TOML file that is a spec.")
    group.addoption(
        "--finale-command",
        metavar="FILE",
        help="The command finale (default: the one beside this Python, else the one on PATH).",
    )
    group.addoption(
        "--finale-protocols", metavar="DIR", help="Folder with Python files of your protocols."
    )
    group.addoption(
        "--finale-variant",
        metavar="NAME",
        action="append",
        default=[],
        help="Check each spec also under this variant of its protocol; repeatable.",
    )
    group.addoption(
        "--finale-strict",
        action="store_true",
        help="Fail also if a property is violated that the spec expects nothing of.",
    )
    group.addoption("--finale-slow", action="store_true", help="Also check slow specs.")
    parser.addini("finale_specs", "Specs, or folders in which each TOML file is one.", "args", [])
    parser.addini("finale_command", "As --finale-command.", default="")
    parser.addini("finale_protocols", "Folder with Python files of your protocols.", default="")
    parser.addini("finale_variants", "Variants under which each spec is checked too.", "args", [])
    parser.addini("finale_strict", "As --finale-strict.", "bool", False)
    parser.addini("finale_max_states", "Maximal number of states of a search.", default="")
    parser.addini("finale_max_seconds", "Time limit for each spec.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Check the settings of a project that uses the plugin. Raises UsageError."""
    if _is_on(config):
        config.addinivalue_line("markers", "finale: a spec of Finale")
        _refuse_missing_folders(config)
        config.stash[_FINALE] = Finale(_command(config), config.invocation_params.dir)
    elif idle := [name for name in _OPTIONS if config.getoption(name)]:
        raise pytest.UsageError(
            f"{idle[0]} has no effect: finale_specs names no spec, and there is no --finale. If "
            f"your settings name one, write {idle[0]}=…: a path after a space can make pytest look "
            "for the settings elsewhere"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process of Finale."""
    if _FINALE in config.stash:
        config.stash[_FINALE].end()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SpecFile | None:
    """Collect a spec."""
    config = parent.config
    if file_path.suffix != ".toml" or not _is_on(config):
        return None
    named = (config.rootpath / each for each in config.getini("finale_specs"))
    inside = any(file_path.is_relative_to(folder.resolve()) for folder in named)
    if not inside and not (config.getoption("finale") and is_spec(file_path)):
        return None
    file: SpecFile = SpecFile.from_parent(parent, path=file_path)
    return file


# --- items ---------------------------------------------------------------------------------------


class SpecFile(pytest.File):
    """A spec: an item for itself, and one for each variant that its protocol has."""

    def collect(self) -> Iterable[pytest.Item]:
        """The items. Raises CollectError if the spec cannot be read."""
        try:
            answer = self.config.stash[_FINALE].ask(collect=str(self.path))
        except FinaleMistake as mistake:
            raise self.CollectError(str(mistake)) from None
        for each in answer["items"]:
            yield SpecItem.from_parent(
                self, name=each["name"], title=each["title"], slow=each["slow"]
            )


class SpecItem(pytest.Item):
    """One check of a spec."""

    def __init__(self, *, title: str, slow: bool, **given: Any) -> None:
        super().__init__(**given)
        self.title = title
        self.add_marker("finale")
        if slow and not self.config.getoption("finale_slow"):
            self.add_marker(pytest.mark.skip(reason="slow: add --finale-slow"))

    def runtest(self) -> None:
        """Search, and fail if something is not as expected."""
        answer = self.config.stash[_FINALE].ask(check=str(self.path), item=self.name)
        self.user_properties += [(name, answer[name]) for name in ("states", "transitions")]
        if answer["failures"]:
            raise SpecFailure("\n\n".join(answer["failures"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A failure in words: a traceback would say nothing more."""
        if isinstance(excinfo.value, SpecFailure | FinaleMistake):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the item, and its heading."""
        return self.path, 0, f"{self.path.name} {self.name}: {self.title}"


class SpecFailure(Exception):
    """Some verdicts are not as expected."""


# --- the process ---------------------------------------------------------------------------------


class FinaleMistake(Exception):
    """Finale cannot answer; the message says why, and what to do."""


class Finale:
    """The command `finale`, which answers questions about specs. It starts with the first one."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._command, self._folder = command, folder
        self._process: subprocess.Popen[str] | None = None

    def ask(self, **question: str) -> dict[str, Any]:
        """Return the answer to a question. Raises FinaleMistake."""
        process = self._process = self._process or self._started()
        questions, answers = _streams(process)
        with suppress(BrokenPipeError):  # then there is no answer either
            questions.write(json.dumps(question) + "\n")
            questions.flush()
        answer = _read(answers)
        if answer is None:
            self.end()
            raise FinaleMistake(
                f"finale ended with exit code {process.returncode} before it answered; what it "
                "wrote is under stderr. The next spec starts it again."
            )
        if "error" in answer:
            raise FinaleMistake(answer["error"])
        return answer

    def end(self) -> None:
        """End the process: it ends by itself if nothing more is asked."""
        if self._process is not None:
            _end(self._process, SECONDS_TO_END)
        self._process = None

    def _started(self) -> subprocess.Popen[str]:
        why = f"does not answer as this plugin expects ({FORMAT})"
        try:
            process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
        except OSError as error:
            why = f"cannot be run: {error.strerror}"
        else:
            if (_read(_streams(process)[1]) or {}).get("format") == FORMAT:
                return process
            _end(process, 0)
        raise FinaleMistake(
            f"{self._command[0]} {why}: install Finale and pytest-finale from the same checkout"
        )


_FINALE = pytest.StashKey[Finale]()


def _streams(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _read(answers: IO[str]) -> dict[str, Any] | None:
    """Return the next answer of a process; None if it is none."""
    with suppress(ValueError):
        answer = json.loads(answers.readline())
        return answer if isinstance(answer, dict) else None
    return None


def _end(process: subprocess.Popen[str], seconds: float) -> None:
    """End a process, and kill it if it does not end in time."""
    for stream in _streams(process):
        with suppress(BrokenPipeError):
            stream.close()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# --- settings ------------------------------------------------------------------------------------


def is_spec(file: Path) -> bool:
    """Whether a TOML file has what only a spec has."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return all(isinstance(table.get(key), str) for key in ("title", "protocol"))


def _is_on(config: pytest.Config) -> bool:
    return bool(config.getoption("finale") or config.getini("finale_specs"))


def _command(config: pytest.Config) -> list[str]:
    """Return the command line of the process. Raises UsageError."""
    words = [_executable(config), "serve-items"]
    folder, inside = config.getoption("finale_protocols"), config.getini("finale_protocols")
    if folder or inside:
        words += ["--protocols", str(Path(folder).absolute() if folder else _in(config, inside))]
    variants = [*config.getini("finale_variants"), *(config.getoption("finale_variant") or [])]
    for name in dict.fromkeys(variants):
        words += ["--variant", name]
    if config.getoption("finale_strict") or config.getini("finale_strict"):
        words.append("--strict")
    words += _limit(config, "finale_max_states", int)
    words += _limit(config, "finale_max_seconds", float)
    return [*words, "--processes", os.environ.get(WORKERS, "1")]


def _executable(config: pytest.Config) -> str:
    """Return the command `finale`. Raises UsageError if there is none."""
    option, setting = config.getoption("finale_command"), config.getini("finale_command")
    if option or setting:
        chosen = Path(option).absolute() if option else _in(config, setting)
        if not os.access(chosen, os.X_OK) or chosen.is_dir():
            raise pytest.UsageError(f"{chosen}: there is no command finale here")
        return str(chosen)
    found = shutil.which("finale", path=str(Path(sys.executable).parent)) or shutil.which("finale")
    if found is None:
        raise pytest.UsageError(
            "there is no command finale: install Finale, or name its command with finale_command"
        )
    return found


def _in(config: pytest.Config, path: str) -> Path:
    return config.rootpath / path


def _limit(config: pytest.Config, name: str, kind: type[int] | type[float]) -> list[str]:
    text = str(config.getini(name))
    if not text:
        return []
    try:
        number = kind(text)
    except ValueError:
        number = kind(0)
    if not number > 0:
        raise pytest.UsageError(f"{name} = {text}: write a number above zero")
    return [name.replace("finale_", "--").replace("_", "-"), str(number)]


def _refuse_missing_folders(config: pytest.Config) -> None:
    """A misspelt name would check nothing, and nobody would notice. Raises UsageError."""
    for name in config.getini("finale_specs"):
        if not _in(config, name).exists():
            raise pytest.UsageError(f"finale_specs = {name}: there is no such file or folder")
