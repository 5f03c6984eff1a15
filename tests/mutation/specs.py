"""What mutants meet: specs of all protocols and of all that may go wrong, and random runs."""

from __future__ import annotations

from pathlib import Path

from tests.mutation.runs import RUN
from tests.protocols.specs import ROOT as SPECS

#: Settings that say nothing of a protocol, but have each of its options and faults meet.
SETTINGS = Path(__file__).parent.parent / "conformance" / "settings"

#: Each mutant meets those that use what it changes: at first the smallest ones of each protocol.
SMALL = (
    *sorted(path.stem for path in SETTINGS.glob("*.toml")),
    "aligned-with-timeout/pair",
    "aligned-with-timeout/pair-restarts",
    "final-checkpoint/broadcast",
    "final-checkpoint/buffering",
    "final-checkpoint/checkpoints-after-finish-off",
    "final-checkpoint/final-trigger",
    "final-checkpoint/final-trigger-declined",
    "final-checkpoint/final-trigger-restarts",
    "final-checkpoint/pair",
    "final-checkpoint/pair-declines-and-expiry",
    "final-checkpoint/savepoint-first-after-finish",
    "final-checkpoint/timers",
    "history/fixed/arroyo-24",
    "history/fixed/flink-1775",
    "history/fixed/flink-18238",
    "history/fixed/flink-18252",
    "history/fixed/flink-18706",
    "history/fixed/flink-23884",
    "history/fixed/flink-23938",
    "legacy-finish/natural-end-loses-records",
    "legacy-finish/restarts",
    "legacy-finish/timers",
    "legacy-finish/unanswered-trigger",
    "legacy-stop/cancel-with-savepoint-duplicates",
    "legacy-stop/stop",
    "legacy-stop/stop-then-resume-at-least-once",
    "matrix/fc-unaligned-without-ack/l2",
    "matrix/fc-unaligned/l2",
    "matrix/ls/l5",
    "stop-with-checkpoint/no-retention",
    "stop-with-checkpoint/suspend",
    "stop-with-checkpoint/terminate-loses-flush",
    "stop-with-savepoint/pair",
    "sync-savepoint/decline-fails-job",
    "sync-savepoint/decline-hangs",
    "sync-savepoint/decline-releases",
    "sync-savepoint/pair",
    "sync-savepoint/second-stop-adaptive",
    "sync-savepoint/source-blocks",
    "sync-savepoint/suspend-ends-input",
    "sync-savepoint/terminate-loses-flush",
    "unaligned/aligned-beside-unordered",
    "unaligned/broadcast-edge",
    "unaligned/pair",
)
#: Those that survive all of them meet these, too.
LARGER = (
    "final-checkpoint/overtaking-triggers",
    "final-checkpoint/pair-restarts",
    "final-checkpoint/pointwise",
    "history/fixed/flink-22367",
    "history/fixed/flink-23473",
    "stop-with-savepoint/meets-natural-end",
    "stop-with-savepoint/releases-on-any",
    "stop-with-savepoint/savepoint-after-stop",
    "sync-savepoint/second-stop",
)
#: And who survives these, too, these specs with each step cut at each of its micro-steps.
CUT = "cut "
CUTS = tuple(
    f"{CUT}{name}"
    for name in (
        "final-checkpoint-fails",
        "legacy-stop/stop-then-resume-at-least-once",
    )
)
#: And those that survive these, too, meet so many random runs.
RUNS = tuple(f"{RUN}{number}" for number in range(60))


def file_of(name: str) -> Path:
    """Where a spec is, that is walked or cut: among all, or a setting."""
    name = name.removeprefix(CUT)
    setting = SETTINGS / f"{name}.toml"
    return setting if setting.exists() else SPECS / f"{name}.toml"
