"""An engine is put back into each state that it was in, whatever it has done since."""

from __future__ import annotations

import pickle
import random

from finale.checker.conformance.engines import engine_for
from finale.reference.engine import Engine
from finale.reference.observation import observation_of
from finale.reference.undo import Saved, go_back, save
from tests.protocols.specs import ROOT, spec_of

SPECS = ("final-checkpoint/fan-in-restarts", "stop-with-savepoint/declined", "unaligned/fan-in")


def states(engine: Engine, choice: random.Random, steps: int) -> list[tuple[Saved, bytes]]:
    """What was saved along a run, and what the engine wrote of itself just then."""
    passed: list[tuple[Saved, bytes]] = []
    saved = None
    for _ in range(steps):
        saved = save(engine, saved)
        passed.append((saved, pickle.dumps(engine)))
        if not (enabled := sorted(engine.enabled())):
            break
        engine.take(choice.choice(enabled))
    return passed


def test_an_engine_goes_back_to_where_it_was() -> None:
    choice = random.Random(1)
    for name in SPECS:
        engine = engine_for(spec_of(ROOT / f"{name}.toml"))
        passed = states(engine, choice, 60)
        assert len(passed) > 20
        choice.shuffle(passed)
        for saved, written in passed:
            go_back(saved)
            then: Engine = pickle.loads(written)
            assert observation_of(engine) == observation_of(then)
            assert engine.enabled() == then.enabled()
            states(engine, choice, 5)


def test_parts_that_did_not_change_are_shared() -> None:
    engine = engine_for(spec_of(ROOT / "final-checkpoint/pair.toml"))
    first = save(engine)
    engine.take(min(engine.enabled()))
    second = save(engine, first)
    changed = [key for key, known in second.items() if first.get(key) is not known]
    assert 0 < len(changed) < len(second) / 2


class Holder:
    def __init__(self) -> None:
        self.held: dict[str, list[int]] = {"a": [1]}
        self.other: Holder | None = None


def test_containers_in_containers_are_copied_and_new_attributes_go() -> None:
    holder = Holder()
    before = save(holder)
    holder.held["a"].append(2)
    holder.other = Holder()
    after = save(holder, before)
    holder.other.held["a"].append(3)
    go_back(after)
    assert holder.other is not None
    assert (holder.held, holder.other.held) == ({"a": [1, 2]}, {"a": [1]})
    go_back(before)
    assert vars(holder) == {"held": {"a": [1]}, "other": None}
