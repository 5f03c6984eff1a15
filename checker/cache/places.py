"""Tells whose a module is by the place of its file: Python's, Finale's, or an installed package's.

A name says nothing: a folder on `PYTHONPATH` may have a `string.py`, too.
"""

from __future__ import annotations

import os
import site
import sysconfig
from pathlib import Path

import finale

_FOLDER = Path(finale.__path__[0])


def _below(*folders: object) -> tuple[str, ...]:
    """The beginnings of paths below folders, as they are named and with links followed."""
    named = [Path(str(each)) for each in folders if each is not None]
    paths = [*named, *(each.resolve() for each in named)]
    return tuple(dict.fromkeys(f"{each}{os.sep}" for each in paths))


#: In a checkout the packages of Finale are links.
FINALE = _below(_FOLDER, *(each for each in _FOLDER.iterdir() if each.is_dir()))
INSTALLED = _below(
    *(sysconfig.get_path(name) for name in ("purelib", "platlib")),
    *site.getsitepackages(),
    site.getusersitepackages(),
)
PYTHON = _below(*(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")))
_KNOWN = (*FINALE, *PYTHON, *INSTALLED)


def is_known(path: str) -> bool:
    """Whether a file belongs to Python, to Finale, or to an installed package."""
    return path.startswith(_KNOWN)


def is_installed(path: str) -> bool:
    """Whether a file belongs to an installed package other than Finale."""
    return path.startswith(INSTALLED) and not path.startswith(FINALE)


def is_foreign(module: object) -> bool:
    """Whether a module has a file that is neither Python's nor Finale's, and of no package.

    A module without a file is built in, or another module made it.
    """
    file = getattr(module, "__dict__", {}).get("__file__")
    return isinstance(file, str) and not is_known(file)


__all__ = ["is_foreign", "is_installed", "is_known"]
