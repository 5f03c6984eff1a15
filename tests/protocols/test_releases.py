"""The presets of releases say what protocols understand, and what is not modelled yet is listed."""

from __future__ import annotations

from dataclasses import fields

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.releases import ReleaseConfig, preset, settings_of
from finale.checker.spec.typed import options_of
from finale.model.errors import FinaleError
from finale.model.language.protocol import Protocol
from finale.model.protocols.registry import PROTOCOLS
from finale.model.protocols.releases import RELEASES, TOPICS, Release
from tests.docs.pages import ROOT

KNOWN = catalogue()
KINDS = {entry.key: KNOWN.protocol(entry.key) for entry in PROTOCOLS}
#: Not every preset has a protocol, or an option, that it is for. What has landed may leave.
WAITING_PROTOCOLS = {
    "legacy-stop", "sync-savepoint", "stop-with-savepoint",
    "unaligned", "aligned-with-timeout", "at-least-once",
}  # fmt: skip
WAITING_OPTIONS = {
    "terminal_as_finished", "filters_from_restored", "end_input_on_suspend", "source_blocks",
    "no_drain", "savepoint_stored", "savepoint_confirmed", "after_failure", "output_timeout",
    "inner_edges_overtake", "end_tag", "multi_input", "scheduler", "scope",
}  # fmt: skip


def complain(code: str, message: str, advice: str, key: str) -> FinaleError:
    return FinaleError(code, f"{message}: {key}", advice=advice)


def landed(release: Release) -> list[type[Protocol]]:
    return [KINDS[key] for key in release.protocols.values() if key in KINDS]


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.key)
def test_every_value_is_one_of_its_option(release: Release) -> None:
    for kind in landed(release):
        for under in settings_of(kind, release):
            given = preset(kind, under)
            typed = options_of(kind.Options, given, complain)
            assert set(given) <= set(typed)


def test_what_waits() -> None:
    wanted = {key for row in TOPICS.values() for key in row if key is not None}
    assert wanted - set(KINDS) <= WAITING_PROTOCOLS
    options = {name for release in RELEASES for name in release.options}
    options |= {name for r in RELEASES for own in r.schedulers.values() for name in own}
    known = {option.name for kind in KINDS.values() for option in fields(kind.Options)}
    assert options - known <= WAITING_OPTIONS


def test_each_release_is_told_on_the_page_of_specs() -> None:
    page = (ROOT / "docs" / "specs.md").read_text(encoding="utf-8")
    for release in RELEASES:
        assert f"| `{release.key}` | `{release.name}` | {release.versions} |" in page


@pytest.mark.parametrize(
    ("key", "option", "values"),
    [
        ("final-checkpoint", "checkpoints_after_finish", [False, True, True, True, True, True]),
        ("final-checkpoint", "final_trigger", [False, False, False, True, True, True]),
        ("final-checkpoint", "aborts_carry_latest", [True] * 6),
        ("legacy-finish", "aborts_carry_latest", [False] * 3),
    ],
)
def test_some_options_as_the_sheet_has_them(key: str, option: str, values: list[bool]) -> None:
    having = [release for release in RELEASES if release.protocols["finish"] == key]
    assert [preset(KINDS[key], ReleaseConfig(each))[option] for each in having] == values
