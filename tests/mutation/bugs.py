"""Bugs of the past, put into the engine by hand: docs/history.md tells them, and in which specs."""

from __future__ import annotations

from tests.mutation.mutants import ROOT, Mutant


def bug(name: str, function: str, file: str, before: str, after: str) -> Mutant:
    """One text of a file is replaced, which is there once within its function."""
    path = ROOT / f"reference/{file}.py"
    source = path.read_bytes()
    begin = source.index(f"def {function.rsplit('.', 1)[-1]}(".encode())
    start = source.index(before.encode(), begin)
    return Mutant(
        file=f"reference/{file}.py",
        function=function,
        line=source.count(b"\n", 0, start) + 1,
        operator=name,
        start=start,
        end=start + len(before.encode()),
        before=before,
        after=after,
    )


def bugs() -> list[Mutant]:
    """All of them, in the engine as it is."""
    running, coordinator, gate = "running", "coordinator", "gate"
    stop, final = "protocols/stop_with_savepoint", "protocols/final_checkpoint"
    return [
        bug(
            "FLINK-2491: no checkpoint after the first end",
            "Coordinator.may_plan",
            coordinator,
            "(self.after_finish or not self.finished)",
            "not self.finished",
        ),
        bug(
            "FLINK-21246: a call that found its task gone is forgotten",
            "Running.call_failed",
            running,
            "self.coordinator.task_has_ended(checkpoint)",
            "pass",
        ),
        bug(
            "FLINK-24161: who takes the last savepoint waits for another checkpoint",
            "StopWithSavepoint.secures",
            stop,
            "task.ending is not None",
            "False",
        ),
        bug(
            "FLINK-22367: the abort of an older checkpoint ends the wait for the savepoint",
            "StopWithSavepoint.deliver_abort",
            stop,
            "task.ending == checkpoint and",
            "task.ending is not None and",
        ),
        bug(
            "FLINK-24096: a new attempt is told of the checkpoint that it started from",
            "Failing.restore",
            "failing",
            "task.confirmed = checkpoint",
            "pass",
        ),
        bug(
            "FLINK-23473: the sink opens a transaction after its end",
            "TransactionalSink.snapshot",
            "operators/sinks",
            "not last and",
            "",
        ),
        bug(
            "FLINK-23809: a restart forgets who had finished",
            "Failing.restore",
            "failing",
            "task.name in self.store.finished(checkpoint)",
            "False",
        ),
        bug(
            "FLINK-23771: a call hangs where all inputs have ended",
            "Gate.triggered",
            gate,
            "if self.all_ended",
            "if False",
        ),
        bug(
            "FLINK-23938: a call blocks inputs as a barrier does",
            "Gate.triggered",
            gate,
            "blocks=False",
            "blocks=True",
        ),
        bug(
            "FLINK-39522: an input ends before what was in flight is worked off",
            "Unaligned.may_poll",
            "protocols/unaligned",
            "self.is_recovered(task) and",
            "",
        ),
        bug(
            "FLINK-15152: after a stop that failed checkpoints stay off",
            "StopWithSavepoint.savepoint_failed",
            stop,
            "self.periodic = True",
            "pass",
        ),
        bug(
            "FLINK-26783: a job is started again after its last savepoint",
            "StopWithSavepoint.restart",
            stop,
            "if not over:",
            "if True:",
        ),
        bug(
            "FLINK-18706: a source emits after the last savepoint",
            "StopWithSavepoint.emit",
            stop,
            "task.stopped is not None",
            "False",
        ),
        bug(
            "FLINK-18238: who skips an aborted checkpoint tells nobody",
            "Running.take_checkpoint",
            running,
            "task.broadcast(CancelBarrier(checkpoint))",
            "pass",
        ),
        bug(
            "FLINK-1775: the end of an input is no barrier",
            "Gate.end",
            gate,
            "channel.aligned = True",
            "pass",
        ),
        bug(
            "FLINK-2519: a newer barrier waits for the older ones",
            "Gate._open",
            gate,
            "if self.newest != checkpoint:",
            "if self.newest != checkpoint and not self.collecting:",
        ),
        bug(
            "FLINK-20654: a barrier that is late ends the log",
            "OvertakingGate.barrier",
            "overtaking",
            "return",
            "channel.aligned = True; return",
        ),
        bug(
            "FLINK-17994: a call of an older checkpoint is run after a newer one's barrier",
            "Gate.triggered",
            gate,
            "self.is_late(checkpoint)",
            "False",
        ),
        bug(
            "FLINK-13969: a checkpoint slips in after the stop",
            "StopWithSavepoint.may_trigger",
            stop,
            "self.periodic and",
            "",
        ),
        bug(
            "RisingWave #7082: messages of the last attempt reach the next",
            "Coordinator.restart",
            coordinator,
            "self.network.clear()",
            "pass",
        ),
        bug(
            "Arroyo #24: a stop goes ahead beside a checkpoint that is pending",
            "StopWithSavepoint.request_stop",
            stop,
            "self.coordinator.abort_all()",
            "pass",
        ),
        bug(
            "Beam #28554: what an operator holds is not handed on before the last checkpoint",
            "FinalCheckpoint.finish",
            final,
            "task.operator.finish(task.emit)",
            "pass",
        ),
        bug(
            "SPARK-23503: an older checkpoint completes after a newer one",
            "Coordinator.complete",
            coordinator,
            "if older.is_pending:",
            "if False:",
        ),
    ]
