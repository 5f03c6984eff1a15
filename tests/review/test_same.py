"""When two systems count as the same: by their form, or by what they do in each reachable state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.review.same import is_same
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.system import System
from tests.review.test_review import COPY, REVERSED, folder_of

STATES = 3


def systems(path: Path, body: str) -> tuple[System, System]:
    """The system of two workers that stop, and that of a variant."""
    known = catalogue(folder_of(path, body))
    text = (path / "stop.toml").read_text()
    (path / "other.toml").write_text(f'{text}variant = "other"\n')
    first, second = (read_spec(path / f"{name}.toml", known) for name in ("stop", "other"))
    return first.system(), second.system()


@pytest.mark.parametrize(
    "body",
    [COPY, COPY.replace("worker:", "one:").replace("worker ", "one ").replace(" worker.", " one.")],
)
def test_what_is_written_otherwise_may_do_the_same(body: str, tmp_path: Path) -> None:
    """Also under another name of the parameter."""
    first, second = systems(tmp_path, body)
    assert is_same(first, second, STATES)
    assert is_same(second, first, STATES)


def test_other_steps_are_seen(tmp_path: Path) -> None:
    first, second = systems(tmp_path, REVERSED)
    assert not is_same(first, second, STATES)
    assert not is_same(second, first, STATES)


def test_the_order_of_rules_alone_changes_no_step(tmp_path: Path) -> None:
    first, _ = systems(tmp_path, COPY)
    turned = replace(first, rules=first.rules[::-1])
    assert is_same(first, turned, STATES)
    assert not is_same(first, turned, None)  # nobody knows how many states there would be to try


def test_that_nobody_can_rely_on_a_rule_is_seen(tmp_path: Path) -> None:
    first, _ = systems(tmp_path, COPY)
    rule, *others = first.rules
    named = replace(rule.rule, makes_progress=not rule.rule.makes_progress)
    other = replace(first, rules=(replace(rule, rule=named), *others))
    assert not is_same(first, other, STATES)


def test_a_rule_that_only_one_has_is_seen_where_it_is_enabled(tmp_path: Path) -> None:
    first, _ = systems(tmp_path, COPY)
    fewer = replace(first, rules=first.rules[:1])
    assert not is_same(first, fewer, STATES)
    assert not is_same(fewer, first, STATES)
