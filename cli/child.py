"""A command in a process of its own, for a server that goes on whatever the command does.

The command may print, crash, run forever, or take all memory: the server sees a late or an odd end.
All processes of a command are one process group. The group is killed when the time is over and when
nobody waits for the answer. If the server itself dies, a pipe closes, and the command kills its own
group: no search is left behind.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import monotonic

from .meter import PROGRESS

#: After its time limit a command prints what it has found. The command is killed if it takes
#: more seconds for that.
SECONDS_TO_END = 5.0
SECONDS_BETWEEN_TICKS = 1.0
#: Of each stream so many bytes are kept, and the others are dropped: of stdout the first bytes, of
#: stderr the last ones, which say what went wrong.
BYTES_MAX = 4 * 2**20
#: A process that left the group can hold a stream open. Nobody waits longer for it, in seconds.
SECONDS_OF_STREAMS = 1.0
#: Linux ends the process with the highest number first when memory runs out.
FIRST_TO_END = "1000"

#: Tells how far a command is: seconds since its start, and its last line of progress, if any.
Tell = Callable[[float, str], Awaitable[None]]


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    """The exit code; the negative number of a signal that killed the command."""
    stdout: str
    stderr: str
    dropped: int
    """Number of bytes that the command printed beyond `BYTES_MAX`."""
    is_late: bool
    """Whether the command was ended at its time limit."""
    seconds: float


@dataclass
class _Kept:
    """The first or the last bytes of a stream, and the number of the others."""

    is_end: bool
    data: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    async def read(self, stream: AsyncIterable[bytes]) -> None:
        async for some in stream:
            self.data += some
            excess = max(0, len(self.data) - BYTES_MAX)
            self.dropped += excess
            if self.is_end:
                del self.data[:excess]
            else:
                del self.data[len(self.data) - excess :]

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")


async def run_apart(words: Sequence[str], seconds: float, tell: Tell) -> Ended:
    """Run a command, and return how it ended and what it printed.

    After `seconds` the command is interrupted, as Ctrl-C does. If this coroutine is cancelled, all
    processes of the command are killed. Raises `OSError` if no process can be started.
    """
    import anyio

    begun = monotonic()
    progress, told = os.pipe()
    try:
        with anyio.CancelScope(shield=True):  # a process that was started is in `process`
            process = await anyio.open_process(
                [sys.executable, "-P", "-m", __name__, *words],
                env=os.environ | {PROGRESS: str(told), "NO_COLOR": "1"},
                pass_fds=(told,),
                start_new_session=True,
            )
    except BaseException:
        os.close(progress)
        raise
    finally:
        os.close(told)
    out, err = _Kept(is_end=False), _Kept(is_end=True)
    streams = [(out, process.stdout), (err, process.stderr)]

    async def tick() -> None:
        os.set_blocking(progress, False)
        line = ""
        while True:
            await anyio.sleep(SECONDS_BETWEEN_TICKS)
            with suppress(BlockingIOError):
                line = os.read(progress, 2**16).decode(errors="replace").strip() or line
            await tell(monotonic() - begun, line.splitlines()[-1] if line else "")

    async def read_all() -> None:
        async with anyio.create_task_group() as readers:
            for kept, stream in streams:
                if stream is not None:
                    readers.start_soon(kept.read, stream)
        all_read.set()

    all_read = anyio.Event()
    try:
        async with anyio.create_task_group() as around:
            around.start_soon(tick)
            around.start_soon(read_all)
            with anyio.move_on_after(seconds) as limit:
                await process.wait()
            if limit.cancelled_caught:
                with suppress(ProcessLookupError):
                    process.terminate()
                with anyio.move_on_after(SECONDS_TO_END):
                    await process.wait()
            _kill(process.pid)
            with anyio.move_on_after(SECONDS_OF_STREAMS):
                await all_read.wait()
            around.cancel_scope.cancel()
    finally:
        _kill(process.pid)
        os.close(progress)
        with anyio.CancelScope(shield=True):
            code = await process.wait()
            await process.aclose()
    dropped = out.dropped + err.dropped
    return Ended(code, out.text, err.text, dropped, limit.cancelled_caught, monotonic() - begun)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def main() -> int:
    """Run the command line of this process, which `run_apart` has started."""
    from .main import main as run

    server = os.dup(0)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # code of the user reads nothing
    Thread(target=_die_with, args=(server,), daemon=True).start()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(FIRST_TO_END)
    return run(sys.argv[1:])


def _die_with(server: int) -> None:
    """Wait until the server closes its end of a pipe, and kill this group of processes."""
    while os.read(server, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
