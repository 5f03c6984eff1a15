"""Each construct has a name of its own, and its protocol file is Python."""

import ast
import re
from collections import Counter

from tests.constructs.every import EVERY
from tests.constructs.template import source_of

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def test_names_are_unique_and_in_kebab_case() -> None:
    names = Counter(construct.name for construct in EVERY)
    assert [name for name, times in names.items() if times > 1 or not KEBAB.fullmatch(name)] == []


def test_each_source_is_python_and_differs_from_every_other() -> None:
    sources = Counter(map(source_of, EVERY))
    for source in sources:
        ast.parse(source)
    assert len(sources) == len(EVERY) > 450
