"""A JVM under the debugger: its happenings one after the other, and what is sent to it."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from finale.model.errors import FinaleError

from .hooks import Hook

#: So long a JVM that is told to end has for it, in seconds.
SECONDS_TO_END = 5.0
MEMORY = "-Xmx1g"
#: What a method can be made to return, as the debugger calls it: a truth value, nothing (of a
#: method without a value), a future that is completed or failed; or the method is made to throw.
VALUES = {
    "true": "true",
    "false": "false",
    "skip": "nothing",
    "done": "a completed future",
    "fail": "a failed future",
    "throw": "an error",
}
#: Java reads names of files by the locale.
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}


@dataclass(frozen=True)
class Stop:
    """A thread has come to a hook (`token` says how to let it go), or has left the method."""

    hook: int
    thread: int
    name: str
    token: int | None
    values: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True)
class Result:
    """A method has returned to a thread that was let go with `follow`: the value that it returned.

    The value is `void` for a method without one, and `throws` if the method ended with an error.
    """

    token: int
    value: object


@dataclass(frozen=True)
class Told:
    """The job said something."""

    words: Mapping[str, object]


@dataclass(frozen=True)
class Absent:
    """A class of this release has no such method, or several."""

    hook: int


@dataclass(frozen=True)
class Refused:
    """A held thread cannot return before its call."""

    why: str


@dataclass(frozen=True)
class Ended:
    """The JVM has ended."""

    code: int


Happening = Stop | Result | Told | Absent | Refused | Ended


class Debugged:
    """A JVM that stops at hooks, in a folder. All its processes end with the context."""

    def __init__(
        self,
        debugger: Sequence[str | Path],
        command: Sequence[str],
        hooks: Sequence[Hook],
        folder: Path | None = None,
    ) -> None:
        self._command = [*map(str, debugger), *command]
        self._folder = folder
        self._hooks = hooks
        self._happenings: queue.SimpleQueue[Happening] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        # A group of its own: the whole of it is ended, also if the debugger is stuck. Ctrl-C of a
        # terminal reaches this process alone, which then ends the group.
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=self._folder,
            env=os.environ | ENVIRONMENT,
            start_new_session=True,
        )
        self._errors: list[str] = []
        self._readers = [
            threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)
        ]
        for reader in self._readers:
            reader.start()
        for hook in self._hooks:
            paths = list(hook.paths.values())
            parameters = "*" if hook.parameters is None else str(hook.parameters)
            words = [hook.class_name, hook.method, parameters, *paths]
            self._send("hook", str(hook.number), *words)
        self._send("run")
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_END)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for reader in self._readers:
            reader.join(SECONDS_TO_END)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    @property
    def group(self) -> int:
        """The group of all processes, which is the id of the first one."""
        return self._process.pid

    # --- what happens ----------------------------------------------------------------------------

    def next(self, seconds: float) -> Happening | None:
        """Return the next happening, or None if there was none for so long."""
        try:
            return self._happenings.get(timeout=max(seconds, 0))
        except queue.Empty:
            return None

    def _read(self) -> None:
        assert self._process.stdout is not None
        code = 1
        for line in self._process.stdout:
            said: dict[str, Any] = json.loads(line)
            match said["event"]:
                case "hook":
                    hook = self._hooks[int(said["hook"])]
                    read: Sequence[object] = said.get("values", ())
                    values = dict(zip(hook.paths, read, strict=False))
                    stop = Stop(
                        said["hook"], said["thread"], said["name"], said.get("token"), values
                    )
                    self._happenings.put(stop)
                case "result":
                    self._happenings.put(Result(said["token"], said["value"]))
                case "refused":
                    self._happenings.put(Refused(said["why"]))
                case "missing":
                    self._happenings.put(Absent(said["hook"]))
                case "job":
                    with suppress(json.JSONDecodeError):  # a JVM may print what it wants
                        self._happenings.put(Told(json.loads(said["line"])))
                case "ended":
                    code = said["code"]
                case _:
                    pass
        self._happenings.put(Ended(code))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors.append(line.rstrip("\n"))
            del self._errors[:-20]

    # --- what is sent ----------------------------------------------------------------------------

    def go(self, token: int) -> None:
        """Let a held thread go on."""
        self._send("go", str(token))

    def skip(self, token: int) -> None:
        """Let a held thread return from the method at once: the call is lost."""
        self._send("skip", str(token))

    def follow(self, token: int) -> None:
        """Let a held thread go on. The result of the method is a happening."""
        self._send("follow", str(token))

    def give(self, token: int, value: str) -> None:
        """Let a held thread return from the method at once, with a value of `VALUES`."""
        self._send(value, str(token))

    def change(self, token: int, name: str, value: str) -> None:
        """Give a field of the object a value whose method a held thread is in; let it go on."""
        self._send("set", str(token), name, value)

    def arm(self) -> None:
        """Hold threads again at hooks."""
        self._send("arm")

    def disarm(self) -> None:
        """Let all threads go, and hold none from here on."""
        self._send("disarm")

    def command(self, *words: str) -> None:
        """Send a command to the job."""
        self._send("job", "\t".join(words))

    def _send(self, *words: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("\t".join(words) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self.died() from None

    def died(self) -> FinaleError:
        """The error for a JVM that has ended and was not told to."""
        why = f": {self._errors[0]}" if self._errors else ""
        return FinaleError(
            "jvm-died",
            f"the JVM with Flink ended before the job did{why}",
            advice="read flink.log in the folder of the run; a JVM needs about 1 GB of memory",
        )


__all__ = [
    "VALUES",
    "Absent",
    "Debugged",
    "Ended",
    "Happening",
    "Refused",
    "Result",
    "Stop",
    "Told",
]
