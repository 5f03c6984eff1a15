"""Reviews changes of this package's protocols, as `finale review` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from finale.checker.review.cases import OWN_SPECS
from finale.checker.review.change import Change
from finale.checker.review.review import ChangedProperty, Progress, Review, Reviewer, Tried
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.files import toml_in

PLAIN = catalogue()


def specs_of(*keys: str) -> list[Path]:
    """The specs of some protocols."""
    files = sorted(OWN_SPECS.rglob("*.toml"))
    return [file for file in files if toml_in(file)[0].get("protocol") in keys]


def reviewed(
    change: Change,
    files: Sequence[Path],
    *,
    known: Catalogue = PLAIN,
    plain: Catalogue = PLAIN,
    stability: float = 0.0,
    behaviours: float = 0.0,
    jobs: int = 1,
    states_max: int | None = None,
    until: Callable[[Tried], bool] = lambda _: False,
    look: Callable[[Progress], None] = lambda _: None,
) -> Review:
    """The review of a change on the settings of some specs."""
    reviewer = Reviewer(
        known,
        plain,
        files,
        Limits(states_max),
        jobs,
        look,
        seconds_of_stability=stability,
        seconds_of_behaviours=behaviours,
        until=until,
    )
    return reviewer.review(change)


def said(finding: ChangedProperty) -> tuple[str, str, int, int | None]:
    """A finding as plain values: the direction, the property, how many settings, the steps."""
    trace = finding.first[1].trace
    length = None if trace is None else trace.length
    return finding.direction.value, finding.property, len(finding.shown), length
