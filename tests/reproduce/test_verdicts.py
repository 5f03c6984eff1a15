"""What counts as damage, and what it means that none came."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.reproduce import verdicts
from finale.checker.reproduce.verdicts import DAMAGES, PROBES, JudgedLog, JudgedRun, Reproduction
from finale.reference.flink.director import Taken
from finale.reference.flink.order import PROBES as KNOWN
from finale.reference.flink.outcome import PROBE, RunOutcome
from finale.reference.flink.releases import Release
from finale.reference.flink.run import Run

WELL = RunOutcome("RUNNING", False, (), {}, {}, {}, {}, 1, (), ())
RUN = Run(Path(), Release("1.14.6", Path(), ()), Taken(), WELL)
LOG = JudgedLog(None, (), (), ())


def test_whose_rules_are_wrong_if_the_damage_does_not_come() -> None:
    run = JudgedRun(RUN, Reproduction.NOT_REPRODUCED, (), LOG, agrees=False)
    told = "Flink 1.14.6 took the whole order without the damage: "
    assert run.meaning == told + "the model is wrong"
    written = replace(run, of_release=False)
    assert written.meaning == told + "this release has the fix, or the model is wrong"
    assert not replace(run, verdict=Reproduction.REPRODUCED).meaning
    assert not replace(run, verdict=Reproduction.NOT_TAKEN).meaning
    assert "no line tells" in replace(run, verdict=Reproduction.NOT_SEEN).meaning


def test_what_nothing_shows_is_not_said_to_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    log = replace(LOG, decided=("taken-once",))
    monkeypatch.setattr(verdicts, "judged_log", lambda _: log)
    for name, verdict in (
        ("job-finishes", Reproduction.NOT_REPRODUCED),  # the outcome shows it
        ("taken-once", Reproduction.NOT_REPRODUCED),  # lines tell it
        ("acknowledged-once", Reproduction.NOT_SEEN),  # these lines do not
    ):
        assert verdicts.judged(RUN, name, of_release=True).verdict is verdict


@pytest.mark.parametrize(
    ("name", "outcome", "damage"),
    [
        ("triggers-go-on", replace(WELL, errors={PROBE: "refused"}), ["probe fails: refused"]),
        ("triggers-go-on", replace(WELL, errors={"request 1": "refused"}), []),
        (
            "split-at-one-place",
            replace(WELL, lost=("split1 at R",), answers={PROBE: "1"}),
            ["lost: split1 at R"],
        ),
        # Without a checkpoint after the failure, nothing is committed: that is no loss.
        ("split-at-one-place", replace(WELL, lost=("split1 at R",)), []),
        (
            "nothing-after-the-cut",
            replace(WELL, doubled=("S.0#0 at K",)),
            ["committed twice: S.0#0 at K"],
        ),
        (
            "reported-is-durable",
            replace(WELL, unstored=("manual1",)),
            ["manual1 was answered before its checkpoint was stored"],
        ),
        ("reported-is-durable", replace(WELL, answers={"manual1": "1"}), []),
        # Flink ends all attempts, and starts the job again: no task has FAILED.
        (
            "legal-never-fails",
            replace(WELL, failed=("S",), ended=("S", "K")),
            ["S fails, and nothing made it fail", "an attempt of K ends, and nothing made it end"],
        ),
        (
            "legal-never-fails",
            replace(WELL, status="FAILED", failed_by_itself=True),
            ["the job has FAILED, and nothing made it fail"],
        ),
        ("legal-never-fails", replace(WELL, status="FAILED"), []),
        (
            "stop-report-is-true",
            replace(WELL, answers={"stop1": "path"}, asked={"stop1": "stop"}, prepared=("K.0",)),
            ["stop1 succeeds", "K.0 has a transaction that is prepared and not committed"],
        ),
        # A stop that fails reports nothing, and a checkpoint is no stop.
        ("stop-report-is-true", replace(WELL, asked={"stop1": "stop"}, prepared=("K.0",)), []),
    ],
)
def test_damage_that_a_probe_shows(name: str, outcome: RunOutcome, damage: list[str]) -> None:
    assert DAMAGES[name](outcome) == damage


def test_each_probe_is_known() -> None:
    assert set(PROBES.values()) < set(KNOWN)
    assert PROBES.keys() <= DAMAGES.keys()
