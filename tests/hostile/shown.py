"""Names that a terminal would obey, wherever a command tells them."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case, Content

#: Sets a title, clears the screen, turns the direction, ends a line; and two ways to colour.
NAMES = {
    "an escape": ("\x1b]0;owned\x07\x1b[2J", "\\x1b]0;owned\\x07\\x1b[2J"),
    "a C1 control": ("\x9b2J\x85", "\\x9b2J\\x85"),
    "a turn of direction": ("\u202egnol\u202c\u2066", "\\u202egnol\\u202c\\u2066"),
    "a line separator": ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
    "DEL, backspace and vertical tab": ("a\x7f\x08\x0b", "a\\x7f\\x08\\x0b"),
    "what has no width": ("a\u200b\ufeff\u00ad", "a\\u200b\\ufeff\\xad"),
    "markup": ("[red]a[/red]", "[red]a[/red]"),
}
JOB_ID = "0123456789abcdef0123456789abcdef"
LOG = (
    "2026-11-22 10:00:00,000 INFO  org.apache.flink.runtime.executiongraph.ExecutionGraph [] - "
    f"Job {{}} ({JOB_ID}) switched from state CREATED to RUNNING.\n"
)
SPEC = """title = "{}"
protocol = "final-checkpoint"
[job]
shape = "pair"
records = 0
"""


def in_toml(name: str) -> str:
    """A text as a document in TOML may have it."""
    return "".join(f"\\u{ord(each):04x}" for each in name)


def cases() -> Iterator[Case]:
    for what, (name, shown) in NAMES.items():
        title = SPEC.format(in_toml(name))
        files: dict[str, Content] = {"a.toml": title}
        for command in ("show a.toml", "check a.toml", "show a.toml --lifecycle --format mermaid"):
            told = (shown,) if "mermaid" not in command else ()
            yield Case("names shown", f"{what}: {command}", command, files, told)
        yield Case(
            "names shown",
            f"{what}: export",
            "export a.toml --to tla --output made/a.tla",
            {**files, "made/x": ""},
        )
        log: dict[str, Content] = {"a.log": LOG.format(name)}
        told = (shown,)
        yield Case("names shown", f"{what}: a job in a log", "validate a.log", log, told)
        yield Case("names shown", f"{what}: a job asked why", "blocked a.log", log, told)
        yield Case(
            "names shown",
            f"{what}: a log's name",
            "validate logs",
            {f"logs/{name}.log".replace("/red", "red"): LOG.format("a")},
        )
        key = SPEC.format("A") + f'"{in_toml(name)}" = 1\n'
        yield Case("names shown", f"{what}: a key", "check a.toml", {"a.toml": key}, (shown,))
        stray: dict[str, Content] = {"a.log": f"{name} stray\n"}
        yield Case("names shown", f"{what}: a stray line", "validate a.log", stray, (shown,))
