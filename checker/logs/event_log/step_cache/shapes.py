"""Groups sections by shape: the same protocol, options, job, and bounds.

Sections of one shape share a system, and what was learned of its steps.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from finale.checker.logs.event_log.progress import SearchEffort
from finale.checker.logs.event_log.reading import Section
from finale.checker.logs.event_log.section_setting import (
    IDS_LIVE,
    bounds_of,
    kind_of,
    shared_bounds,
)
from finale.checker.logs.event_log.section_system import Reached, SectionSystem
from finale.checker.logs.findings import Finding, Severity, Where
from finale.checker.search.native.kernel import cache_block as at
from finale.checker.spec.catalogue import Catalogue
from finale.model.events import WORDS

from .cache import Failure, RunBegin, StepCache
from .functions import ProtocolFunctions
from .lines import EventForm, EventForms, SectionSteps, pairs

#: Of so many ends it is known what is stuck there.
ENDS_MAX = 5_000


class SectionShape:
    """A system for sections of one shape."""

    def __init__(self, section: Section, bounds: Mapping[str, int], known: Catalogue) -> None:
        self.system = SectionSystem(section, known, frozenset(), bounds=bounds)
        assert not self.system.protocol.recycles, (
            "ids are given again by who follows, and by nobody else"
        )
        self.functions = ProtocolFunctions(self.system)
        self.cache = StepCache(self.functions)
        self._names: dict[tuple[object, object], str] = {
            (each.vertex.name, each.index): each.name for each in section.job.subtasks
        }
        self._codes: dict[int, int] = {}
        self._begins: dict[str, tuple[int, ...]] = {}
        self._stuck: dict[tuple[bytes, tuple[int, ...]], set[int]] = {}

    def follow(
        self,
        part: SectionSteps,
        words: Sequence[EventForm],
        effort: SearchEffort | None = None,
        *,
        ends: bool,
    ) -> tuple[int, list[Finding]]:
        """How many events of a section can be taken, one after the other, and what that shows.

        `ends`: nothing is known to follow.
        """
        codes = self._codes
        for word in set(part.words):
            if word not in codes:
                codes[word] = self._code(words[word])
        numbers = part.numbers
        restores = {word for word in set(part.words) if words[word].name == "restore"}
        if restores:
            told = zip(part.words, numbers, strict=True)
            numbers = [
                words[word].fields.get("from") or 0 if word in restores else number
                for word, number in told
            ]
        learned = self.cache
        events = pairs([codes[word] for word in part.words], numbers)

        def look(event: int) -> None:
            if effort is not None:
                effort.explains(part.lines[event] if event >= 0 else part.section.line)
                effort.look()

        count, records = learned.follow(self._begin(part.section), events, look)
        found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding] = {}
        for record in records:
            line = part.section.line if record.event < 0 else part.lines[record.event]
            self._note(record, line, Severity.VIOLATED, found)
        if ends and count == len(part.words):
            self._note_open(part, found)
        return count, list(found.values())

    def _note_open(
        self, part: SectionSteps, found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding]
    ) -> None:
        learned = self.cache
        opened = sorted(learned.open(), key=lambda each: (each[1], each[0]))
        if not opened:
            return
        ids, state, numbers = learned.ids(), learned.state(), tuple(number for number, _ in opened)
        asked = (state.tobytes(), numbers)
        stuck = self._stuck.get(asked)
        if stuck is None:
            if len(self._stuck) > ENDS_MAX:
                self._stuck.clear()
            stuck = self._stuck[asked] = learned.stuck(numbers, state)
        for number, since in opened:
            severity = Severity.STUCK if number in stuck else Severity.OPEN
            line = part.section.line if since < 0 else part.lines[since]
            self._note(Failure(since, number, ids), line, severity, found)

    def _note(
        self,
        record: Failure,
        line: int,
        severity: Severity,
        found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding],
    ) -> None:
        predicate, reached = self.functions.predicates[record.number], Reached((), record.ids)
        family = predicate.family
        binding = tuple((kind, reached.log_name(value)) for kind, value in predicate.binding)
        finding = Finding(family.name, binding, Where(0, 0, line), severity, family.sentence)
        found.setdefault((family.name, binding), finding)

    def _begin(self, section: Section) -> RunBegin:
        """The state in which a section begins."""
        start = section.start
        key = json.dumps([start.get("starts"), start.get("from") is None, start.get("finished")])
        state = self._begins.get(key)
        reached = None
        if state is None:
            reached = self.system.start(start)
            state = self._begins[key] = tuple(self.functions.cells.of(reached.values))
        restored = start.get("starts") == "restoring" and start.get("from") is not None
        last: object = start.get("last")
        follows = last + 1 if start.get("profile") == "engine" and isinstance(last, int) else 0
        ids = (int(start["from"]),) if restored else ()
        return RunBegin(state, ids, follows)

    def _code(self, word: EventForm) -> int:
        """The number of what events of a word are in this system."""
        about, rules = word.about(self._names), self.system.rules
        kind, names = at.FIXED, [""]
        if any(kind == "checkpoint" for kind, _ in about):
            kind, names = at.BY_ID, [each.name for each in self.functions.ids]
        elif word.name == "restore" and "from" in word.fields:
            kind = at.RESTORES
        named = (tuple((k, n if k == "checkpoint" else v) for k, v in about) for n in names)
        found = [rules.get((word.name, each)) for each in named]
        places = [None if each is None else self.functions.places[id(each)] for each in found]
        return self.cache.code(kind, places, begins=WORDS[word.name].begins)


class SectionShapes:
    """All shapes that were met."""

    def __init__(self, known: Catalogue) -> None:
        self.known = known
        self._shapes: dict[object, SectionShape] = {}
        self._kinds: dict[str, Any] = {}

    def of(self, part: SectionSteps, vocabulary: EventForms, room: int | None) -> SectionShape:
        """The shape of a section, whose channels take so much, or None: all that can be needed.

        Raises what is wrong with its protocol and its options.
        """
        section = part.section
        start = section.start
        same = [start.get(each) for each in ("protocol", "variant", "options", "job")]
        kind_key = json.dumps(same)
        kind = self._kinds.get(kind_key)
        if kind is None:
            kind = self._kinds[kind_key] = kind_of(section, self.known)
        told = Counter[str]()
        for word, count in Counter(part.words).items():
            told[vocabulary.words[word].name] += count
        begun = len({*part.numbers} - {0})
        bounds = shared_bounds(
            bounds_of(section, told, begun, kind, (), IDS_LIVE, room), kind, IDS_LIVE
        )
        key = (kind_key, tuple(sorted(bounds.items())))
        if key not in self._shapes:
            self._shapes[key] = SectionShape(replace(section, events=()), bounds, self.known)
        return self._shapes[key]

    @property
    def learned(self) -> int:
        """How many ways were learned that rules and properties can go."""
        return sum(shape.cache.learned for shape in self._shapes.values())
