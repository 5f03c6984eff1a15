"""What counts as damage, and what it means that none came."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.reproduce import verdicts
from finale.checker.reproduce.causes import causes
from finale.checker.reproduce.verdicts import DAMAGES, PROBES, JudgedLog, JudgedRun, Reproduction
from finale.checker.review.change import read_under
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.spec.releases import ReleaseConfig, release_with
from finale.checker.studies.across_releases import under_release
from finale.reference.flink.director import Taken
from finale.reference.flink.order import PROBES as KNOWN
from finale.reference.flink.order import Order
from finale.reference.flink.outcome import PROBE, RunOutcome
from finale.reference.flink.releases import Release
from finale.reference.flink.run import Run
from tests.docs.pages import ROOT

WELL = RunOutcome("RUNNING", False, (), {}, {}, {}, {}, 1, (), ())
RUN = Run(Path(), Release("1.14.6", Path(), ()), Taken(), WELL)
LOG = JudgedLog(None, (), (), ())


def test_what_it_means_that_the_damage_does_not_come() -> None:
    run = JudgedRun(RUN, Reproduction.NOT_REPRODUCED, (), LOG, agrees=False)
    assert run.meaning == "Flink 1.14.6 took the whole order without the damage"
    assert not replace(run, verdict=Reproduction.REPRODUCED).meaning
    assert not replace(run, verdict=Reproduction.NOT_TAKEN).meaning
    assert "no line tells" in replace(run, verdict=Reproduction.NOT_SEEN).meaning


def test_causes_are_told_only_if_the_damage_does_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    log = replace(LOG, decided=("taken-once",), is_known=False)
    monkeypatch.setattr(verdicts, "judged_log", lambda _: log)
    judged = verdicts.judged(RUN, "job-finishes", ["the model is wrong"], of_release=True)
    assert judged.causes == ("the model is wrong",)
    # Only the log tells of this property, and no table has the lines of the release.
    _, other = verdicts.judged(RUN, "taken-once", ["the model is wrong"], of_release=True).causes
    assert other.startswith("no table fits the log: the lines of Flink 1.14 are read as those of")
    seen = replace(RUN, outcome=replace(WELL, rest=True))
    assert (
        verdicts.judged(seen, "job-finishes", ["the model is wrong"], of_release=True).causes == ()
    )


def causes_of(name: str, version: str, *free: str) -> tuple[str, ...]:
    spec = read_spec(ROOT / "specs" / f"{name}.toml", catalogue())
    assert spec.setting.job is not None
    order = Order("", spec.setting.job, {}, {}, (), free=free)
    return causes(spec, order, Release(version, Path(), ()))


@pytest.mark.parametrize(
    ("name", "version", "told"),
    [
        ("history/flink-24096", "1.13.6", "this release lacks the protocol: it has legacy-finish"),
        (
            "history/flink-24096",
            "1.14.6",
            "this release has the fix: filters_from_restored is true in Flink 1.14.6 and false in",
        ),
        ("history/flink-23884", "1.14.6", 'it does not make the mistake "rejects-fatally"'),
    ],
)
def test_which_causes_remain(name: str, version: str, told: str) -> None:
    first, *_, last = causes_of(name, version)
    assert told in first
    assert last == "the model is wrong"


def test_a_spec_with_the_rules_of_a_release_has_no_fix_to_blame() -> None:
    """What the option says is so in this release."""
    assert not any(
        "filters_confirmations" in each for each in causes_of("final-checkpoint/pair", "2.3.0")
    )
    assert causes_of("final-checkpoint/pair", "2.3.0")[-1] == "the model is wrong"
    held = causes_of("final-checkpoint/pair", "2.3.0", "step 7, learn_savepoint(cp1)")[-2]
    assert held.endswith("no hook holds step 7, learn_savepoint(cp1)")


def test_a_variant_that_no_release_has_is_a_cause_with_the_rules_of_a_release_too() -> None:
    spec = read_under(
        ROOT / "specs" / "final-checkpoint" / "pair.toml", catalogue(), "waits-for-lost-ack"
    )
    release = Release("2.3.0", Path(), ())
    under = under_release(spec, ReleaseConfig(release_with(release.version)))
    for claim in (spec, replace(under, variant=spec.variant)):
        assert claim.setting.job is not None
        first, *_, last = causes(claim, Order("", claim.setting.job, {}, {}, ()), release)
        assert first.startswith('this release does not have the variant "waits-for-lost-ack"')
        assert last == "the model is wrong"


def test_what_nothing_shows_is_not_said_to_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    log = replace(LOG, decided=("taken-once",))
    monkeypatch.setattr(verdicts, "judged_log", lambda _: log)
    for name, verdict in (
        ("job-finishes", Reproduction.NOT_REPRODUCED),  # the outcome shows it
        ("taken-once", Reproduction.NOT_REPRODUCED),  # lines tell it
        ("acknowledged-once", Reproduction.NOT_SEEN),  # these lines do not
    ):
        assert verdicts.judged(RUN, name, of_release=True).verdict is verdict


def test_a_job_that_still_moves_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "judged_log", lambda _: LOG)
    moves = replace(RUN, outcome=replace(WELL, moves=True))
    judged = verdicts.judged(moves, "job-finishes", of_release=True)
    assert judged.verdict is Reproduction.NOT_SEEN
    assert judged.meaning.endswith("the job neither ended nor came to rest in time")
    assert verdicts.judged_to_hold(moves, {"job-finishes"}).verdict is Reproduction.NOT_SEEN
    assert verdicts.judged_to_hold(RUN, {"job-finishes"}).verdict is Reproduction.SURVIVED


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
