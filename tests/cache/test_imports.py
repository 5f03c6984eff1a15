"""What a file imports and reads: whether the files of a folder say all that its code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.cache.imports import reaches_inside, reads_outside, with_imports
from finale.model.protocols import stop_with_savepoint

CLOSED = (
    "import enum, math",
    "from collections.abc import Sequence",
    "from finale.rules import rule",
    "from .sibling import LIMIT",
    "from . import sibling",
    "def count(file): return file.opened",
    "def count(id): return id + 1",
    "def count(thing): return thing.id",
)
OPEN = (
    "import os",
    "import os.path as dataclasses",
    "from pathlib import Path",
    "from elsewhere import LIMIT",
    "text = open('limit.txt').read()",
    "import builtins\ngetattr(builtins, 'open')('limit.txt')",
    "def limit():\n    from .within import LIMIT\n    return LIMIT",
    "__loader__.get_data('limit.txt')",
    "from collections.abc import sys as other",
    "__package__ = 'elsewhere'",
    "LIMIT = hash('a') % 4",
    "LIMIT = max(map(id, [object]))",
)


@pytest.mark.parametrize("text", CLOSED)
def test_code_that_reads_its_folder_only(text: str) -> None:
    assert not reads_outside(text.encode())


@pytest.mark.parametrize("text", OPEN)
def test_code_that_may_read_something_else(text: str) -> None:
    assert reads_outside(text.encode())


APART = (
    "from finale.rules import Protocol, rule\nfrom finale.protocols import FinalCheckpoint",
    "from finale.model.protocols.task.tasks import Task",
    "class P:\n    def __init__(self):\n        super().__init__()",
    "import operator\nLESS = operator.lt",
    "from .other import LIMIT",
)
INSIDE = (
    "import finale.model.expressions as expressions",
    "from finale.model.language.symbolic_values import SymbolicOption",
    "from finale.model import expressions",
    "import finale",
    "cell = rule.__closure__[0]",
    "object.__setattr__(two, 'value', 1)",
    "vars(Kind)['__lt__']",
    "from operator import attrgetter",
    "getattr(rule, '__closure__')",
    "match rule:\n    case F(__closure__=cells): pass",
)


@pytest.mark.parametrize("text", APART)
def test_code_that_leaves_finale_as_it_is(text: str) -> None:
    assert not reaches_inside(text.encode())


@pytest.mark.parametrize("text", INSIDE)
def test_code_that_may_change_an_object_of_finale(text: str) -> None:
    assert reaches_inside(text.encode())


def test_imports_are_followed_within_folders() -> None:
    file = Path(stop_with_savepoint.__file__).resolve()
    folder = file.parent
    found = with_imports([file], [folder])
    assert {folder / "final_checkpoint.py", folder / "coordinator" / "checkpoints.py"} <= found
    assert folder / "coordinator" / "__init__.py" in found
    assert folder / "two_phase_commit.py" not in found
    assert file in with_imports([file], [])
    assert folder / "coordinator" / "checkpoints.py" not in with_imports([file], [])
