"""What jobs consist of: the job graph, tasks, channels, gates, checkpoints, requests, sinks.

`jobs.pyi` lists the names.
"""

from finale._face import load, origins

globals()["__all__"] = [*origins("jobs")]


def __getattr__(name: str) -> object:
    return load("jobs", name)
