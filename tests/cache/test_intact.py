"""What a user's code changes of other modules is noticed; what these do by themselves is not."""

from __future__ import annotations

import copy
import dataclasses
import threading

import pytest

from finale.checker.cache.intact import Intact
from finale.model.language import refusals


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (dataclasses, "getattr", lambda *_: None),  # hides the one of `builtins`
        (dataclasses, "fields", lambda _: ()),
        (dataclasses, "MISSING", object()),
        (copy, "_deepcopy_dispatch", {}),
    ],
    ids=["hidden", "function", "sentinel", "table"],
)
def test_a_change_is_noticed(
    module: object, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    intact = Intact()
    before = set(intact.changed())
    monkeypatch.setattr(module, name, value, raising=False)
    assert set(intact.changed()) - before == {module.__name__}  # type: ignore[attr-defined]


def test_a_lock_of_another_process_is_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    intact = Intact()
    before = set(intact.changed())
    monkeypatch.setattr(threading, "_shutdown_locks_lock", threading.Lock())
    monkeypatch.setattr(threading, "a_name_that_is_new", 1, raising=False)
    assert set(intact.changed()) == before


def test_a_table_is_known_by_its_module_and_not_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refusals, "_CHECKED", {}, raising=False)
    intact = Intact()
    before = set(intact.changed())
    refusals.__dict__["_CHECKED"]["a user's"] = 1
    assert set(intact.changed()) - before == {refusals.__name__}
