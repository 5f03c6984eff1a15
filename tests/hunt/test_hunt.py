"""A hunt finds what specs do not describe, leaves out what they do, and goes on where it ended."""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

import finale.checker.hunt.hunting
import finale.cli.hunt
from finale.checker.hunt.hunting import Hunting, known_settings, new_signatures, signatures_of
from finale.checker.hunt.journal import FOUND, JOURNAL, Journal, Searched
from finale.checker.hunt.settings import HuntSetting, settings
from finale.checker.hunt.signature import Signature
from finale.checker.reproduce.claims import claims_for
from finale.checker.reproduce.ordering import order_of
from finale.checker.search.limits import Limits
from finale.checker.search.run import run as search
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.reference.flink.facts import facts_in
from tests.cli.running import ROOT, run

#: A stop whose savepoint's confirmation is lost: the stop hangs (specs/stop-with-savepoint).
NAME = "stop-with-savepoint, endless pair, stops, lost_confirmations, 2 checkpoints"
KNOWN = ROOT / "specs" / "stop-with-savepoint" / "lost-confirmation.toml"
SHORT = f"hunt stop-with-savepoint --workers 1 --max-total-seconds 0.001 --known {KNOWN}"


def plan_of(*names: str) -> list[HuntSetting]:
    return [each for each in settings(["stop-with-savepoint"], "flink-main") if each.name in names]


def hunting(journal: Journal) -> Hunting:
    return Hunting(catalogue(), journal, Limits(), 1, lambda busy, done, of: None)


def test_the_cheapest_settings_come_first_and_names_tell_them_apart() -> None:
    plan = settings(["final-checkpoint", "stop-with-savepoint"], "flink-main")
    assert all(one.weight <= other.weight for one, other in pairwise(plan))
    assert len({each.name for each in plan}) == len(plan) > 1000


def test_a_signature_covers_one_with_further_decisive_rules() -> None:
    small = Signature("p", ("fail",), ("a",))
    assert small.covers(Signature("p", ("fail",), ("a", "b")))
    assert not small.covers(Signature("p", ("fail",), ("b",)))
    assert not small.covers(Signature("p", ("fail", "expire"), ("a",)))
    assert not small.covers(Signature("q", ("fail",), ("a",)))


def test_what_is_not_known_to_be_decisive_hides_nothing_and_is_not_hidden() -> None:
    known, unknown = Signature("p", ("fail",), ("a",)), Signature("p", ("fail",), ())
    assert not known.covers(unknown)
    assert not unknown.covers(known)
    assert unknown.covers(unknown)


def test_a_violation_is_found_and_a_spec_makes_it_known(tmp_path: Path) -> None:
    plan = plan_of(NAME)
    described = list(known_settings([KNOWN], ["stop-with-savepoint"]))
    with Journal(tmp_path) as journal:
        hunt = hunting(journal)
        assert not hunt.hunt([*plan, *described], None)
        results = list(hunt.results(plan))
        known = signatures_of(list(hunt.results(described)))
    names = {each.signature.property: each for each in new_signatures(results, (), catalogue())}
    hang = names["stop-is-answered"]
    assert hang.signature.environment == ("lose_confirmation", "request_stop")
    assert "complete" in hang.signature.decisive
    left = {each.signature.property for each in new_signatures(results, known, catalogue())}
    assert "stop-is-answered" not in left


def test_a_hunt_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of("stop-with-savepoint, empty pair, 2 checkpoints")
    with Journal(tmp_path) as journal:
        first = hunting(journal)
        first.hunt(plan, None)
        results = list(first.results(plan))
    with (tmp_path / JOURNAL).open("a", encoding="utf-8") as file:
        file.write('{"key": "half')  # what was being written when the machine went down

    def search(self: Hunting, batch: Sequence[HuntSetting], done: int) -> None:
        raise AssertionError("it is known")

    monkeypatch.setattr(Hunting, "_batch", search)
    with Journal(tmp_path) as journal:
        again = hunting(journal)
        again.hunt(plan, None)
        assert list(again.results(plan)) == results


def test_half_a_line_is_cut_off_for_good(tmp_path: Path) -> None:
    for key in "abc":
        with Journal(tmp_path) as journal:
            journal.keep(Searched(key, key))
        with (tmp_path / JOURNAL).open("a", encoding="utf-8") as file:
            file.write('{"key": "half')
    with Journal(tmp_path) as journal:
        assert list(journal.known) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "line",
    [b"\xff", b"[" * 100_000, b'"x"', b"[]", b"3", b'{"key": "k", "name": "n", "violations": 3}'],
)
def test_a_line_that_is_none_of_ours_is_refused(tmp_path: Path, line: bytes) -> None:
    for lines in (line, b'{"finale": "hunt", "v": 1}\n' + line):
        (tmp_path / JOURNAL).write_bytes(lines + b"\n")
        with pytest.raises(FinaleError) as error:
            Journal(tmp_path)
        assert error.value.code == "hunt-folder"


def test_a_hunt_of_a_later_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_text('{"finale": "hunt", "v": 2}\n', encoding="utf-8")
    with pytest.raises(FinaleError) as error:
        Journal(tmp_path)
    assert error.value.code == "hunt-folder"


def test_a_file_in_place_of_the_folder_of_specs_is_refused(tmp_path: Path) -> None:
    (tmp_path / FOUND).touch()
    with pytest.raises(FinaleError) as error:
        Journal(tmp_path)
    assert error.value.code == "hunt-folder"


def test_time_ends_a_hunt_between_two_settings(tmp_path: Path) -> None:
    plan = settings(["stop-with-savepoint"], "flink-main")[:5]
    with Journal(tmp_path) as journal:
        assert not hunting(journal).hunt(plan, 0.0)
        assert len(journal.known) == 1


def test_a_setting_whose_process_was_killed_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(spec: Spec, limits: Limits) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(finale.checker.hunt.hunting, "searched_spec", killed)
    plan = plan_of("stop-with-savepoint, empty pair, 2 checkpoints")
    with Journal(tmp_path) as journal:
        hunt = hunting(journal)
        hunt.hunt(plan, None)
        ((_, result),) = hunt.results(plan)
    assert (result.refused, "signal 9" in result.stopped) == ("", True)


def test_each_signature_has_a_file_of_its_own() -> None:
    rules = tuple(f"a_rule_with_a_long_name_{number}" for number in range(5))
    one, other = (Signature("p", (), (*rules, last)) for last in ("x", "y"))
    names = {finale.cli.hunt.file_name(each) for each in (one, other)}
    assert len(names) == 2
    assert all(len(each) <= finale.cli.hunt.NAME_MAX for each in names)
    assert finale.cli.hunt.file_name(Signature("p", ("a_b",), ("c",))) == "p-a-b-c"


def test_a_setting_that_the_protocol_refuses_is_none(tmp_path: Path) -> None:
    wrong = [HuntSetting("wrong", {"title": "wrong", "protocol": "no-such"}, 1.0)]
    with Journal(tmp_path) as journal:
        hunt = hunting(journal)
        hunt.hunt(wrong, None)
        ((_, result),) = hunt.results(wrong)
    assert "no-such" in result.refused


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("", encoding="utf-8")
    with pytest.raises(FinaleError) as error:
        Journal(tmp_path)
    assert error.value.code == "hunt-folder"


@pytest.mark.parametrize("notes", ["my notes", '{"finale": "hu', "my notes\nmore\n", "\n"])
def test_a_foreign_file_of_that_name_is_left_as_it_is(tmp_path: Path, notes: str) -> None:
    (tmp_path / JOURNAL).write_text(notes, encoding="utf-8")
    if notes.startswith("{"):
        (tmp_path / "thesis.tex").touch()
    ran = run(f"{SHORT} --output {tmp_path}", tmp_path)
    assert (ran.exit, ran.stderr[:18]) == (2, "error[hunt-folder]")
    assert (tmp_path / JOURNAL).read_text(encoding="utf-8") == notes


def test_one_hunt_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path):
        ran = run(f"{SHORT} --output {tmp_path}", tmp_path)
    assert (ran.exit, ran.stderr[:18]) == (2, "error[hunt-in-use]")


def test_nothing_is_written_behind_a_link(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "hunt"
    outside.mkdir()
    folder.mkdir()
    with Journal(folder):
        (folder / FOUND).rmdir()
    (folder / FOUND).symlink_to(outside)
    with pytest.raises(FinaleError, match="found in it is a link"):
        Journal(folder)


def assert_an_order_for_flink(file: Path, name: str) -> None:
    """What a hunt writes is what `finale reproduce` takes."""
    facts = facts_in(ROOT / "reference" / "flink" / "flink-2.3.toml")
    *_, spec = claims_for(read_spec(file, catalogue()), None, facts)
    result = search(spec, only=(name,))
    row = next(row for row in result.rows if row.property == name)
    assert row.trace is not None
    assert result.system is not None
    steps = {step.name for step in order_of(spec, result.system, row.trace, facts).steps}
    assert {"request_stop", "lose_confirmation"} <= steps


def test_the_command_writes_specs_that_reproduce(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def few(protocols: Sequence[str], release: str) -> list[HuntSetting]:
        return plan_of(NAME)

    monkeypatch.setattr(finale.cli.hunt, "settings", few)
    monkeypatch.setattr(finale.cli.hunt, "SECONDS_TO_SHRINK", 0.3)
    none = tmp_path / "none"
    none.mkdir()
    (none / "other.toml").write_text('title = "no spec"', encoding="utf-8")
    flags = f"stop-with-savepoint --known {none} --workers 1 --format json"
    ran = run(f"hunt {flags} --output {tmp_path / 'hunt'}", tmp_path)
    told = json.loads(ran.stdout)
    assert (ran.exit, told["searched"], told["left"], told["known"]) == (1, 1, 0, 0)
    finding = next(e for e in told["findings"] if e["property"] == "stop-is-answered")
    again = run(finding["command"].removeprefix("finale "), tmp_path)
    assert again.exit == 0
    assert "stop-is-answered is violated" in again.stdout
    assert_an_order_for_flink(Path(shlex.split(finding["command"])[2]), "stop-is-answered")
    text = run(f"hunt {flags.replace('json', 'text')} --output {tmp_path / 'hunt'}", tmp_path)
    assert text.exit == 1
    assert "lose_confirmation, request_stop" in text.stdout


def test_after_an_interrupt_the_commands_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C is the usual end of a hunt: what was found is there, not shrunk yet."""

    def few(protocols: Sequence[str], release: str) -> list[HuntSetting]:
        return plan_of(NAME)

    def stopped(self: Hunting, plan: Sequence[HuntSetting], seconds: float | None) -> bool:
        whole(self, plan, seconds)
        return bool(plan)

    whole = Hunting.hunt
    monkeypatch.setattr(finale.cli.hunt, "settings", few)
    monkeypatch.setattr(Hunting, "hunt", stopped)
    none, folder = tmp_path / "none", tmp_path / "a hunt"
    none.mkdir()
    (none / "other.toml").write_text('title = "no spec"', encoding="utf-8")
    flags = f"stop-with-savepoint --known {none} --workers 1 --format json"
    ran = run(f"hunt {flags} --output {shlex.quote(str(folder))}", tmp_path)
    assert ran.exit == 130
    (finding, *_) = json.loads(ran.stdout)["findings"]
    again = run(finding["command"].removeprefix("finale "), tmp_path)
    assert again.exit == 0
    assert f"{finding['property']} is violated" in again.stdout


def test_an_interrupt_in_the_known_specs_says_that_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings that were searched before are not called new: nobody knows what is known."""

    def few(protocols: Sequence[str], release: str) -> list[HuntSetting]:
        return plan_of(NAME)

    monkeypatch.setattr(finale.cli.hunt, "settings", few)
    monkeypatch.setattr(finale.cli.hunt, "SECONDS_TO_SHRINK", 0.05)
    none, command = tmp_path / "none", "hunt stop-with-savepoint --workers 1 --output hunt"
    none.mkdir()
    (none / "other.toml").write_text('title = "no spec"', encoding="utf-8")
    assert run(f"{command} --known none", tmp_path).exit == 1
    whole = Hunting.hunt

    def stopped(self: Hunting, plan: Sequence[HuntSetting], seconds: float | None) -> bool:
        return True if plan and plan[0].file else whole(self, plan, seconds)

    monkeypatch.setattr(Hunting, "hunt", stopped)
    ran = run(f"{command} --known {KNOWN}", tmp_path)
    assert ran.exit == 130
    assert ran.stdout.splitlines() == [
        "1 known spec left to search: before that, no violation can be called new",
        "1 setting searched · 0 left · 0 new signatures · 0 known · interrupted",
    ]
    monkeypatch.setattr(Hunting, "hunt", whole)
    assert "stop-is-answered" not in run(f"{command} --known {KNOWN}", tmp_path).stdout


def few_of(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    whole = settings

    def few(protocols: Sequence[str], release: str) -> list[HuntSetting]:
        return [each for each in whole(protocols, release) if not names or each.name in names][:3]

    monkeypatch.setattr(finale.cli.hunt, "settings", few)


def test_a_hunt_whose_settings_are_all_refused_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_of(monkeypatch)
    ran = run(f"hunt operator-coordinator --known {KNOWN} --workers 1", tmp_path)
    assert ran.exit == 2
    assert ran.stdout.startswith("no setting was searched\n0 settings searched")
    first, error, _ = ran.stderr.splitlines()
    assert first.startswith("hunting in operator-coordinator: first ")
    assert first.endswith(" settings of specs, whose violations are known, then 3 new settings")
    assert error.startswith("error[all-refused]: the protocol refuses all 3 settings")


def test_settings_that_are_left_or_stopped_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_of(monkeypatch)
    command = f"hunt stop-with-savepoint --known {KNOWN} --workers 1"
    told = "no violation that the specs do not describe"
    partly = f"{told} in the settings that were searched to the end\n"
    left = run(f"{command} --max-total-seconds 0.001 --output left", tmp_path)
    assert (left.exit, left.stdout.startswith(partly)) == (3, True), left
    stopped = run(f"{command} --max-states 2 --output stopped", tmp_path)
    assert (stopped.exit, stopped.stdout.startswith(partly)) == (3, True), stopped
    assert "1 known spec came to a limit: a violation of these can be listed as new" in (
        stopped.stdout
    )
    whole = run(f"{command} --output whole", tmp_path)
    assert (whole.exit, whole.stdout.startswith(f"{told}\n")) == (0, True), whole
