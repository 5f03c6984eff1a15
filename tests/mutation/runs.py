"""Random runs that mutants meet which lock-step does not tell: jobs too large to be searched.

Each is a run of the engine as it is; of a mutant's the model must not say that it cannot be.
"""

from __future__ import annotations

import random
from typing import Any

from finale.checker.logs.event_log.section_setting import protocol_of
from finale.checker.spec.catalogue import catalogue
from tests.engine_runs.random_runs import KINDS, RandomRun

#: What their names begin with.
RUN = "random run "
#: What users may ask for, and what bounds it.
USERS = {
    "request_stop": "stops",
    "request_savepoint": "savepoints",
    "request_cancel": "cancels",
    "resume": "resumes",
}
OPERATORS = ("pass-through", "buffering", "timer")


def chosen(name: str) -> RandomRun:
    """One run by its name: the same one each time."""
    number = int(name.removeprefix(RUN))
    rng = random.Random(number)
    protocol = sorted(KINDS)[number % len(KINDS)]
    kind = KINDS[protocol]
    faults = {name: rng.randint(0, 2) for name in ("failures", "lost_confirmations", "declines")}
    faults |= {"checkpoints": rng.randint(2, 8), "expiries": rng.randint(0, 2)}
    bounds = protocol_of(protocol, catalogue()).bound_names()
    for step, bound in USERS.items():
        if step in kind.actions and bound in bounds:
            faults[bound] = rng.randint(0, 1)
    # A process that goes on from an older savepoint than there is would not be told of it.
    crashes = 0 if faults.get("resumes") else rng.randint(0, 2)
    buffer_size, channel = rng.choice([(None, 5), (None, 8), (1, 99), (2, 99)])
    return RandomRun(
        protocol,
        _job(rng),
        options={"concurrent": rng.randint(1, 2)} if protocol == "final-checkpoint" else {},
        faults=faults,
        crashes=tuple(rng.randint(5, 60) for _ in range(crashes)),
        channel=channel,
        buffer_size=buffer_size,
        seed=number,
        steps_max=rng.choice([80, 160]),
        weights={"poll_data": rng.choice([0.2, 1.0, 4.0])},
    )


def _job(rng: random.Random) -> dict[str, dict[str, Any]]:
    """Sources, operators that read some of what is above them, and a sink or two."""
    table: dict[str, dict[str, Any]] = {}
    for number in range(rng.randint(1, 2)):
        table[f"S{number}"] = {
            "records": rng.randint(0, 4),
            "parallelism": rng.randint(1, 2),
            "bounded": rng.random() < 0.8,
        }
    for number in range(rng.randint(0, 2)):
        table[f"D{number}"] = {
            "from": _inputs(rng, list(table)),
            "kind": rng.choice(OPERATORS),
            "parallelism": rng.randint(1, 3),
        }
    above = list(table)
    for number in range(rng.randint(1, 2)):
        table[f"K{number}"] = {
            "from": _inputs(rng, above),
            "parallelism": rng.randint(1, 2),
            "sink": rng.choice(["two-phase", "two-phase", "at-least-once"]),
        }
    return table


def _inputs(rng: random.Random, above: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "vertex": name,
            "pattern": rng.choice(["all-to-all", "all-to-all", "pointwise"]),
            "broadcast": rng.random() < 0.2,
        }
        for name in rng.sample(above, rng.randint(1, min(3, len(above))))
    ]
