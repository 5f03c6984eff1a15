"""Reads and answers the requests of users to a running job."""

from __future__ import annotations

from typing import cast

from finale.model.errors import FinaleError, Place
from finale.reference.asking import Asking, Request, RequestKind, RequestStatus
from finale.reference.engine import Engine
from finale.reference.formats.control import Control
from finale.reference.formats.files import AGAIN
from finale.reference.steps import StepId
from finale.reference.stopping import Stopping
from finale.reference.task import Phase
from finale.reference.threads import Turns

#: What a failed request is told.
WHY = "a task has come to its end, or could take no part; the job goes on"
#: What is told of one that another has ended.
WHY_OVER = "the job had ended before"
WHY_CANCELLED = "the job was cancelled"
WHY_STOPPED = "the job was asked to stop before it was complete"
#: What a stop is told when another is under way, which it would end.
WHY_STOPPING = "the job is being stopped already"
#: What is told of one that came before all tasks had started.
WHY_STARTING = "the job is still starting; ask again"
#: What is told of one that was not done when a fault ended its process.
WHY_CUT = "the process has ended, and another one goes on from the disk; ask again"
#: What is told of a stop that was ordered with the run, and failed.
WHY_ENDED = "a task had come to its end, or could take no part; the job has gone on to its end"
#: What is told of a file that asks for nothing.
NO_REQUEST = (
    'it is no request; those are {"what": "stop", "drain": false}, with true or false, '
    '{"what": "savepoint"} and {"what": "cancel"}'
)


class Requests:
    """The requests to a job. Each is answered once, when it is decided."""

    def __init__(self, engine: Engine, mover: Turns, control: Control | None) -> None:
        self.engine, self.mover, self.control = engine, mover, control
        self.open: dict[str, str] = {}
        """By the name that the engine has for a request, who has asked."""

    @property
    def known(self) -> dict[str, Request]:
        return self.engine.requests if isinstance(self.engine, Asking) else {}

    def find(self, kind: RequestKind, answer: RequestStatus) -> Request | None:
        """A request that has come so far, if there is one."""
        found = (r for r in self.known.values() if r.kind is kind and r.answer is answer)
        return next(found, None)

    def ask(self, kind: RequestKind, drain: bool | None = None) -> str:
        """Ask the engine; the request's name. Raises `not-asked`."""
        self.refuse_unless_heard(kind)
        assert isinstance(self.engine, Asking)
        name = self.engine.add_request(kind)
        more = () if drain is None else (("drain", str(drain)),)
        step = StepId(f"request_{kind.value}", (("request", name), *more))
        if not self.mover.take([step]):
            self.known[name].answer = RequestStatus.FAILED
        return name

    def refuse_stuck(self) -> None:
        """Nothing can be done: a source must have more to come. Raises `job-stuck`."""
        tasks = self.engine.tasks.values()
        running = (t.source for t in tasks if t.source is not None and t.phase is Phase.RUNNING)
        if not any(not source.has_ended for source in running):
            left = (f"{t.name} ({t.phase.value})" for t in tasks if t.phase is not Phase.CLOSED)
            raise FinaleError(
                "job-stuck",
                f"no step is enabled, and these tasks have not ended: {', '.join(left)}",
                advice="look what can come no more, which `finale conform` says of the run's event "
                f"log, and {AGAIN}",
            )

    def refuse_unless_heard(self, kind: RequestKind) -> None:
        """Raises `not-asked`."""
        engine = self.engine
        why = "" if f"request_{kind.value}" in engine.actions else f"hears of no {kind.value}"
        if (
            kind is RequestKind.STOP
            and isinstance(engine, Stopping)
            and not engine.stops_with_savepoint
        ):
            why = "is stopped without a savepoint, and nothing could go on from there"
        if why:
            raise FinaleError(
                "not-asked",
                f'a job of the protocol "{engine.key}" {why}',
                place=Place(key="protocol"),
                advice='leave "protocol" out of the job',
            )

    def attend(self) -> None:
        """Pass on what is new, and tell what is decided."""
        if self.control is not None:
            self._pass_on(self.control)
            self._tell_decided(self.control)

    def end(self, *, cut: bool) -> None:
        """Tell what is decided when a process ends; what is new waits for the next one.

        When the process was cut off, only savepoints are done: a job that has stopped or been
        cancelled goes on.
        """
        if self.control is not None:
            self._tell_decided(self.control, cut=cut)
            if cut:
                self.control.answer_open(ok=False, why=WHY_CUT)

    def _tell_decided(self, control: Control, *, cut: bool = False) -> None:
        for name, asker in list(self.open.items()):
            request = self.known[name]
            lasts = not cut or request.kind is RequestKind.SAVEPOINT
            if lasts and request.answer in (RequestStatus.SUCCEEDED, RequestStatus.FAILED):
                del self.open[name]
                done = request.answer is RequestStatus.SUCCEEDED
                why = None if done else self._why(request)
                control.answer(asker, ok=done, savepoint=request.checkpoint, why=why)

    def _pass_on(self, control: Control) -> None:
        for asker, said in control.asked():
            read = _read(said)
            if read is None:
                control.answer(asker, ok=False, why=NO_REQUEST)
                continue
            if (
                read[0] is RequestKind.STOP
                and self.find(RequestKind.STOP, RequestStatus.ADMITTED) is not None
            ):
                control.answer(asker, ok=False, why=WHY_STOPPING)
                continue
            try:
                self.open[self.ask(*read)] = asker
            except FinaleError as error:
                control.answer(asker, ok=False, why=error.message)

    def _why(self, request: Request) -> str:
        """Why a request has failed."""
        assert isinstance(self.engine, Asking)
        if self.engine.coordinator.job_finished:
            return WHY_OVER
        if request.checkpoint is None:
            return WHY if self.engine.all_restored() else WHY_STARTING
        if self.find(RequestKind.CANCEL, RequestStatus.ADMITTED) or self.find(
            RequestKind.CANCEL, RequestStatus.SUCCEEDED
        ):
            return WHY_CANCELLED
        stops = (each.checkpoint for each in self.known.values() if each.kind is RequestKind.STOP)
        return WHY_STOPPED if any(stop and stop > request.checkpoint for stop in stops) else WHY


def _read(said: object) -> tuple[RequestKind, bool | None] | None:
    """Return the kind of a request and its drain flag; None for an unknown request."""
    table = cast("dict[str, object]", said) if isinstance(said, dict) else {}
    what, drain = table.get("what"), table.get("drain")
    if what == "stop" and isinstance(drain, bool) and len(table) == 2:
        return RequestKind.STOP, drain
    if what in ("savepoint", "cancel") and len(table) == 1:
        return RequestKind(what), None
    return None
