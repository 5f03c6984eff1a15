"""What `finale impact` finds between builds that differ in one method, or by their compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.impact.builds import build_of
from finale.checker.impact.comparing import How, Impact, impact
from finale.checker.impact.naming import Evidences, Kind, line_patterns, names
from finale.checker.report.impact import impact_json, impact_lines, impact_markdown
from finale.checker.spec.catalogue import catalogue
from finale.checker.studies.effects import Effect
from finale.model.errors import FinaleError
from tests.impact.javac import COORDINATOR, GATEWAY, SOURCES, TASK, built, needs_javac

KNOWN = catalogue(None)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("plain") / "classes")


def compared(old: Path, new: Path) -> Impact:
    with build_of(str(old)) as one, build_of(str(new)) as other:
        return impact(one, other, KNOWN)


def against(plain: Path, folder: Path, **changed: str) -> Impact:
    """The impact of other sources for some classes."""
    return compared(plain, built(folder / "new", {**SOURCES, **changed}))


def titles(found: Impact) -> list[list[str]]:
    lists = (found.named, found.near, found.unnamed)
    return [[each.title for each in changes] for changes in lists]


# --- who is named --------------------------------------------------------------------------------


def test_names_come_from_rules_assumptions_options_and_hooks() -> None:
    found = names(KNOWN, ("2.3.0", "2.3.0"))
    told = {(each.told, f"{each.owner}.{each.method}") for each in found}
    assert ("rule PL-4", "CheckpointCoordinator.triggerTasks") in told
    assert ("assumption is-released", "StreamTask.afterInvoke") in told
    assert ("option final_wait", "StreamTask.performCheckpoint") in told
    assert {each.kind for each in found} == {Kind.RULE, Kind.ASSUMPTION, Kind.OPTION, Kind.HOOK}
    assert len({(each.owner, each.method) for each in found}) > 150


def test_hooks_are_those_of_the_release_or_the_newest() -> None:
    def hooks(version: str) -> set[str]:
        return {each.key for each in names(KNOWN, (version,)) if each.kind is Kind.HOOK}

    assert hooks("1.13.6") != hooks("2.3.0") == hooks("9.9.9") == hooks("")


def test_each_log_line_has_the_class_that_writes_it() -> None:
    assert ("org/apache/flink/runtime/checkpoint/CheckpointCoordinator", "restored") in {
        (owner, pattern.event) for owner, pattern in line_patterns()
    }


def test_what_specs_show_is_worst_first() -> None:
    known = {each.told: each for each in names(KNOWN, ("2.3.0",))}
    evidences = Evidences(KNOWN)
    shown = evidences.of(known["assumption perform-at-once"])
    assert all("without" in Path(each.spec).read_text("utf-8") for each in shown)
    worst = [list(Effect).index(each.effect) for each in evidences.of(known["rule CN-1"])]
    assert worst == sorted(worst)
    assert worst[0] == 0


# --- what changed --------------------------------------------------------------------------------


@needs_javac
def test_a_change_in_one_method_lists_that_one(plain: Path, tmp_path: Path) -> None:
    later = TASK.replace('"end"', '"END"')
    found = against(plain, tmp_path, StreamTask=later)
    assert titles(found) == [["StreamTask.endData"], [], []]
    (change,) = found.named
    assert "rule FC-1" in [name.told for name in change.named_by]
    assert [line for line in change.diff if line[0] in "+-"] == ['-  ldc "end"', '+  ldc "END"']
    assert not found.is_untouched


@needs_javac
def test_code_of_lambdas_and_anonymous_classes_is_of_the_method_around(
    plain: Path, tmp_path: Path
) -> None:
    for number, (old, new) in enumerate((("said + pending", "said"), ("count(id)", "2"))):
        folder = tmp_path / str(number)
        found = against(plain, folder, CheckpointCoordinator=COORDINATOR.replace(old, new))
        assert titles(found)[0] == ["CheckpointCoordinator.receiveAcknowledgeMessage"]


@needs_javac
def test_methods_near_a_named_one_and_those_without_a_rule(plain: Path, tmp_path: Path) -> None:
    calling = GATEWAY.replace('(1, "a")', '(2, "a")')
    found = against(plain, tmp_path / "calls", Gateway=calling)
    assert titles(found) == [[], ["Gateway.acknowledge"], []]
    assert found.near[0].near == ("calls CheckpointCoordinator.receiveAcknowledgeMessage",)
    assert found.is_untouched
    alone = COORDINATOR.replace("unrelated() {", "unrelated() { pending++;")
    found = against(plain, tmp_path / "alone", CheckpointCoordinator=alone)
    assert titles(found) == [[], [], ["CheckpointCoordinator.unrelated"]]
    fresh = GATEWAY.replace("class Gateway", "class Fresh").replace(
        'to.receiveAcknowledgeMessage(1, "a");', ""
    )
    found = against(plain, tmp_path / "fresh", Fresh=fresh)
    assert [each.how for each in found.unnamed] == [How.NEW_CLASS, How.NEW_CLASS]


@needs_javac
def test_a_log_line_whose_text_changed(plain: Path, tmp_path: Path) -> None:
    for old, new, is_read in (("Received late", "Late", False), (" + '.'", " + '!'", True)):
        sources = COORDINATOR.replace(old, new)
        found = against(plain, tmp_path / str(is_read), CheckpointCoordinator=sources)
        (line,) = found.lines
        assert (line.event, line.is_read) == ("acknowledgement-late", is_read)
        assert "Received late message" in line.old[0]
        assert not found.is_untouched


@needs_javac
@pytest.mark.parametrize("options", [("-g:none",), ("--release", "8"), ("--release", "11")])
def test_builds_that_differ_by_the_compiler_list_nothing(
    options: tuple[str, ...], plain: Path, tmp_path: Path
) -> None:
    found = compared(plain, built(tmp_path / "new", SOURCES, *options))
    assert titles(found) == [[], [], []]
    assert not found.lines
    assert found.only_compiled > 0


@needs_javac
def test_the_same_classes_twice_and_what_only_shows(plain: Path, tmp_path: Path) -> None:
    found = compared(plain, plain)
    assert titles(found) == [[], [], []]
    assert found.only_compiled == 0
    shown = COORDINATOR.replace('return "a"', 'return "b"')
    assert titles(against(plain, tmp_path, CheckpointCoordinator=shown)) == [[], [], []]


@needs_javac
def test_a_method_that_is_no_longer_there(plain: Path, tmp_path: Path) -> None:
    base = TASK.replace("class StreamTask", "class BaseTask")
    moved = (
        TASK.split("{", maxsplit=1)[0].replace("StreamTask", "StreamTask extends BaseTask") + "{}"
    )
    found = against(plain, tmp_path / "moved", StreamTask=moved, BaseTask=base)
    notes = {each.title: each.note for each in found.named}
    assert notes["StreamTask.endData"] == "no longer there: BaseTask.endData takes its place"
    renamed = TASK.replace("endData", "endOfData")
    found = against(plain, tmp_path / "renamed", StreamTask=renamed)
    notes = {each.title: each.note for each in found.named}
    assert notes["StreamTask.endData"] == "no longer there: the nearest is StreamTask.endOfData"
    found = against(plain, tmp_path / "gone", StreamTask=TASK.split("{")[0] + "{}")
    assert [each.note for each in found.named] == ["no longer there"]


@needs_javac
def test_a_part_of_flink_is_compared_with_the_whole(plain: Path, tmp_path: Path) -> None:
    """Packages that only one of the two has are named, and not listed as gone."""
    part = built(tmp_path / "part", {"StreamTask": TASK.replace('"end"', '"END"')})
    whole = built(
        tmp_path / "whole",
        {
            **SOURCES,
            "Other": "package org.apache.flink.runtime.scheduler; public class Other {}",
        },
    )
    found = compared(whole, part)
    assert titles(found) == [["StreamTask.endData"], [], []]
    assert "org/apache/flink/runtime/checkpoint" in found.left_out


# --- what is shown -------------------------------------------------------------------------------


@needs_javac
def test_all_formats_tell_the_same(plain: Path, tmp_path: Path) -> None:
    from finale.checker.page.impact import impact_page

    found = against(plain, tmp_path, StreamTask=TASK.replace('"end"', '"<b>*end*</b>"'))
    text = "\n".join(line.plain for line in impact_lines(found, 100))
    page = impact_page(found, "finale")
    comment = impact_markdown(found)
    for each in (text, page, comment):
        assert "StreamTask.endData" in each
        assert "FC-1" in each
    assert "<b>*end" not in page
    assert "```" in comment
    told = impact_json(found)
    assert [each["method"] for each in told["named"]] == ["endData"]  # type: ignore[attr-defined]


@needs_javac
def test_a_long_comment_is_cut_at_a_method(plain: Path, tmp_path: Path) -> None:
    much = TASK.replace('System.out.println("end");', 'System.out.println("x");' * 3000)
    comment = impact_markdown(against(plain, tmp_path, StreamTask=much))
    assert len(comment) < 65_536
    assert "does not fit" in comment
    assert comment.count("````") % 2 == 0


# --- bad input -----------------------------------------------------------------------------------


def code(given: str) -> str:
    with pytest.raises(FinaleError) as raised:
        build_of(given)
    return raised.value.code


def test_a_build_that_is_none(tmp_path: Path) -> None:
    assert code(str(tmp_path / "none")) == "no-such-path"
    assert code(str(tmp_path)) == "no-flink"
    jar = tmp_path / "flink-dist-2.3.0.jar"
    jar.write_bytes(b"no jar")
    assert code(str(jar)) == "no-flink"
    assert code(str(tmp_path)) == "no-flink"
    assert code("0.1") == "no-such-release"


@needs_javac
def test_classes_of_something_else_and_damaged_ones(plain: Path, tmp_path: Path) -> None:
    other = built(tmp_path / "other", {"A": "package a; public class A { }"})
    assert code(str(other)) == "no-flink"
    damaged = built(tmp_path / "damaged")
    file = damaged / "org/apache/flink/streaming/runtime/tasks/StreamTask.class"
    whole = file.read_bytes()
    for data in (whole[:-40], whole[:30], b"", b"\xca\xfe\xba\xbe", whole[:60] + b"\xff" * 90):
        file.write_bytes(data)
        with pytest.raises(FinaleError) as raised:
            compared(plain, damaged)
        assert raised.value.code == "bad-class-file"
        assert "StreamTask.class" in str(raised.value)
