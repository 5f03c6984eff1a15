"""What is told of a run is taken; what lines contradict is told; what nobody tells is tried."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, Rejected, Undecided
from finale.checker.logs.flink import judge as flink
from finale.checker.logs.flink.candidate_settings import (
    SETTINGS,
    CandidateSettings,
    check,
    settings_of,
)
from finale.checker.logs.flink.judge import RunVerdict, accept_run
from finale.checker.logs.flink.observations import observations_of
from finale.checker.logs.flink.run_job import job_of
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_events import LineTally
from finale.checker.logs.read.run_file import RunFile, read_run_file
from finale.checker.logs.read.visibility import LogProfile
from finale.model.errors import FinaleError
from tests.cli.running import ROOT
from tests.conformance.rejecting import reject_run
from tests.logs.archive import archives, each_run, needs_archives, sample, samples, truths

RELEASE = "flink-2.3"


def told(text: str) -> RunFile:
    return read_run_file(text.encode(), "logs/run.toml")


def judged(name: str, text: str) -> RunVerdict:
    """What is said of a sample of which this is told."""
    (run,) = sample(name)
    return accept_run(run, given=told(text))


def profile(tally: LineTally, **levels: str) -> LogProfile:
    return LogProfile(table(RELEASE), tally, levels)


def settings(
    run: JobRun, given: RunFile | None = None, seen: LogProfile | None = None
) -> CandidateSettings:
    job = job_of(run)
    assert job is not None
    return settings_of(run, job.job, observations_of(run, job), RELEASE, given or RunFile(), seen)


# --- what is told --------------------------------------------------------------------------------


def test_the_example_explains_a_run() -> None:
    verdict = judged("race-00", (ROOT / "examples/logs/run.toml").read_text())
    assert isinstance(verdict.conforms, Accepted)
    assert [each.by for each in verdict.told] == ["run.toml"] * 6


def test_what_is_told_is_taken_and_said_with_who_tells_it() -> None:
    text = 'release = "flink-2.3"\n[options]\ncheckpoints_after_finish = true\nconcurrent = 1\n'
    verdict = judged("bounded-01", text)
    assert isinstance(verdict.conforms, Accepted)
    assert [(each.name, each.value, each.by, each.line) for each in verdict.told] == [
        ("checkpoints_after_finish", "true", "run.toml", 3),
        ("concurrent", "1", "run.toml", 4),
        ("release", "flink-2.3", "run.toml", 1),
    ]
    assert verdict.tried == ()


def test_without_a_file_lines_and_the_table_tell() -> None:
    verdict = accept_run(sample("concurrent-01")[0])
    found = {each.name: (each.value, each.by) for each in verdict.told}
    assert found == {
        "release": (RELEASE, "table"),
        "checkpoints_after_finish": ("true", "lines"),
        "concurrent": ("3", "lines"),
    }


def test_a_run_is_looked_for_where_barriers_may_overtake_if_so_told() -> None:
    verdict = judged("bounded-01", 'protocol = "timed-stops"')
    assert isinstance(verdict.conforms, Accepted)
    assert any(each.name == "protocol" and each.by == "run.toml" for each in verdict.told)


@pytest.mark.slow
def test_another_release_cannot_have_done_what_this_one_has() -> None:
    """H2: what has failed counts as finished, up to 2.3."""
    verdict = judged("H2-06", 'release = "flink-main"')
    assert isinstance(verdict.conforms, Rejected)
    assert verdict.conforms.event == "completed(4)"
    assert isinstance(judged("H2-06", 'release = "flink-1.18"').conforms, Accepted)


# --- what lines contradict -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "line", "why"),
    [
        ("bounded-01", "[options]\ncheckpoints_after_finish = false", 509, "tells true"),
        ("concurrent-01", "[options]\nconcurrent = 1", 276, "tells of one more"),
    ],
)
def test_what_lines_contradict_is_told(name: str, text: str, line: int, why: str) -> None:
    verdict = judged(name, text)
    assert isinstance(verdict.conforms, Rejected)
    assert verdict.conforms.line == line
    (refusal,) = verdict.conforms.refusals
    assert refusal.why.startswith("logs/run.toml:2 says ")
    assert refusal.why.endswith(why)
    (run,) = sample(name)
    assert reject_run(run, given=told(text)) == verdict.conforms


def test_where_a_line_is_missing_nothing_is_contradicted() -> None:
    """Without its completion a checkpoint seems to be pending, and the next one to be one more."""
    (run,) = sample("bounded-01")
    first = next(event for event in run.events if event.word == "completed")
    gap = JobRun(run.job, run.name, [event for event in run.events if event is not first])
    given = told("[options]\nconcurrent = 1")
    whole = accept_run(gap, given=given).conforms
    assert isinstance(whole, Rejected)
    assert whole.line == 518
    undecided = accept_run(gap, given=given, whole=False).conforms
    assert isinstance(undecided, Undecided)
    assert undecided.why == f"line 518, triggered: {whole.refusals[0].why}"


def test_of_several_files_the_first_line_in_the_run_contradicts() -> None:
    """Each file counts its lines for itself."""
    (run,) = sample("concurrent-01")
    events = [
        replace(event, log_event=replace(event.log_event, log=1, line=1))
        if event.word == "waits"
        else event
        for event in run.events
    ]
    events[0] = replace(events[0], log_event=replace(events[0].log_event, log=1, line=276))
    text = "[options]\nconcurrent = 1\ncheckpoints_after_finish = false"
    against = settings(JobRun(run.job, run.name, events), told(text)).against
    assert against is not None
    assert (against.line, against.event) == (276, "triggered")


def changed(run: JobRun, word: str, **fields: str) -> tuple[JobRun, int]:
    """A run the first of whose lines of a word tells something else, and which line that is."""
    events = list(run.events)
    at = next(number for number, event in enumerate(events) if event.word == word)
    own = events[at].log_event
    events[at] = replace(events[at], log_event=replace(own, fields={**own.fields, **fields}))
    return JobRun(run.job, run.name, events), own.line


def test_a_barrier_that_overtakes_and_the_adaptive_scheduler_contradict_others() -> None:
    (run,) = sample("bounded-01")
    overtaken, line = changed(run, "barrier-received", unaligned="true")
    against = settings(overtaken, told('protocol = "stop-with-savepoint"')).against
    assert against is not None
    assert against.line == line
    assert settings(overtaken, told('protocol = "timed-stops"')).against is None
    event = run.events[0]
    adaptive = replace(event, log_event=replace(event.log_event, word="adaptive-phase"))
    other = JobRun(run.job, run.name, [adaptive, *run.events[1:]])
    assert settings(other, told('[options]\nscheduler = "default"')).against is not None
    assert settings(other, told('[options]\nscheduler = "adaptive"')).against is None
    assert settings(other).ways[0].options["restart_scope"] == "global"


# --- what nobody tells ---------------------------------------------------------------------------


def taken(found: CandidateSettings) -> list[dict[str, object]]:
    return [dict(way.taken) for way in found.ways]


def test_what_makes_no_difference_is_not_tried() -> None:
    (run,) = sample("bounded-01")
    assert taken(settings(run)) == [{}]
    assert taken(settings(run, seen=profile(samples()["bounded-01"][2]))) == [{}]


def test_regions_may_restart_alone_or_all_together() -> None:
    (run,) = sample("H2-06")
    region: dict[str, object] = {"scheduler": "default", "restart_scope": "region"}
    whole = {**region, "restart_scope": "global"}
    assert taken(settings(run)) == [region, whole]
    seen = profile(samples()["H2-06"][2])
    assert taken(settings(run, seen=seen)) == [region, whole, {**whole, "scheduler": "adaptive"}]
    one = told('[options]\nrestart_scope = "region"')
    assert taken(settings(run, one)) == [{}], "the adaptive scheduler knows no regions"


def test_tasks_may_wait_where_no_line_could_tell() -> None:
    run, tally = sample("bounded-01")[0], samples()["bounded-01"][2]
    silent = JobRun(run.job, run.name, [e for e in run.events if e.word != "waits"])
    assert taken(settings(silent)) == [{}]
    assert settings(silent).told[-1].value == "false", "who waits would have told so"
    waits, does_not = {"checkpoints_after_finish": True}, {"checkpoints_after_finish": False}
    hidden = profile(tally, StreamTask="INFO")
    assert taken(settings(silent, seen=hidden)) == [waits, does_not]
    verdict = accept_run(silent, profile=hidden, every=True, given=told('release = "flink-2.3"'))
    assert isinstance(verdict.conforms, Accepted)
    first = verdict.tried[0]
    assert (first.settings, first.outcome) == ({"checkpoints_after_finish": "true"}, "explains")
    assert [each.settings["checkpoints_after_finish"] for each in verdict.tried] == [
        "true",
        "false",
    ]


def test_every_setting_and_release_is_tried_if_wanted() -> None:
    (run,) = sample("H2-06")
    few, all_ = accept_run(run), accept_run(run, every=True)
    assert [each.outcome for each in few.tried] == ["explains"]
    found = [(each.settings["release"], each.settings["restart_scope"], each.outcome)
             for each in all_.tried]  # fmt: skip
    assert found[0] == (RELEASE, "region", "explains")
    assert found[1][:2] == (RELEASE, "global")
    assert found[1][2] != "explains", "not all tasks have restarted"
    assert ("flink-1.18", "region", "explains") in found
    assert ("flink-main", "region", "rejected") in found


def test_a_run_is_rejected_only_if_it_is_under_each_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (run,) = sample("H2-06")
    given = told('release = "flink-main"')
    verdict = accept_run(run, given=given)
    assert [each.outcome for each in verdict.tried] == ["rejected", "rejected"]
    assert reject_run(run, given=given) == verdict.conforms
    prove = vars(flink)["_rejected"]

    def of_regions(*asked: Any) -> Rejected | None:
        return prove(*asked) if asked[3].options["restart_scope"] == "region" else None

    monkeypatch.setattr(flink, "_rejected", of_regions)
    assert isinstance(accept_run(run, given=given).conforms, Undecided)
    assert reject_run(run, given=given) is None


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "line", "key"),
    [
        ("releases = 1", "unknown-key", 1, "releases"),
        ("release = 2.3", "bad-value", 1, "release"),
        ("options = 3", "bad-value", 1, "options"),
        ("\nrelease = ", "malformed-toml", 2, None),
        ('\nrelease = "flink-9"', "unknown-release", 2, "release"),
        ('release = "flink-1.8"', "release-without-protocol", 1, "release"),
        ('protocol = "ping"', "unknown-protocol", 1, "protocol"),
        ("[options]\nconcurent = 1", "unknown-option", 2, "options.concurent"),
        ("[options]\nconcurrent = true", "bad-option", 2, "options.concurrent"),
        ('[options]\nscheduler = "mine"', "bad-option", 2, "options.scheduler"),
        ('protocol = "timed-stops"\n[options]\nconcurrent = 2', "concurrent-unaligned", 3,
         "options.concurrent"),
    ],
)  # fmt: skip
def test_what_is_told_may_be_a_mistake(text: str, code: str, line: int, key: str | None) -> None:
    with pytest.raises(FinaleError) as raised:
        judged("bounded-01", text)
    place = raised.value.place
    assert raised.value.code == code
    assert place is not None
    assert (place.file, place.line, place.key) == ("logs/run.toml", line, key)


@pytest.mark.parametrize("release", ["flink-9", "flink-1.13", "V0"])
def test_of_another_release_those_are_named_that_can_be_judged(release: str) -> None:
    with pytest.raises(FinaleError) as raised:
        judged("bounded-01", f'release = "{release}"')
    advice = raised.value.advice
    assert advice.startswith("runs are looked for under flink-1.14 (1.14), flink-1.15 (1.15), ")
    assert "flink-2.3 (1.20 to 2.3)" in advice
    for each in ("flink-1.8", "flink-1.9", "flink-1.13", "protocol"):
        assert each not in advice


def test_each_release_that_is_named_is_judged() -> None:
    with pytest.raises(FinaleError) as raised:
        judged("bounded-01", 'release = "flink-9"')
    names = re.findall(r"flink-\S+", raised.value.advice)
    assert len(names) == 6
    for name in names:
        check(told(f'release = "{name}"'), "flink-2.3")


def test_of_an_unknown_option_the_settings_of_the_example_are_named_first() -> None:
    example = (ROOT / "examples/logs/run.toml").read_text()
    assert set(tomllib.loads(example)["options"]) == set(SETTINGS)
    with pytest.raises(FinaleError) as raised:
        judged("bounded-01", "[options]\nqqqq = 1")
    assert raised.value.advice.startswith(f"known: {', '.join(sorted(SETTINGS))}. ")
    with pytest.raises(FinaleError) as raised:
        judged("bounded-01", "[options]\nconcurence = 1")
    assert 'did you mean "concurrent"?' in raised.value.advice


def test_a_file_is_text_in_utf_8() -> None:
    with pytest.raises(FinaleError, match="not text in UTF-8"):
        read_run_file(b"\xff", "run.toml")


# --- all -----------------------------------------------------------------------------------------


def truth(known: Mapping[str, object], scheduler: str) -> RunFile:
    """What whoever ran a job has set."""
    options = {
        "concurrent": int(str(known.get("maxConc", 1))),
        "checkpoints_after_finish": bool(known.get("afterFinish", True)),
        "scheduler": scheduler,
    }
    barriers = "stop-with-savepoint"
    if known.get("unaligned"):
        barriers = "timed-stops" if known.get("alignedTimeoutMs") else "unaligned-stops"
    return RunFile(protocol=barriers, options=options)


#: Runs that are not explained with what was set, and why.
UNEXPLAINED = {
    # it is not without that, either: `test_flink.py`
    "multi-drain-01",
    # checkpoints are to go on after tasks have finished, and there are none at all
    "no-checkpoint-01",
}


@needs_archives
@pytest.mark.slow
def test_what_was_set_explains_real_runs() -> None:
    for path in archives():
        known = truths(path)
        for name, runs, _, _ in each_run(path):
            own = known[name]
            adaptive = own["config"].get("jobmanager.scheduler") == "Adaptive"
            given = truth(own["params"], "adaptive" if adaptive else "default")
            for run in runs:
                assert settings(run, given).against is None, name
                if name not in UNEXPLAINED:
                    assert isinstance(accept_run(run, given=given).conforms, Accepted), name
