"""What a release of Flink really does: which protocol it has, and with which options.

Section 0 of the fact sheet divides the releases into nine: the columns here. Options are those of
the protocol that a release has for a topic, in the words of specs. No column improves on its
release: it is as it was, with its hazards. What a release does not have is `None`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Value = bool | int | str
"""The value of an option, as a spec writes it."""


@dataclass(frozen=True)
class Release:
    """A column: its key on the sheet, its name in specs, the versions that it stands for."""

    key: str
    name: str
    versions: str
    #: By topic, the key of its protocol.
    protocols: Mapping[str, str]
    #: By name; a protocol takes those that it has.
    options: Mapping[str, Value]
    #: What is different under each of its schedulers.
    schedulers: Mapping[str, Mapping[str, Value]]


_NAMES = (
    ("V0", "flink-1.8", "up to 1.8"),
    ("V1", "flink-1.9", "1.9 to 1.12.1"),
    ("V2", "flink-1.13", "1.12.2 to 1.13"),
    ("V3", "flink-1.14", "1.14"),
    ("V4", "flink-1.15", "1.15"),
    ("V4'", "flink-1.16", "1.16 and 1.17"),
    ("V5", "flink-1.18", "1.18 and 1.19"),
    ("V6", "flink-2.3", "1.20 to 2.3"),
    ("V7", "flink-main", "after 2.3, with FLINK-40482"),
)

_LF, _FC = "legacy-finish", "final-checkpoint"
_LS, _SS, _SP = "legacy-stop", "sync-savepoint", "stop-with-savepoint"
_UN, _AT, _TR = "unaligned", "aligned-with-timeout", "at-least-once"
_NO = None

#: By topic, what the nine releases have for it.
TOPICS: Mapping[str, tuple[str | None, ...]] = {
    # FLIP-147
    "finish": (_LF, _LF, _LF, _FC, _FC, _FC, _FC, _FC, _FC),
    # FLIP-34, and FLIP-147
    "stop": (_LS, _SS, _SS, _SP, _SP, _SP, _SP, _SP, _SP),
    # FLIP-76
    "barriers that overtake": (_NO, _NO, _UN, _UN, _UN, _UN, _UN, _UN, _UN),
    # FLIP-76, alignment-timeout
    "barriers with a timeout": (_NO, _NO, _AT, _AT, _AT, _AT, _AT, _AT, _AT),
    "barriers that are counted": (_NO, _NO, _NO, _TR, _TR, _TR, _TR, _TR, _TR),
}

#: By option, its value in the nine releases.
_OPTIONS: Mapping[str, tuple[Value | None, ...]] = {
    # FLIP-147; FLINK-25105 switched it on
    "checkpoints_after_finish": (False, False, False, False, True, True, True, True, True),
    # FC-10: FLINK-28386
    "final_trigger": (False, False, False, False, False, False, True, True, True),
    # PL-2.4: FLINK-40482
    "terminal_as_finished": (_NO, _NO, _NO, True, True, True, True, True, False),
    # CN-3: FLINK-21080; the sheet names no release, 1.14 is assumed
    "aborts_carry_latest": (False, False, False, True, True, True, True, True, True),
    # LF-7: FLINK-23741
    "unanswered_triggers": (True, True, True, _NO, _NO, _NO, _NO, _NO, _NO),
    # CN-4: FLINK-24096
    "filters_from_restored": (False, False, False, True, True, True, True, True, True),
    # SS-6: FLINK-21132
    "end_input_on_suspend": (_NO, True, False, _NO, _NO, _NO, _NO, _NO, _NO),
    # SS-2: FLINK-13205
    "source_blocks": (_NO, False, False, _NO, _NO, _NO, _NO, _NO, _NO),
    # SP-2: FLINK-23532
    "no_drain": (
        _NO, _NO, _NO, "blocking", "unified", "unified", "unified", "unified", "unified"
    ),
    # CN-2: FLINK-25191
    "savepoint_stored": (True, True, True, True, False, False, False, False, False),
    "savepoint_confirmed": (True, True, True, True, False, False, False, False, False),
    # SP-9: FLINK-21030, FLINK-26783
    "after_failure": (
        _NO, "region", "restart", "restart",
        "fail-job", "fail-job", "fail-job", "fail-job", "fail-job",
    ),
    # AT-6: FLINK-27251
    "output_timeout": (_NO, _NO, False, False, False, True, True, True, True),
    # UN-6: FLINK-36287
    "inner_edges_overtake": (_NO, _NO, True, True, True, True, True, False, False),
    # FLINK-37605
    "end_tag": (
        _NO, _NO, _NO, "constant", "constant", "constant", "constant", "last+1", "last+1"
    ),
    # H7
    "multi_input": (
        _NO, _NO, _NO, _NO, "as-built", "as-built", "as-built", "as-built", "as-built"
    ),
}  # fmt: skip

#: Two schedulers since 1.13: the adaptive one refuses a second stop and restarts all.
_SCHEDULERS: Mapping[str, Mapping[str, Value]] = {
    "default": {"scheduler": "default"},
    "adaptive": {"scheduler": "adaptive", "scope": "global"},
}
_FIRST_WITH_TWO = "V2"


def _release(column: int) -> Release:
    key, name, versions = _NAMES[column]
    has_two = column >= [each for each, _, _ in _NAMES].index(_FIRST_WITH_TWO)
    protocols = {topic: row[column] for topic, row in TOPICS.items()}
    options = {option: row[column] for option, row in _OPTIONS.items()}
    return Release(
        key,
        name,
        versions,
        {topic: own for topic, own in protocols.items() if own is not None},
        {option: value for option, value in options.items() if value is not None},
        {word: given for word, given in _SCHEDULERS.items() if has_two or word == "default"},
    )


RELEASES: tuple[Release, ...] = tuple(map(_release, range(len(_NAMES))))
