"""JVMs with Flink that serve several runs, one after the other.

A JVM takes ten seconds of processor time to load Flink. The next run in it has a cluster, a job and
a log of its own, and begins when no thread of the run before is left. If one is left, as after a
deadlock, the JVM is ended, and the next run gets a new one. After the last run nobody waits for the
end of its cluster.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Self

from finale.model.errors import FinaleError

from .debugged import MEMORY, Debugged, Ended, Told
from .hooks import Hooks, hooks_of
from .releases import Release
from .toolchain import compiled, find_jdk

LOG = "flink.log"
#: So many runs a JVM serves: what Flink keeps for good must not fill its memory.
RUNS_MAX = 40
#: So long a JVM has to end the log or the cluster of a run, in seconds: longer than Run.java waits.
SECONDS_TO_TELL = 20.0
#: Java 17 asks for these; Flink's own scripts set them, too.
OPENS = [f"--add-opens=java.base/java.{each}=ALL-UNNAMED" for each in ("lang", "util", "time")]
#: A MiniCluster has as many threads for calls as the JVM sees processors, from two to four, and a
#: call that is held holds one of them.
PROCESSORS = "-XX:ActiveProcessorCount=4"


@dataclass
class Jvm:
    """A JVM under the debugger, and the folder in which it runs."""

    debugged: Debugged
    folder: Path
    parts: ExitStack
    """The process and the folder: both end with it."""
    runs: int = 0

    def begin(self, folder: Path) -> None:
        """Begin a run that logs into a folder."""
        self.runs += 1
        name = f"run-{self.runs}"
        # A link, so that no path of a user stands in the settings: Log4j would expand it.
        (self.folder / name).symlink_to(folder.absolute(), target_is_directory=True)
        settings = self.folder / f"{name}.properties"
        settings.write_text(LOG4J.replace(LOG, f"{name}/{LOG}"), encoding="utf-8")
        self.debugged.command("log", settings.name)
        self.debugged.arm()

    def falls_silent(self) -> bool:
        """End the log of a run. Returns whether the JVM may serve another one."""
        self.debugged.command("log", QUIET)
        return self._tells("logs", QUIET) and self.runs < RUNS_MAX

    def forgets(self) -> bool:
        """End the cluster of the run before. Returns whether nothing of it is left."""
        try:
            self.debugged.disarm()
            self.debugged.command("close")
        except FinaleError:  # it has died meanwhile
            return False
        return self._tells("closed", True)

    def _tells(self, word: str, value: object) -> bool:
        """Whether the JVM says so in time, as the next that it says of this word."""
        end = monotonic() + SECONDS_TO_TELL
        while (news := self.debugged.next(end - monotonic())) is not None:
            match news:
                case Told(words) if word in words:
                    return words[word] == value
                case Ended():
                    return False
                case _:
                    pass
        return False


@dataclass
class Jvms:
    """JVMs of one release. Their processes end with the context.

    Threads are also held at the method of an `assumption`, if one is named.
    """

    release: Release
    assumption: str = ""
    _idle: list[Jvm] = field(default_factory=list[Jvm])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._idle:
            self._idle.pop().parts.close()

    @cached_property
    def hooks(self) -> Hooks:
        """Where threads of this release are held."""
        hooks = hooks_of(self.release).without(self.assumption)
        if self.assumption:
            hooks.check(self.release)
        return hooks

    @contextmanager
    def jvm(self, folder: Path) -> Iterator[Debugged]:
        """A JVM for one run, which logs into a folder.

        Raises `java-missing`, `jdk-missing`, `no-compile`, `jvm-died`.
        """
        jvm = self._free() or self._start()
        with jvm.parts:
            jvm.begin(folder)
            yield jvm.debugged
            if jvm.falls_silent():
                jvm.parts = jvm.parts.pop_all()
                self._idle.append(jvm)

    def _free(self) -> Jvm | None:
        """A JVM that nothing of a former run is left in."""
        while self._idle:
            jvm = self._idle.pop()
            with jvm.parts:
                if jvm.forgets():
                    jvm.parts = jvm.parts.pop_all()
                    return jvm
        return None

    def _start(self) -> Jvm:
        jdk = find_jdk()
        debugger, job = compiled(jdk, self.release, self.hooks.java)
        with ExitStack() as parts:
            folder = Path(parts.enter_context(tempfile.TemporaryDirectory(prefix="finale-")))
            (folder / QUIET).write_text("rootLogger.level = OFF\n", encoding="utf-8")
            start = [str(jdk.java), "-Xmx128m", "--add-modules", "jdk.jdi", "-cp", str(debugger)]
            start += ["Debugger"]
            command = [str(jdk.java), MEMORY, PROCESSORS, f"-Dlog4j2.configurationFile={QUIET}"]
            command += [*OPENS, "-cp", f"{job}:{self.release.class_path}", "Job"]
            debugged = parts.enter_context(Debugged(start, command, self.hooks.all, folder))
            return Jvm(debugged, folder, parts.pop_all())


#: What is logged between two runs: nothing.
QUIET = "quiet.properties"
LOG4J = f"""\
rootLogger.level = INFO
rootLogger.appenderRef.main.ref = Main
appender.main.name = Main
appender.main.type = File
appender.main.fileName = {LOG}
appender.main.layout.type = PatternLayout
appender.main.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss,SSS}} %-5p %c [%t] - %m%n
logger.checkpoint.name = org.apache.flink.runtime.checkpoint
logger.checkpoint.level = DEBUG
logger.graph.name = org.apache.flink.runtime.executiongraph
logger.graph.level = DEBUG
logger.master.name = org.apache.flink.runtime.jobmaster.JobMaster
logger.master.level = DEBUG
logger.executor.name = org.apache.flink.runtime.taskexecutor.TaskExecutor
logger.executor.level = DEBUG
logger.task.name = org.apache.flink.runtime.taskmanager.Task
logger.task.level = DEBUG
logger.stream.name = org.apache.flink.streaming.runtime
logger.stream.level = DEBUG
logger.stop.name = org.apache.flink.runtime.scheduler.stopwithsavepoint
logger.stop.level = DEBUG
"""

__all__ = ["LOG", "Jvms"]
