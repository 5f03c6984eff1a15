"""Each violation and hazard that the texts reason out is found by a spec, at an exact length.

The tables of docs/hazards.md are made of the specs that are named here, with the property that
falls in each, and of specs in which it holds, where some show the way out. With RECORD_HAZARDS=1 in
the environment they are written anew: read the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from finale.checker.spec.claim import Spec
from tests.docs.pages import ROOT as REPOSITORY
from tests.protocols.specs import ROOT, spec_of

PAGE = REPOSITORY / "docs" / "hazards.md"
TABLE = re.compile(r"(?:^\|.*\n)+", flags=re.MULTILINE)
DASH = "–"  # noqa: RUF001 - a dash
HEAD = (
    "| Id | Judgement | Shown by | What falls | Steps | Does not with |\n"
    "|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True)
class Shown:
    """Where an id is shown: the property that falls in a spec, and specs in which it does not."""

    judgement: str
    falls: Mapping[str, str]
    holds: tuple[str, ...] = ()
    breaks: bool = True
    """Else it breaks no property: a witness shows that it comes about."""


# What a judgement means is said on the page.
SHOWN = {
    "V-1": Shown("of the past", {"legacy-finish/natural-end-loses-records": "commit-completeness"}),
    "V-2": Shown(
        "of the past", {"legacy-finish/commits-stop-when-a-source-ends": "checkpoints-go-on"}
    ),
    "V-3": Shown("never built", {"legacy-finish/broken/commit-on-close": "commit-at-most-once"}),
    "V-4": Shown(
        "never built",
        {
            "final-checkpoint/broken/no-end-of-data": "one-checkpoint-for-all",
            "stop-with-savepoint/broken/stops-without-end-of-data": "commit-completeness",
        },
        (
            "final-checkpoint/step-4-after-end-of-data",
            "stop-with-savepoint/chain",
        ),
    ),
    "V-5": Shown(
        "of the past", {"legacy-stop/stop-then-resume-at-least-once": "not-repeated-after-resuming"}
    ),
    "V-6": Shown(
        "of the past",
        {
            "sync-savepoint/terminate-loses-flush": "commit-completeness",
            "stop-with-checkpoint/terminate-loses-flush": "commit-completeness",
        },
    ),
    "V-7": Shown(
        "of the past",
        {"sync-savepoint/suspend-ends-input": "suspend-ends-nothing"},
        ("sync-savepoint/suspend-ends-no-input",),
    ),
    "V-8": Shown(
        "of the past",
        {"sync-savepoint/source-emits-on": "nothing-after-the-cut"},
        ("sync-savepoint/source-blocks",),
    ),
    "V-9": Shown(
        "of the past",
        {"sync-savepoint/decline-hangs": "stalled-can-be-released"},
        ("sync-savepoint/decline-releases",),
    ),
    "V-10": Shown("of the past", {"stop-with-savepoint/blocking": "legal-never-fails"}),
    "V-11": Shown(
        "never built",
        {
            "unaligned/without-acknowledgement": "call-finds-inputs-read",
            "unaligned/without-acknowledgement-loses": "commit-completeness",
        },
        ("final-checkpoint/without-acknowledgement",),
    ),
    "V-12": Shown(
        "never built",
        {
            "chandy-lamport/rpc-only": "consistent-cut",
            "chandy-lamport/last-marker-logging": "consistent-cut",
            "chandy-lamport/split-snapshot-forward": "consistent-cut",
            "chandy-lamport/split-forward-snapshot": "consistent-cut",
            "chandy-lamport/logs-not-first": "recovered-first",
        },
        (
            "chandy-lamport/rpc-all",
            "chandy-lamport/last-barrier",
            "chandy-lamport/sfl",
        ),
    ),
    "V-13": Shown(
        "never built",
        {
            "restore/broken/copies-unaligned": "broadcast-copies-agree",
            "unaligned/broadcast-edge-overtaken": "copies-are-cut-alike",
        },
        ("unaligned/broadcast-edge",),
    ),
    "V-14": Shown(
        "a limit",
        {"unaligned/watermark-older": "recovered-see-their-watermark"},
        ("final-checkpoint/watermark-repeated",),
    ),
    "V-15": Shown(
        "of the past", {"history/flink-36287": "confirmed-commits"}, ("history/fixed/flink-36287",)
    ),
    "V-16": Shown(
        "never built", {"final-checkpoint/broken/close-aborts-pending": "no-abort-of-recoverable"}
    ),
    "V-17": Shown(
        "of the past",
        {
            "history/flink-10354": "commit-at-most-once",
            "sync-savepoint/savepoint-not-stored": "commit-at-most-once",
        },
        ("history/fixed/flink-10354",),
    ),
    "H2": Shown(
        "a bug",
        {
            "failures/terminal-counted-as-finished": "counted-finished-are-finished",
            "failures/terminal-loses-records": "records-survive-restarts",
            "failures/terminal-in-a-savepoint": "counted-finished-are-finished",
            "failures/terminal-in-a-manual-checkpoint": "counted-finished-are-finished",
            "stop-with-savepoint/pipeline-down": "counted-finished-are-finished",
        },
        ("failures/terminal-is-refused", "stop-with-savepoint/pipeline-down-refused"),
    ),
    "H4": Shown(
        "a limit",
        {"matrix/fc-aligned/l4-if-not": "checkpoints-go-on"},
        ("matrix/fc-aligned/l4-if",),
    ),
    "H6": Shown(
        "a bug",
        {
            "stop-with-savepoint/timers-after-cut": "nothing-after-the-cut",
            "stop-with-savepoint/parked-after-cut": "nothing-after-the-cut",
        },
        ("stop-with-savepoint/timers-end-first",),
    ),
    "H7": Shown(
        "a bug",
        {"stop-with-savepoint/multi-input": "nothing-after-the-cut"},
        ("stop-with-savepoint/multi-input-intended",),
    ),
    "H9": Shown(
        "a limit",
        {
            "final-checkpoint/final-trigger-declined": "job-finishes",
            "failures/pending-for-ever": "pending-is-committed",
        },
    ),
    "H10": Shown(
        "a limit",
        {"history/beam-28554": "no-data-after-end-of-data"},
        ("history/fixed/beam-28554",),
    ),
    "H11": Shown("a limit", {"failures/tolerable-zero-loops": "checkpoints-go-on"}),
    "H12": Shown(
        "a contract",
        {"final-checkpoint/finish-emits-twice": "commit-at-most-once"},
        ("final-checkpoint/timers-restart",),
    ),
    "H13": Shown(
        "a contract",
        {"restore/empty-list-starts-over": "each-record-is-kept"},
        ("restore/partially-finished",),
    ),
    "H14": Shown("a limit", {"stop-with-savepoint/meets-natural-end": "legal-never-fails"}),
    "H16": Shown(
        "a bug",
        {
            "stop-with-savepoint/second-stop": "requests-do-not-defeat",
            "sync-savepoint/second-stop": "requests-do-not-defeat",
        },
        ("stop-with-savepoint/second-stop-adaptive",),
    ),
    "H17": Shown(
        "a limit",
        {"chained-sources/waits-for-a-closed-input": "waits-for-a-closed-input"},
        breaks=False,
    ),
}
JUDGEMENTS = {"of the past", "never built", "a bug", "a limit", "a contract"}
NAMED = [
    (key, name, fallen) for key, shown in SHOWN.items() for name, fallen in shown.falls.items()
]
SAFE = [(key, name) for key, shown in SHOWN.items() for name in shown.holds]


def read(name: str) -> Spec:
    return spec_of(ROOT / f"{name}.toml")


@pytest.mark.parametrize(("key", "name", "fallen"), NAMED)
def test_what_an_id_breaks_falls_where_it_is_cited(key: str, name: str, fallen: str) -> None:
    """That it does, after so many steps, is what every spec is tested for."""
    spec = read(name)
    assert key in spec.cites
    assert spec.expectations[fallen].verdict == ("violated" if SHOWN[key].breaks else "holds")


@pytest.mark.parametrize(("key", "name"), SAFE)
def test_it_holds_where_the_way_out_is_taken(key: str, name: str) -> None:
    expectations = read(name).expectations.items()
    held = {fallen for fallen, expectation in expectations if expectation.verdict == "holds"}
    assert held & set(SHOWN[key].falls.values())


def test_every_id_of_the_texts_is_shown() -> None:
    """The ids are those of the page of ids; what none shows is said there."""
    text = (REPOSITORY / "docs" / "rule-reference.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([VH]-?\d+) \|", text, flags=re.MULTILINE)
    assert list(SHOWN) == listed
    assert {shown.judgement for shown in SHOWN.values()} == JUDGEMENTS


# --- the page -------------------------------------------------------------------------------------


def rows(key: str, shown: Shown) -> str:
    ways_out = ", ".join(map(link, shown.holds)) or DASH
    lines = ""
    for name, fallen in shown.falls.items():
        steps = read(name).expectations[fallen].steps or DASH
        what = fallen if shown.breaks else f"nothing; `{fallen}` is reached"
        first, last = ((key, shown.judgement), ways_out) if not lines else (("", ""), "")
        lines += f"| {' | '.join((*first, link(name), what, str(steps), last))} |\n"
    return lines


def link(name: str) -> str:
    return f"[{name}](../specs/{name}.toml)"


def table(kind: str) -> str:
    return HEAD + "".join(rows(key, shown) for key, shown in SHOWN.items() if key[0] == kind)


def test_the_page_names_what_each_breaks() -> None:
    introduction, between, end = re.split(TABLE, PAGE.read_text(encoding="utf-8"), maxsplit=2)
    page = f"{introduction}{table('V')}{between}{table('H')}{end}"
    if os.environ.get("RECORD_HAZARDS"):
        PAGE.write_text(page, encoding="utf-8")
    else:
        assert PAGE.read_text(encoding="utf-8") == page, "RECORD_HAZARDS=1 writes the tables anew"
