"""Loads the inner loops: compiled once on a machine, then read from the user's cache.

Loading imports neither numba nor the modules of the kernel: those imports would take longer than
most searches.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64
from functools import cache
from pathlib import Path
from time import monotonic

import llvmlite
from llvmlite import binding as llvm

from finale.checker.search.limits import TimeOver

from .code import target_machine
from .compiling import alone, folders
from .kernel.places import LOOPS

#: No compiling takes longer, and a larger number is none that the system can wait for.
SECONDS_MAX = 86_400.0

Loop = Callable[..., int]

#: What another process has compiled for this one, by the name of its file.
_made: dict[str, bytes] = {}


class KernelLoops:
    """The loops, by name. They run without Python's lock, so threads can run them in parallel."""

    def __init__(self, code: bytes) -> None:
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(3))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._loops = {name: self._loop(name) for name in LOOPS}

    def __getattr__(self, name: str) -> Loop:
        loop: Loop | None = self.__dict__.get("_loops", {}).get(name)
        if loop is None:
            raise AttributeError(name)
        return loop

    def _loop(self, name: str) -> Loop:
        kind = CFUNCTYPE(c_int64, *[c_int64] * LOOPS[name])
        return kind(self._engine.get_function_address(name))


@cache
def loops() -> KernelLoops:
    """Return the loops; compile them for this machine if necessary."""
    code = _kept_code()
    if code is None:
        with alone(SECONDS_MAX):
            code = _kept_code()  # another process may have compiled it meanwhile
            code = code if code is not None else _kept_anew(_compiled())
    return KernelLoops(code)


def compile_within(seconds: float) -> None:
    """Compile the loops if necessary. Raises `TimeOver` when the time is over.

    A separate process compiles them, since a process can be ended at any time.
    """
    if not must_be_compiled():
        return
    began, seconds = monotonic(), min(seconds, SECONDS_MAX)
    with alone(seconds):
        if not must_be_compiled():
            return
        command = [sys.executable, "-P", "-m", __name__]
        left = max(began + seconds - monotonic(), 0.0)
        try:
            ran = subprocess.run(command, capture_output=True, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            raise TimeOver from None
        if not ran.returncode:  # `loops` says in this process what went wrong
            _made[_file_name()] = _kept_anew(ran.stdout)


def _kept_anew(code: bytes) -> bytes:
    """The code, kept for later runs if there is a place for it."""
    for folder in folders():
        if _keep(folder / _file_name(), code):
            break
    return code


def must_be_compiled() -> bool:
    """Return whether `loops` must compile, which takes seconds."""
    return not loops.cache_info().currsize and _kept_code() is None


def _kept_code() -> bytes | None:
    """What was compiled in an earlier run, if it was."""
    if _file_name() in _made:
        return _made[_file_name()]
    found = (_kept(folder / _file_name()) for folder in folders())
    return next((code for code in found if code is not None), None)


def _file_name() -> str:
    return f"loops-{_fingerprint()}.o"


def _compiled() -> bytes:
    """The machine code of all loops. Takes seconds."""
    from .kernel.entries import sources

    machine = target_machine(3)
    first, *others = [llvm.parse_assembly(source) for source in sources()]
    for other in others:
        first.link_in(other)
    return bytes(machine.emit_object(first))


@cache
def _fingerprint() -> str:
    """Changes with the loops, with what compiles them, and with the processor."""
    sources = sorted((Path(__file__).parent / "kernel").glob("*.py"))
    parts = [
        llvmlite.__version__.encode(),
        llvm.get_host_cpu_name().encode(),
        llvm.get_host_cpu_features().flatten().encode(),
        *(source.read_bytes() for source in sources),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _kept(file: Path) -> bytes | None:
    """Code that was kept, unless it was cut off or changed since, or is another user's."""
    try:
        if file.stat().st_uid != os.getuid():
            return None
        kept = file.read_bytes()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    return kept[size:] if hashlib.sha256(kept[size:]).digest() == kept[:size] else None


def _keep(file: Path, code: bytes) -> bool:
    """Keep code for later runs. What cannot be kept is compiled again then."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
            part.write(hashlib.sha256(code).digest() + code)
        Path(part.name).replace(file)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.stdout.buffer.write(_compiled())
