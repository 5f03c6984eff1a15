"""What all tests share: the tier of each file, how many examples Hypothesis tries, and costs.

`tiers.toml` says which files belong to a slower tier than `quick`, and why. `--tier` chooses:
`quick` while you type, `test` before a commit (with the quick ones), `agreement` beside it in CI,
or `all`. Tests that are marked `slow` are in none of them; `make slow` runs these. Of a file with
many like cases it also says which share of them is left for the night.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import signal
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import pytest
from hypothesis import settings

T = TypeVar("T")
HERE = Path(__file__).parent
#: Which files each tier runs, by the tiers that `tiers.toml` gives them.
RUNS = {
    "quick": {"quick"},
    "test": {"quick", "test"},
    "agreement": {"agreement"},
    "all": {"quick", "test", "agreement"},
}
#: How many examples of a property Hypothesis tries in each profile.
EXAMPLES = {"quick": 20, "ci": 100, "nightly": 2_000}

#: Files that run each of many cases in a process of its own.
FORKING = ("cache/test_ways.py", "constructs/test_constructs.py")

for name, examples in EXAMPLES.items():
    settings.register_profile(name, max_examples=examples, deadline=None)
# What was worked out before must not answer for the code under test.
os.environ["FINALE_CACHE"] = ""
# A shell starts what runs in the background with SIGINT ignored; commands under test need it.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.load_profile(os.environ.get("FINALE_EXAMPLES", "ci"))


@cache
def tables() -> dict[str, Any]:
    return tomllib.loads((HERE / "tiers.toml").read_text(encoding="utf-8"))


@cache
def tiers() -> dict[str, str]:
    """The tier of each file that is not quick."""
    return {file: tier for tier in ("test", "agreement") for file in tables()[tier]["files"]}


def told_of(path: Path, files: Mapping[str, T], otherwise: T) -> T:
    """What a table of files and folders says of a file, or of the nearest folder that it is in."""
    inside = path.relative_to(HERE)
    names = (each.as_posix() for each in (inside, *inside.parents))
    return next((files[name] for name in names if name in files), otherwise)


def tier_of(path: Path) -> str:
    """The tier of a file: its own, or that of a folder that it is in."""
    return told_of(path, tiers(), "quick")


def share_of(path: Path) -> int:
    """One of so many like cases of a file is run in CI."""
    said: dict[str, dict[str, int]] = tables()["sampled"]
    return told_of(path, said["files"], said["tiers"].get(tier_of(path), 1))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of these tests."""
    parser.addoption("--tier", choices=RUNS, default="all", help="which files to run")
    parser.addoption("--costs", type=Path, help="write the processor time of each test there")


def named_files(config: pytest.Config) -> set[Path]:
    """What the command line names: all of it is run, whatever the tables say."""
    return {Path(each.partition("::")[0]).resolve() for each in config.args}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of another tier is not even imported, unless it is named."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if (
        not is_test
        or collection_path in named_files(config)
        or not collection_path.is_relative_to(HERE)
    ):
        return None
    chosen = RUNS[str(config.getoption("--tier"))]
    return None if tier_of(collection_path) in chosen else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave cases for the night, before `-m` chooses; and sort.

    A process that holds little forks in less time: what forks for each case is run first.
    """
    functions = set[tuple[Path, str]]()
    named = named_files(config)
    for item in items:
        function = (item.path, item.nodeid.partition("[")[0])
        if (
            item.path not in named
            and function in functions
            and crc32(item.nodeid.encode()) % share_of(item.path)
        ):
            item.add_marker(pytest.mark.slow)
        functions.add(function)
    items.sort(key=lambda item: not item.path.relative_to(HERE).as_posix().startswith(FORKING))


def shared_by(nodeid: str) -> str:
    """Return what a test shares with others: a spec, a session of Spark, or nothing."""
    spec = re.search(r"\[([^\[\]]+\.toml)\]$", nodeid)
    if spec is not None:
        return spec[1]
    return "spark" if nodeid.startswith("tests/pipeline/") else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Hand tests that share something to one worker, in a row.

    The groups of xdist 3.8 have no effect with pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = shared_by
    return scheduler


#: After how many new objects garbage is collected, between two tests.
OBJECTS_MAX = 2_000_000
COSTS: defaultdict[str, float] = defaultdict(float)


def pytest_collection_finish() -> None:
    """Keep what the test files have loaded out of every later collection of garbage."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Add up what a test's cases take: processor time, with that of ended processes.

    A short test leaves the collection of garbage to the gap after it: most of what tests make lives
    on, and a fifth of their time went into looking at it again.
    """
    before = _seconds()
    if item.get_closest_marker("slow") is None:
        gc.disable()
    result = yield
    gc.enable()
    if gc.get_count()[0] > OBJECTS_MAX:
        gc.collect()
    COSTS[item.nodeid.partition("[")[0]] += _seconds() - before
    return result


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what the tests have cost. Each worker of xdist writes its own part."""
    file: Path | None = session.config.getoption("--costs")
    if file is not None and COSTS:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "")
        part = file.with_name(file.name + worker)
        part.write_text(json.dumps(COSTS, indent=1), encoding="utf-8")


@pytest.fixture(scope="session", autouse=True)
def no_file_is_loaded_under_two_names() -> Iterator[None]:
    """`model.values` beside `finale.model.values` would be two modules with two `Nothing`."""
    yield
    from tests.package.loaded import loaded_twice

    twice = loaded_twice(list(sys.modules.values()), HERE.parent)
    assert not [file for file in twice if not file.is_relative_to(HERE)]
