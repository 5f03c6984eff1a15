"""Finale is one package: in a checkout, as a wheel and as a source distribution."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from finale import _face, jobs, properties, protocols, rules
from finale.checker.report.rule import bodies
from finale.checker.report.scaffold import variant_text
from finale.checker.spec.catalogue import catalogue
from finale.cli.explaining import PAGES
from finale.model.errors import FinaleError, Place
from finale.model.language.observing import sound_kind
from finale.model.protocols.registry import PROTOCOLS
from tests.cli.running import ROOT
from tests.package.loaded import loaded_twice

#: The pages that commands read: `finale impact` reads one more than `finale explain`, and
#: `finale mcp` shows the page for agents.
SHIPPED = (*PAGES, "defaults", "how-to/with-an-agent")
PARTS = ("model", "checker", "reference", "pipeline", "cli", "specs", "docs")
#: A proof asks for it, and no variant changes it.
OF_PROOFS = {"layout_guard"}
FACES = (rules, jobs, protocols, properties)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_no_part_is_a_package_of_its_own(part: str, tmp_path: Path) -> None:
    """In the editable install that runs these tests."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {part}"],
        cwd=tmp_path, env=bare(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"No module named '{part}'" in done.stderr


def bare() -> dict[str, str]:
    """The environment without paths of Python's."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def test_a_file_that_is_loaded_under_two_names_is_found() -> None:
    """The fixture in `conftest.py` fails by it."""
    file = ROOT / "model" / "protocols" / "registry.py"
    spec = spec_from_file_location("model.protocols.registry", file)
    assert spec is not None
    again = module_from_spec(spec)
    import finale.model.protocols.registry as ours

    found = loaded_twice([ours, again], ROOT)
    assert found == {file: ["finale.model.protocols.registry", "model.protocols.registry"]}


# --- what users import ---------------------------------------------------------------------------


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_each_public_name_is_there(face: object) -> None:
    names = vars(face)["__all__"]
    assert len(names) == len(set(names)) > 10
    assert all(getattr(face, name) is not None for name in names)
    assert not hasattr(face, "no_such_name")


def test_public_names_are_told_apart() -> None:
    """One name for one thing: a user may import all of them."""
    names = [name for face in FACES for name in vars(face)["__all__"]]
    assert len(names) == len(set(names))


def test_each_protocol_is_public() -> None:
    known = catalogue()
    for entry in PROTOCOLS:
        kind = known.protocol(entry.key)
        assert getattr(protocols, kind.__name__) is kind


@pytest.mark.parametrize("key", [entry.key for entry in PROTOCOLS])
def test_what_finale_writes_imports_public_names_alone(key: str) -> None:
    """A first variant of each rule and helper of each protocol."""
    kind = sound_kind(catalogue().protocol(key))
    named = {name for name in dir(kind) if not name.startswith("__")} - OF_PROOFS
    names = sorted(name for name in named if bodies(kind, name))
    assert len(names) > 5
    for name in names:
        text = variant_text(kind, name)
        assert "finale.model" not in text, name
        compile(text, name, "exec")


def test_a_public_module_loads_no_protocol_that_nobody_asks_for() -> None:
    code = (
        "import sys; from finale.protocols import Yardstick; from finale.jobs import Job; "
        "print([name for name in sys.modules if name.startswith('finale.model.protocols.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['finale.model.protocols.yardstick']\n"


def test_the_stubs_are_the_lists() -> None:
    for module in _face.LISTED:
        assert set(vars(getattr(sys.modules["finale"], module))["__all__"]) == {
            *_face.origins(module)
        }


FORMER = {
    "from model.rules import (\n    WEAK,\n    rule,\n)": "from finale.rules import WEAK, rule",
    "from model.rules import *": "from finale.rules import *",
    "import model.rules as r": "import finale.rules as r",
    "import os, model.values": "import finale.model.values",
    "from model import rules as r, values": (
        "from finale import rules as r; from finale.model import values"
    ),
    "from model.language.renaming import retire": "from finale.rules import retire",
    "from model.topology import Sink, Job": "from finale.jobs import SinkKind as Sink, Job",
    # As a variant could import names that another protocol imports.
    "from model.protocols.final_checkpoint import FinalCheckpoint, Task": (
        "from finale.protocols import FinalCheckpoint; from finale.jobs import Task"
    ),
    "from checker.spec.catalogue import catalogue": (
        "from finale.checker.spec.catalogue import catalogue"
    ),
    "import model.rules; import checker.spec": "import finale.rules; import finale.checker.spec",
    "def f():\n    from model.rules import rule\nf()": "from finale.rules import rule",
    "import model.rules\nfrom model.errors import FinaleError": (
        "import finale.rules; in line 3: from finale.model.errors import FinaleError"
    ),
}


@pytest.mark.parametrize("text", FORMER)
@pytest.mark.parametrize("is_helper", [False, True])
def test_a_former_import_is_told_with_the_new_one(
    text: str, is_helper: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if a checkout is on Python's path, where the folder is found under the former name."""
    monkeypatch.syspath_prepend(ROOT)
    file = tmp_path / "own.py"
    if is_helper:
        file.write_text("from .helpers.more import rule\n")
        file = tmp_path / "helpers" / "more.py"
        file.parent.mkdir()
    file.write_text(f"import json\n{text}\n")
    with pytest.raises(FinaleError) as caught:
        catalogue(tmp_path)
    assert caught.value.code == "former-import"
    assert caught.value.place == Place(str(file), 3 if text.startswith("def") else 2)
    assert caught.value.advice == f"write {FORMER[text]}"
    assert not {"model", "checker"} & {*sys.modules}
    for line in re.split("; (?:in line [0-9]+: )?", FORMER[text]):
        exec(line, {})


OWN_MODULES = {
    "model": "from model.train import NAME",
    "rules": "from model.rules import Rules",
    "either": "try:\n    from model.rules import rule\nexcept ImportError:\n    rule = None",
}


@pytest.mark.parametrize("name", OWN_MODULES)
def test_a_users_own_package_of_a_former_name_is_imported(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "project" / "model"
    own.mkdir(parents=True)
    for file, text in (("__init__", ""), ("train", "NAME = 1\n"), ("rules", "class Rules: ...\n")):
        (own / f"{file}.py").write_text(text)
    protocols = tmp_path / "protocols"
    protocols.mkdir()
    (protocols / "own.py").write_text(f"{OWN_MODULES[name]}\nPROTOCOLS = ()\n")
    monkeypatch.syspath_prepend(own.parent)
    for each in ("model", "model.train", "model.rules"):
        monkeypatch.delitem(sys.modules, each, raising=False)
    assert catalogue(protocols).folder == protocols
    assert Path(str(sys.modules["model"].__file__)) == own / "__init__.py"
    for each in [each for each in sys.modules if each.partition(".")[0] == "model"]:
        monkeypatch.delitem(sys.modules, each)


# --- what is installed ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what Git knows and a package needs, links as links."""
    folder = tmp_path_factory.mktemp("checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        is_page = name in {f"docs/{page}.md" for page in SHIPPED}
        if is_page or name.partition("/")[0] not in ("tests", "docs", "scenarios", "benchmarks"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return folder


def built(checkout: Path, folder: Path, kind: str) -> Path:
    """Build a wheel or a source distribution with the backend, as pip and build do."""
    code = f"from setuptools import build_meta as m; print(m.build_{kind}({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=checkout, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.splitlines()[-1]


def in_wheel(wheel: Path) -> Iterator[str]:
    with zipfile.ZipFile(wheel) as found:
        yield from found.namelist()


def test_a_wheel_and_a_source_distribution_have_one_package(checkout: Path, tmp_path: Path) -> None:
    wheel = built(checkout, tmp_path, "wheel")
    tops = {name.partition("/")[0] for name in in_wheel(wheel)}
    assert tops == {"finale", "finale-0.1.0.dist-info"}
    kept = {name for name in in_wheel(wheel) if name.startswith("finale/")}
    parts = {name.split("/")[1] for name in kept}
    assert set(PARTS) <= parts
    assert "finale/py.typed" in kept
    assert {f"finale/{module}.pyi" for module in _face.LISTED} <= kept
    specs = sum(1 for _ in (ROOT / "specs").rglob("*.toml"))
    assert sum(name.startswith("finale/specs/") for name in kept) == specs
    assert {name for name in kept if name.startswith("finale/docs/")} == {
        f"finale/docs/{page}.md" for page in SHIPPED
    }
    # A wheel that is built from the source distribution has the same files.
    source = built(checkout, tmp_path, "sdist")
    with tarfile.open(source) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
        archive.extractall(tmp_path, filter="data")
    assert "python" in tops
    assert not tops & {"tests", *PARTS}
    (tmp_path / "again").mkdir()
    again = built(tmp_path / source.name.removesuffix(".tar.gz"), tmp_path / "again", "wheel")
    assert {name for name in in_wheel(again) if name.startswith("finale/")} == kept


def test_a_checkout_without_links_is_refused(checkout: Path, tmp_path: Path) -> None:
    """As a zip file or Git on Windows leaves it: a small file in place of each link."""
    folder = tmp_path / "copy"
    shutil.copytree(checkout, folder, symlinks=True)
    link = folder / "python" / "finale" / "model"
    link.unlink()
    link.write_text("../../model")
    made = subprocess.run(
        ["make", "setup"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert made.returncode == 2
    assert "error: python/finale/model: no link to a folder." in made.stderr
    assert "core.symlinks=true" in made.stderr
    assert not (folder / ".venv").exists()
    code = f"from setuptools import build_meta as m; m.build_wheel({str(tmp_path)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "error: python/finale/model: no link to a folder." in done.stderr
    assert not list(tmp_path.glob("*.whl"))


# --- beside a project with packages of the same names --------------------------------------------

OWN = ("model", "checker", "cli", "pipeline", "tests")


def project(folder: Path, source: str) -> None:
    """A project with packages of the names that Finale's folders have, a spec, and tests."""
    for name in OWN:
        package = folder / source / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "train.py").write_text(f"NAME = {name!r}\n")
    (folder / source / "pipeline" / "deploy.py").write_text("raise SystemExit('deployed')\n")
    (folder / "specs").mkdir()
    shutil.copy(ROOT / "specs" / "yardstick" / "one-checkpoint.toml", folder / "specs")
    (folder / "protocols").mkdir()
    shutil.copy(ROOT / "tests" / "cli" / "inputs" / "protocols" / "ping.py", folder / "protocols")
    (folder / "pytest.ini").write_text(
        f"[pytest]\npythonpath = {source}\nfinale_specs = specs\nfinale_protocols = protocols\n"
    )
    lines = [f"from {name}.train import NAME as {name}" for name in OWN]
    lines += ["", "def test_own():"]
    lines += [f"    assert {name} == {name!r}" for name in OWN]
    (folder / "test_project.py").write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("source", [".", "src"], ids=["flat", "src"])
@pytest.mark.parametrize("order", [("finale", "pytest-finale"), ("pytest-finale", "finale")])
def test_a_project_may_have_packages_of_these_names(
    source: str, order: tuple[str, str], tmp_path: Path
) -> None:
    """As wheels, in an environment of its own; each is uninstalled, and the other stays whole."""
    folder = tmp_path / "project"
    folder.mkdir()
    project(folder, source)
    environment = tmp_path / "environment"
    subprocess.run([ROOT / "packaging" / "install.sh", environment], check=True)

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(environment / "bin" / words[0]), *words[1:]]
        return subprocess.run(
            command, cwd=folder, env=bare(), capture_output=True, text=True, check=False
        )

    assert ran("pytest", "-q").stdout.splitlines()[-1].startswith("2 passed")
    checked = ran("finale", "check", "specs", "--protocols", "protocols")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "No module named 'model'" in ran("python", "-P", "-c", "import model").stderr
    first, second = order
    assert ran("python", "-m", "pip", "uninstall", "--yes", first).returncode == 0
    own = ran("pytest", "-q", "test_project.py", "-o", "finale_specs=")
    assert own.stdout.splitlines()[-1].startswith("1 passed"), own
    if first == "finale":
        assert "there is no command finale" in ran("pytest", "-q").stderr
    else:
        assert ran("finale", "check", "specs").returncode == 0
    assert ran("python", "-m", "pip", "uninstall", "--yes", second).returncode == 0
    site = next((environment / "lib").glob("python*")) / "site-packages"
    assert not [*site.glob("*finale*")]
