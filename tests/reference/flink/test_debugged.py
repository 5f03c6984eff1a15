"""A small JVM under the debugger: threads are held, let go and lost; and nothing is left of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from finale.model.errors import FinaleError
from finale.reference.flink.debugged import Absent, Debugged, Ended, Result, Stop, Told
from finale.reference.flink.hooks import Hook
from finale.reference.flink.toolchain import SOURCES, find_jdk
from tests.docs.pages import ROOT
from tests.reference.flink.machines import group_is_gone, listening, needs_jdk, processes_of

pytestmark = needs_jdk
SECONDS = 30.0
PATHS = {"checkpoint": "0.id", "times": "1", "gone": "0.other"}
TOY = """
import java.util.List;
import java.util.concurrent.CompletableFuture;
public class Toy {
    static class Mail { final long id; Mail(long id) { this.id = id; } }
    static class Urgent extends Mail { Urgent(long id) { super(id); } }
    static CompletableFuture<String> call(Mail mail) {
        return CompletableFuture.completedFuture(mail.getClass().getSimpleName());
    }
    void run(Mail mail, int times) {
        String said = times > 0 ? "more" : "less";
        switch (times) {
            case 1: said += "one"; break;
            case 2: said += "two"; break;
            default: return;
        }
        System.out.println("{\\"ran\\":" + mail.id + "}");
    }
    static boolean isMany(int number) { return number > 2; }
    static void check(int number) { if (number > 2) throw new IllegalArgumentException("many"); }
    static String checked(int number) {
        try {
            check(number);
            return "fine";
        } catch (RuntimeException many) {
            return "many";
        }
    }
    public static void main(String[] words) throws Exception {
        Toy toy = new Toy();
        for (int i = 1; i < 4; i++) toy.run(new Mail(40 + i), i);
        for (Mail mail : List.of(new Mail(1), new Urgent(2)))
            call(mail).whenComplete((done, failed) -> System.out.println(
                "{\\"done\\":\\"" + done + "\\",\\"failed\\":" + (failed != null) + "}"));
        if (words.length > 0) throw new IllegalStateException("on purpose");
        for (int i = 2; i < 4; i++)
            System.out.println(
                "{\\"many\\":" + isMany(i) + ",\\"check\\":\\"" + checked(i) + "\\"}");
        System.out.println("{\\"over\\":true}");
        System.in.read();
    }
}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    (folder / "Toy.java").write_text(TOY, encoding="utf-8")
    sources = [folder / "Toy.java", SOURCES / "Debugger.java"]
    command = [str(find_jdk().javac), "--add-modules", "jdk.jdi", "-d", str(folder)]
    subprocess.run([*command, *map(str, sources)], check=True)
    return folder


@contextmanager
def toy(
    classes: Path, method: str = "run", *words: str, paths: Mapping[str, str] = PATHS
) -> Iterator[tuple[Debugged, int]]:
    java = find_jdk().java
    hook = Hook(0, ("run",), "Toy", method, None, False, False, "", {}, paths)
    debugger = [str(java), "--add-modules", "jdk.jdi", "-cp", str(classes), "Debugger"]
    debugged = Debugged(debugger, [str(java), "-cp", str(classes), "Toy", *words], [hook])
    with debugged:
        yield debugged, debugged.group
    assert group_is_gone(debugged.group)


def stop(debugged: Debugged) -> Stop:
    found = debugged.next(SECONDS)
    assert isinstance(found, Stop)
    return found


def told(debugged: Debugged) -> list[Mapping[str, object]]:
    """All that the JVM says from now on, until it is over."""
    said: list[Mapping[str, object]] = []
    while {"over": True} not in said:
        news = debugged.next(SECONDS)
        assert news is not None
        if isinstance(news, Told):
            said.append(news.words)
    return said


def test_a_thread_is_held_until_it_is_let_go(classes: Path) -> None:
    with toy(classes) as (debugged, _):
        first = stop(debugged)
        assert first.token is not None
        assert first.values["checkpoint"] == 41
        assert first.values["times"] == 1
        assert first.values["gone"] == {"missing": "other"}
        assert debugged.next(0.3) is None
        debugged.go(first.token)
        # The method has returned, the JVM says so, and comes to the method again: in any order.
        news = [debugged.next(SECONDS) for _ in range(3)]
        assert Told({"ran": 41}) in news


def test_a_method_that_returns_is_told_wherever_it_returns(classes: Path) -> None:
    with toy(classes) as (debugged, _):
        seen: list[object] = []
        while (news := debugged.next(SECONDS)) != Told({"over": True}):
            assert news is not None
            seen.append(news)
            if isinstance(news, Stop) and news.token is not None:
                debugged.go(news.token)
        stops = [each for each in seen if isinstance(each, Stop)]
        assert [each.token is None for each in stops] == [False, True] * 3
        said = [
            each.words["ran"] for each in seen if isinstance(each, Told) and "ran" in each.words
        ]
        assert said == [41, 42]


def test_a_call_is_lost(classes: Path) -> None:
    with toy(classes) as (debugged, _):
        for _ in range(3):
            held = stop(debugged)
            assert held.token is not None
            debugged.skip(held.token)
        assert told(debugged)[-1] == {"over": True}


def test_a_call_can_fail_for_the_one_who_waits(classes: Path) -> None:
    """Only the calls come whose argument is of a class that begins so."""
    paths = {"checkpoint": "0.id", "where": "0.@type^Toy$Urg"}
    with toy(classes, "call", paths=paths) as (debugged, _):
        before = [debugged.next(SECONDS) for _ in range(4)]
        assert Told({"done": "Mail", "failed": False}) in before
        held = before[-1]
        assert isinstance(held, Stop)
        assert held.values["checkpoint"] == 2
        assert held.token is not None
        debugged.give(held.token, "fail")
        assert told(debugged)[0] == {"done": "null", "failed": True}


@pytest.mark.parametrize(
    ("method", "results"), [("isMany", [False, True]), ("check", ["void", "throws"])]
)
def test_the_result_of_a_method_is_told(classes: Path, method: str, results: list[object]) -> None:
    with toy(classes, method, paths={}) as (debugged, _):
        found: list[object] = []
        while (news := debugged.next(SECONDS)) != Told({"over": True}):
            assert news is not None
            if isinstance(news, Stop) and news.token is not None:
                debugged.follow(news.token)
            if isinstance(news, Result):
                found.append(news.value)
        assert found == results


@pytest.mark.parametrize(
    ("method", "value", "said"),
    [
        ("isMany", "true", {"many": True, "check": "fine"}),
        ("isMany", "false", {"many": False, "check": "many"}),
        ("check", "skip", {"many": True, "check": "fine"}),
        ("check", "throw", {"many": False, "check": "many"}),
        ("call", "done", {"done": "null", "failed": False}),
    ],
)
def test_a_method_is_forced(
    classes: Path, method: str, value: str, said: Mapping[str, object]
) -> None:
    with toy(classes, method, paths={}) as (debugged, _):
        found: list[Mapping[str, object]] = []
        while (news := debugged.next(SECONDS)) != Told({"over": True}):
            assert news is not None
            if isinstance(news, Stop) and news.token is not None:
                debugged.give(news.token, value)
            if isinstance(news, Told):
                found.append(news.words)
        assert said in found


def test_a_method_that_is_not_there(classes: Path) -> None:
    with toy(classes, "nothing") as (debugged, _):
        assert debugged.next(SECONDS) == Absent(0)


def test_a_jvm_that_dies(classes: Path) -> None:
    with toy(classes, "run", "die") as (debugged, _):
        while not isinstance(news := debugged.next(SECONDS), Ended):
            assert news is not None
            if isinstance(news, Stop) and news.token is not None:
                debugged.go(news.token)
        assert news.code == 1
        with pytest.raises(FinaleError, match="on purpose"):
            raise debugged.died()


def test_nothing_is_left_after_ctrl_c_while_a_thread_is_held(classes: Path) -> None:
    groups: list[int] = []

    def interrupted() -> None:
        with toy(classes) as (debugged, group):
            groups.append(group)
            stop(debugged)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert all(map(group_is_gone, groups))


def test_the_port_of_the_debugger_is_on_loopback_only(classes: Path) -> None:
    with toy(classes) as (debugged, _):
        stop(debugged)
        listening = [
            line.split()[1].partition(":")[0]
            for file in ("tcp", "tcp6")
            for line in Path(f"/proc/{debugged.group}/net/{file}").read_text().splitlines()[1:]
            if line.split()[3] == "0A" and _is_of(debugged.group, line.split()[9])
        ]
        assert not listening  # it listened until the JVM came, and then no more


def _is_of(process: int, inode: str) -> bool:
    links = Path(f"/proc/{process}/fd").iterdir()
    return any(str(link.readlink()) == f"socket:[{inode}]" for link in links)


HOLDS = """
import sys, time
from pathlib import Path
from tests.reference.flink.test_debugged import stop, toy
with toy(Path(sys.argv[1])) as (debugged, group):
    stop(debugged)
    print(group, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_signal_leaves_no_process_and_no_port(classes: Path, name: str) -> None:
    """Also while a thread is held."""
    command = [sys.executable, "-c", HOLDS, str(classes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          cwd=ROOT) as holds:  # fmt: skip
        assert holds.stdout is not None
        group = int(holds.stdout.readline())
        assert len(processes_of(group)) == 2
        assert not listening(group)
        holds.send_signal(signal.Signals[name])
        holds.wait(SECONDS)
    end = monotonic() + SECONDS
    while not group_is_gone(group) and monotonic() < end:
        sleep(0.05)
    assert group_is_gone(group)
