"""Values of a wrong type or size for each key of what somebody writes: specs, jobs, lists."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case

VALUES = {
    "a negative number": "-1",
    "a number of a hundred digits": "1" + "0" * 99,
    "infinity": "inf",
    "no number": "nan",
    "true": "true",
    "an empty text": '""',
    "a text with NUL and escape": '"\\u0000\\u001b[2J"',
    "a path that climbs": '"../../outside/kept"',
    "a list": '[["a"], 1]',
    "a table": "{ a = { b = 1 } }",
    "a date": "1979-05-27",
}
SPEC = {
    "title": '"A"', "cites": '["a"]', "protocol": '"final-checkpoint"', "variant": "",
    "release": "", "slow": "false", "options.finish_race": '"abort"', "job.shape": '"pair"',
    "job.records": "0", "bounds.checkpoints": "1", "observe.effects": "false",
    "search.states": "", "resume.from": "", "expect": "", "job.A.from": "",
}  # fmt: skip
JOB = {
    "name": "", "protocol": "", "barriers": "", "timeout": "", "seconds": "1000", "records": "",
    "retained": "", "checkpoint-format": "", "operators.lines.kind": '"lines"',
    "operators.lines.path": '"texts/*"', "operators.lines.parallelism": "",
    "operators.out.kind": '"exactly-once"', "operators.out.from": '["lines"]',
    "operators.lines.function": "", "operators.lines.follow": "",
}  # fmt: skip
FAULT = {
    "kind": '"crash-task"',
    "task": "",
    "after": "",
    "nth": "",
    "chance": "",
    "times": "",
    "steps": "",
}
RUN = {"release": '"flink-2.3"', "protocol": "", "options.concurrent": ""}
MATRIX = {
    "title": '"A"', "base": '"base.toml"', "properties": "", "axes.variant": '["none"]',
    "axes.bounds.checkpoints": "[1]", "jobs.a": "", "exclude": "", "limits.states": "1000",
}  # fmt: skip
GOOD_SPEC = 'title = "A"\nprotocol = "final-checkpoint"\n[job]\nshape = "pair"\nrecords = 0\n'
LOG = "2026-11-22 10:00:00,000 INFO  org.apache.flink.Some [] - Nothing of note.\n"


def text_of(keys: dict[str, str], key: str, value: str) -> str:
    """A document with one value in place of a good one."""
    rows = {k: v for k, v in (keys | {key: value}).items() if v}
    return "".join(f"{k} = {v}\n" for k, v in rows.items())


def cases() -> Iterator[Case]:
    for key in SPEC:
        for name, value in VALUES.items():
            text = text_of(SPEC, key, value)
            yield Case("keys of a spec", f"{key}: {name}", "show bad.toml", {"bad.toml": text})
    for key in JOB:
        for name, value in VALUES.items():
            if key.endswith(".follow") and name == "true":
                continue  # whoever follows a file waits for more of it
            files = {"bad.toml": text_of(JOB, key, value), "texts/a": "a\n"}
            command = "run bad.toml --directory made/state"
            yield Case("keys of a job", f"{key}: {name}", command, files)
    for key in FAULT:
        for name, value in VALUES.items():
            text = "[[fault]]\n" + text_of(FAULT, key, value)
            files = {"job.toml": text_of(JOB, "name", '"a"'), "bad.toml": text, "texts/a": "a\n"}
            command = "run job.toml --directory made/state --faults bad.toml"
            yield Case("keys of a fault list", f"{key}: {name}", command, files)
    for key in RUN:
        for name, value in VALUES.items():
            files = {"bad.toml": text_of(RUN, key, value), "good.log": LOG}
            command = "validate good.log --accept --run bad.toml"
            yield Case("keys of run.toml", f"{key}: {name}", command, files)
    for key in MATRIX:
        for name, value in VALUES.items():
            files = {"bad.toml": text_of(MATRIX, key, value), "base.toml": GOOD_SPEC}
            command = "sweep bad.toml --output made/sweep --workers 1"
            yield Case("keys of a matrix", f"{key}: {name}", command, files)
