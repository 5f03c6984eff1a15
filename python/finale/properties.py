"""Views: the parts of a protocol that properties read.

`properties.pyi` lists the names.
"""

from finale._face import load, origins

globals()["__all__"] = [*origins("properties")]


def __getattr__(name: str) -> object:
    return load("properties", name)
