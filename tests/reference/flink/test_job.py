"""The sources of a driven job, and what a table of the job says of them."""

from __future__ import annotations

from finale.model.topology import Job
from finale.reference.flink.job import ends_by_itself, sources_of
from finale.reference.flink.outcome import copies, records_of
from finale.reference.formats.eventlog import table_of

JOB = {
    "S": {"records": [2, 0], "parallelism": 2, "bounded": [True, False]},
    "T": {"from": ["S"], "chained": [0, 1], "bounded": False},
}


def test_chained_sources_are_called_by_their_task_and_a_number() -> None:
    told = [
        (each.name, each.vertex, each.index, each.records, each.bounded)
        for each in sources_of(Job.from_table(JOB))
    ]
    assert told == [
        ("S.0", "S", 0, 2, True),
        ("S.1", "S", 1, 0, False),
        ("T.source1", "T.source1", 0, 0, False),
        ("T.source2", "T.source2", 0, 1, False),
    ]


def test_a_table_says_which_sources_are_chained() -> None:
    job = Job.from_table(JOB)
    again = Job.from_table(table_of(job))
    assert [each.chained for each in again.vertices] == [(), (0, 0)]
    assert [each.bounded for each in again.subtasks] == [each.bounded for each in job.subtasks]


def test_records_of_chained_sources_are_due_at_their_sink() -> None:
    job = Job.from_table(JOB | {"K": {"from": ["T"], "sink": "two-phase"}})
    assert records_of(job) == {"S.0#0", "S.0#1", "T.source2.0#0"}
    assert copies(job)["K"] == {"S": 1, "T.source1": 1, "T.source2": 1}


def test_a_task_ends_by_itself_if_all_sources_of_its_pipeline_do() -> None:
    other = {"A": {}, "B": {"from": ["A"]}}
    job = Job.from_table({**JOB, **other})
    ends = {each.name: ends_by_itself(job, each.name) for each in job.subtasks}
    assert ends == {"S.0": False, "S.1": False, "T": False, "A": True, "B": True}
