"""What single parts do at their edges: each a small scenario that agrees with its protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.scenario.running import run_file, text_of_events
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError

KNOWN = catalogue(None)
COORDINATOR = "title: a\npart: coordinator\njob: V1; V2\n"
UNION = COORDINATOR.replace("V2", "V2 p2 union-state; V1 -> V2")
GRAPH = "title: a\npart: graph-check\njob: V1 p2; V2 p2; V1 -> V2\n"
GATEWAY = "title: a\npart: gateway\nsubtasks: 2\n"
TASK = "title: a\npart: task\ninputs: 2\n"
UNALIGNED = TASK + "protocol: unaligned\n"
TIMED = "title: a\npart: timed-handler\nchannels: 2\ntimeout: 10\n"
STOP = TASK + "protocol: stop-with-savepoint\n"
RUN = "title: a\npart: run\njob: S1 r1; K1 two-phase; S2 r1; K2 two-phase; S1 -> K1; S2 -> K2\n"
REGIONS = RUN + 'options: restart_scope = "region"\n'


@pytest.mark.parametrize(
    "text",
    [
        # checkpoints are periodic while all tasks run
        COORDINATOR + "trig 1 => triggered 1 all; periodic on",
        COORDINATOR + "end all; finish all => -; job finished; periodic off",
        COORDINATOR + "state deploying V1 => -; periodic off",
        COORDINATOR + "cancel => -; job cancelling; periodic off",
        COORDINATOR + "fail => -; job running; periodic on",
        # a coordinator comes back after a failure
        COORDINATOR + "trig 1; ack 1 all => triggered 1 all; completed 1; confirmed 1 all\n"
        "fail => -; stored 1\n"
        "trig 2; ack 2 all => triggered 2 all; completed 2; confirmed 2 all; stored 2",
        # a failure aborts what is pending
        GATEWAY + "trig 1; state 1; fail => aborted 1; gate 0 open",
        GATEWAY + "trig 1; state 1; done 1; acknowledge 1 0; acknowledge 1 1 => completed 1\n"
        "fail => -",
        # what a savepoint is, its barriers know, too
        UNALIGNED + "B1@0 => taken 1; overtakes 1 T; logs 1 T",
        UNALIGNED + "SB1@0 => blocked 0; overtakes 1 -; logs 1 -\nSB1@1 => taken 1; out B1",
        UNALIGNED + "B1@0; trigger 1 savepoint => taken 1; overtakes 1 -; logs 1 -",
        STOP + "NB1@0 NB1@1 => taken 1; out B1\ncomplete 1 => notified-complete 1; released",
        TIMED + "A1@0 +99 SB1@0 SB1@1 => taken 1; in-flight 1 -",
        TIMED + "B1@0 a1 +99 B1@1 => taken 1; in-flight 1 -",
        # an ended task hears nothing
        TASK + "D@* B1@0 B1@1 E@* => operators-finished; taken 1; out D B1\n"
        "consumers ack; trigger 2 => taken 2\n"
        "complete 2 => notified-complete 2; released; closed\n"
        "complete 3; abort 3 => -",
        TASK + "B1@* => taken 1\ncancel => canceled\ncomplete 1; abort 1 => -; skips -",
        # an abort tells the newest that is complete
        COORDINATOR + "options: concurrent = 2\n\ntrig 1; trig 2; ack 1 all; decline 2 V1 => "
        "triggered 1 all; triggered 2 all; completed 1; confirmed 1 all; aborted 2; "
        "abort-sent 2 all; abort-latest 2 1",
        COORDINATOR + "trig 1; decline 1 V1 => triggered 1 all; aborted 1; abort-sent 1 all; "
        "abort-latest 1 -",
        # metadata that cannot be written
        COORDINATOR + "trig 1; unwritten 1; ack 1 all => triggered 1 all; aborted 1; "
        "abort-sent 1 all; stored -\ntrig 2; ack 2 all => triggered 2 all; completed 2; "
        "confirmed 2 all; stored 2",
        # a cancellation
        COORDINATOR + "trig 1; cancel => triggered 1 all; aborted 1; abort-sent 1 all; "
        "job cancelling\ntrig 2 => refused\nend all => answered cancel1 ok; job canceled",
        # who acknowledged as finished
        UNION + "trig 1; ack-finished 1 V2; ack 1 V1 => triggered 1 V1; completed 1; "
        "confirmed 1 all; finishing 1 V2",
        UNION + "trig 1; ack-finished 1 V2[0]; ack 1 V1 V2[1] => triggered 1 V1; aborted 1; "
        "abort-sent 1 all; finishing 1 V2[0]",
        # a stop of a whole job, and a region of it that fails
        RUN.replace("run\n", "run\nprotocol: stop-with-savepoint\n")
        + "emit S1; go; stop suspend; go => completed 1; answered stop1 ok; job finished; "
        "visible S1a",
        REGIONS + "emit S1; emit S2; go; trig; go => completed 1; visible S1a S2a\n"
        "fail K1; go; trig; go => completed 2; visible S1a S2a",
        REGIONS + "trig; go; emit S1; emit S2; go; trig; fail K1; go => completed 1; aborted 2\n"
        "trig; go => completed 3; visible S2a",
    ],
)
def test_it_is_so(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.scenario"
    file.write_text(text + "\n", encoding="utf-8")
    (run,) = run_file(file, KNOWN)
    for outcome in run.differences:
        pytest.fail(f"line {outcome.line.number}: seen {text_of_events(outcome.found)}")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (TASK + "\nB1@0 => -\nsync 1 drain => -", "cannot-be-stopped", 6),
        (COORDINATOR + "\ntrig 1 => -\nstop 2 drain => -", "cannot-be-stopped", 6),
        (RUN + "\nstop drain; go => -", "cannot-be-stopped", 5),
        (TASK + "\nNB1@0 => -", "cannot-be-stopped", 5),
        (TIMED + "B1@0 => -\nSB1@1 => -", "two-kinds", 6),
        (UNALIGNED + "trigger 1 => -\ntrigger 1 savepoint => -", "two-kinds", 6),
        (STOP + "SB1@0 => -\nsync 1 drain => -", "two-kinds", 6),
        (RUN + "\nfail S1 => -", "fails-as-a-whole", 5),
        (GRAPH + "\nfound fully V1; found running V1; check => rejected", "found-twice", 5),
        (GRAPH + "\nfound fully V1\nchain V1 fully running; check => rejected", "found-twice", 6),
    ],
)
def test_a_mistake_is_told_at_its_line(text: str, code: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "a.scenario"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(FinaleError) as caught:
        run_file(file, KNOWN)
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.line == line
