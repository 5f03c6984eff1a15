"""Compares systems that were made in different ways."""

from __future__ import annotations

import re
from dataclasses import fields

from finale.model.system import System


def plain(said: object) -> str:
    """A text without what differs whenever a file is loaded: the package's number, addresses."""
    return re.sub(r"finale_protocols_\d+| at 0x[0-9a-f]+", "", str(said))


def assert_same_systems(system: System, other: System) -> None:
    """Two systems have the same variables, rules, properties and conditions."""
    assert [v.name for v in system.variables] == [v.name for v in other.variables]
    assert system.cells == other.cells
    assert system.initial == other.initial
    assert system.terminal is other.terminal
    for mine, wanted in zip(system.rules, other.rules, strict=True):
        for each in fields(mine):
            one, two = getattr(mine, each.name), getattr(wanted, each.name)
            assert one == two or plain(one) == plain(two), (str(mine), each.name)
    assert system.properties == other.properties
