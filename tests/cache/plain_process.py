"""Makes a process that runs tests like one that runs the command."""

from __future__ import annotations

import sys

from finale.checker.cache.intact import is_foreign


def forget_tests() -> None:
    """Unload the tests: nothing is kept in a process with modules that no key holds."""
    for name, module in list(sys.modules.items()):
        if is_foreign(module) and name != "__main__":
            del sys.modules[name]


__all__ = ["forget_tests"]
