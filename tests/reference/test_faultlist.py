"""Lists of faults as text: what is read, and what is refused, with the place of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.model.topology import Job
from finale.reference.formats.faultlist import (
    CHECKS,
    KEYS,
    PlannedFault,
    bounds_of,
    faults_of,
    read_faults,
)
from finale.reference.protocols import ENGINES

JOB = Job.from_table(
    {"S": {"records": 0, "parallelism": 2}, "K": {"from": ["S"], "sink": "two-phase"}}
)


def test_faults_are_read() -> None:
    faults = faults_of(
        """
        [[fault]]
        kind = "crash-task"
        after = "complete"
        nth = 2
        [[fault]]
        kind = "lost"
        chance = 0.25
        times = 3
        """
    )
    assert faults == (
        PlannedFault("crash-task", after="complete", nth=2),
        PlannedFault("lost", chance=0.25, times=3),
    )
    bounds = bounds_of(faults, checkpoints=7)
    assert (bounds.failures, bounds.lost_confirmations, bounds.checkpoints) == (1, 3, 7)


def test_each_key_of_each_kind_is_one_of_a_fault_and_is_checked() -> None:
    for kind, keys in KEYS.items():
        assert set(keys) <= CHECKS.keys()
        assert all(hasattr(PlannedFault(kind), key) for key in keys)


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("[[fault", None, "no TOML"),
        ("", "fault", "no faults"),
        ("fault = 3", "fault", "no faults"),
        ('faults = 1\n[[fault]]\nkind = "lost"', "faults", "means nothing"),
        ('[[fault]]\nkind = "meteor"', "fault.1.kind", "meteor"),
        ('[[fault]]\nkind = "duplicated"', "fault.1.kind", "a message twice"),
        ("[[fault]]\nnth = 1", "fault.1.kind", "does not say what goes wrong"),
        ('[[fault]]\nkind = "lost"\nwhen = 2', "fault.1.when", "means nothing"),
        ('[[fault]]\nkind = "killed"\ntask = "K"', "fault.1.task", "means nothing"),
        ('[[fault]]\nkind = "lost"\nnth = "two"', "fault.1.nth", "'two'"),
        ('[[fault]]\nkind = "lost"\nnth = true', "fault.1.nth", "True"),
        ('[[fault]]\nkind = "lost"\nchance = 2', "fault.1.chance", "2"),
        ('[[fault]]\nkind = "lost"\nafter = "compete"', "fault.1.after", "compete"),
        ('[[fault]]\nkind = "lost"\nmessage = "abort"', "fault.1.message", "gets lost"),
        ('[[fault]]\nkind = "disk-full"\nnth = 1\nbytes = 2', "fault.1.bytes", "again"),
        (
            '[[fault]]\nkind = "expired"\n[[fault]]\nkind = "late"\nmessage = "decline"\ntask="K"',
            "fault.2.task",
            "about no task",
        ),
    ],
)
def test_a_list_that_means_nothing_is_refused(text: str, key: str | None, message: str) -> None:
    with pytest.raises(FinaleError, match=message) as caught:
        faults_of(text)
    assert caught.value.code == "bad-fault"
    assert caught.value.advice
    assert caught.value.place is not None
    assert caught.value.place.key == key


@pytest.mark.parametrize(
    ("protocol", "text", "key"),
    [
        ("final-checkpoint", 'kind = "lost"\ntask = "L"', "fault.1.task"),
        ("final-checkpoint", 'kind = "crash-worker"\nworker = 2', "fault.1.worker"),
        ("legacy-finish", 'kind = "lost"\nmessage = "acknowledgement"', "fault.1.message"),
        ("legacy-finish", 'kind = "expired"\nafter = "request_stop"', "fault.1.after"),
        ("final-checkpoint", 'kind = "late"\nuntil = "notice_barrier"', "fault.1.until"),
        ("final-checkpoint", 'kind = "late"\nuntil = "now"', "fault.1.until"),
    ],
)
def test_what_cannot_happen_in_a_job_is_refused(
    protocol: str, text: str, key: str, tmp_path: Path
) -> None:
    file = tmp_path / "faults.toml"
    file.write_text(f"[[fault]]\n{text}\n")
    with pytest.raises(FinaleError) as caught:
        read_faults(file, ENGINES[protocol], JOB)
    assert caught.value.code == "bad-fault"
    assert caught.value.advice
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.key) == (str(file), key)


def test_a_list_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as caught:
        read_faults(tmp_path / "none.toml", ENGINES["final-checkpoint"], JOB)
    assert caught.value.code == "bad-fault"
    assert caught.value.place is not None
    assert caught.value.place.file == str(tmp_path / "none.toml")
    assert caught.value.message == "the list cannot be read: No such file or directory"
