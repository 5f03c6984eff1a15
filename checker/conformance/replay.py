"""Executes a trace of the model on the engine with real files, and follows each record.

After the trace the engine goes on, without faults, as long as it can: what is lost by then, or
twice in the output, stays so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from finale.checker.spec.claim import Spec
from finale.model.given import json_of
from finale.model.system import Fault, System
from finale.model.trace import Trace
from finale.reference.asking import Asking
from finale.reference.channel import Buffer
from finale.reference.coordinator import Status
from finale.reference.engine import Engine
from finale.reference.formats.files import Files
from finale.reference.observation import observation_of
from finale.reference.steps import StepId
from finale.reference.task import NoRoom, Phase

from .abstraction import Abstraction
from .engines import engine_for
from .lockstep import UNSEEN, ModelSteps

#: What goes wrong, or users ask for: a run that goes on does without.
NOT_BY_ITSELF = frozenset(
    {
        "fail", "expire", "fail_snapshot", "resume",
        "lose_confirmation", "lose_acknowledgement", "find_no_slot",
        "request_stop", "request_savepoint", "request_cancel",
    }
)  # fmt: skip
STEPS_MAX = 10_000


@dataclass(frozen=True)
class RecordFate:
    """The fate of a record: its output files, and its other copies."""

    record: str
    written: tuple[str, ...]
    """Files of the output that have it, one for each time."""
    elsewhere: tuple[str, ...]
    """Transactions that are not committed, operators, channels, sources that have it yet."""
    over: bool
    """The job has ended: nothing will come of what is elsewhere."""

    @property
    def word(self) -> str:
        """In a word: `written`, `doubled`, `repeated`, `lost`, or `kept` where it may yet come."""
        comes = not self.over and bool(self.elsewhere)
        if len(self.written) > 1:
            return "doubled"
        if self.written:
            return "repeated" if comes else "written"
        return "kept" if comes else "lost"


@dataclass(frozen=True)
class Parting:
    """The engine does not go along: at which step of the trace, and why not."""

    position: int
    what: tuple[str, ...]


@dataclass(frozen=True)
class Replayed:
    """The steps of the engine along a trace, and the final state."""

    trace: tuple[StepId, ...]
    further: tuple[StepId, ...]
    """What followed by itself, until nothing did."""
    parting: Parting | None
    fates: tuple[RecordFate, ...]
    gone: tuple[str, ...]
    """Transactions that a complete checkpoint would commit, and that are not there."""
    waits: tuple[str, ...]
    """What has not come to an end, and never will."""

    @property
    def damaged(self) -> bool:
        """Whether something is not as it should be, or never will be."""
        sound = all(fate.word == "written" for fate in self.fates)
        return bool(self.gone or self.waits) or not sound


class EngineReplay:
    """A spec's engine on files, led along traces of the spec's system."""

    def __init__(self, spec: Spec, system: System, files: Files) -> None:
        self.engine: Engine = engine_for(spec, files)
        self.files = files
        self.system = system
        self.model = ModelSteps(system)
        self.abstraction = Abstraction(spec.instance())

    def run(self, trace: Trace) -> Replayed:
        """Along the trace, comparing after each step; then on, until nothing happens any more."""
        steps = [
            (StepId(rule.rule.name, rule.binding), after)
            for rule, after in trace.steps(self.system)
        ]
        parting = self._parting(0, trace.states[0])
        for position, (step, after) in enumerate(steps, 1):
            if parting is not None or isinstance(after, Fault):
                break
            if not self._takes(step):
                parting = Parting(position, (f"the engine cannot take {step}",))
            else:
                parting = self._parting(position, after)
        further = () if parting is not None else tuple(self._go_on())
        return Replayed(
            trace=tuple(step for step, _ in steps),
            further=further,
            parting=parting,
            fates=tuple(self._fates()),
            gone=tuple(self._gone()),
            waits=tuple(self._waits()),
        )

    def _takes(self, step: StepId) -> bool:
        if step not in self.engine.candidates() or not self.engine.may_begin(step):
            return False
        try:
            self.engine.take(step)
        except NoRoom:
            return False
        return True

    def _parting(self, position: int, state: Any) -> Parting | None:
        seen = self.abstraction.seen(observation_of(self.engine))
        what = tuple(
            f"{name} is {said!r} in the model, and {seen[name]!r} in the engine"
            for name, said in zip(self.model.names, self.model.said(state), strict=True)
            if seen.get(name, UNSEEN) not in (said, UNSEEN)
        )
        return Parting(position, what) if what else None

    def _go_on(self) -> Iterator[StepId]:
        """Run the steps that need no request; a suspended job is started again."""
        for _ in range(STEPS_MAX):
            steps = [s for s in self.engine.candidates(NOT_BY_ITSELF) if self.engine.is_ready(s)]
            steps += [s for s in self.engine.candidates() if s.name == "resume"]
            step = next((s for s in steps if self._takes(s)), None)
            if step is None:
                return
            yield step

    # --- what there is ---------------------------------------------------------------------------

    def _fates(self) -> Iterator[RecordFate]:
        written: dict[str, list[str]] = {}
        elsewhere: dict[str, list[str]] = {}
        for name in self.files.under(""):
            folder = name.split("/")[0]
            if folder not in ("output", "pending", "staging", "dropped"):
                continue
            for line in self.files.read(name).decode().splitlines():
                (written if folder == "output" else elsewhere).setdefault(line, []).append(name)
        for record, place in self._unwritten():
            elsewhere.setdefault(record, []).append(place)
        for record in self.abstraction.data:
            places = tuple(dict.fromkeys(elsewhere.get(record, ())))
            yield RecordFate(record, tuple(written.get(record, ())), places, self._is_over())

    def _is_over(self) -> bool:
        engine = self.engine
        return engine.has_ended() if isinstance(engine, Asking) else engine.coordinator.job_finished

    def _unwritten(self) -> Iterator[tuple[str, str]]:
        """Records that are in no file of a sink, and where they are."""
        for task in self.engine.tasks.values():
            state = dict(task.operator.seen())
            held = state.get("held")
            if isinstance(held, tuple):
                yield from ((str(record), f"operator {task.name}") for record in held)
            emitted = state.get("emitted")
            if isinstance(emitted, int):
                total = self.abstraction.records[task.name]
                to_come = {f"{task.name}#{number + 1}" for number in range(emitted, total)}
                for record in self.abstraction.data:
                    if record.split("/")[0] in to_come:
                        yield record, f"source {task.name}"
        for channel in self.engine.channels.values():
            for buffer in channel.queue:
                if isinstance(buffer, Buffer):
                    yield from ((str(each), f"channel {channel.name}") for each in buffer.records)

    def _gone(self) -> Iterator[str]:
        for number, checkpoint in self.engine.coordinator.checkpoints.items():
            if checkpoint.status is not Status.COMPLETED:
                continue
            for sink in sorted(self.abstraction.sinks):
                part = f"checkpoints/{number}/{sink}.json"
                if not self.files.exists(part):
                    continue
                for listed in json_of(self.files.read(part))["operator"].get("pending", ()):
                    at = [f"{folder}/{sink}-{listed}" for folder in ("pending", "output")]
                    if not any(map(self.files.exists, at)):
                        yield f"{at[0]}, which checkpoint {number} lists"

    def _waits(self) -> Iterator[str]:
        engine = self.engine
        for number, checkpoint in engine.coordinator.checkpoints.items():
            if checkpoint.is_pending:
                yield f"checkpoint {number} is pending"
        if self._is_over():
            return
        for task in engine.tasks.values():
            if task.phase in (Phase.FINISHING, Phase.DRAINING):
                yield f"task {task.name} waits to close"
