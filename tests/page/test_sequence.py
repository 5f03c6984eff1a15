"""Sequence diagrams: who acts, which messages go where, and how they are written."""

from __future__ import annotations

import os
from itertools import pairwise
from xml.etree import ElementTree

from finale.checker.page.sequence_svg import sequence_file
from finale.checker.page.told import Told
from finale.checker.report.sequence import Message, sequence_of
from finale.checker.report.sequence_mermaid import sequence_mermaid
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.studies.decisive import Decisive
from finale.model.semantics import outcome, updated
from finale.model.system import Update
from finale.model.trace import Trace
from tests.page.made import HANGS, HOSTILE, PING, ROOT, told

MERMAID = """\
---
title: "never-done"
---
sequenceDiagram
    participant p0 as B→A
    participant p1 as A
    participant p2 as A→B
    participant p3 as B
    rect rgba(240, 180, 40, 0.25)
    Note over p1: ★ 1 ask
    p1->>p2: Ping(1)
    end
    rect rgba(240, 180, 40, 0.25)
    Note over p3: ★ 2 answer true
    p2->>p3: Ping(1)
    p3->>p0: Pong(last true)
    end
    Note over p0,p3: from here on the violation is inevitable
    Note over p1: 3 receive
    p0->>p1: Pong(last true)
"""


def test_the_race_is_drawn() -> None:
    diagram = told(HANGS, "checkpoint-ends").diagram
    names = [lane.name for lane in diagram.lanes]
    assert names == ["coordinator", "S1", "S2", "S1→K", "S2→K", "K"]
    actors = [names[moment.lane] for moment in diagram.moments]
    assert actors[:9] == ["coordinator", "S1", "S1", "S1", "S1", "S2", "S2", "K", "K"]
    # The call of S1 is sent in the first step, and arrives when S1 has ended.
    assert Message("trigger cp1", 0, 1, 1, 5) in diagram.messages
    assert Message("acknowledgement cp1", 5, 0, 10, 12) in diagram.messages
    assert Message("EndOfPartition", 3, 5, 10, 10) in diagram.messages
    assert diagram.no_return == 3
    assert [moment.number for moment in diagram.moments if moment.is_decisive] == [1, 2, 3]


def test_no_arrow_crosses_a_label_of_its_own_step() -> None:
    drawn = ElementTree.fromstring(sequence_file(told(HANGS, "checkpoint-ends").diagram, "calls"))
    space = "{http://www.w3.org/2000/svg}"
    labels = [each for each in drawn.iter(f"{space}text") if each.get("class") == "label"]
    texts = {"".join(each.itertext()): float(each.get("y", "0")) for each in labels}
    calls = {text: y for text, y in texts.items() if "trigger" in text}
    assert [text[-16:] for text in calls] == ["trigger cp1 → S1", "trigger cp1 → S2"]
    arrows = [each for each in drawn.iter(f"{space}g") if each.get("class") == "arrow"]
    lines = [line for each in arrows if (line := each.find(f"{space}line")) is not None]
    starts = [float(line.get("y1", "0")) for line in lines if line.get("y1") != line.get("y2")]
    assert all(y < start for y in calls.values() for start in starts)


def test_lanes_with_long_names_do_not_overlap() -> None:
    drawn = ElementTree.fromstring(sequence_file(told(HOSTILE, "stays-calm").diagram, "names"))
    space = "{http://www.w3.org/2000/svg}"
    [group] = [e for e in drawn.iter(f"{space}g") if e.get("class") == "heads"]
    heads = [each for each in group.iter(f"{space}rect") if each.get("class") != "paper"]
    edges = [(float(h.get("x", "0")), float(h.get("width", "0"))) for h in heads]
    assert len(edges) == 3
    for (left, width), (right, _) in pairwise(edges):
        assert left + width < right


def test_a_channel_shows_how_long_it_is_not_empty() -> None:
    lanes = told(HANGS, "checkpoint-ends").diagram.lanes
    assert lanes[3].lengths == (0, 0, 1, 1, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0)


def test_what_has_not_arrived_is_under_way() -> None:
    one = told(HANGS, "close-after-acknowledgement")
    assert {message.ended for message in one.diagram.messages} == {1, 3}
    system, trace = one.system, told(HANGS, "checkpoint-ends").trace
    steps = told(HANGS, "checkpoint-ends").story.steps[:7]
    short = type(trace)(trace.states[:8], trace.rules[:7])
    messages = sequence_of(system, short, steps, Decisive()).messages
    waiting = [message for message in messages if message.ended is None]
    assert [(m.label, m.sent, m.arrived) for m in waiting] == [
        ("acknowledgement cp1", 7, False),
    ]


def test_mermaid_is_exact() -> None:
    assert sequence_mermaid(told(PING, "never-done").diagram, "never-done") == MERMAID


def test_mermaid_repeats_a_loop() -> None:
    diagram = told(HANGS, "checkpoint-ends").diagram
    lines = sequence_mermaid(diagram, "x").splitlines()
    assert lines.count("    end") == sum(line.startswith("    rect") for line in lines)


def test_hostile_names_stay_texts() -> None:
    diagram = told(HOSTILE, "stays-calm").diagram
    text = sequence_mermaid(diagram, "<script>")
    body = text.split("sequenceDiagram", 1)[1]
    assert not set("<\x1b\u202e%{") & set(body)
    drawing = sequence_file(diagram, "<script>")
    root = ElementTree.fromstring(drawing)
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not kinds & {"script", "img", "image", "foreignObject", "a"}
    assert not [key for e in root.iter() for key in e.attrib if key.startswith("on")]


def test_the_picture_of_the_docs_is_this_one() -> None:
    one = told(HANGS, "checkpoint-ends")
    picture = ROOT / "docs/pictures/race.svg"
    title = f"checkpoint-ends: {one.spec.title}"
    if os.environ.get("RECORD_PICTURE"):
        picture.write_text(sequence_file(one.diagram, title), encoding="utf-8")
    assert picture.read_text(encoding="utf-8") == sequence_file(one.diagram, title)


def test_the_drawing_is_as_large_as_its_rows() -> None:
    root = ElementTree.fromstring(sequence_file(told(HANGS, "checkpoint-ends").diagram, "race"))
    rows = [each for each in root.iter() if each.get("data-mark")]
    assert [each.get("data-mark") for each in rows] == [str(n) for n in range(1, 14)]
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert sum("★" in "".join(row.itertext()) for row in rows) == 3


def test_a_failure_stands_on_the_lanes_of_the_tasks_that_it_hits() -> None:
    spec = read_spec(ROOT / "specs/failures/region-restart.toml", catalogue())
    system = spec.system()
    [start] = system.initial
    [rule] = (rule for rule in system.rules if str(rule) == "fail_region(region2)")
    end = outcome(rule.tree, start)
    assert isinstance(end, Update)
    trace = Trace((start, updated(end, start)), (system.rules.index(rule),))
    one = Told("one", spec, system, Verdict("", Word.RUN, trace))
    [moment] = one.diagram.moments
    lanes = [one.diagram.lanes[lane].name for lane in (moment.lane, *moment.beside)]
    assert lanes == ["B", "K"]  # and not A, nor the coordinator
    drawn = sequence_file(one.diagram, "failure")
    assert drawn.count('class="dot"') == 2
    assert "Note over p0,p1: 1 fail_region region2" in sequence_mermaid(one.diagram, "failure")
