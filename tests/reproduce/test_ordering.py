"""What of a trace becomes an order for a real Flink. The facts about Flink are those of 2.3."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from finale.checker.reproduce.claims import claims_for
from finale.checker.reproduce.dangerous import NO_MEANS
from finale.checker.reproduce.ordering import TRIED, Means, NotTakeable, followed, order_of
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import varied
from finale.checker.spec.reading import read_spec, spec_of
from finale.cli.main import main
from finale.model.errors import FinaleError
from finale.reference.flink import __main__ as again
from finale.reference.flink.director import Missed, Taken
from finale.reference.flink.facts import EngineFacts, facts_in
from finale.reference.flink.hooks import hooks_in
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import FAIL, Order, OrderedStep, read_order
from finale.reference.flink.outcome import RunOutcome
from finale.reference.flink.releases import Release, release_of
from finale.reference.flink.run import Run, prepared_folder, run_order
from finale.reference.formats.eventlog import table_of
from tests.docs.pages import ROOT
from tests.reference.flink.test_found import distribution

FILE = ROOT / "reference" / "flink" / "flink-2.3.toml"
FACTS, HOOKS = facts_in(FILE), hooks_in(FILE)


def ordered(
    name: str,
    prop: str,
    facts: EngineFacts = FACTS,
    tried: Sequence[frozenset[Means]] = TRIED,
) -> Order:
    return order_in(read_spec(ROOT / "specs" / name, catalogue()), prop, facts, tried)


def driven(name: str, prop: str) -> Order:
    """The order of the first claim under which a driven run is searched."""
    spec = read_spec(ROOT / "specs" / name, catalogue())
    claim = next(claims_for(spec, Release("2.3.0", Path(), ()), FACTS))
    return order_in(claim, prop, FACTS, TRIED)


def order_in(spec: Spec, prop: str, facts: EngineFacts, tried: Sequence[frozenset[Means]]) -> Order:
    result = run(spec, only=(prop,))
    row = next(row for row in result.rows if row.property == prop)
    assert row.trace is not None
    assert result.system is not None
    return order_of(spec, result.system, row.trace, facts, tried)


@pytest.fixture(scope="module")
def hang() -> Order:
    return ordered("stop-with-savepoint/final-trigger-during-stop.toml", "no-release-is-dropped")


def before(order: Order, step: OrderedStep) -> set[int]:
    steps = {each.number: each for each in order.steps}
    direct = set(step.after)
    return direct.union(*(before(order, steps[each]) for each in direct))


def the(order: Order, name: str, **about: str) -> OrderedStep:
    (step,) = (e for e in order.steps if e.name == name and about.items() <= e.about.items())
    return step


def test_a_completion_is_held_at_its_last_acknowledgement(hang: Order) -> None:
    last = the(hang, "apply_acknowledgement", task="K", checkpoint="cp1")
    assert last.tells == ("20 complete",)
    newer = the(hang, "apply_acknowledgement", task="K", checkpoint="cp2")
    assert newer.number in before(hang, last)
    assert not any(step.name == "complete" for step in hang.steps)


def test_a_mail_comes_after_the_mail_that_is_run_before_it(hang: Order) -> None:
    later = the(hang, "deliver_trigger", task="S", checkpoint="cp2")
    # In the trace the trigger comes first; in Flink the savepoint's second mail must be there.
    assert the(hang, "stop_source").number in before(hang, later)


def test_checkpoints_are_told_by_their_kind(hang: Order) -> None:
    triggers = [step.trigger for step in hang.steps if step.trigger is not None]
    assert {each.checkpoint: each.kind for each in triggers} == {
        "cp1": "SUSPEND",
        "cp2": "CHECKPOINT",
    }
    assert hang.settings["execution.checkpointing.max-concurrent-checkpoints"] == "2"


@pytest.mark.parametrize("probe", ["", FAIL])
def test_an_order_is_read_as_it_was_written(hang: Order, tmp_path: Path, probe: str) -> None:
    file = tmp_path / "order.json"
    file.write_text(replace(hang, probe=probe).to_json(), encoding="utf-8")
    assert read_order(file).steps == hang.steps
    assert read_order(file).job.subtasks == hang.job.subtasks
    assert read_order(file).probe == probe


def test_a_probe_that_there_is_not(hang: Order, tmp_path: Path) -> None:
    file = tmp_path / "order.json"
    file.write_text(replace(hang, probe="kick").to_json(), encoding="utf-8")
    with pytest.raises(FinaleError, match="its probe is kick"):
        read_order(file)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "finale-order/0"}', "\0"])
def test_a_file_that_is_no_order(tmp_path: Path, text: str) -> None:
    file = tmp_path / "order.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FinaleError) as caught:
        read_order(file)
    assert caught.value.code == "bad-order"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("number", 2),
        ("about", []),
        ("about", {"task": "Z"}),
        ("about", {"task": "K", "others": "Z"}),
        ("about", {"channel": "S→Z"}),
        ("about", {"request": "stop1\tdrain"}),
        ("about", {"request": "\ud800"}),
        ("after", [99]),
        ("trigger", {}),
    ],
)
def test_a_step_of_nothing_is_refused(hang: Order, tmp_path: Path, key: str, value: object) -> None:
    page = json.loads(hang.to_json())
    page["steps"][0][key] = value
    file = tmp_path / "order.json"
    file.write_text(json.dumps(page), encoding="utf-8")
    with pytest.raises(FinaleError) as caught:
        read_order(file)
    assert caught.value.code == "bad-order"
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("job", [{}, {"S": {"kind": "sauce"}}, {"S": 1}])
def test_a_mistake_in_the_job_of_an_order_names_the_file(
    hang: Order, tmp_path: Path, job: object
) -> None:
    file = tmp_path / "order.json"
    file.write_text(json.dumps(json.loads(hang.to_json()) | {"job": job}), encoding="utf-8")
    with pytest.raises(FinaleError) as caught:
        read_order(file)
    assert str(file) in str(caught.value)


def test_a_setting_that_is_a_command_is_refused(hang: Order, tmp_path: Path) -> None:
    file = tmp_path / "order.json"
    file.write_text(replace(hang, settings={"a\nfolder": "/"}).to_json(), encoding="utf-8")
    with pytest.raises(FinaleError) as caught:
        read_order(file)
    assert caught.value.code == "bad-order"


@pytest.mark.parametrize(
    "step", [OrderedStep(1, "no_such_step"), OrderedStep(1, "fail"), OrderedStep(1, "emit")]
)
def test_a_step_that_nothing_takes_is_refused(
    hang: Order, tmp_path: Path, step: OrderedStep
) -> None:
    release = distribution(tmp_path, "2.3.0", *{each.class_name for each in HOOKS.all})
    with pytest.raises(FinaleError) as caught:
        run_order(replace(hang, steps=(step,)), Jvms(release_of(str(release))), tmp_path / "run")
    assert caught.value.code == "hook-missing"
    assert str(step) in caught.value.message
    assert not (tmp_path / "run").exists()


def test_the_script_of_a_folder_works_from_elsewhere(tmp_path: Path) -> None:
    folder, programs = prepared_folder(tmp_path / "a folder"), tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").write_text('#!/bin/sh\nls "$3" "$4"\n', encoding="utf-8")
    (programs / "python3").chmod(0o755)
    (folder / "order.json").touch()
    told = subprocess.run(
        ["sh", "a folder/again.sh", "bin"], cwd=tmp_path, capture_output=True, text=True,
        env={"PATH": f"{programs}:/usr/bin:/bin"}, check=True,
    )  # fmt: skip
    assert "a folder/order.json" in told.stdout
    assert "python3" in told.stdout  # in the folder of the second word, as the user named it


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (OrderedStep(1, "press", {"task": "S"}), "absorb, fill, press belong together"),
        (OrderedStep(1, "emit", {"task": "K"}), "about K, which is no source"),
        (OrderedStep(1, "emit_chained", {"task": "S", "source": "nope"}), "about nope"),
        (OrderedStep(1, "arrive", {"task": "S"}), "does not say its step"),
        (OrderedStep(1, "restore"), "does not say its task"),
        (OrderedStep(1, "resume"), "from which request or checkpoint"),
        (OrderedStep(1, "request_stop"), "does not say its drain"),
        (OrderedStep(1, "request_stop", {"drain": "banana"}), "none of drain, suspend"),
    ],
)
def test_a_step_that_says_too_little_is_refused_before_flink_starts(
    hang: Order, tmp_path: Path, step: OrderedStep, why: str
) -> None:
    release = distribution(tmp_path, "2.3.0", *{each.class_name for each in HOOKS.all})
    with pytest.raises(FinaleError, match=why) as caught:
        run_order(replace(hang, steps=(step,)), Jvms(release_of(str(release))), tmp_path / "run")
    assert caught.value.code == "bad-order"


@pytest.mark.parametrize("number", ["1e999", "[]", "{}"])
def test_a_number_that_is_none_is_refused(hang: Order, tmp_path: Path, number: str) -> None:
    file = tmp_path / "order.json"
    text = hang.to_json().replace('"number": 1,', f'"number": {number},')
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FinaleError) as caught:
        read_order(file)
    assert caught.value.code == "bad-order"


def test_an_order_is_taken_again_beside_its_file(
    hang: Order, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(order: Order, jvms: Jvms, folder: Path) -> None:
        assert (order.steps, folder.parent) == (hang.steps, file.parent)
        raise FinaleError("java-missing", "there is no Java", advice="install one")

    monkeypatch.setattr(again, "run_order", refused)
    release = distribution(tmp_path, "2.3.0")
    file = tmp_path / "order.json"
    file.write_text(hang.to_json(), encoding="utf-8")
    assert again.main([str(file), str(release)]) == 2
    assert "java-missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("refused", "code", "told"),
    [
        ("Failed to trigger checkpoint", 4, "Flink refused the step: Failed to trigger checkpoint"),
        ("", 3, "the driver could not force it"),
    ],
)
def test_who_kept_an_order_from_being_taken(
    hang: Order,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    refused: str,
    code: int,
    told: str,
) -> None:
    missed = Missed(hang.steps[:1], (), (), refused)
    outcome = RunOutcome("RUNNING", False, (), {}, {}, {}, {}, 0, (), ())
    release = distribution(tmp_path, "2.3.0")

    def not_taken(order: Order, jvms: Jvms, folder: Path) -> Run:
        assert order.steps == hang.steps
        return Run(folder, jvms.release, Taken(missed=missed), outcome)

    monkeypatch.setattr(again, "run_order", not_taken)
    file = tmp_path / "order.json"
    file.write_text(hang.to_json(), encoding="utf-8")
    assert again.main([str(file), str(release)]) == code
    assert told in capsys.readouterr().out


def test_an_order_keeps_two_edges_between_two_vertices(hang: Order, tmp_path: Path) -> None:
    job = read_spec(ROOT / "specs/final-checkpoint/parallel-edges.toml", catalogue()).setting.job
    assert job is not None
    order = replace(hang, job=job, table=table_of(job), steps=(OrderedStep(1, "emit"),))
    file = tmp_path / "order.json"
    file.write_text(order.to_json(), encoding="utf-8")
    assert read_order(file).job.edges == job.edges


def test_an_order_names_the_steps_that_no_hook_holds(hang: Order, tmp_path: Path) -> None:
    order = ordered("stop-with-savepoint/second-stop.toml", "requests-do-not-defeat")
    assert not {name for step in order.steps for name in step.tells} & set(order.free)
    file = tmp_path / "order.json"
    file.write_text(replace(hang, free=("step 7, learn_savepoint()",)).to_json(), encoding="utf-8")
    assert read_order(file).free == ("step 7, learn_savepoint()",)


def test_settings_have_the_defaults_of_the_spec() -> None:
    """Else a job that a release runs in another way would be taken for that of the spec."""
    order = ordered("stop-with-savepoint/second-stop.toml", "requests-do-not-defeat")
    assert order.settings["execution.checkpointing.checkpoints-after-tasks-finish"] == "true"
    assert order.settings["execution.checkpointing.max-concurrent-checkpoints"] == "1"


def test_an_order_in_a_circle_is_refused(hang: Order, tmp_path: Path) -> None:
    first, second, *others = hang.steps
    circle = replace(first, after=(second.number,)), replace(second, after=(first.number,))
    file = tmp_path / "order.json"
    file.write_text(replace(hang, steps=(*circle, *others)).to_json(), encoding="utf-8")
    with pytest.raises(FinaleError) as caught:
        read_order(file)
    assert caught.value.code == "bad-order"


def test_a_trigger_call_to_a_task_that_closes_comes_before_its_end() -> None:
    """The rules lose the call in either order. Flink declines it if the task has closed."""
    order = ordered("history/flink-23741.toml", "checkpoint-ends")
    call, end = the(order, "deliver_trigger", task="S1"), the(order, "close", task="S1")
    assert call.number in before(order, end)


def test_damage_that_no_hook_shows_is_not_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else each run would say that the damage does not come."""
    release = distribution(tmp_path, "2.3.0", *{each.class_name for each in HOOKS.all})
    spec = ROOT / "specs" / "history" / "flink-36287.toml"
    command = ["reproduce", str(spec), "--as-written", "--flink", str(release)]
    assert main([*command, "--output", str(tmp_path / "reproduction")]) == 3
    assert "no hook that shows the damage of confirmed-commits" in capsys.readouterr().out


def test_steps_that_flink_cannot_part_are_refused() -> None:
    together = {**FACTS.together, "complete": "deliver_trigger"}
    with pytest.raises(NotTakeable, match="in the same moment"):
        ordered(
            "stop-with-savepoint/final-trigger-during-stop.toml",
            "no-deadlock",
            replace(FACTS, together=together),
        )


def test_a_region_names_all_its_tasks() -> None:
    order = ordered("failures/terminal-counted-as-finished.toml", "counted-finished-are-finished")
    failed = [step for step in order.steps if step.name == "fail_region"]
    assert failed
    for step in failed:
        assert step.about["task"] not in step.about.get("others", "").split()


def test_an_id_that_is_used_again_is_another_checkpoint() -> None:
    order = ordered("final-checkpoint/union-state-of-a-source.toml", "checkpoints-go-on")
    names = [step.trigger.checkpoint for step in order.steps if step.trigger is not None]
    assert len(names) == len(set(names))
    assert any(name.endswith("'") for name in names)
    assert order.table["S"]["union_state"] is True  # type: ignore[index]


@pytest.fixture(scope="module")
def overtaken() -> Order:
    return driven("stop-with-savepoint/stops-for-aborted.toml", "job-finishes")


def test_an_order_with_an_expiry_has_a_time_limit(overtaken: Order) -> None:
    assert the(overtaken, "expire").about == {"checkpoint": "cp1"}
    assert overtaken.settings["execution.checkpointing.timeout"] == "3 s"


def test_an_operator_waits_while_an_abort_overtakes_the_mail_of_a_stop(overtaken: Order) -> None:
    begin, call, abort, end, stop = (
        the(overtaken, "begin_call", task="S"),
        the(overtaken, "deliver_trigger", task="S", checkpoint="cp1"),
        the(overtaken, "deliver_abort", task="S", checkpoint="cp1"),
        the(overtaken, "end_call", task="S"),
        the(overtaken, "stop_source"),
    )
    for one, other in pairwise([begin, call, abort, end, stop]):
        assert one.number in before(overtaken, other)
    assert overtaken.settings["driver.calls"] == "true"


def test_a_mail_comes_while_the_thread_is_held_at_the_one_before_it(overtaken: Order) -> None:
    """The source ends its data between the two: the mailbox runs one action between batches."""
    stop, end = the(overtaken, "stop_source"), the(overtaken, "end_source")
    arrived = the(overtaken, "arrive")
    assert arrived.about == {"task": "S", "step": str(stop.number)}
    call = the(overtaken, "deliver_trigger", checkpoint="cp2")
    mail = the(overtaken, "run_trigger", checkpoint="cp2")
    savepoint = the(overtaken, "perform_savepoint")
    for one, other in pairwise([arrived, call, stop, end, mail, savepoint]):
        assert one.number in before(overtaken, other)


def test_no_operator_waits_when_the_source_has_ended() -> None:
    with pytest.raises(NotTakeable, match="S has ended its data"):
        ordered("stop-with-savepoint/stops-for-aborted.toml", "job-finishes")


def test_a_source_that_takes_its_savepoint_first_has_no_output() -> None:
    name = "stop-with-savepoint/savepoint-after-suspension.toml"
    order = ordered(name, "finished-flag-is-sound")
    savepoint = the(order, "perform_savepoint")
    assert_pressed(order, "S", savepoint)
    assert savepoint.number in before(order, the(order, "poll_barrier"))
    assert savepoint.number in before(order, the(order, "end_source"))


def assert_pressed(order: Order, source: str, savepoint: OrderedStep) -> None:
    """The channels of a source are full from before its stop until it has taken the savepoint."""
    press, fill, absorb = the(order, "press"), the(order, "fill"), the(order, "absorb")
    assert (press.about, fill.about) == ({"task": source}, {"task": source})
    assert absorb.about == {"task": "K"}
    arrived = the(order, "arrive")
    assert arrived.about == {"task": "K", "step": str(absorb.number)}
    call, stop = the(order, "deliver_trigger", task=source), the(order, "stop_source", task=source)
    for one, other in pairwise([press, arrived, fill, call, stop, savepoint, absorb]):
        assert one.number in before(order, other)


def test_a_source_that_does_not_end_its_data_has_no_output() -> None:
    order = ordered("stop-with-savepoint/union-state-under-pressure.toml", "legal-never-fails")
    assert_pressed(order, "S.1", the(order, "perform_savepoint", task="S.1"))
    # The task behind it must not be held for a step that is to come later.
    read = the(order, "poll_end_of_data")
    assert read.number in before(order, the(order, "press"))
    barrier = the(order, "poll_barrier", channel="S.1→K")
    assert the(order, "absorb").number in before(order, barrier)


def under_pressure(**changes: object) -> Spec:
    """The spec of a stop under back-pressure, with other values of some keys."""
    spec = read_spec(
        ROOT / "specs/stop-with-savepoint/union-state-under-pressure.toml", catalogue()
    )
    assert spec.table is not None
    table = varied(spec.table, changes.items())
    return spec_of(spec.file, table, spec.lines, spec.catalogue)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"job.S.parallelism": 3, "job.S.bounded": [True, False, False]}, "only one source"),
        ({"job.K.parallelism": 2}, "S.1 has not one output"),
    ],
)
def test_one_source_with_one_task_behind_it_waits_for_its_output(
    changes: dict[str, object], why: str
) -> None:
    means = [frozenset(Means)]
    with pytest.raises(NotTakeable, match=why):
        order_in(under_pressure(**changes), "legal-never-fails", FACTS, means)
    # Without the means there is an order, which Flink may take or not.
    order = order_in(under_pressure(**changes), "legal-never-fails", FACTS, TRIED)
    assert "press" not in {each.name for each in order.steps}


def test_an_order_of_a_source_that_ends_its_data_first_has_no_pressure() -> None:
    order = driven("stop-with-savepoint/second-stop.toml", "legal-never-fails")
    assert "press" not in {each.name for each in order.steps}


def test_a_task_is_held_in_a_mail_of_its_own_until_an_abort_is_there() -> None:
    order = ordered("final-checkpoint/final-trigger-declined.toml", "job-finishes")
    ended, put, arrived = (
        the(order, "poll_end_of_data"),
        the(order, "put_mail"),
        the(order, "arrive"),
    )
    mail = the(order, "run_mail", task="K")
    assert arrived.about == {"task": "K", "step": str(mail.number)}
    barrier, abort = the(order, "poll_barrier"), the(order, "deliver_abort", task="K")
    for one, other in pairwise(
        [ended, put, arrived, the(order, "run_trigger"), abort, mail, barrier]
    ):
        assert one.number in before(order, other)
    assert the(order, "fail_snapshot").about == {"task": "S", "checkpoint": "cp1"}


def test_a_record_is_visible_before_a_failure() -> None:
    order = ordered("stop-with-savepoint/drains-behind-what-is-visible.toml", "commit-completeness")
    shown = the(order, "show_record")
    assert shown.number in before(order, the(order, "fail_region"))


def test_without_means_an_order_is_not_takeable() -> None:
    with pytest.raises(NotTakeable, match="comes to end_source before perform_savepoint"):
        ordered(
            "stop-with-savepoint/savepoint-after-suspension.toml",
            "finished-flag-is-sound",
            tried=NO_MEANS,
        )


def test_a_job_that_fails_as_a_whole_fails_in_one_region() -> None:
    facts = facts_in(ROOT / "reference" / "flink" / "flink-1.12.0.toml")
    order = ordered("history/flink-21030.toml", "stop-is-answered", facts)
    assert the(order, "fail_region").about == {"task": "B2", "others": "B1"}


@pytest.mark.parametrize(
    ("before", "after", "taken", "puts"),
    [
        ("ab", "ab", None, [1, 2]),
        ("ab", "abc", None, [1, 2, 9]),
        ("ab", "bc", 1, [2, 9]),
        ("ab", "a", 2, [1]),
        ("ab", "cab", None, [9, 1, 2]),
        ("ab", "c", None, [9]),
        ("ab", "", None, []),
    ],
    ids=["same", "put", "taken-and-put", "taken-behind", "overtakes", "lost-and-put", "lost"],
)
def test_who_put_each_element_of_a_queue(
    before: str, after: str, taken: int | None, puts: list[int]
) -> None:
    known = [1, 2]
    assert followed(known, before, after, 9) == taken
    assert known == puts


def test_a_reader_is_triggered_by_its_source() -> None:
    order = ordered("history/flink-28606.toml", "split-at-one-place")
    assert order.settings["job.splits"] == "1"
    assert order.table.keys() == {"S", "R"}
    trigger = the(order, "deliver_trigger", task="S")
    assert the(order, "receive_split").number in before(order, trigger)
    assert the(order, "assign").about == {"task": "R", "split": "split1"}
    assert the(order, "finish_coordinator_part").number in before(order, trigger)


def test_a_job_starts_again_from_the_savepoint_of_a_request() -> None:
    order = ordered("stop-with-savepoint/savepoint-after-suspension.toml", "commit-at-most-once")
    resumed = the(order, "resume")
    asked = next(step for step in order.steps if step.about.get("request") == "savepoint1")
    assert asked.name == "request_savepoint"
    assert resumed.about == {"checkpoint": "cp1", "request": "savepoint1"}
    restored = {step.about["task"] for step in order.steps if step.name == "restore"}
    assert restored == {"S", "K"}
    # What the second life polls is put there in the second life.
    polled = [step for step in order.steps if step.name == "poll_barrier"][-1]
    assert resumed.number in before(order, polled)


def test_a_job_starts_again_from_a_checkpoint_that_flink_keeps() -> None:
    name = "stop-with-savepoint/resumes-behind-its-savepoint.toml"
    order = ordered(name, "commit-at-most-once")
    assert the(order, "resume").about == {"checkpoint": "cp1"}
    kept = "execution.checkpointing.externalized-checkpoint-retention"
    assert order.settings[kept] == "DELETE_ON_CANCELLATION"


def test_a_chained_source_ends_by_command_unless_a_stop_ends_it() -> None:
    order = ordered("chained-sources/ended-source-holds-the-savepoint.toml", "stop-is-answered")
    ended = the(order, "end_chained")
    assert ended.about == {"source": "T.source1", "task": "T"}
    assert [step.name for step in order.steps].count("end_chained") == 1
    # The stop's mail has no hook here: it comes when the source has ended.
    assert not any(step.name.startswith("stop") for step in order.steps)
    assert ended.number in before(order, the(order, "deliver_trigger"))
    assert order.table["T"]["chained"] == [0, 1]  # type: ignore[index]


def test_a_crash_needs_another_cluster() -> None:
    name = "stop-with-savepoint/crash-restores-a-stopped-source.toml"
    order = ordered(name, "records-survive-restarts")
    crash = the(order, "crash_coordinator")
    assert order.settings["driver.crashes"] == "true"
    restored = [step for step in order.steps if step.name == "restore"]
    assert all(crash.number in before(order, step) for step in restored)


def test_what_a_driven_run_has_no_means_for() -> None:
    with pytest.raises(NotTakeable, match=r"cannot take step \d+, find_no_slot: the driver"):
        ordered("failures/trigger-without-slot.toml", "checkpoint-ends")


def test_all_tasks_fail_together() -> None:
    order = ordered("final-checkpoint/finish-emits-twice.toml", "commit-at-most-once")
    failed = the(order, "fail_region")
    assert {failed.about["task"], *failed.about["others"].split()} == {"S", "W", "K"}
    assert order.settings["driver.keeps-on-finish"] == "true"


def test_without_checkpointing_there_is_no_interval() -> None:
    order = ordered("final-checkpoint/not-configured-two-phase.toml", "commit-completeness")
    assert order.settings["execution.checkpointing.interval"] == ""
