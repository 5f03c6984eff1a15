"""Keeps the steps of projections: they are the same for all logs of one setting.

What a projection can do does not depend on the lines of a log. To work it out takes seconds, to
read it milliseconds. So it is kept beside the parts of systems (`checker/cache/store.py`), under
the digest of all code of the model and of the checker.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import lru_cache

from finale.checker.cache.code import digest, of_checker, of_finale
from finale.checker.cache.store import Store, users_store
from finale.checker.logs.lines import Observed

from .flink_projections import DIES, ENDS, OTHER, ProofSetting, projection_of, restores
from .possible_values import PossibleValues
from .projection import Label, Values

Step = tuple[frozenset[Label], Values]
"""What is seen of a step, and what it makes of the projection."""

_LABELS: Mapping[str, Label] = {
    **{each: each for each in (DIES, ENDS, OTHER)},
    **{observed.name: observed for observed in Observed},
}
_NAMES: Mapping[Label, str] = {label: name for name, label in _LABELS.items()}


class ProjectionSteps:
    """The steps of a projection, and in which classes it may begin, as far as they were asked."""

    def __init__(self, given: ProofSetting, name: str, task: str) -> None:
        self._projection = (given, name, task)
        code = (of_finale(), of_checker())
        self._key = digest(["steps of a projection", *code, repr(given), name, task])
        self._start = frozenset[Values]()
        self._steps: dict[Values, tuple[Step, ...]] = {}
        self._restored: dict[Values, bool] = {}
        self._kept = 0
        self._read()

    @property
    def start(self) -> frozenset[Values]:
        """The classes in which it may begin."""
        if not self._start:
            self._start = projection_of(*self._projection).start
        return self._start

    def onward(self, values: Values) -> tuple[Step, ...]:
        """Return the steps that may be taken: those that change something here, or are seen."""
        if values not in self._steps:
            edges = projection_of(*self._projection).onward(values)
            self._steps[values] = tuple((labels, after) for labels, after, _ in edges)
        return self._steps[values]

    def may_be_restored(self, values: Values) -> bool:
        """Return whether a restart may take the checkpoint that is looked at."""
        if values not in self._restored:
            possible = PossibleValues(projection_of(*self._projection).known(values))
            restored = restores(self._projection[0])
            self._restored[values] = 1 in (possible.of(restored) or (1,))
        return self._restored[values]

    def keep(self) -> None:
        """Write what is new, beside what other processes have written."""
        if self._size() == self._kept:
            return
        self._read()
        said = {
            "start": sorted(self.start),
            "steps": [
                [values, [[_texts(labels), after] for labels, after in steps]]
                for values, steps in self._steps.items()
            ],
            "restored": list(self._restored.items()),
        }
        with closing(users_store() or Store(None)) as store:
            store.put(self._key, json.dumps(said, separators=(",", ":")))
            store.flush()
        self._kept = self._size()

    def _size(self) -> int:
        return len(self._start) + len(self._steps) + len(self._restored)

    def _read(self) -> None:
        with closing(users_store() or Store(None)) as store:
            text = store.text(self._key)
        if text is None:
            return
        kept = json.loads(text)
        self._start = frozenset(map(tuple, kept["start"]))
        for values, steps in kept["steps"]:
            known = ((frozenset(_LABELS[n] for n in names), tuple(to)) for names, to in steps)
            self._steps.setdefault(tuple(values), tuple(known))
        self._restored |= {tuple(values): restored for values, restored in kept["restored"]}
        self._kept = sum(map(len, kept.values()))


def _texts(labels: Iterable[Label]) -> list[str]:
    return sorted(_NAMES[label] for label in labels)


@lru_cache(maxsize=256)
def steps_of(given: ProofSetting, name: str, task: str) -> ProjectionSteps:
    """The steps of the projection of one task and the checkpoint, or of one of them alone."""
    return ProjectionSteps(given, name, task)
