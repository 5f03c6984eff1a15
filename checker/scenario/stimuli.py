"""The stimuli of scenarios: tokens of one word, and commands with arguments.

Tokens are what arrives at a task, in the short notation of barrier-handler tests; commands are
words of their own for each part, with a signature that says what follows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finale.model.errors import FinaleError, nearest

#: Not more than this in one scenario: larger is a mistake of writing.
CHANNELS_MAX = 64
#: Keys of headers that say how many channels there are; a part has one of them, or one channel.
_COUNTS = ("channels", "inputs")


@dataclass(frozen=True)
class Span:
    """The columns of a stimulus in its line: from `start` to `end`, exclusive."""

    start: int
    end: int


@dataclass(frozen=True)
class RecordArrives:
    """`r0`, `a1`: a record arrives on a channel."""

    name: str
    channel: int
    span: Span


@dataclass(frozen=True)
class BarrierArrives:
    """`B1@2`: a barrier arrives; of a savepoint `SB1@2`, one that overtakes `UB1@2`.

    `DB1@2` is that of a stop with drain, `NB1@2` that of a stop without.
    """

    kind: str
    checkpoint: int
    channel: int
    span: Span


@dataclass(frozen=True)
class Announcement:
    """`A1@2`: a barrier is announced ahead of what it stands behind."""

    checkpoint: int
    channel: int
    span: Span


@dataclass(frozen=True)
class Cancel:
    """`X1@2`: a checkpoint was aborted upstream."""

    checkpoint: int
    channel: int
    span: Span


@dataclass(frozen=True)
class EndOfDataArrives:
    """`D@2`: the end of data of a channel; `N@2`: the same in a stop without drain."""

    channel: int
    span: Span
    drain: bool = True


@dataclass(frozen=True)
class ChannelEnds:
    """`E@2`: a channel ends."""

    channel: int
    span: Span


@dataclass(frozen=True)
class Time:
    """`+100`: so many milliseconds pass."""

    milliseconds: int
    span: Span


@dataclass(frozen=True)
class Command:
    """A word with arguments: `ack 1 V2`."""

    word: str
    arguments: tuple[str, ...]
    span: Span


Token = (
    RecordArrives | BarrierArrives | Announcement | Cancel | EndOfDataArrives | ChannelEnds | Time
)
Stimulus = Token | Command

_TOKEN = re.compile(
    r"(?P<kind>SB|UB|DB|NB|B|A|X)(?P<id>\d+)(?:@(?P<at>\d+|\*))?"
    r"|(?P<end>[DEN])(?:@(?P<of>\d+|\*))?"
    r"|\+(?P<time>\d+)"
    r"|(?P<data>[a-z])(?P<on>\d+)?"
)
#: The kinds of tokens, with one of each.
FORMS: Mapping[str, str] = {
    "r": "r0",
    "B": "B1@0",
    "SB": "SB1@0",
    "UB": "UB1@0",
    "DB": "DB1@0",
    "NB": "NB1@0",
    "A": "A1@0",
    "X": "X1@0",
    "D": "D@0",
    "N": "N@0",
    "E": "E@0",
    "+": "+100",
}


def tokens_of(
    word: str, span: Span, channels: int, known: Sequence[str], keys: Sequence[str] = ()
) -> list[Token]:
    """The tokens that a word stands for: one, or with `@*` one for each channel.

    `known` are the kinds that the part knows, `keys` those of its header. Raises
    `unknown-stimulus`, `unknown-channel`.
    """
    found = _TOKEN.fullmatch(word)
    if found is None or _kind(found) not in known:
        forms = ", ".join(FORMS[kind] for kind in known)
        raise FinaleError(
            "unknown-stimulus",
            f'"{word}" cannot arrive at this part',
            advice=f"write tokens such as {forms}; on all channels, B1@*",
        )
    if found["time"] is not None:
        return [Time(int(found["time"]), span)]
    return [_token(found, at, span) for at in _channels(word, found, channels, keys)]


def _kind(found: re.Match[str]) -> str:
    """Which of `FORMS` it is; records may have any letter."""
    if found["time"]:
        return "+"
    return found["kind"] or found["end"] or "r"


def _channels(word: str, found: re.Match[str], channels: int, keys: Sequence[str]) -> Sequence[int]:
    if not channels:
        raise FinaleError(
            "unknown-channel",
            f'"{word}" arrives on a channel, and a source has none',
            advice="leave the channel out, or give the task an input: kind: pass-through",
        )
    given = found["at"] or found["of"] or found["on"]
    if given == "*":
        return range(channels)
    if given is None and channels > 1:
        raise FinaleError(
            "unknown-channel",
            f'"{word}" does not say on which of {channels} channels',
            advice=f"write {word}{'0' if found['data'] else '@0'}",
        )
    channel = int(given or 0)
    if channel >= channels:
        told = "".join(f"; `{key}:` says how many there are" for key in _COUNTS if key in keys)
        raise FinaleError(
            "unknown-channel",
            f'"{word}" arrives on channel {channel}, and the last one is {channels - 1}',
            advice=f"channels are counted from 0{told}",
        )
    return (channel,)


def _token(found: re.Match[str], channel: int, span: Span) -> Token:
    if found["data"]:
        return RecordArrives(f"{found['data']}{channel}", channel, span)
    if found["end"]:
        if found["end"] == "E":
            return ChannelEnds(channel, span)
        return EndOfDataArrives(channel, span, drain=found["end"] == "D")
    checkpoint = int(found["id"])
    match found["kind"]:
        case "A":
            return Announcement(checkpoint, channel, span)
        case "X":
            return Cancel(checkpoint, channel, span)
        case kind:
            return BarrierArrives(kind, checkpoint, channel, span)


# --- commands ------------------------------------------------------------------------------------

#: What may stand in a signature for an argument, and how it is written.
ARGUMENTS: Mapping[str, re.Pattern[str]] = {
    "ID": re.compile(r"\d+"),
    "NAME": re.compile(r"\S+"),
    "WORD": re.compile(r"\S+"),
    "NAMES": re.compile(r"\S+"),
}
"""`NAMES` stands last, and for one or more."""
#: What an argument may be, for those who have written something else.
_MEANINGS = {"ID": "the number of a checkpoint", "NAME": "a name"}


def command_of(words: Sequence[str], span: Span, signatures: Sequence[str]) -> Command:
    """A command whose arguments are as one of its signatures says. Raises `bad-stimulus`."""
    word, *given = words
    for signature in signatures:
        if _fits(given, signature.split()):
            return Command(word, tuple(given), span)
    forms = " or ".join(f"{word} {each}".strip() for each in signatures)
    raise FinaleError(
        "bad-stimulus", f'"{" ".join(words)}" is not a form of {word}', advice=f"write {forms}"
    )


def check_question(word: str, fields: Sequence[str], signature: str) -> None:
    """A query says what it asks about, before the answer. Raises `bad-question`."""
    kinds = signature.split()
    if not _fits(fields[: len(kinds)], kinds):
        told = " and ".join(f"{kind} is {_MEANINGS[kind]}" for kind in kinds)
        raise FinaleError(
            "bad-question",
            f'"{" ".join((word, *fields))}" does not say what it asks about',
            advice=f"write {word} {signature}, and then the answer; {told}",
        )


def _fits(given: Sequence[str], signature: Sequence[str]) -> bool:
    if signature[-1:] == ["NAMES"]:
        return len(given) >= len(signature) and _fits(given[: len(signature) - 1], signature[:-1])
    return len(given) == len(signature) and all(
        ARGUMENTS[kind].fullmatch(word) if kind in ARGUMENTS else word == kind
        for word, kind in zip(given, signature, strict=True)
    )


def ids_of(stimulus: Stimulus, signatures: Mapping[str, Sequence[str]]) -> tuple[int, ...]:
    """The checkpoint ids that a stimulus names."""
    match stimulus:
        case BarrierArrives() | Announcement() | Cancel():
            return (stimulus.checkpoint,)
        case Command():
            signature = next(
                each.split()
                for each in signatures[stimulus.word]
                if _fits(stimulus.arguments, each.split())
            )
            pairs = zip(stimulus.arguments, signature, strict=False)
            return tuple(int(word) for word, kind in pairs if kind == "ID")
        case _:
            return ()


def unknown_command(word: str, known: Sequence[str], part: str) -> FinaleError:
    """A word that the part does not know. The error `unknown-stimulus`."""
    return FinaleError(
        "unknown-stimulus",
        f'the part {part} has no stimulus "{word}"',
        advice=nearest(word, known),
    )
