"""A bench runs one part of a protocol: it applies the stimuli of a scenario and records events.

A bench lays the part out as a search does, with bounds from the scenario's own text, and calls the
part's methods on a state of plain values. What it tells it learns in two ways: a subclass of the
protocol records what the part asks of its surroundings and calls `super()`, and queries read the
state. No rule is written here a second time.
"""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, cast

from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.typed import options_of
from finale.model.errors import FinaleError
from finale.model.given import toml_of
from finale.model.language.build import world_of
from finale.model.language.path_ends import BlockedHere, FaultHere
from finale.model.language.plain import PlainStore
from finale.model.language.protocol import Protocol, Setting
from finale.model.protocols.job.elements import CheckpointId

from .reading import BenchWords, Case, Draft, Header, case_of
from .stimuli import Stimulus, ids_of

P = TypeVar("P", bound=Protocol)

Fields = tuple[str, ...]


@dataclass(frozen=True)
class BenchEvent:
    """Something that happened: a word of `model.events`, and its fields."""

    word: str
    fields: Fields

    def __str__(self) -> str:
        return " ".join((self.word, *self.fields))


class Bench(ABC):
    """The base of benches. A bench is made for one case, and used once."""

    part: ClassVar[str]
    #: One sentence for those who write scenarios.
    about: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ()
    #: Kinds of tokens: keys of `stimuli.FORMS`.
    tokens: ClassVar[tuple[str, ...]] = ()
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    events: ClassVar[tuple[str, ...]] = ()
    #: Each with the signature of what it asks about: `awaited 2 V1` asks about an `ID`.
    queries: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def vocabulary(cls) -> BenchWords:
        """The words of the part."""
        events = ("refused", "fault", *cls.events)
        return BenchWords(cls.part, cls.keys, cls.tokens, cls.commands, events, cls.queries)

    @classmethod
    def channels_of(cls, header: Header) -> int:
        """Return the number of channels that tokens can name."""
        return 1

    @classmethod
    def read(cls, draft: Draft) -> Case:
        """The case, with its words looked up. Raises coded errors."""
        return case_of(draft, cls.vocabulary(), cls.channels_of(draft.header))

    def __init__(self, case: Case, catalogue: Catalogue) -> None:
        self.case = case
        self.catalogue = catalogue
        self.seen: list[BenchEvent] = []

    def record(self, word: str, *fields: object) -> None:
        """Something happened."""
        assert word in self.vocabulary().events, word
        self.seen.append(BenchEvent(word, tuple(str(field) for field in fields)))

    @abstractmethod
    def apply(self, stimulus: Stimulus) -> None:
        """Do it, and record what happens."""

    @abstractmethod
    def answer(self, query: str, given: Fields) -> Fields:
        """Return the present answer of a query."""

    def normal(self, word: str, fields: Fields) -> Fields:
        """Fields as the bench itself writes them, where there are several ways."""
        return fields


class ProtocolBench(Bench, Generic[P]):
    """A bench of a part that lives in a protocol: all of it, on plain values."""

    #: The protocol, by its key, and what records it.
    protocol_key: ClassVar[str]
    recording: ClassVar[type[Any]]

    def __init__(self, case: Case, catalogue: Catalogue) -> None:
        super().__init__(case, catalogue)
        self.numbers = sorted(set(self.named_ids()) | set(self.further_ids())) or [1]
        self.protocol = self._instance()
        vars(self.protocol)["bench"] = self
        self.world = world_of(self.protocol, self.protocol.keeps())
        values = [self.world.initial_values(variable)[0] for variable in self.world.variables]
        self.store = PlainStore(values)
        with self.world.on(self.store):
            self.prepare()

    # --- what a bench says ---------------------------------------------------------------------

    @abstractmethod
    def setting(self, options: Mapping[str, object]) -> Setting:
        """The setting of the protocol."""

    @abstractmethod
    def do(self, stimulus: Stimulus) -> None:
        """Call the methods of the part. `apply` reports a refusal."""

    def prepare(self) -> None:
        """Bring the part into the state in which the scenario begins."""

    def named_ids(self) -> Iterator[int]:
        """The checkpoint ids that the scenario's lines name."""
        for stimulus in self.case.stimuli:
            yield from ids_of(stimulus, self.commands)

    def further_ids(self) -> Sequence[int]:
        """Checkpoint ids that only the header names."""
        return ()

    # --- what it has ---------------------------------------------------------------------------

    @cached_property
    def kind(self) -> type[Protocol]:
        """The protocol or variant of the header. Raises coded errors."""
        header = self.case.header
        key = header.values.get("protocol", self.protocol_key)
        named = "protocol"
        try:
            kind = self.catalogue.protocol(key)
            if not issubclass(kind, self.catalogue.protocol(self.protocol_key)):
                raise FinaleError(
                    "part-of-another-protocol",
                    f'"{key}" does not have the part {self.part} as "{self.protocol_key}" has it',
                    advice=f'leave out "protocol", or name one that builds on {self.protocol_key}',
                )
            if "variant" in header.values:
                named = "variant"
                kind = self.catalogue.variant(key, header.values["variant"])
        except FinaleError as error:
            raise error.located(header.place(named)) from None
        return kind

    def _instance(self) -> P:
        header, kind = self.case.header, self.kind
        options = options_in(header, kind)
        if not issubclass(kind, self.recording):
            kind = type(kind.__name__, (self.recording, kind), {})
        made = cast("Callable[[Setting], P]", kind)
        try:
            return made(self.setting(options))
        except FinaleError as error:
            if error.place is not None and error.place.file is not None:
                raise  # it names the line that says what cannot be
            raise error.located(header.place("part")) from None

    def apply(self, stimulus: Stimulus) -> None:
        before, seen = list(self.store.values), len(self.seen)
        try:
            with self.world.on(self.store):
                self.do(stimulus)
        except BlockedHere:
            self.store.values = before
            del self.seen[seen:]
            self.record("refused")
        except FaultHere as fault:
            self.record("fault", fault.code)

    def answer(self, query: str, given: Fields) -> Fields:
        with self.world.on(self.store):
            return cast("Fields", getattr(self, f"see_{query.replace('-', '_')}")(*given))

    def possibly(self, step: Callable[[], None]) -> bool:
        """Take a step, if it can be taken now."""
        before = list(self.store.values)
        try:
            step()
        except BlockedHere:
            self.store.values = before
            return False
        return True

    def position(self, number: int) -> int:
        """The place of an id among those that the scenario names. Raises `unknown-id`."""
        if number not in self.numbers:
            raise FinaleError(
                "unknown-id",
                f"no stimulus in this scenario names checkpoint {number}",
                advice="ask about checkpoints that are named left of =>",
            )
        return self.numbers.index(number)

    def number(self, checkpoint: CheckpointId) -> str:
        """The id of the scenario that a checkpoint of the protocol stands for."""
        return str(self.numbers[checkpoint.number - 1])


def options_in(header: Header, kind: type[Protocol]) -> dict[str, object]:
    """The options of a header: `name = value, …`. Raises coded errors."""
    text = header.values.get("options", "")
    try:
        given = toml_of(f"options = {{ {text} }}")["options"]
    except tomllib.TOMLDecodeError:
        raise FinaleError(
            "bad-options",
            f"these are no options: {text}",
            place=header.place("options"),
            advice='write name = value, texts in quotes: finish_race = "abort", concurrent = 2',
        ) from None

    def complain(code: str, message: str, advice: str, key: str) -> FinaleError:
        return FinaleError(code, message, place=header.place("options"), advice=advice)

    return options_of(kind.Options, given, complain)


def number_in(header: Header, key: str, default: int, most: int) -> int:
    """A whole number of a header. Raises `bad-number`."""
    text = header.values.get(key)
    if text is None:
        return default
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise FinaleError(
            "bad-number",
            f"{key} cannot be {text}",
            place=header.place(key),
            advice=f"write a whole number from 1 to {most}",
        )
    return int(text)
