"""After an edit of a user's folder the warm answer is the cold one, however a number is reached."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cache.ways import WAYS
from tests.cache.ways.form import Way, way
from tests.cache.ways.tried import tried

BY_NAME: Mapping[str, Way] = {each.name: each for each in WAYS}
#: Ways by which answers were once stale, and some more.
KNOWN = (
    "a named tuple's property",
    "an attribute of a list's subclass",
    "a method of a dict's subclass",
    "an attribute of a member",
    "an attribute of a function by name",
    "__getattr__ of a sibling",
    "a metaclass's __getattr__",
    "annotations of a class",
    "a long pattern",
    "a name in builtins",
    "an attribute of Entity",
    "a name of finale.model.rules",
    "a constant in math",
    "a link to a file",
    "two variants made by one function",
    "a file at import",
    "a helper in a subclass",
    "an attribute of Finale's class",
)
CHOSEN = random.Random(41)
SOME = tuple(dict.fromkeys([*KNOWN, *CHOSEN.sample(sorted(BY_NAME), 6)]))
BY_PROCESS = CHOSEN.sample(sorted(BY_NAME), 20)


def assert_followed(name: str, folder: Path, **how: bool) -> None:
    found = tried(BY_NAME[name], folder, **how)
    assert found.is_seen, found.cold
    assert found.warm == found.cold


def test_there_are_many_ways() -> None:
    assert len(BY_NAME) == len(WAYS) >= 300


@pytest.mark.parametrize("name", SOME)
def test_an_edit_is_seen(name: str, tmp_path: Path) -> None:
    assert_followed(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - set(SOME)))
def test_each_edit_is_seen(name: str, tmp_path: Path) -> None:
    assert_followed(name, tmp_path)


@pytest.mark.parametrize("name", KNOWN[:3])
def test_two_folders_of_one_name_are_two(name: str, tmp_path: Path) -> None:
    assert_followed(name, tmp_path, elsewhere=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_two_folders_of_one_name_are_always_two(name: str, tmp_path: Path) -> None:
    assert_followed(name, tmp_path, elsewhere=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_PROCESS)
def test_an_edit_between_two_commands_is_seen(name: str, tmp_path: Path) -> None:
    assert_followed(name, tmp_path, process=True)


def test_an_answer_is_kept(tmp_path: Path) -> None:
    """A cache that keeps nothing would pass all of the above."""
    for number, name in enumerate(("a constant of the module", "a sibling", "a link to a file")):
        place = tmp_path / str(number)
        place.mkdir()
        assert tried(BY_NAME[name], place).kept


@pytest.mark.skipif(os.name != "posix", reason="there are no links")
@pytest.mark.parametrize("target", ["nowhere.py", "count.py", "."])
def test_a_link_is_no_traceback(target: str, tmp_path: Path) -> None:
    """A link that leads nowhere, back to a file beside it, or round in a circle."""
    linked = way("linked", limit="§", files={"linked.py" if "." in target else "l": f"-> {target}"})
    found = tried(linked, tmp_path)
    assert found.warm == found.cold
    assert all("Traceback" not in each["err"] for each in found.cold)
