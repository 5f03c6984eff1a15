"""Random barriers on two channels: the handler always comes to an end (AlignedCheckpointsMassive…).

The original polls two million times, with a barrier every hundred thousand records on one channel
and with a probability on the other. Here the ids of each channel grow, as a producer's do.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from finale.checker.scenario.running import LineOutcome, run_file
from finale.checker.spec.catalogue import catalogue

KNOWN = catalogue(None)
IDS = st.lists(st.integers(1, 9), max_size=6, unique=True).map(sorted)


@given(st.data(), IDS, IDS)
def test_two_channels_and_random_barriers(
    data: st.DataObject, one: list[int], two: list[int]
) -> None:
    left = {0: list(one), 1: list(two)}
    order = data.draw(st.permutations([0] * len(one) + [1] * len(two)))
    tokens = " ".join(f"B{left[at].pop(0)}@{at}" for at in order)
    outcome = outcome_of(f"r0 {tokens}\nE@0 E@1 => -; open 0; blocked -; pending -\n")
    *seen, opened, blocked, pending = [str(each) for each in outcome.found]
    assert (opened, blocked, pending) == ("open 0", "blocked -", "pending -")
    told = [each.split() for each in seen]
    taken = [int(number) for word, number in told if word == "taken"]
    assert {word for word, _ in told} <= {"taken", "aborted"}
    assert taken == sorted(set(taken))
    assert len(seen) == len(set(seen)), "told twice"
    assert not {number for word, number in told if word == "aborted"} & set(map(str, taken))
    # An end stands for the barrier of the newest one only: all others need both barriers.
    assert set(taken) - set(one) & set(two) <= {max(one + two, default=0)}


def outcome_of(lines: str) -> LineOutcome:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "a.scenario"
        text = f"title: a\npart: aligned-handler\nchannels: 2\n\n{lines}"
        file.write_text(text, encoding="utf-8")
        (run,) = run_file(file, KNOWN)
    (outcome,) = run.outcomes
    return outcome
