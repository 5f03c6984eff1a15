"""Style as a test: what a linter does not count, over every file that git would know."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("model", "checker", "cli", "reference", "pipeline")
COLUMNS_MAX = 100
IMPORTS = (ast.Import, ast.ImportFrom)
#: The engine, without operators, formats, the driver of Flink, imports and blank lines: an hour to
#: read.
ENGINE_LINES_MAX = 2_770

# Each pattern is written so that it does not match itself.
BANNED = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b")
MACHINE_PATH = re.compile(r"(?<![\w.)/-])/(?:home|root|Users|work|mnt)/")


def files() -> Iterator[Path]:
    """Tracked files, and new ones that are not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in sorted(set(filter(None, listing.split("\0")))):
        if (ROOT / name).is_file():
            yield Path(name)


def complaints(path: Path, text: str) -> Iterator[str]:
    lines = text.splitlines()
    code = path.suffix in {".py", ".toml"} or path.name == "Makefile"
    for number, line in enumerate(lines, 1):
        if found := BANNED.search(line) or MACHINE_PATH.search(line):
            yield f"{path}:{number}: {found.group()!r} must not be here"
        if code and len(line) > COLUMNS_MAX:
            yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS_MAX}"
    if path.suffix == ".py" and ast.get_docstring(ast.parse(text)) is None:
        yield f"{path}: opens without a docstring"


def test_every_file_is_in_style() -> None:
    found: list[str] = []
    folders: set[Path] = set()
    for path in files():
        if path.suffix == ".py" and path.parts[0] in PACKAGES:
            folders.update(path.parents[:-1])
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not a text
        found.extend(complaints(path, text))
    bare = [folder for folder in sorted(folders) if not (ROOT / folder / "__init__.py").is_file()]
    found.extend(f"{folder}: a package without __init__.py" for folder in bare)
    assert not found, "\n" + "\n".join(found)


def test_the_engine_is_read_in_an_hour() -> None:
    engine = ROOT / "reference"
    aside = (engine / "operators", engine / "formats", engine / "flink")
    core = [path for path in engine.rglob("*.py") if not any(map(path.is_relative_to, aside))]
    lines = sum(len(list(lines_to_read(path))) for path in core)
    assert 1_000 < lines < ENGINE_LINES_MAX


def lines_to_read(path: Path) -> Iterator[str]:
    """The lines of a file without imports and blank lines."""
    text = path.read_text(encoding="utf-8")
    imported = [node for node in ast.parse(text).body if isinstance(node, IMPORTS)]
    skipped = {n for node in imported for n in range(node.lineno, (node.end_lineno or 0) + 1)}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and number not in skipped:
            yield line


def imports(root: Path, packages: Iterable[str]) -> "nx.DiGraph[str]":
    """Which module imports which, those that only a type checker imports too."""
    paths = [path for package in packages for path in (root / package).rglob("*.py")]
    modules = {".".join(p.relative_to(root).with_suffix("").parts): p for p in paths}
    graph: nx.DiGraph[str] = nx.DiGraph()
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                graph.add_edges_from((name, each.name) for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = name.split(".")[: -node.level] if node.level else []
                base = ".".join([*above, *([node.module] if node.module else [])])
                for each in node.names:
                    member = f"{base}.{each.name}"
                    graph.add_edge(name, member if member in modules else base)
    packages_too: nx.DiGraph[str] = nx.relabel_nodes(graph, lambda n: n.removesuffix(".__init__"))
    return packages_too


def circles(graph: "nx.DiGraph[str]") -> set[frozenset[str]]:
    found = map(frozenset[str], nx.strongly_connected_components(graph))
    return {each for each in found if len(each) > 1}


def test_there_is_no_circle_of_imports() -> None:
    graph = imports(ROOT / "python", [f"finale/{package}" for package in PACKAGES])
    assert graph.has_edge("finale.cli.check", "finale.checker.spec.catalogue")
    assert circles(graph) == set()


def test_a_circle_of_imports_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    texts = {"__init__": "", "b": "from . import c", "c": "if X:\n    from .d import D", "d": ""}
    texts["d"] = "def f():\n    import a.b"
    for name, text in texts.items():
        (tmp_path / "a" / f"{name}.py").write_text(text)
    assert circles(imports(tmp_path, ["a"])) == {frozenset({"a.b", "a.c", "a.d"})}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = 1\n", "without a docstring"),
        ('"""A."""\n# ' + "TO" + "DO\n", "must not be here"),
        ('"""A."""\nx = "' + "/ho" + 'me/me"\n', "must not be here"),
        ('"""A."""\nx = "' + "a" * COLUMNS_MAX + '"\n', "columns"),
    ],
)
def test_each_complaint_can_be_made(text: str, complaint: str) -> None:
    assert complaint in " ".join(complaints(Path("a.py"), text))


# Tests whose assertions do not stand in them: where -> the reason.
ASSERTS_ELSEWHERE = {
    "test_without_llvm.py::test_it_loads_nothing_that_compiles": "in a process of its own",
}


def asserts(function: ast.FunctionDef) -> bool:
    """Whether something is claimed in a function, or by a helper whose name says so."""
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and claims(node))
        for node in ast.walk(function)
    )


def claims(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    return name in {"raises", "fail"} or name.startswith("assert_")


def silent(path: Path, text: str) -> Iterator[str]:
    """The tests of a file, and the helpers called `assert_…`, that claim nothing."""
    functions = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    for function in functions:
        if function.name.startswith(("test_", "assert_")) and not asserts(function):
            yield f"{path.name}::{function.name}"


def test_every_test_asserts_something() -> None:
    tests = [path for path in files() if path.parts[0] == "tests" and path.suffix == ".py"]
    found = [each for path in tests for each in silent(path, (ROOT / path).read_text())]
    assert found == list(ASSERTS_ELSEWHERE)


def test_a_test_that_claims_nothing_is_found() -> None:
    text = "def test_a():\n    run()\ndef test_b():\n    assert_equal(1, 1)\ndef assert_c(): ...\n"
    assert list(silent(Path("test_x.py"), text)) == ["test_x.py::test_a", "test_x.py::assert_c"]


def test_protocols_properties_and_jobs_use_no_any() -> None:
    """CONTRIBUTING.md says so, and says which tables are written out."""
    found = [
        str(path)
        for path in files()
        if path.suffix == ".py" and path.is_relative_to("model")
        if path.parts[1] in {"protocols", "properties", "topology"}
        if re.search(r"\bAny\b", (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert found == []


def test_contributing_names_tables_that_are_there() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = [ROOT / path for path in files() if path.suffix == ".py" and path.parts[0] in PACKAGES]
    assigned = {
        name for path in code for name in re.findall(r"^(\w+)(?::.*)? = ", path.read_text(), re.M)
    }
    assert set(re.findall("`([A-Z_]{3,})`", page)) <= assigned


def test_each_tier_names_files_that_are_there() -> None:
    named = tomllib.loads((ROOT / "tests" / "tiers.toml").read_text(encoding="utf-8"))
    files = [file for tier in ("test", "agreement") for file in named[tier]["files"]]
    assert len(files) == len(set(files))
    files += named["sampled"]["files"]
    assert [file for file in files if not (ROOT / "tests" / file).exists()] == []


def test_no_former_name_of_a_module_is_imported() -> None:
    """`import model` would load a file of `finale.model` a second time, under another name.

    Programs in strings are run by another Python. In this folder it would find the former names.
    """
    found = []
    of_users = Path("tests/package")  # they test what users' files import
    for path in files():
        if path.suffix == ".py":
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [str(node.module)]
                found += [f"{path}: {name}" for name in names if name.split(".")[0] in PACKAGES]
                if isinstance(node, ast.Constant) and of_users not in path.parents:
                    found += [f"{path}: {each}" for each in former_imports_in(str(node.value))]
    assert not found, "\n".join(found)


def former_imports_in(text: str) -> list[str]:
    """Return the imports of modules by former names in a program that is a string."""
    names = "|".join(PACKAGES)
    former = rf"\bimport (?:[\w.]+, )*(?:{names})\.[\w.]+|\bfrom (?:{names})(?:\.\w+)* import\b"
    return re.findall(former, text)


def test_a_former_name_in_a_program_is_found() -> None:
    first, second = PACKAGES[:2]
    text = f"import sys, {first}.main; from {second}.rules import Thing"
    assert len(former_imports_in(text)) == 2
    assert former_imports_in("import sys, finale.cli; from finale.model import rules") == []
