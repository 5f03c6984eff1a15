"""Starts Spark on this machine, or connects to the master that the user names.

The console stays quiet: what Spark and its workers write goes into a file, and its errors are told
where Spark does not start. On one machine everything talks over loopback. Elsewhere workers need
Python and the dependencies only: the code is shipped to them.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any

import finale
from finale.model.errors import FinaleError, Place
from finale.pipeline.java import require_spark

#: The folder into which executors unpack the archive, and where a user's folders are in it.
UNPACKED = "finale-code"
FOLDERS = "folders"
#: The package as it was loaded.
_HOME = Path(finale.__file__).parent
#: What a compiler leaves beside sources: a worker makes it again. And specs: no worker reads them.
_LEFT_OUT = ("__pycache__", "specs")
#: The same sources make the same archive: a zip has the times of its files in it.
_TIME = (1980, 1, 1, 0, 0, 0)


def packed(folders: Sequence[Path], into: Path) -> Path:
    """An archive with the code and these folders, which are found again by `shipped`."""
    archive = into / f"{UNPACKED}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as found:
        for part in sorted(each for each in _HOME.iterdir() if each.name not in _LEFT_OUT):
            _add(found, part, f"{_HOME.name}/{part.name}")
        for folder in folders:
            _add(found, folder, f"{FOLDERS}/{_name(folder)}/{folder.name}")
    return archive


def shipped(folder: Path) -> Path:
    """Return the path of a packed folder on this machine: the original, or the unpacked copy."""
    unpacked = _HOME.parent / FOLDERS / _name(folder) / folder.name
    return unpacked if unpacked.is_dir() else folder


def _name(folder: Path) -> str:
    """Folders of one name are kept apart; a worker may lack the path, so no link is followed."""
    return hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:16]


def _add(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    for file in _files(folder):
        inside = "" if file == folder else f"/{file.relative_to(folder).as_posix()}"
        entry = zipfile.ZipInfo(f"{name}{inside}", _TIME)
        archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)


def _files(folder: Path) -> Iterator[Path]:
    for file in [folder] if folder.is_file() else sorted(folder.rglob("*")):
        if file.is_file() and not any(part in _LEFT_OUT for part in file.parts):
            yield file


if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
LOOPBACK = "127.0.0.1"
_MASTER = re.compile(r"local(\[.+\])?|local-cluster\[.+\]|(spark|k8s|yarn|mesos)(://.+)?")
_NEARBY = re.compile(r"local(\[.*)?|local-cluster.*|spark://(localhost|127\.[\d.]+)(:\d+)?")
_LOGGING = Path(__file__).with_name("log4j2.properties")
#: What tells in Spark's log why it does not start, and what it says around that.
_TROUBLE = re.compile(r"\b(Error:|ERROR\b.*unresponsive|Invalid|refused)")
_NOISE = ("An error occurred while calling", "at ", "This stopped SparkContext")
#: What a context of Spark's puts into the environment of its process and leaves there.
_SET_BY_SPARK = ("SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE")
LINES_TOLD = 2
COLUMNS_TOLD = 160
SECONDS_TO_CONNECT = 10
#: So long Java may take to tidy up; then it is killed.
SECONDS_TO_END = 30
#: The library by which Python and Java talk, and its logger.
_CONNECTION = "py4j"
#: Where Spark does nothing but start tasks, its Java need not compile well, nor collect in threads.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"


@dataclass(frozen=True)
class SparkCluster:
    """A Spark master with its settings, and the folders that workers read too.

    `folders` hold code of the user's (`--protocols`); a worker finds them by `shipping.shipped`.
    """

    master: str = LOCAL
    conf: Mapping[str, str] = field(default_factory=dict[str, str])
    folders: tuple[Path, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether workers are processes of this machine with this installation."""
        return re.fullmatch(r"local(\[.*)?", self.master) is not None

    @property
    def is_nearby(self) -> bool:
        """Whether all of it is on this machine: nothing is opened to the network then."""
        return _NEARBY.fullmatch(self.master) is not None


def cluster_of(
    master: str | None, settings: Sequence[str], folders: Sequence[Path]
) -> SparkCluster:
    """A cluster as the command line names it. Raises `bad-master`, `bad-conf`."""
    if master is not None and not _MASTER.fullmatch(master):
        raise FinaleError(
            "bad-master",
            f'"{master}" is not a Spark master',
            advice="write local[2], spark://HOST:7077, yarn or k8s://HOST:PORT",
        )
    pairs = [each.partition("=") for each in settings]
    for text, (key, equals, _) in zip(settings, pairs, strict=True):
        if not equals or not key.startswith("spark."):
            raise FinaleError(
                "bad-conf",
                f'"{text}" is not a Spark setting',
                advice="write --conf spark.NAME=VALUE, as --conf spark.driver.memory=8g",
            )
    return SparkCluster(master or LOCAL, {key: value for key, _, value in pairs}, tuple(folders))


def frugal(cluster: SparkCluster) -> SparkCluster:
    """Return the cluster with settings for work that Python alone does."""
    given = cluster.conf.get(JAVA_OPTIONS, "")
    return replace(cluster, conf={**cluster.conf, JAVA_OPTIONS: f"{JAVA} {given}".strip()})


@contextmanager
def session(cluster: SparkCluster, name: str = "finale") -> Generator[SparkSession]:
    """Spark, started, and ended with its Java when it is left; one at a time.

    Raises `spark-missing`, `java-missing`, `java-too-old`, `spark-did-not-start`.
    """
    require_spark()
    _refuse_silent_master(cluster)
    assert not _context()._active_spark_context, "Spark runs already in this process"
    folder = Path(tempfile.mkdtemp(prefix="finale-spark-"))
    try:
        with _environment(_variables(cluster)), _own_interrupt(), _quiet(), _Java() as java:
            yield _started(cluster, name, folder, java)
    except Exception as error:
        if _came_of_interrupt(error):
            raise KeyboardInterrupt from None
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _came_of_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C led to an error: while PySpark tidies up, Java may not answer."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def settings_of(cluster: SparkCluster, name: str, folder: Path) -> dict[str, str]:
    """All settings that differ from Spark's own: those that are given come last, and win."""
    log = f"-Dlog4j2.configurationFile={_LOGGING.as_uri()} -Dfinale.spark.log={folder}/spark.log"
    found = {
        "spark.master": cluster.master,
        "spark.app.name": name,
        JAVA_OPTIONS: log,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        # What a task writes is not undone when a twin of it wins.
        "spark.speculation": "false",
    }
    if cluster.is_nearby:
        found |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    if cluster.is_local:
        found |= {
            "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
            # A Python task costs half as much as over TCP.
            "spark.python.unix.domain.socket.enabled": "true",
        }
    else:
        archive = packed(cluster.folders, folder)
        found |= {
            "spark.archives": f"{archive}#{UNPACKED}",
            "spark.executorEnv.PYTHONPATH": UNPACKED,
        }
    given = dict(cluster.conf)
    for key, glue in ((JAVA_OPTIONS, " "), ("spark.archives", ",")):
        if key in given and key in found:
            given[key] = f"{found[key]}{glue}{given[key]}"
    return found | given


def _variables(cluster: SparkCluster) -> dict[str, str]:
    """Return the environment variables of Spark; values of the user stay."""
    wanted: dict[str, str] = {}
    if cluster.is_nearby:
        wanted["SPARK_LOCAL_IP"] = LOOPBACK
        wanted["SPARK_LOCAL_HOSTNAME"] = "localhost"
        wanted["PYSPARK_PYTHON"] = sys.executable
    return {key: os.environ.get(key, value) for key, value in wanted.items()}


@contextmanager
def _environment(variables: Mapping[str, str]) -> Generator[None]:
    before = {key: os.environ.get(key) for key in (*variables, *_SET_BY_SPARK)}
    os.environ.update(variables)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


@contextmanager
def _own_interrupt() -> Generator[None]:
    """Ctrl-C means afterwards what it meant."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        _set_interrupt(before)


def _set_interrupt(handler: Any) -> None:
    if current_thread() is main_thread():
        signal.signal(signal.SIGINT, handler)


@contextmanager
def _held_interrupt() -> Generator[None]:
    """Ctrl-C is kept until the end of this, and means then what it meant."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)

    with _own_interrupt():
        _set_interrupt(note)
        yield
    if came:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _quiet() -> Generator[None]:
    """Silence messages between Python and Java: errors are raised instead.

    Their connection would print it, too: by its own logger and, past that, by the root of all.
    """

    def is_of_others(record: logging.LogRecord) -> bool:
        return Path(record.pathname).parent.name != _CONNECTION

    root, own = logging.getLogger(), logging.getLogger(_CONNECTION)
    level = own.level
    root.addFilter(is_of_others)
    own.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        own.setLevel(level)
        root.removeFilter(is_of_others)


def _started(cluster: SparkCluster, name: str, folder: Path, java: _Java) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False)
    for key, value in settings_of(cluster, name, folder).items():
        conf.set(key, value)
    interrupt, came = signal.getsignal(signal.SIGINT), list[int]()

    def noted(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if callable(interrupt):
            interrupt(number, frame)

    _set_interrupt(noted if callable(interrupt) else interrupt)
    try:
        java.start(conf, folder)
        java.spark = SparkSession(SparkContext(conf=conf))
    except Exception as error:
        why = _told(str(error), folder)  # Java is asked for it
        raise _did_not_start(why, cluster) from None
    # Spark's own handler talks to Java by the connection whose answer is waited for. Ctrl-C ends
    # a session, too, where it was ignored until now, as that of what runs in the background is.
    _set_interrupt(interrupt if callable(interrupt) else signal.default_int_handler)
    if came:  # and what was called here has taken it for something else
        raise KeyboardInterrupt
    return java.spark


def _context() -> Any:
    """Return the private PySpark class that holds the Java process of all sessions."""
    from pyspark import SparkContext

    return SparkContext


class _Java:
    """The Java of a session. However that ends, and were it in the midst of its start, Java does.

    The next session may give it other settings.
    """

    def __init__(self) -> None:
        self.spark: SparkSession | None = None
        self._process: subprocess.Popen[bytes] | None = None
        """None, too, where Spark has started us: it is another's then."""

    def __enter__(self) -> _Java:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        context = _context()
        gateway, context._gateway, context._jvm = context._gateway, None, None
        # What ended the session is told, and not what that has led to.
        try:
            with suppress(*(() if kind is None else (Exception,))):
                if self.spark is not None:
                    self.spark.stop()
                if gateway is not None:
                    gateway.shutdown()
        finally:
            self._end_process(was_started=gateway is not None)

    def start(self, conf: SparkConf, folder: Path) -> None:
        """Starts the Java in which the driver is; what it prints goes into the file of the log."""
        module: Any = import_module("pyspark.java_gateway")
        popen = module.Popen
        module.Popen = self._popen
        try:
            with (folder / "console.log").open("wb") as console:
                gateway = module.launch_gateway(conf, {"stdout": console, "stderr": console})
            _context()._gateway, _context()._jvm = gateway, gateway.jvm
        finally:
            module.Popen = popen

    def _popen(self, *arguments: Any, **settings: Any) -> subprocess.Popen[bytes]:
        """Start a process, and remember it until it has answered, which takes seconds."""
        with _held_interrupt():
            process: subprocess.Popen[bytes] = subprocess.Popen[bytes](*arguments, **settings)
            self._process = process
        return process

    def _end_process(self, *, was_started: bool) -> None:
        process = self._process
        if process is None:
            return
        try:
            assert process.stdin is not None
            process.stdin.close()  # at the end of which it exits, once it reads
            if not was_started:
                process.terminate()
            process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            pass
        finally:
            process.kill()
            process.wait()


def _refuse_silent_master(cluster: SparkCluster) -> None:
    """Spark itself would try for a minute. Raises `spark-did-not-start`."""
    hosts = cluster.master.removeprefix("spark://").split(",")
    if not cluster.master.startswith("spark://"):
        return
    for host in hosts:
        name, _, port = host.rpartition(":")
        try:
            with socket.create_connection((name, int(port)), timeout=SECONDS_TO_CONNECT):
                return
        except (OSError, ValueError):
            continue
    raise _did_not_start("nobody answers there", cluster)


def _told(said: str, folder: Path) -> str:
    """Return the reason of a failure: the output of Java and Spark, then the exception."""
    told: list[str] = []
    for name in ("console.log", "spark.log"):
        log = folder / name
        lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
        told += [line for line in lines if _TROUBLE.search(line)]
    told += said.splitlines()
    clear = [" ".join(line.split()).removeprefix(": ") for line in told]
    shown = [line for line in clear if line and not line.startswith(_NOISE)]
    return "; ".join(line[:COLUMNS_TOLD] for line in shown[:LINES_TOLD])


def _did_not_start(why: str, cluster: SparkCluster) -> FinaleError:
    return FinaleError(
        "spark-did-not-start",
        f"Spark did not start on {cluster.master}: {why}",
        place=Place(key="--master"),
        advice="check that the master is reachable, and check the settings of --conf",
    )
