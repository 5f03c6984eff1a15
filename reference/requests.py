"""What a running job is asked by its user, from the asking to the answer."""

from __future__ import annotations

from model.errors import FinaleError, Place
from reference.asking import Answer, Request, Wish
from reference.coordinator import Kind, Status
from reference.engine import Engine
from reference.formats.control import Control
from reference.steps import StepId
from reference.stopping import Stopping
from reference.threads import Saw

#: What a failed request is told.
WHY = "a task has ended, failed, or could take no part: the job goes on"


class Requests:
    """The requests to a job. Each is answered once, when it is decided."""

    def __init__(self, engine: Engine, control: Control | None, saw: Saw) -> None:
        self.engine = engine
        self.saw = saw
        self.control = control
        self.cancelled = False
        self._asks: dict[str, str] = {}
        """By a stop's name, the request that asks for it."""
        self._savepoints: dict[str, int | None] = {}
        """By request, the savepoint; None until there is room for one."""

    @property
    def stops(self) -> dict[str, Request]:
        asked = self.engine.requests if isinstance(self.engine, Stopping) else {}
        return {name: each for name, each in asked.items() if each.wish is Wish.STOP}

    @property
    def is_stopping(self) -> bool:
        return any(stop.is_admitted for stop in self.stops.values())

    @property
    def ending(self) -> int | None:
        """The savepoint that has ended the job, if one has."""
        done = (s.checkpoint for s in self.stops.values() if s.answer is Answer.SUCCEEDED)
        return next(done, None)

    @property
    def spoken_of(self) -> set[int]:
        """The checkpoints that some request is about."""
        return {number for number in self._savepoints.values() if number is not None}

    def stop(self, kind: Kind) -> str:
        """Ask for a stop; its name. Raises `no-stop`."""
        self.refuse_unless_stoppable()
        assert isinstance(self.engine, Stopping)
        name = self.engine.add_request(Wish.STOP)
        drain = str(kind is Kind.DRAIN)
        step = StepId("request_stop", (("request", name), ("drain", drain)))
        self.engine.take(step)
        self.saw(step)
        return name

    def refuse_unless_stoppable(self) -> None:
        """Raises `no-stop`."""
        if not isinstance(self.engine, Stopping):
            raise FinaleError(
                "no-stop",
                f'a job that ends by "{self.engine.key}" cannot be stopped',
                place=Place(key="protocol"),
                advice='leave "protocol" out of the job, or cancel it',
            )

    def take_up(self) -> None:
        """Look for new requests, and begin with what can be begun."""
        for name, said in self.control.asked() if self.control is not None else ():
            match said["what"]:
                case "stop":
                    try:
                        kind = Kind.DRAIN if said["drain"] else Kind.SUSPEND
                        self._asks[self.stop(kind)] = name
                    except FinaleError as error:
                        self._answer(name, why=error.message)
                case "savepoint":
                    self._savepoints[name] = None
                case _:
                    self.cancelled = True
                    self._answer(name)
        for name, number in self._savepoints.items():
            if number is None and self._has_room():
                self._savepoints[name] = self.engine.coordinator.trigger(Kind.SAVEPOINT).number

    def _has_room(self) -> bool:
        engine = self.engine
        restored = engine.is_ready(StepId("trigger_checkpoint"))
        return restored and not engine.coordinator.pending

    def answer(self) -> None:
        """Tell what is decided."""
        for stop, name in list(self._asks.items()):
            known = self.stops[stop]
            if known.answer is not Answer.ADMITTED:
                del self._asks[stop]
                why = "" if known.answer is Answer.SUCCEEDED else WHY
                self._answer(name, known.checkpoint, why)
        for name, number in list(self._savepoints.items()):
            if number is None:
                continue
            checkpoint = self.engine.coordinator.checkpoints[number]
            if not checkpoint.is_pending:
                del self._savepoints[name]
                done = checkpoint.status is Status.COMPLETED
                self._answer(name, number, "" if done else WHY)

    def _answer(self, name: str, savepoint: int | None = None, why: str = "") -> None:
        assert self.control is not None
        self.control.answer(name, ok=not why, savepoint=savepoint, why=why)
