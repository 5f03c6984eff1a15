"""Properties can be asked of every spec, whatever it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.language.build import build
from finale.model.protocols.registry import PROTOCOLS
from tests.protocols.specs import audits

#: Larger specs have the options of smaller ones, or nearly.
STATES_MAX, STATES_QUICK = 3_000, 1_000


@pytest.mark.parametrize("spec", audits(STATES_MAX, quick=STATES_QUICK))
def test_what_is_asked_on_request_can_be_asked(spec: Spec) -> None:
    families = [family for family in spec.families if family.on_request]
    names = {prop.name.split("[")[0] for prop in build(spec.instance(), families).properties}
    assert names == {family.name for family in families}


@pytest.mark.parametrize("key", [entry.key for entry in PROTOCOLS])
def test_all_can_be_asked_where_nothing_is_explored(key: str, tmp_path: Path) -> None:
    """Of the smallest job within no bound but those that a protocol cannot do without."""
    kind = catalogue().protocol(key)
    job = '[job]\nshape = "pair"\n' if kind.needs_job else ""
    observed = "".join(f"{ghost} = true\n" for ghost in kind.ghosts)
    file = tmp_path / "spec.toml"
    file.write_text(f'title = "T"\nprotocol = "{key}"\n{job}[observe]\n{observed}')
    spec = read_spec(file, catalogue())
    names = {prop.name.split("[")[0] for prop in build(spec.instance(), spec.families).properties}
    assert {family.name for family in spec.families} <= names
