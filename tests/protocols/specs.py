"""What the tests of protocols share: the specs of the repository, read."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from checker.claim import Spec
from checker.loading import catalogue
from checker.spec import read_spec

ROOT = Path(__file__).parent.parent.parent / "specs"
FILES = tuple(sorted(ROOT.rglob("*.toml")))


@cache
def spec_of(file: Path) -> Spec:
    """One spec of the repository."""
    return read_spec(file, catalogue())


def name_of(file: Path) -> str:
    """A spec's file without the folder of all specs."""
    return str(file.relative_to(ROOT))


def specs(*, slow: bool = False) -> list[Spec]:
    """The specs that are, or are not, marked slow."""
    return [spec for spec in map(spec_of, FILES) if spec.slow == slow]
