"""What a spec claims: a protocol in a setting, the expected verdicts, the system to search.

A spec with `[resume] from = "first.toml"` begins where another spec ends: its initial states are
the snapshots that the first system can leave behind.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from finale.checker.cache.parts import CachedParts
from finale.model.errors import FinaleError, Place
from finale.model.language.build import build, world_of
from finale.model.language.guards import is_watching
from finale.model.language.keeping import keeping_nothing
from finale.model.language.properties import Family
from finale.model.language.protocol import Former, Protocol, Setting
from finale.model.system import State, System
from finale.model.topology import Pattern
from finale.model.trace import Trace

from .catalogue import Catalogue
from .key_lines import KeyLines
from .releases import ReleaseConfig
from .snapshots import Snapshots, snapshots_of

#: A state wider than this is never searched to the end; to encode it alone would take long.
BITS_MAX = 4096


@dataclass(frozen=True)
class Expectation:
    """The expected verdict of one property; `steps` is the length of the trace."""

    property: str
    verdict: str
    steps: int | None = None


@dataclass(frozen=True)
class ExactCounts:
    """The exact numbers of the full search, and who counted them a second time."""

    states: int
    transitions: int
    depth: int
    counted_by: str


@dataclass(frozen=True)
class Spec:
    """A valid spec. `families` are the properties that apply and whose history is kept.

    Without names, only those of them are `asked`.
    """

    file: Path
    title: str
    cites: tuple[str, ...]
    protocol: type[Protocol]
    variant: str | None
    slow: bool
    setting: Setting
    counts: ExactCounts | None
    expectations: Mapping[str, Expectation]
    families: tuple[Family, ...]
    lines: KeyLines
    catalogue: Catalogue
    #: The release whose options it has.
    under: ReleaseConfig | None = None
    #: The spec from whose snapshots the system starts.
    resumption: Resumption | None = None
    #: Whether properties on request are asked, too.
    asks_all: bool = False
    #: What the file says.
    table: Mapping[str, object] | None = None
    #: Values that replace those of the file, by key, as `--set` names them.
    values: tuple[tuple[str, object], ...] = ()
    #: Properties that the file expects something of, in the setting that it describes: with other
    #: values they are asked, and nothing is expected of them.
    waived: tuple[str, ...] = ()
    #: Assumptions that are left out beside those of the file, as `--without` names them.
    left_out: tuple[str, ...] = ()
    #: The releases that came with the fix of the bug that the variant brings back.
    fixed_in: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[Family, ...]:
        """The properties that are answered if none is named: not those on request alone."""
        named = self.claimed
        return tuple(
            f for f in self.families if self.asks_all or not f.on_request or f.name in named
        )

    @property
    def is_under_variant(self) -> bool:
        """Whether the variant is not the one that the file names."""
        return self.variant is not None and self.variant != (self.table or {}).get("variant")

    @property
    def claimed(self) -> tuple[str, ...]:
        """The properties that the file expects something of, also with other values."""
        return (*self.expectations, *self.waived)

    def instance(self) -> Protocol:
        """The protocol in the setting of this spec. Raises coded errors of the protocol's own."""
        with self._blaming():
            return self.protocol(self.setting)

    def system(
        self, families: Sequence[Family] | None = None, look: Callable[[], None] | None = None
    ) -> System:
        """The system to search, with the properties asked or some. Raises `state-too-wide`.

        `look` is called all along: what it raises ends the work.
        """
        return self.system_and_key(families, look)[0]

    def system_and_key(
        self,
        families: Sequence[Family] | None = None,
        look: Callable[[], None] | None = None,
        *,
        is_searched: bool = False,
    ) -> tuple[System, bytes | None]:
        """The system, and a key of all that it is made from, or None if that cannot be told.

        A user's code is compared with plain Python, once; before a search each time, since what
        the search will find is compared, too. Raises `misread`.
        """
        protocol = self.instance()
        # Without some of its guards a rule is another one than the cache knows.
        store = None if is_watching() else self.catalogue.store
        names = [(spec.protocol.key, spec.variant) for spec in self.chain()]
        parts = None if store is None else CachedParts(store, self.catalogue.code, names)
        with self._blaming():
            self._refuse_too_wide_state()
            asked = self.asked if families is None else families
            with keeping_nothing(self.catalogue.modules, protocol):
                system = build(protocol, asked, look, parts)
        if parts is not None:
            parts.end()
        compares = self.catalogue.folder is not None and self.catalogue.compares
        known = parts is not None and not is_searched and parts.was_compared(system)
        if compares and not known and not is_watching():
            self._compare(asked, system)
            if parts is not None:
                parts.compared(system)
        return system, None if parts is None else parts.key_of(system)

    def _compare(self, families: Sequence[Family], system: System) -> None:
        from finale.checker.search.interpreter.comparing import compare

        with self._blaming():
            compare(families, system)

    def chain(self) -> Iterator[Spec]:
        """Return this spec, that which it is resumed from, and so on."""
        yield self
        if self.resumption is not None:
            yield from self.resumption.first.chain()

    def _refuse_too_wide_state(self) -> None:
        probe = self.protocol(self.setting)
        world = world_of(probe, probe.keeps())
        bits = sum((c.high - c.low).bit_length() for v in world.variables for c in v.domain.cells)
        if bits > BITS_MAX:
            raise self._too_wide(f"a state takes {bits} bits")

    def refuse_too_wide_job(self) -> None:
        """Raises `state-too-wide` where the things of the job alone take too many bits."""
        job = self.setting.job
        if job is None:
            return
        count = sum(vertex.parallelism + sum(vertex.records) for vertex in job.vertices)
        for edge in job.edges:
            p = job.vertex(edge.source).parallelism
            q = job.vertex(edge.target).parallelism
            count += p * q if edge.pattern is Pattern.ALL_TO_ALL else max(p, q)
        if count > BITS_MAX:
            raise self._too_wide(f"the job has {count} subtasks, channels and records")

    def _too_wide(self, what: str) -> FinaleError:
        return FinaleError(
            "state-too-wide",
            f"{what}, more than the {BITS_MAX} that can be searched",
            place=Place(str(self.file)),
            advice="take a smaller job or smaller bounds: most errors show on small jobs",
        )

    @contextmanager
    def _blaming(self) -> Generator[None]:
        try:
            with self.catalogue.blaming_user_code():
                yield
        except FinaleError as error:
            raise located(error, self.file, self.lines) from None


class Resumption:
    """The spec from whose snapshots another spec starts."""

    def __init__(self, first: Spec) -> None:
        self.first = first

    @cached_property
    def snapshots(self) -> Snapshots:
        """All snapshots of the first system. Raises `resume-too-large`, `resume-empty`."""
        return snapshots_of(self.first.instance(), self.first.system(()), self.first.file)

    def former(self) -> Former:
        """The first protocol and its snapshots, as the second protocol reads them."""
        return Former(self.first.instance(), lambda: tuple(self.snapshots.found))

    def runs_to(self, protocol: Protocol, initial: State) -> Iterator[EarlierRun]:
        """One run for each system before, which together lead to an initial state."""
        world = world_of(protocol, protocol.keeps())
        snapshots = self.snapshots
        for snapshot, start in zip(snapshots.found, protocol.start_states() or (), strict=True):
            values = [start[variable.name] for variable in world.variables]
            if world.encode(values) == initial:
                trace = snapshots.trace_to(snapshot)
                yield from runs_before(self.first, trace)
                yield EarlierRun(self.first, snapshots.system, trace)
                return


@dataclass(frozen=True)
class EarlierRun:
    """A run of the first system: it leaves the snapshot behind from which a trace starts."""

    spec: Spec
    system: System
    trace: Trace


def runs_before(spec: Spec, trace: Trace) -> Iterator[EarlierRun]:
    """The runs that lead to the start of a trace: none, unless its spec resumes from another."""
    if spec.resumption is not None:
        yield from spec.resumption.runs_to(spec.instance(), trace.states[0])


def located(error: FinaleError, file: Path, lines: KeyLines) -> FinaleError:
    """The error with the file of the spec and the line of its key, where it has no file yet."""
    place = error.place or Place()
    if place.file is None:
        line = lines.of_dotted(place.key) if place.key else None
        error.place = Place(str(file), line, place.key, place.rule)
    return error
