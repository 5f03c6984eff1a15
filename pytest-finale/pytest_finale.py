"""The pytest plugin of Finale: it collects specs as tests, if a project asks for it.

pytest loads this file in every project of an environment that has the plugin. So the file imports
nothing of Finale, and collects nothing, until a project sets `finale_specs` or somebody gives
`--finale`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from checker.ci.pytest_items import Settings, SpecFile

#: Finale's packages: a project with a package of the same name cannot import both.
PACKAGES = ("model", "checker", "reference", "pipeline", "cli")
_SETTINGS = pytest.StashKey["Settings"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; none of them is on by default."""
    group = parser.getgroup("finale", "Finale: specs as tests")
    group.addoption("--finale", action="store_true", help="Collect each TOML file that is a spec.")
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
    parser.addini("finale_protocols", "Folder with Python files of your protocols.", default="")
    parser.addini("finale_variants", "Variants under which each spec is checked too.", "args", [])
    parser.addini("finale_strict", "As --finale-strict.", "bool", False)
    parser.addini("finale_max_states", "Maximal number of states of a search.", default="")
    parser.addini("finale_max_seconds", "Time limit for each spec.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Check the settings of a project that uses the plugin. Raises UsageError."""
    if _is_on(config):
        config.addinivalue_line("markers", "finale: a spec of Finale")
        _refuse_packages_of_the_project(config.rootpath)
        _refuse_missing_folders(config)
        _number(config, "finale_max_states", int)
        _number(config, "finale_max_seconds", float)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SpecFile | None:
    """Collect a spec."""
    config = parent.config
    if file_path.suffix != ".toml" or not _is_on(config):
        return None
    from checker.ci.pytest_items import SpecFile, is_spec

    named = (config.rootpath / each for each in config.getini("finale_specs"))
    inside = any(file_path.is_relative_to(folder.resolve()) for folder in named)
    if not inside and not (config.getoption("finale") and is_spec(file_path)):
        return None
    file: SpecFile = SpecFile.from_parent(parent, path=file_path, settings=_settings(config))
    return file


def _is_on(config: pytest.Config) -> bool:
    return bool(config.getoption("finale") or config.getini("finale_specs"))


def _settings(config: pytest.Config) -> Settings:
    """What the project and the command line set; read once."""
    if _SETTINGS not in config.stash:
        from checker.ci.pytest_items import Settings

        folder = config.getoption("finale_protocols")
        inside = config.getini("finale_protocols")
        protocols = Path(folder).absolute() if folder else None
        config.stash[_SETTINGS] = Settings(
            protocols or (config.rootpath / inside if inside else None),
            tuple(dict.fromkeys([*config.getini("finale_variants"), *_given(config)])),
            bool(config.getoption("finale_strict") or config.getini("finale_strict")),
            bool(config.getoption("finale_slow")),
            _number(config, "finale_max_states", int),
            _number(config, "finale_max_seconds", float),
        )
    return config.stash[_SETTINGS]


def _given(config: pytest.Config) -> list[str]:
    return list(config.getoption("finale_variant") or [])


def _number(config: pytest.Config, name: str, kind: type[int] | type[float]) -> float | None:
    text = str(config.getini(name))
    if not text:
        return None
    try:
        number = kind(text)
    except ValueError:
        number = kind(0)
    if not number > 0:
        raise pytest.UsageError(f"{name} = {text}: write a number above zero")
    return number


def _refuse_missing_folders(config: pytest.Config) -> None:
    """A misspelt name would check nothing, and nobody would notice. Raises UsageError."""
    for name in config.getini("finale_specs"):
        if not (config.rootpath / name).exists():
            raise pytest.UsageError(f"finale_specs = {name}: there is no such file or folder")


def _refuse_packages_of_the_project(root: Path) -> None:
    """Python has one package of a name: a project must not get Finale's in place of its own.

    Raises UsageError, also if Finale is not installed.
    """
    for name in PACKAGES:
        own = next((f for f in (root / name, root / "src" / name) if any(f.glob("*.py"))), None)
        if own is not None and not _is_finale(own.parent):
            raise pytest.UsageError(
                f"{own.relative_to(root)} has the name of a package of Finale: run `finale check` "
                "in place of the pytest plugin"
            )
    found = importlib.util.find_spec(PACKAGES[0])
    if found is None or found.origin is None or not _is_finale(Path(found.origin).parent.parent):
        raise pytest.UsageError("install Finale in this environment: this is only its plugin")


def _is_finale(folder: Path) -> bool:
    return (folder / "checker" / "ci" / "pytest_items.py").is_file()
