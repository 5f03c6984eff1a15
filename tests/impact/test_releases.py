"""Real jars: what `finale impact` lists for releases that are kept on this machine."""

from __future__ import annotations

import pytest

from finale.checker.impact.builds import build_of
from finale.checker.impact.comparing import Impact, impact
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError
from finale.reference.flink.fetching import kept
from finale.reference.flink.releases import release_of

INSTALLED = "2.3.0"


def missing(version: str) -> bool:
    """Whether the jar of a release would have to be fetched."""
    try:
        release_of(version)
    except FinaleError:
        return not any(kept(version).glob("flink-dist*.jar"))
    return False


def compared(old: str, new: str) -> Impact:
    for version in (old, new):
        if missing(version):
            pytest.skip(f"the jar of Flink {version} is not kept: finale impact fetches it")
    with build_of(old) as before, build_of(new) as after:
        return impact(before, after, catalogue(None))


@pytest.mark.slow
def test_a_patch_release() -> None:
    found = compared("1.20.1", "1.20.2")
    named = {each.title for each in found.named}
    assert {"SinkWriterOperator.endInput", "SubtaskGatewayImpl.sendEvent"} <= named
    assert "SinkWriterOperator.emitCommittables" in {each.title for each in found.near}


@pytest.mark.slow
def test_two_lines_that_other_compilers_built() -> None:
    found = compared("2.2.1", "2.3.0")
    assert len(found.named) <= 15
    assert "StreamTask.restoreStateAndGates" in {each.title for each in found.named}
    assert "PipelinedSubpartition.needNotifyPriorityEvent" in {each.title for each in found.near}


@pytest.mark.slow
def test_a_release_with_itself() -> None:
    found = compared(INSTALLED, INSTALLED)
    assert found.is_untouched
    assert not found.near
    assert not found.unnamed
