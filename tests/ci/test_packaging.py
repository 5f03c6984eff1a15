"""The action, the image, and the pages about them: valid, without holes, and their steps run."""

from __future__ import annotations

import importlib.resources
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from junitparser import JUnitXml
from ruamel.yaml import YAML

from tests.ci.outcomes import SPEC, inputs
from tests.cli.running import ROOT

HOW_TO = ROOT / "docs" / "how-to" / "run-in-ci.md"
SCHEMAS = {"# .github/workflows/": "github-workflows", "# .gitlab-ci.yml": "gitlab-ci"}


def yaml_in(text: str) -> Any:
    return YAML(typ="safe").load(io.StringIO(text))


def errors(document: Any, schema: str) -> list[str]:
    """What the schema that a CI server publishes has against a document."""
    folder = importlib.resources.files("check_jsonschema.builtin_schemas") / "vendor"
    table = json.loads((folder / f"{schema}.json").read_text(encoding="utf-8"))
    return [error.message for error in Draft7Validator(table).iter_errors(document)]


def action() -> dict[str, Any]:
    table: dict[str, Any] = yaml_in((ROOT / "action.yml").read_text(encoding="utf-8"))
    return table


# --- the action ----------------------------------------------------------------------------------


def test_the_action_is_valid() -> None:
    assert errors(action(), "github-actions") == []
    broken = action()
    del broken["runs"]
    assert errors(broken, "github-actions") != []


def test_each_input_is_used_and_none_is_run() -> None:
    table = action()
    steps = table["runs"]["steps"]
    used = set(re.findall(r"inputs\.([a-z-]+)", json.dumps(steps)))
    assert used == set(table["inputs"])
    runs = [step["run"] for step in steps if "run" in step]
    assert len(runs) == 2
    assert not any("${{" in text for text in runs)
    script = (ROOT / "packaging" / "check.sh").read_text(encoding="utf-8")
    (check,) = [step for step in steps if step.get("id") == "check"]
    assert set(re.findall(r"INPUT_[A-Z_]+", script)) == set(check["env"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inputs(tmp_path)
    (tmp_path / "my specs").mkdir()
    text = SPEC.format(never_done="violated", two_pings="violated")
    (tmp_path / "my specs" / "good.toml").write_text(text)
    return tmp_path


def checked(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """The step `check` of the action, as a runner executes it."""
    (step,) = [step for step in action()["runs"]["steps"] if step.get("id") == "check"]
    values = {name: each["default"] for name, each in action()["inputs"].items()} | given
    environment = {
        key: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: values[m[1]], text)
        for key, text in step["env"].items()
    }
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=folder,
        env={**runner(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def runner(folder: Path) -> Mapping[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "FINALE_CACHE": "",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_WORKSPACE": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }


def test_the_step_passes_its_inputs_on(folder: Path) -> None:
    ran = checked(folder, specs="my specs\n", protocols="protocols")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (folder / "output").read_text() == "exit-code=0\n"
    assert JUnitXml.fromfile(str(folder / "finale.xml")).tests == 9
    assert (folder / "finale.sarif").is_file()
    assert (folder / "summary.md").read_text().startswith("## Finale")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"arguments": "--max-states=3", "undecided": "fail"}, 3),
        ({"arguments": "--max-states=3", "undecided": "warn"}, 0),
        ({"arguments": "; touch hole\n$(touch hole)"}, 2),
    ],
)
def test_the_step_ends_as_the_inputs_say(folder: Path, given: dict[str, str], code: int) -> None:
    ran = checked(folder, specs="my specs/good.toml", protocols="protocols", **given)
    assert ran.returncode == code
    assert not (folder / "hole").exists()
    assert ("title=Finale::A limit" in ran.stdout) is (given.get("undecided") == "warn")


# --- the page ------------------------------------------------------------------------------------


def test_the_files_on_the_page_are_valid() -> None:
    page = HOW_TO.read_text(encoding="utf-8")
    texts = [text for language, text in fenced(page) if language == "yaml"]
    for start, schema in SCHEMAS.items():
        own = [text for text in texts if text.startswith(start)]
        assert own, f"no file for {schema}"
        for text in own:
            assert errors(yaml_in(text), schema) == []
    own = [text for text in texts if text.startswith("# .github/workflows/")]
    steps = [s for t in own for job in yaml_in(t)["jobs"].values() for s in job["steps"]]
    given = {name for step in steps if "finale@" in step.get("uses", "") for name in step["with"]}
    assert given <= set(action()["inputs"])
    assert given


def fenced(page: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"^```(\w*)[^\n]*\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        yield match[1], match[2]


# --- the image -----------------------------------------------------------------------------------


def instructions() -> Iterator[tuple[str, str]]:
    """The instructions of the Dockerfile, with their arguments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    for line in filter(None, text.splitlines()):
        name, _, rest = line.partition(" ")
        yield name, " ".join(rest.split())


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for name, rest in instructions():
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


def test_the_image_gets_what_the_installation_copies() -> None:
    allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    script = (ROOT / "packaging" / "install.sh").read_text()
    (copied,) = re.findall(r"^for each in (.+); do$", script, re.MULTILINE)
    links = [path.name for path in (ROOT / "python" / "finale").iterdir() if path.is_symlink()]
    assert set(allowed) | {"$parts"} == {*copied.split(), *links, "constraints.txt"}
    assert all((ROOT / each).exists() for each in allowed)


def test_the_steps_of_the_image_are_shell() -> None:
    build, final = stages()
    assert ("COPY", ". /checkout") in build
    assert ("COPY", "--from=build /opt/finale /opt/finale") in final
    assert ("ENTRYPOINT", '["finale"]') in final
    runs = [rest for stage in (build, final) for name, rest in stage if name == "RUN"]
    assert len(runs) == 4
    for text in runs:
        subprocess.run(["sh", "-n", "-c", text], check=True)


class Image:
    """The image, built in a folder of this machine: its own folders are moved there.

    `project` is what a user mounts. The packages of the operating system are those of this machine.
    """

    def __init__(self, folder: Path, project: Path) -> None:
        self.folder = folder
        self.finale = folder / "opt" / "finale"
        self.cache = folder / "cache"
        self._moves = {
            "/checkout": folder / "checkout",
            "/opt/finale": self.finale,
            "/cache": self.cache,
            "/project": project,
        }
        self._copy()
        (build,), (system, *others) = (
            [rest for name, rest in stage if name == "RUN"] for stage in stages()
        )
        assert system.startswith("apt-get ")
        before = set((folder / "checkout").rglob("*"))
        for text in (build, *others):
            self._run(text)
        assert set((folder / "checkout").rglob("*")) == before

    def _copy(self) -> None:
        """Do what `COPY . /checkout` does."""
        allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
        for each in allowed:
            source, target = ROOT / each, self.folder / "checkout" / each
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
                shutil.copytree(source, target, symlinks=True, ignore=ignored)
            else:
                shutil.copy(source, target)

    def _run(self, text: str) -> None:
        env = {**os.environ, "PYTHON": sys.executable, **self._git}
        subprocess.run(["sh", "-e", "-c", self._moved(text)], check=True, env=env)

    def _moved(self, text: str) -> str:
        for inside, here in self._moves.items():
            text = re.sub(rf"(?<![\w/]){inside}\b", str(here), text)
        return text

    @property
    def _git(self) -> dict[str, str]:
        """Where git has the settings of the system."""
        return {"GIT_CONFIG_SYSTEM": str(self.folder / "gitconfig")}

    def environment(self) -> dict[str, str]:
        """The variables of a container."""
        (line,) = [rest for name, rest in stages()[1] if name == "ENV"]
        given = dict(word.split("=", 1) for word in shlex.split(self._moved(line)))
        given["PATH"] = given["PATH"].replace("${PATH}", "/usr/bin:/bin")
        return {**given, **self._git}

    def entrypoint(self) -> list[str]:
        """The command that the words of `docker run` are added to."""
        (line,) = [rest for name, rest in stages()[1] if name == "ENTRYPOINT"]
        words: list[str] = json.loads(line)
        return words


@pytest.mark.slow
def test_the_image_checks_and_its_plugin_collects(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In a virtual environment of its own: nothing of this checkout is on its path."""
    image = Image(tmp_path_factory.mktemp("image"), folder)
    assert image.cache.stat().st_mode & 0o7777 == 0o1777
    environment = {**image.environment(), "HOME": str(folder)}

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    where = ran("python", "-c", "import finale; print(finale.__file__)").stdout
    assert Path(where).is_relative_to(image.finale)
    count = (
        "from finale.checker.review.cases import OWN_SPECS as found; "
        "print(sum(1 for _ in found.rglob('*.toml')))"
    )
    specs = sum(1 for _ in (ROOT / "specs").rglob("*.toml"))
    assert ran("python", "-c", count).stdout == f"{specs}\n"
    line = ("check", "my specs", "--protocols", "protocols")
    done = ran(*image.entrypoint(), *line, "--junit", "out.xml")
    assert (done.returncode, done.stderr) == (0, "")
    assert JUnitXml.fromfile(str(folder / "out.xml")).tests == 9
    assert [each.name for each in image.cache.rglob("*.sqlite")] == ["finale.sqlite"]
    for words in (["init"], ["add", "."], ["commit", "--message=all"]):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        assert ran("git", *who, *words).returncode == 0
    if os.geteuid() == 0:  # the repository that is mounted belongs to somebody else
        for each in (folder, *folder.rglob("*")):
            os.chown(each, 12345, 12345, follow_symlinks=False)
    done = ran(*image.entrypoint(), *line, "--changed-since", "HEAD")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "test_own.py").write_text("def test_own(): pass\n")
    off = ran("pytest", "-q", "test_own.py", ".")
    assert off.stdout.splitlines()[-1].startswith("1 passed")
    bad = SPEC.format(never_done="holds", two_pings="violated")
    (folder / "my specs" / "bad.toml").write_text(bad)
    flags = ("--finale", "--finale-protocols", "protocols")
    for parallel in ((), ("-n", "2")):
        on = ran("pytest", "-q", *flags, *parallel, "my specs", "test_own.py")
        assert on.stdout.splitlines()[-1].startswith("1 failed, 2 passed")
        assert "\n   3  receive  " in on.stdout
