"""Searches for a run of the model that explains the lines of a run of Flink.

The search explains the lines in log order. If the next line is not enabled yet, it tries the next
line of another thread: lines of different threads can be in another order than their steps. Steps
that leave no line are taken only if a line needs them (`witness_needs.py`): each kind of line has
its own needs. Every step is a step of the rules, and the run
that is found is replayed by the rules alone and compared with the lines (`witness_check.py`). A
search that finds no run proves nothing: only `proof.py` shows that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

from finale.checker.logs.event_log.progress import SearchEffort
from finale.checker.logs.event_log.section_search import Move
from finale.checker.logs.event_log.section_system import SectionSystem
from finale.checker.logs.lines import SNAPSHOTS, Observed
from finale.model.events import Clock
from finale.model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Barrier, CancelBarrier
from finale.model.protocols.task.tasks import Task, TaskStatus

from .observations import Observation, Observations
from .witness_needs import WitnessNeeds
from .witness_run import NO_MORE

Way = Callable[[Channel, Observation], bool]
_BEGUN = (Observed.BEGUN, Observed.NOT_BEGUN)


@dataclass(frozen=True)
class Unexplained:
    """The first line that was not explained, and why not."""

    observation: Observation
    why: str


class WitnessSearch(WitnessNeeds):
    """Explains the observations of a run one by one, by steps of the rules."""

    def __init__(
        self, system: SectionSystem, observations: Observations, effort: SearchEffort
    ) -> None:
        super().__init__(system, observations, effort)
        self._how: dict[Observed, Callable[[Observation], bool]] = {
            Observed.TRIGGERED: self._triggered,
            Observed.ACKNOWLEDGED: self._acknowledged,
            Observed.COMPLETED: self._completed,
            Observed.ABORTED: self._aborted,
            Observed.LEARNED: self._learned,
            Observed.CALLED: self._called,
            Observed.BARRIER: self._barrier,
            Observed.CANCEL: self._cancel,
            Observed.BEGUN: self._begins,
            Observed.NOT_BEGUN: self._begins,
            Observed.CONFIRMED: self._confirmed,
            Observed.GIVEN_UP: self._given_up,
            Observed.LEFT: self._left,
            Observed.ENDED: self._ended,
            Observed.RUNS: self._runs,
            Observed.STOPS: self._stops,
            Observed.LOST: self._lost,
            Observed.RESTORED: self._restored,
            Observed.CRASHED: self._crashed,
            Observed.CANCELLING: self._cancelling,
            Observed.CANCELED: self._canceled,
        }

    def run(self) -> tuple[Move, ...] | Unexplained:
        """A run; or the first line that it was not found for, and why not. Raises `OverTime`."""
        left = self.observations.number
        while left:
            if not self._advance():
                first = min((self._heads()), key=lambda each: each.place)
                self._explain(first)
                return Unexplained(first, self.refused)
            left -= 1
        for observation in self.by_stop:
            if self.is_pending(observation.checkpoint):
                return Unexplained(observation, "it is still pending when all is explained")
        return tuple(self.moves)

    def _advance(self) -> bool:
        for observation in sorted(self._heads(), key=lambda each: each.place):
            if self._explain(observation):
                self.at[self.clock_of[id(observation)]] += 1
                self.effort.explains(observation.line)
                return True
        return False

    def _explain(self, observation: Observation) -> bool:
        if observation.task and observation.attempt <= self.over[observation.task]:
            return observation.seen.facts.late
        self.observation = observation
        self.refused = ""
        if (
            observation.seen.facts.once
            and (observation.seen, observation.own, observation.checkpoint) in self.explained
        ):
            self.refused = "it is told once more"
            return False
        if self._tries(partial(self._how[observation.seen], observation)):
            self._note_attempts()
            self.explained.add((observation.seen, observation.own, observation.checkpoint))
            return True
        return False

    def _triggered(self, observation: Observation) -> bool:
        number = cast(int, observation.checkpoint)
        if number in self.early:
            self.early.remove(number)
            return True
        for task in self._counted_out(number):
            with self.look():
                known = bool(self.protocol.counts_as_finished(self.tasks[task]))
            if not known and self._is_learned(task):
                self.refused = f"{task} is not known to have finished"
                return False
        self._restores()
        if not self._trigger(observation, number):
            return False
        self.begun = number
        return True

    def _triggered_early(self, observation: Observation) -> bool:
        """Whoever has given a checkpoint up may tell so before whoever has begun it."""
        if not self._triggered(observation):
            return False
        self.early.add(observation.checkpoint or 0)
        return True

    def _triggered_all(self) -> bool:
        """Before the job has finished all its checkpoints were begun. Where the coordinator next
        tells of one that ended with the job, the others are, too."""
        later = [each for each in self.triggers if (each.checkpoint or 0) > self.begun]
        heads = (each for each in self._heads() if each.seen.facts.clock is Clock.CHECKPOINTS)
        head = next(heads, None)
        aborts = head is not None and head.seen.facts.becomes is ABORTED
        if head is None or not aborts or not self.is_pending(head.checkpoint):
            return not later
        return all(self._triggered_early(each) for each in later)

    def _is_learned(self, task: str) -> bool:
        """Whether it is still to be learned that a task has finished."""
        return any(
            each.seen is Observed.LEARNED and each.own == (task, self.attempt[task])
            for clock, at in zip(self.observations.clocks, self.at, strict=True)
            if at < len(clock) and clock[at].seen.facts.clock is Clock.JOB
            for each in clock[at:]
        )

    def _counted_out(self, number: int) -> list[str]:
        """The tasks that had finished for all that the plan of a checkpoint knew."""
        part, called = (
            self.observations.takes_part.get(number, set()),
            self.observations.called.get(number),
        )
        if number in self.observations.completed:
            return [name for name in self.tasks if name not in part]
        return [
            name for name, task in self.tasks.items() if called and not task.inputs
            and name not in part
        ]  # fmt: skip

    def _trigger(self, observation: Observation, number: int) -> bool:
        snapshot = SNAPSHOTS.get(observation.kind)
        if snapshot is not None:
            return self._request(snapshot.request, number, drain=snapshot.drain)
        if self.do("trigger_checkpoint", number=number):
            return True
        if self._stops_have_failed() and self.do("trigger_checkpoint", number=number):
            return True
        if not all(map(self._end_is_reported, self.tasks)):
            return False
        at_end = self.do("trigger_at_end_of_data", number=number)
        return at_end or self._request("request_checkpoint", number)

    def _acknowledged(self, observation: Observation) -> bool:
        if self._of(observation, "apply_acknowledgement"):
            return True
        with self.look():
            task = self.tasks[cast(str, observation.task)]
            missing = [each for each in task.inputs if not each.ended and not each.aligned]
            logs = task.newest == self.point(observation.checkpoint) and task.gate.aligning
        # What it still logs ends with the inputs that have ended.
        ended = logs and all(self.ended(channel) for channel in missing)
        return ended and self._of(observation, "apply_acknowledgement")

    def _completed(self, observation: Observation) -> bool:
        done = self.do("complete", ("checkpoint", ""), number=observation.checkpoint)
        point = self.point(observation.checkpoint)
        with self.look():
            return done and point is not None and bool(point.is_completed)

    def _aborted(self, observation: Observation) -> bool:
        number = cast(int, observation.checkpoint)
        later = [each for each in self.triggers if each.checkpoint == number]
        if self.point(number) is None and later and not self._triggered_early(later[0]):
            return False
        if self.point(number) is None:
            return number not in self.observations.takes_part
        if not self.is_pending(number):
            return True
        if "suspending" in observation.why:
            self.by_stop.append(observation)
            return True
        if "expired" in observation.why and self.do("expire", ("checkpoint", ""), number=number):
            return True
        if self._missed(number) and not self.is_pending(number):
            return True
        for task in self.observations.unwritten.get(number, ()):
            self.do("fail_snapshot", ("task", task), ("checkpoint", ""), number=number)
        for name in ("apply_decline", "complete"):
            if self.do(name, ("checkpoint", ""), number=number):
                return not self.is_pending(number)
        return False

    def _learned(self, observation: Observation) -> bool:
        task = cast(str, observation.task)
        if why := self._begins_later(task):
            self.refused = why
            return False
        with self.look():
            if self.tasks[task].reported_finished:
                return True
            last = all(each.reported_finished or each.name == task for each in self.tasks.values())
        if last and not self._triggered_all():
            self.refused = self.refused or "a checkpoint is triggered later"
            return False
        if not self.closed(task):
            return False
        return self._end_is_reported(task) and self.do("learn_finished", ("task", task))

    def _end_is_reported(self, task: str) -> bool:
        """The end of its data is known, if it is reported."""
        if not self.protocol.options.final_trigger:
            return True
        with self.look():
            under_way = self.tasks[task] in self.protocol.end_reports
        return not under_way or self.do("apply_end_report", ("task", task))

    def _called(self, observation: Observation) -> bool:
        task, number = cast(str, observation.task), cast(int, observation.checkpoint)
        if task in self.observations.missed.get(number, ()):
            return True
        point = self.point(number)
        if point is None:
            return False
        with self.look():
            comes = self.tasks[task] in point.triggers
            over = not point.is_pending
        return self._of(observation, "deliver_trigger") if comes else over

    def _cancel(self, observation: Observation) -> bool:
        task = self.tasks[cast(str, observation.task)]
        for channel in task.inputs:
            self._pass_unseen(channel)
            head = self.head(channel)
            if isinstance(head, CancelBarrier) and head.checkpoint is self.point(
                observation.checkpoint
            ):
                return self.do("poll_cancel_barrier", ("channel", channel.name))
        return False

    def _begins(self, observation: Observation) -> bool:
        name, number = cast(str, observation.task), cast(int, observation.checkpoint)
        task, point = self.tasks[name], self.point(number)
        if point is None:
            return False
        if self._has_begun(task, point, observation):
            return True
        with self.look():
            open_ = [channel for channel in task.inputs if not channel.ended]
            aligning = task.gate.aligning and task.newest == point
            missing = [channel for channel in open_ if not channel.aligned]
            mail = task.mail.has(point)
        if open_ and aligning and not mail:
            if self.do("time_out", ("task", name)) and self._has_begun(task, point, observation):
                return True
            return all(self.ended(each) for each in missing) and self._has_begun(
                task, point, observation
            )
        final = self.observations.final.get(observation.own, number + 1)
        if final <= number and not self.finished(name):
            return False
        if not mail:
            self.refused = self.refused or f"{name} was not called for {number}"
            return False
        return self._runs_trigger(name, number) and self._has_begun(task, point, observation)

    def _confirmed(self, observation: Observation) -> bool:
        task, number = cast(str, observation.task), cast(int, observation.checkpoint)
        point = self.point(number)
        with self.look():
            comes = point is not None and point.confirmations.has(self.tasks[task])
        if comes:
            return self._of(observation, "deliver_confirmation")
        rest = self._next_of(task)
        if rest and rest[0].seen is Observed.GIVEN_UP and self._given_up(rest[0]):
            with self.look():
                return self.tasks[task].confirmed == point
        self.refused = self.refused or f"{task} is not told of {number}"
        return False

    def _given_up(self, observation: Observation) -> bool:
        task, number = cast(str, observation.task), cast(int, observation.checkpoint)
        if (task, number) in self.given_up:
            return True
        if self._of(observation, "deliver_abort"):
            self.given_up.add((task, number))
            return True
        return False

    def _left(self, observation: Observation) -> bool:
        return self.quiesced(cast(str, observation.task))

    def _ended(self, observation: Observation) -> bool:
        return self.closed(cast(str, observation.task))

    def _runs(self, observation: Observation) -> bool:
        task = cast(str, observation.task)
        region = self.protocol.region_of[self.tasks[task]].tasks
        if not any(self.status(each.name) in NO_MORE for each in region):
            self.refused = f"{task} has not failed"
            return False
        self.ready[task] = observation.attempt
        return True

    def _stops(self, observation: Observation) -> bool:
        return not self._is_cancelling() or self._canceled_task(cast(str, observation.task))

    def _lost(self, observation: Observation) -> bool:
        task = cast(str, observation.task)
        if self._is_cancelling():
            return self._canceled_task(task)
        if self.status(task) in NO_MORE:  # it fails again before all run
            self.over[task] = max(self.over[task], observation.attempt)
            self.ready.pop(task, None)
            return True
        return self.status(task) is TaskStatus.CLOSED or self.do(
            "fail_region", ("region", self._region(task))
        )

    def _restored(self, observation: Observation) -> bool:
        meant = self.system.completed(self.here)
        if meant != observation.checkpoint:
            self.refused = f"{observation.checkpoint} is restored, and {meant} is the newest"
        return meant == observation.checkpoint

    def _crashed(self, _: Observation) -> bool:
        self.ready.clear()
        return self.do("crash_coordinator")

    def _cancelling(self, _: Observation) -> bool:
        return self.do("request_cancel", ("request", "cancel1"))

    def _canceled(self, _: Observation) -> bool:
        return self.do("finish_cancelling")

    # --- how a task gets a barrier: in its turn, or before ---

    def _barrier(self, observation: Observation) -> bool:
        channel = self.channels.get(observation.channel or "")
        if channel is None:
            return False
        self._pass_unseen(channel)
        rest = self._next_of(cast(str, observation.task))
        begins = (
            bool(rest)
            and rest[0].seen is Observed.BEGUN
            and rest[0].checkpoint == observation.checkpoint
        )
        final = self.observations.final.get(observation.own, 0)
        if begins and 0 < final <= (observation.checkpoint or 0):
            self._tries(partial(self.finished, cast(str, observation.task)))
        for at_once in (True, False) if begins else (False,):
            for way in (self._polls, self._notices, self._hurries, self._times_out):
                if self._tries(
                    partial(self._comes, way, channel, observation, rest[0] if at_once else None)
                ):
                    return True
        return False

    def _comes(
        self, way: Way, channel: Channel, observation: Observation, begun: Observation | None
    ) -> bool:
        return way(channel, observation) and (begun is None or self._took(begun))

    def _took(self, observation: Observation) -> bool:
        task, point = self.tasks[cast(str, observation.task)], self.point(observation.checkpoint)
        return point is not None and self._has_begun(task, point, observation)

    # The ways in which a task comes by a barrier.

    def _polls(self, channel: Channel, observation: Observation) -> bool:
        """In its turn."""
        head = self.head(channel)
        if not isinstance(head, Barrier) or head.checkpoint is not self.point(
            observation.checkpoint
        ):
            self.refused = self.refused or f"{channel.name} has {head}"
            return False
        self._ends_first(channel, observation)
        return self.do("poll_barrier", ("channel", channel.name))

    def _notices(self, channel: Channel, observation: Observation) -> bool:
        """Before its turn."""
        about = (("channel", channel.name), ("checkpoint", ""))
        if not self.do("notice_barrier", *about, number=observation.checkpoint):
            return False
        self.noticed.add((channel.name, observation.checkpoint or 0))
        return True

    def _hurries(self, channel: Channel, observation: Observation) -> bool:
        """Before its turn, since its time was over at the sender."""
        about = (("channel", channel.name), ("checkpoint", ""))
        hurries = self.do("time_out_output", *about, number=observation.checkpoint)
        return hurries and self._notices(channel, observation)

    def _times_out(self, channel: Channel, observation: Observation) -> bool:
        """In its turn, and the time of the alignment is over."""
        return self._polls(channel, observation) and self.do(
            "time_out", ("task", cast(str, observation.task))
        )

    def _ends_first(self, last: Channel, observation: Observation) -> None:
        """Where a task takes part at once, its other inputs have had the barrier, or have ended."""
        task = self.tasks[cast(str, observation.task)]
        rest = self._next_of(task.name)
        if not rest or rest[0].seen not in _BEGUN or rest[0].checkpoint != observation.checkpoint:
            return
        with self.look():
            missing = [each for each in task.inputs
                       if each is not last and not each.ended and not each.blocked]  # fmt: skip
        for channel in missing:
            self._tries(partial(self.ended, channel))

    def _has_begun(self, task: Task, point: Checkpoint, observation: Observation) -> bool:
        with self.look():
            if observation.seen is Observed.BEGUN:
                return task.taken.has(point)
            waits = task.gate.aligning and not getattr(task.gate, "started", False)
            return bool(task.newest == point and not waits)
