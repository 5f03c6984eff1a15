"""Makes specs test items of pytest: one for each spec, and one for each variant of its protocol.

An item passes if every verdict is as expected. Its failure shows the counterexamples.
"""

# pyright: reportUnknownMemberType=false
# pytest leaves open what its nodes are made from.

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from checker.cache.store import users_store
from checker.review.change import read_under
from checker.search.answer import Unknown
from checker.search.limits import Limits
from checker.search.options import SearchOptions
from checker.search.rows import SpecResult, strictly
from checker.search.run import run
from checker.spec.catalogue import Catalogue, catalogue
from checker.spec.claim import Spec
from model.errors import FinaleError, nearest

from .findings import Finding, finding_of

#: The name of the item of a spec as it is written.
PLAIN = "check"
#: So many processes of pytest-xdist share this machine.
WORKERS = "PYTEST_XDIST_WORKER_COUNT"


@dataclass(frozen=True)
class Settings:
    """What a project asks for."""

    protocols: Path | None = None
    variants: tuple[str, ...] = ()
    strict: bool = False
    slow: bool = False
    states_max: float | None = None
    seconds_max: float | None = None

    @cached_property
    def catalogue(self) -> Catalogue:
        """All protocols, variants and properties. Raises coded errors."""
        return catalogue(self.protocols, users_store())

    def check_variants(self) -> None:
        """Raise `unknown-variant` for a variant that no protocol has."""
        known = sorted({name for _, name in self.catalogue.variants})
        for name in self.variants:
            if name not in known:
                raise FinaleError(
                    "unknown-variant",
                    f'no protocol has a variant "{name}"',
                    advice=nearest(name, known, "Variants of your own are in finale_protocols"),
                )

    @property
    def limits(self) -> Limits:
        """The limits of each search."""
        states = None if self.states_max is None else int(self.states_max)
        return Limits(states, self.seconds_max)

    def check(self, spec: Spec) -> SpecResult:
        """Search a spec. Raises coded errors."""
        options = SearchOptions(searches=int(os.environ.get(WORKERS, "1")))
        result = run(spec, self.limits, options=options)
        return strictly(result) if self.strict else result


def is_spec(file: Path) -> bool:
    """Whether a TOML file has what only a spec has."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return all(isinstance(table.get(key), str) for key in ("title", "protocol"))


class SpecFile(pytest.File):
    """A spec: an item for itself, and one for each variant that its protocol has."""

    def __init__(self, *, settings: Settings, **given: Any) -> None:
        super().__init__(**given)
        self.settings = settings

    def collect(self) -> Iterable[pytest.Item]:
        """The items. Raises CollectError if the spec cannot be read."""
        try:
            known = self.settings.catalogue
            spec = read_under(self.path, known)
            yield self._item(PLAIN, spec)
            self.settings.check_variants()
            own = known.variants_of(spec.protocol.key)
            for name in self.settings.variants:
                if name in own and name != spec.variant:
                    yield self._item(f"{PLAIN}[{name}]", read_under(self.path, known, name))
        except FinaleError as error:
            raise self.CollectError(str(error)) from None

    def _item(self, name: str, spec: Spec) -> SpecItem:
        item: SpecItem = SpecItem.from_parent(self, name=name, spec=spec, settings=self.settings)
        return item


class SpecItem(pytest.Item):
    """One check of a spec."""

    def __init__(self, *, spec: Spec, settings: Settings, **given: Any) -> None:
        super().__init__(**given)
        self.spec, self.settings = spec, settings
        self.add_marker("finale")
        if spec.slow and not settings.slow:
            self.add_marker(pytest.mark.skip(reason="slow: add --finale-slow"))

    def runtest(self) -> None:
        """Search, and fail if something is not as expected."""
        result = self.settings.check(self.spec)
        statistics = result.report.statistics
        self.user_properties += [
            ("states", statistics.states),
            ("transitions", statistics.transitions),
        ]
        found = [finding_of(result, row) for row in result.rows]
        failures = [each for each in found if each is not None and _fails(each)]
        if failures:
            raise SpecFailure(failures)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A failure in words: no traceback through Finale says more."""
        if isinstance(excinfo.value, SpecFailure | FinaleError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the item, and its heading."""
        return self.path, 0, f"{self.path.name} {self.name}: {self.spec.title}"


class SpecFailure(Exception):
    """Some verdicts are not as expected."""

    def __init__(self, failures: Iterable[Finding]) -> None:
        super().__init__("\n\n".join(map(_told, failures)))


def _fails(found: Finding) -> bool:
    """Whether it is a failure, and not only a warning."""
    assert found.told is not None
    return not found.told.row.ok or found.told.row.verdict == Unknown.word


def _told(found: Finding) -> str:
    assert found.told is not None
    lines = found.told.lines_and_command
    where = f"{found.place.file}:{found.place.line}"
    return "\n".join([f"{where}: {found.sentence}", *([""] if lines else []), *lines])
