"""The protocols, to derive variants from, and the entities of the protocols without a job.

`protocols.pyi` lists the names.
"""

from finale._face import load, origins

globals()["__all__"] = [*origins("protocols")]


def __getattr__(name: str) -> object:
    return load("protocols", name)
