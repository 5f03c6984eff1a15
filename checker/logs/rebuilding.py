"""A run is gone through event by event, and what it shows is what properties say on the way."""

from __future__ import annotations

from .job_events import JobEvents
from .monitors import Shown
from .profile import Profile
from .rebuilt_state import RebuiltState, where_of
from .runs import Run, RunEvent
from .sink_events import SINK_WORDS, SinkEvents
from .task_events import TaskEvents


class Rebuilt:
    """A run that is judged. `begins`: the log has its beginning."""

    def __init__(self, run: Run, profile: Profile, *, begins: bool = True) -> None:
        self.state = RebuiltState(run, profile, begins=begins)
        self.job, self.tasks = JobEvents(self.state), TaskEvents(self.state)
        self.sinks = SinkEvents(self.state)

    def judged(self) -> tuple[Shown, ...]:
        """What the run shows."""
        state = self.state
        state.monitors.start(where_of(state.run.events[0].told))
        for event in state.run.events:
            state.where = where_of(event.told)
            self._take(event)
        state.monitors.end(over=self.job.over)
        return tuple(state.monitors.found.values())

    def _take(self, event: RunEvent) -> None:
        state, told, named = self.state, event.told, event.task
        task = None if named is None else state.system.task(named.vertex, named.subtask)
        point = state.point(told.checkpoint)
        if task is None:
            self.job.take(told, point)
        elif not self.tasks.is_present(task, event):
            pass  # it comes late, of an attempt that is over
        elif told.word in SINK_WORDS:
            self.sinks.take(told, task)
        else:
            self.tasks.take(told, task, point)


__all__ = ["Rebuilt"]
