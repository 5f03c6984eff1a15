"""Monitors the properties along the replay of a run of Flink.

Besides what every monitor does, it counts checkpoints that fail for one reason, one after the
other: after several the obligations that wait for a checkpoint are stuck. A stuck obligation that
is met later has recovered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from finale.checker.logs.findings import Finding, Severity, Where
from finale.checker.logs.partial_state import PartialStore
from finale.checker.logs.property_monitor import FindingKey, PropertyMonitor
from finale.checker.search.interpreter.execution import PlainPredicate
from finale.model.protocols.task.tasks import TaskStatus

from .partial_model import PartialSystem

#: After so many checkpoints that fail for one reason, one after the other, none will complete.
ABORTS_IN_A_ROW = 5


class ReplayMonitor(PropertyMonitor):
    """The properties of a job, asked along the events of its log."""

    def __init__(self, system: PartialSystem, known: Iterable[int]) -> None:
        super().__init__(system.world, system.protocol, system.asked, system.start, known)
        self._row: tuple[str, int, frozenset[Where]] | None = None
        """Why the last checkpoints failed, how many for that reason, and since which lines what was
        open is that was so at the first of them."""
        self.overdue: dict[tuple[str, tuple[object, ...]], str] = {}
        """Obligations that are not met though later events happened: the lines that tell so."""
        self.ending = False
        """Whether the job is being cancelled or fails for good: what comes then is no recovery."""
        self._recovered: dict[FindingKey, Finding] = {}
        """The findings that have recovered since a task has begun to run, as they were before."""

    def given_up(self, why: str, where: Where) -> None:
        """A checkpoint was aborted, or could not be triggered, for this reason."""
        count, since = 1, frozenset(self._open.values())
        if self._row is not None and self._row[0] == why:
            count, since = self._row[1] + 1, self._row[2]
        self._row = (why, count, since)
        if count == ABORTS_IN_A_ROW:
            for number, opened in self._open.items():
                if opened in since and self._is_due(self.states[number]):
                    told = f"again and again: {why}"
                    self.note(self.states[number], where, Severity.STUCK, told)

    @property
    def row(self) -> tuple[str, int] | None:
        """Why the last checkpoints failed, and how many of them for this one reason."""
        return None if self._row is None else self._row[:2]

    def runs(self) -> None:
        """A task runs: what has recovered so far has."""
        self._recovered.clear()

    def fails_for_good(self) -> None:
        """The job fails: what seemed to recover by the failure has not."""
        for key, before in self._recovered.items():
            if self.found[key].severity is Severity.RECOVERED:
                self.found[key] = before

    def completes(self) -> None:
        """A checkpoint has completed."""
        self._row = None

    def end_log(self, *, over: bool) -> None:
        """The log ends; `over`: the job has ended, so that no obligation can be met any more."""

        def severity(predicate: PlainPredicate) -> tuple[Severity, str | None]:
            why = self.overdue.get((predicate.family.name, predicate.arguments))
            return Severity.OVERDUE if why else Severity.OPEN, why

        self._open = {n: since for n, since in self._open.items() if self._is_due(self.states[n])}
        if not over:
            self.end(severity)

    def _is_due(self, predicate: PlainPredicate) -> bool:
        """Whether an obligation is to be met: of the job as a whole nothing must come any more when
        all its sources have ended."""
        sources = (task for task in self.protocol.tasks if not task.inputs)
        statuses = (self.values[task.variables["status"].position] for task in sources)
        return bool(predicate.binding) or any(each is not TaskStatus.CLOSED for each in statuses)

    def ask(self, name: str, binding: tuple[object, ...], where: Where, told: str) -> None:
        """Ask one property of one binding in the present state; `told` is the last name in it."""
        store = PartialStore(self.values, self._all, set())
        self._stores = (store,)
        for predicate in self._of(name, binding):
            with self.world.on(store):
                if self.says(predicate) == "fails":
                    (*names, (kind, _)) = predicate.binding
                    named = (*names, (kind, told))
                    self.note(predicate, where, Severity.VIOLATED, None, named)

    def tell(
        self,
        name: str,
        binding: tuple[object, ...],
        where: Where,
        severity: Severity,
        why: str,
        until: Where | None = None,
    ) -> None:
        """Keep a finding that lines show by themselves as one of a property."""
        for predicate in self._of(name, binding):
            self.note(predicate, where, severity, why, until=until)
            key = predicate.family.name, self._renamed(predicate.binding)
            if severity is Severity.RECOVERED and self.found[key].until == until:
                before = replace(self.found[key], severity=Severity.STUCK, until=None)
                self._recovered[key] = before

    def _of(self, name: str, binding: tuple[object, ...]) -> list[PlainPredicate]:
        named = (each for each in self.states if each.family.name == name)
        return [each for each in named if each.arguments == binding]

    def reached(self, predicate: PlainPredicate, where: Where) -> None:
        """An obligation is met: if it was stuck, it has recovered."""
        key = predicate.family.name, self._renamed(predicate.binding)
        known = self.found.get(key)
        if known is None or known.severity is not Severity.STUCK or self.ending:
            return
        if self._is_due(predicate):
            self._recovered[key] = known
            self.found[key] = replace(known, severity=Severity.RECOVERED, until=where)
