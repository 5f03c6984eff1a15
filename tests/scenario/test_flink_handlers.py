"""The barrier handlers of the model and of the engine do what Flink's do, on random sequences.

A sequence is what can come over the channels of one task: ids grow on each channel, a blocked
channel is not read, and an end is the last element of its channel.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from finale.checker.scenario.bench import ProtocolBench
from finale.checker.scenario.benches import BENCHES
from finale.checker.scenario.benches.handlers import TimedHandlerBench, UnalignedHandlerBench
from finale.checker.scenario.reading import drafts_of
from finale.checker.scenario.stimuli import Span, tokens_of
from finale.checker.spec.catalogue import catalogue
from finale.reference.gate import Gate
from finale.reference.overtaking import LoggedChannel, OvertakingGate
from tests.scenario.flink_handlers import Single, Tracker

KNOWN = catalogue(None)
IDS = range(1, 6)
RECORDS = "abcdef"
TIMEOUT = 10
SEQUENCES = 10_000

Difference = tuple[list[str], dict[str, object], dict[str, object]]
"""What came, what a handler did, and what Flink's does."""


# --- random sequences ----------------------------------------------------------------------------


def elements_of(channel: int, kinds: str, draw: random.Random) -> list[str]:
    """What comes over one channel, in its order. Savepoints have even ids if `kinds` has S.

    Each channel has habits of its own: what is rare on all of them together is common on some.
    """
    skips, cancels = draw.choice((0.1, 0.3, 0.6)), draw.choice((0.1, 0.25, 0.5))
    found: list[str] = []
    records = iter(RECORDS)
    for checkpoint in IDS:
        where = f"{checkpoint}@{channel}"
        if "r" in kinds and draw.random() < 0.6:
            found.append(f"{next(records)}{channel}")
        if draw.random() < skips:
            continue  # skipped by whoever sends
        barrier = "SB" if "S" in kinds and checkpoint % 2 == 0 else draw.choice(kinds_of(kinds))
        if draw.random() < cancels:
            found.append(f"X{where}")
            continue
        found.append(f"{barrier}{where}")
        if "A" in kinds and barrier == "B" and draw.random() < 0.5:
            last = max((n for n, each in enumerate(found) if each[0] == "A"), default=-1)
            found.insert(draw.randint(last + 1, len(found) - 1), f"A{where}")
        if "U" in kinds and draw.random() < 0.1:
            found.append(f"X{where}")  # a task that has taken its part aborts what it logs
    return [*found, *([f"E@{channel}"] if draw.random() < 0.7 else [])]


def kinds_of(kinds: str) -> list[str]:
    return ["UB" if kind == "U" else "B" for kind in kinds if kind in "UB"]


def sequence(
    channels: int, kinds: str, draw: random.Random, is_blocked: Callable[[int], bool]
) -> Iterator[str]:
    """Tokens in an order in which they can come, one after the other."""
    left = {channel: elements_of(channel, kinds, draw) for channel in range(channels)}
    while ready := [at for at in left if left[at] and not is_blocked(at)]:
        if "+" in kinds and draw.random() < 0.2:
            yield f"+{draw.choice((1, 5, TIMEOUT, TIMEOUT + 1))}"
        yield left[draw.choice(ready)].pop(0)


# --- the handlers ---------------------------------------------------------------------------


class OfFlink:
    """The transcription of Flink's handler."""

    def __init__(self, part: str, channels: int, *, flag: bool) -> None:
        timeout = TIMEOUT if part == "timed-handler" else None
        self.tracker = Tracker(channels, flag=flag) if part == "tracker" else None
        self.single = Single(channels, flag=flag, timeout=timeout)

    def is_blocked(self, channel: int) -> bool:
        return channel in self.single.blocked

    def come(self, token: str) -> None:
        kind, checkpoint, channel = parts_of(token)
        if self.tracker is not None:
            match kind:
                case "B":
                    self.tracker.barrier(checkpoint, channel)
                case "X":
                    self.tracker.cancel(checkpoint, channel)
                case "E":
                    self.tracker.end(channel)
                case _:
                    pass
            return
        match kind:
            case "B" | "SB":
                self.single.barrier(checkpoint, channel, times_out=kind == "B")
            case "UB":
                self.single.barrier(checkpoint, channel, overtakes=True)
            case "A":
                self.single.announce(checkpoint)
            case "X":
                self.single.cancel(checkpoint)
            case "E":
                self.single.end(channel)
            case "+":
                self.single.wait(checkpoint)
            case _:
                self.single.record(token, channel)

    def told(self) -> dict[str, object]:
        if self.tracker is not None:
            return {
                "seen": self.tracker.task.seen,
                "open": self.tracker.open,
                "pending": self.tracker.pending,
            }
        single = self.single
        taken = {int(each.split()[1]) for each in single.task.seen if each.startswith("taken")}
        return {
            "seen": single.task.seen,
            "open": single.open,
            "pending": [single.current] if single.is_pending else [],
            "blocked": sorted(single.blocked),
            "latest": single.current,
            "in-flight": {c: by_channel(single.in_flight.get(c, [])) for c in sorted(taken)},
        }


class OfModel:
    """The gate of a protocol, on the bench of scenarios."""

    def __init__(self, part: str, channels: int, folder: Path, *, flag: bool) -> None:
        self.part, self.channels = part, channels
        # With a timeout a checkpoint's kind is known from its lines: savepoints have even ids.
        barrier = ("SB", "B") if part == "timed-handler" else ("B", "B")
        rows = [f"{barrier[checkpoint % 2]}{checkpoint}@0" for checkpoint in IDS]
        if part not in ("tracker", "aligned-handler"):
            rows += [f"{name}{at}" for at in range(channels) for name in RECORDS]
        keys = f"title: a\npart: {part}\nchannels: {channels}\n"
        keys += "" if flag else "options: checkpoints_after_finish = false\n"
        keys += f"timeout: {TIMEOUT}\n" if part == "timed-handler" else ""
        file = folder / f"{part}-{channels}-{flag}.scenario"
        file.write_text(f"{keys}\n{' '.join(rows)} => -\n", encoding="utf-8")
        (draft,) = drafts_of(file)
        kind = BENCHES[part]
        self.bench = cast("ProtocolBench[Any]", kind(kind.read(draft), KNOWN))
        self.first = list(self.bench.store.values)
        self.known = type(self.bench).vocabulary()

    def reset(self) -> None:
        bench = self.bench
        bench.store.values = list(self.first)
        bench.seen.clear()
        if isinstance(bench, UnalignedHandlerBench):
            bench.came = dict.fromkeys(range(self.channels), 0)
        if isinstance(bench, TimedHandlerBench):
            bench.clock, bench.opened, bench.known = 0, 0, ""

    def come(self, token: str) -> None:
        for each in tokens_of(token, Span(0, 0), self.channels, self.known.tokens):
            self.bench.apply(each)

    def told(self) -> dict[str, object]:
        seen = [str(event) for event in self.bench.seen]
        taken = sorted({int(each.split()[1]) for each in seen if each.startswith("taken")})
        answers: dict[str, object] = {
            "seen": seen,
            "open": int(self.bench.answer("open", ())[0]),
            "pending": [int(each) for each in self.bench.answer("pending", ())],
        }
        if self.part == "tracker":
            return answers
        latest = self.bench.answer("latest", ())
        answers["blocked"] = [int(each) for each in self.bench.answer("blocked", ())]
        answers["latest"] = int(latest[0]) if latest else -1
        if isinstance(self.bench, UnalignedHandlerBench):
            answers["in-flight"] = {
                c: list(self.bench.answer("in-flight", (str(c),))) for c in taken
            }
        return answers


class OfEngine:
    """The gate of the engine, with a recorder in place of its task."""

    def __init__(self, part: str, channels: int, *, flag: bool) -> None:
        self.seen: list[str] = []
        self.inputs = [LoggedChannel(f"S{n}", "T", port=n, capacity=1) for n in range(channels)]
        kind = Gate if part == "aligned-handler" else OvertakingGate
        self.gate = kind(self.inputs, ends_abort=not flag)
        self.gate.take = lambda checkpoint: self.seen.append(f"taken {checkpoint}")
        self.gate.give_up = self.give_up
        self.clock = self.opened = 0
        self.known: int | None = None
        if isinstance(self.gate, OvertakingGate):
            self.gate.overtakes = lambda checkpoint, channel: False
            self.gate.done = lambda checkpoint: None

    def give_up(self, checkpoint: int) -> None:
        self.seen.append(f"aborted {checkpoint}")
        self.gate.newest = checkpoint
        self.gate.release()

    def come(self, token: str) -> None:
        kind, checkpoint, channel = parts_of(token)
        gate = self.gate
        match kind:
            case "B" | "SB":
                gate.barrier(self.inputs[channel], checkpoint)
            case "X":
                gate.cancelled(checkpoint)
            case "E":
                gate.end(self.inputs[channel])
            case _ if isinstance(gate, OvertakingGate):
                self._overtaking(gate, kind, checkpoint, channel)
            case _:
                pass
        if gate.newest != self.known:
            self.known, self.opened = gate.newest, self.clock

    def _overtaking(self, gate: OvertakingGate, kind: str, number: int, channel: int) -> None:
        match kind:
            case "UB":
                gate.barrier(self.inputs[channel], number, ahead=True)
            case "A" if gate.is_new(number):
                gate.announced(number)
            case "+":
                self.clock += number
                timed = gate.newest is not None and gate.newest % 2 == 1  # else a savepoint
                if timed and gate.is_aligning and self.clock - self.opened > TIMEOUT:
                    gate.hurry()
            case _:
                pass

    def told(self) -> dict[str, object]:
        newest = -1 if self.gate.newest is None else self.gate.newest
        return {
            "seen": self.seen,
            "open": sum(not channel.ended for channel in self.inputs),
            "pending": [newest] if self.gate.collecting else [],
            "blocked": [n for n, channel in enumerate(self.inputs) if channel.blocked],
            "latest": newest,
        }


def parts_of(token: str) -> tuple[str, int, int]:
    """The kind of a token, its checkpoint or time, and its channel."""
    if token.startswith("+"):
        return "+", int(token[1:]), 0
    head, _, at = token.partition("@")
    if not at:
        return "r", 0, int(token[1:])
    kind = head.rstrip("0123456789")
    return kind, int(head[len(kind) :] or 0), int(at)


def by_channel(records: list[str]) -> list[str]:
    return sorted(records, key=lambda name: (name[1:], name))


# --- the comparison ------------------------------------------------------------------------------

#: The handlers, and what comes to each: `stimuli.FORMS` has the kinds.
PARTS = {
    "aligned-handler": "BX",
    "unaligned-handler": "rUX",
    "timed-handler": "rBUSAX+",
    "tracker": "BX",
}
CASES = [(part, flag) for part in PARTS for flag in (True, False)]


@pytest.mark.parametrize(("part", "flag"), CASES)
def test_the_handlers_do_what_flink_does(part: str, flag: bool, tmp_path: Path) -> None:
    # What one handler forgets at once is seldom open at all in the tracker, which is fast to ask.
    assert not differences(part, tmp_path, 1_500 if part == "tracker" else 300, flag=flag)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "flag"), CASES)
def test_the_handlers_do_what_flink_does_often(part: str, flag: bool, tmp_path: Path) -> None:
    assert not differences(part, tmp_path, SEQUENCES // 2, flag=flag)


def differences(part: str, folder: Path, sequences: int, *, flag: bool) -> list[Difference]:
    """Sequences on which a handler does something else, shortest first."""
    draw = random.Random(f"{part} {flag}")
    models = {n: OfModel(part, n, folder, flag=flag) for n in range(1, 5)}
    wrong: list[Difference] = []
    for _ in range(sequences):
        channels = draw.choice((1, 2, 2, 3, 3, 4))
        flink = OfFlink(part, channels, flag=flag)
        models[channels].reset()
        others: list[OfModel | OfEngine] = [models[channels]]
        if part != "tracker":  # the engine has none
            others.append(OfEngine(part, channels, flag=flag))
        tokens: list[str] = []
        for token in sequence(channels, PARTS[part], draw, flink.is_blocked):
            tokens.append(token)
            for handler in (flink, *others):
                handler.come(token)
            if draw.random() < 0.05:
                break
        expected = flink.told()
        for found in (other.told() for other in others):
            if any(expected[key] != found[key] for key in found):
                wrong.append((tokens, found, expected))
    return sorted(wrong, key=lambda each: len(each[0]))
